"""Coverage and level by seeded simulation, small enough for every run and able to fail.

Each limit is the promised rate plus three standard errors of the simulation; the large tables are
in benchmarks/coverage.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator

from rocstar import (
    ArctanRatio,
    NeymanPearsonClassifier,
    arc_length_interval,
    auc_gain,
    auc_interval,
    certify,
    roc_band,
    two_sample_test,
    youden_interval,
)
from rocstar.inference import held_figures
from rocstar.inference.certificate import certificate
from rocstar.inference.held_out import of_one_part
from rocstar.laws import GaussianPair


def most_misses(runs: int, error: float = 0.05) -> int:
    return int(runs * error + 3 * np.sqrt(runs * error * (1 - error)))


def two_point(rng, n_pos, n_neg, truth):
    """A share of the positives lies below all negatives: the least favourable law."""
    return np.where(rng.random(n_pos) < truth, 2.0, -1.0), rng.random(n_neg)


def binormal(rng, n_pos, n_neg, truth):
    return rng.normal(np.sqrt(2) * norm.ppf(truth), 1, n_pos), rng.normal(size=n_neg)


def lattice(rng, n_pos, n_neg, truth):
    """Two levels: P(1) = a among positives, 1 − a among negatives, so the AUC is a."""
    return (rng.random(n_pos) < truth) * 1.0, (rng.random(n_neg) < 1 - truth) * 1.0


def auc_misses(method, law, n_pos, truth, runs=300):
    rng = np.random.default_rng(n_pos)
    y = np.repeat([1, 0], [n_pos, 200])
    misses = 0
    for run in range(runs):
        score = np.concatenate(law(rng, n_pos, 200, truth))
        estimate = auc_interval(
            y, score, side="lower", method=method, n_draws=1000, random_state=run
        )
        misses += estimate.low > truth + 1e-12
    return misses


@pytest.mark.parametrize("law", [two_point, binormal, lattice])
@pytest.mark.parametrize(("n_pos", "truth"), [(12, 0.8), (60, 0.8), (60, 0.95)])
def test_auc_bound_holds_its_level(law, n_pos, truth):
    assert auc_misses("dirichlet", law, n_pos, truth) <= most_misses(300)


@pytest.mark.filterwarnings("ignore:DeLong's standard error")
def test_this_simulation_can_fail():
    """DeLong's bound fails where the default holds, so the limits above have teeth."""
    assert auc_misses("delong", two_point, 12, 0.95) > 3 * most_misses(300)


def test_auc_bound_is_not_merely_small():
    """Twice the error at least: a bound that never misses would be too weak."""
    assert auc_misses("dirichlet", two_point, 120, 0.8, runs=400) >= 6


def test_gain_bound_holds_its_level():
    """Scores that disagree on a few positives only, where pairing leaves little spread."""
    rng, misses, runs = np.random.default_rng(0), 0, 300
    y = np.repeat([1, 0], [30, 100])
    for run in range(runs):
        base = np.concatenate([rng.normal(2, 1, 30), rng.normal(size=100)])
        rare = (rng.random(130) < 0.06) & (y == 1)
        gain = auc_gain(
            y, np.where(rare, -9, base), base, side="lower", n_draws=600, random_state=run
        )
        # The score loses the whole placement of a rare positive: the baseline's AUC times 6 %.
        misses += gain.low > -0.06 * norm.cdf(np.sqrt(2))
    assert misses <= most_misses(runs)


def test_arc_length_bound_holds_its_level_with_few_positives():
    law, misses, runs = GaussianPair(3.0), 0, 300
    for run in range(runs):
        X, y = law.sample(15, 300, random_state=run)
        misses += (
            arc_length_interval(y, law.angle(X), side="lower", n_draws=600).low > law.arc_length
        )
    assert misses <= most_misses(runs)


@pytest.mark.parametrize("method", ["dirichlet", "exact"])
def test_roc_band_holds_its_level_everywhere_at_once(method):
    rng, misses, runs = np.random.default_rng(0), 0, 60
    y = np.repeat([1, 0], [60, 150])
    grid = np.linspace(0, 1, 400)
    for _ in range(runs):
        band = roc_band(y, rng.normal(size=210) + 1.5 * y, method=method)
        misses += (band.at(grid) > norm.sf(norm.isf(grid) - 1.5) + 1e-9).any()
    assert misses <= most_misses(runs)


@pytest.mark.parametrize("delta", [0.0, 1.5])
@pytest.mark.parametrize("cv", [5, "holdout"])
def test_certificates_hold_their_level(delta, cv, monkeypatch):
    monkeypatch.setattr(held_figures, "N_DRAWS", 500)
    law, runs = GaussianPair.shifted(delta, 2), 100
    misses = np.zeros(3)
    for run in range(runs):
        monkeypatch.setattr(held_figures, "SEED", run)
        X, y = law.sample(55, 60, random_state=run)
        c = certify(ArctanRatio(alpha=1e-2, tol=1e-4), X, y, cv=cv, random_state=run)
        lows = np.array([c.arc_length.low, c.auc.low, c.tv.low])
        misses += lows > np.array([law.arc_length, law.auc, law.tv]) + 1e-9
    assert misses.max() <= most_misses(runs)


class MeanDifference(BaseEstimator):
    """The angle of two normal laws of unit variance, by their means: the class of the truth."""

    def fit(self, X, y):
        means = [X[y == label].mean(axis=0) for label in (0, 1)]
        self.w_ = means[1] - means[0]
        self.b_ = self.w_ @ (means[0] + means[1]) / 2
        return self

    def predict_angle(self, X):
        return np.arctan(np.exp(X @ self.w_ - self.b_))


@pytest.mark.parametrize("delta", [0.0, 1.5])
def test_certificates_of_repeated_folds_hold_their_level(delta, monkeypatch):
    monkeypatch.setattr(held_figures, "N_DRAWS", 300)
    law, runs = GaussianPair.shifted(delta, 3), 50
    misses = 0
    for run in range(runs):
        monkeypatch.setattr(held_figures, "SEED", run)
        X, y = law.sample(55, 60, random_state=run)
        c = certify(MeanDifference(), X, y, random_state=run)
        assert c.held_out.n_repeats == 3
        lows = np.array([c.arc_length.low, c.auc.low, c.tv.low])
        misses += (lows > np.array([law.arc_length, law.auc, law.tv]) + 1e-9).any()
    assert misses <= most_misses(runs)


def test_bounds_of_a_certificate_hold_together(monkeypatch):
    """With the true angle nothing but the draws protects the bounds: each misses some 5 % alone."""
    monkeypatch.setattr(held_figures, "N_DRAWS", 500)
    law, runs = GaussianPair(1.0), 300
    truth = np.array([law.arc_length, law.auc, law.tv])
    together = alone = 0
    for run in range(runs):
        monkeypatch.setattr(held_figures, "SEED", run)
        X, y = law.sample(300, 300, random_state=run)
        up, angle = y == 1, law.angle(X)
        c = certificate(of_one_part(up, angle, angle, np.ones(600), None))
        together += (np.array([c.arc_length.low, c.auc.low, c.tv.low]) > truth + 1e-9).any()
        given = {"n_draws": 500, "random_state": run, "side": "lower"}
        single = (
            arc_length_interval(y, angle, **given).low,
            auc_interval(y, angle, **given).low,
            youden_interval(y, angle > np.pi / 4, **given).low,
        )
        alone += (np.array(single) > truth + 1e-9).any()
    assert together <= most_misses(runs)
    assert together < alone


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ({}, 400),
        ({"estimator": ArctanRatio(alpha=1e-2, tol=1e-4)}, 200),
        ({"estimator": ArctanRatio(alpha=1e-2, tol=1e-4), "n_splits": 3}, 100),
    ],
)
def test_two_sample_test_holds_its_level(options, runs):
    rejected = 0
    for run in range(runs):
        X, y = GaussianPair.shifted(0.0, 3).sample(25, 40, random_state=run)
        result = two_sample_test(X, y, n_permutations=59, random_state=run, **options)
        rejected += result.pvalue <= 0.05
    assert rejected <= most_misses(runs)


def test_neyman_pearson_keeps_its_promise():
    law, broken, runs = GaussianPair(1.5, 0.0), 0, 200
    for run in range(runs):
        X, y = law.sample(40, 80, random_state=run)
        inner = ArctanRatio(alpha=1e-2, tol=1e-4)
        model = NeymanPearsonClassifier(inner, 0.1, 0.1, random_state=run).fit(X, y)
        at = model.decision_function([[0.0], [1.0]])
        broken += norm.sf(-at[0] / (at[1] - at[0])) > 0.1
    assert broken <= most_misses(runs, 0.1)
