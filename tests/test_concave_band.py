"""The proven band of ROC*: level, tightness beside its rivals, and what it takes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from rocstar import ArctanRatio, audit, certify, laws, roc_band
from rocstar.geometry.curves import roc_hull
from rocstar.geometry.polygons import concave_majorant
from rocstar.inference.concave_band import concave_curve, rates_of
from rocstar.inference.rank_counts import Part


def normal_sample(n_pos, n_neg, shift, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    return y, rng.normal(size=y.size) + shift * y


def clopper_pearson_at_hull_points(y, score, error=0.05):
    """The rule of jax_privacy: every vertex of the empirical hull at its share of the error."""
    hull = roc_hull(y, score)
    fpr, tpr, sizes = hull.fpr[1:-1], hull.tpr[1:-1], np.bincount(y)
    each = error / (2 * fpr.size)
    up, down = np.rint(tpr * sizes[1]), np.rint(fpr * sizes[0])
    low = np.where(up > 0, beta.ppf(each, np.maximum(up, 1), sizes[1] - up + 1), 0.0)
    high = beta.isf(each, down + 1, np.maximum(sizes[0] - down, 1e-9))
    return concave_majorant(np.where(down < sizes[0], high, 1.0), low)


@pytest.mark.parametrize(("n_pos", "n_neg", "shift"), [(60, 60, 0.0), (12, 300, 2.0)])
def test_band_holds_its_level(n_pos, n_neg, shift):
    misses, runs = 0, 25
    for seed in range(runs):
        y, score = normal_sample(n_pos, n_neg, shift, seed)
        fpr, low = concave_curve(y == 1, score, np.zeros(y.size, dtype=int), 0.9)
        misses += bool((low > norm.sf(norm.isf(fpr) - shift) + 1e-9).any())
    assert misses <= binom.isf(0.001, runs, 0.1)


def test_parts_with_models_of_their_own_hold_the_level_at_ties():
    # A third of the rows ties at the top; scores of parts are on different scales.
    misses, runs = 0, 25
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        y, part = np.repeat([1, 0], 120), np.arange(240) % 3
        score = (np.rint(rng.normal(size=240) + y) + 5.0) * (1 + part)
        fpr, low = concave_curve(y == 1, score, part, 0.9)
        cuts = np.arange(-6.5, 8)
        truth = np.interp(fpr, norm.sf(cuts)[::-1], norm.sf(cuts - 1)[::-1])
        misses += bool((low > truth + 1e-9).any())
    assert misses <= binom.isf(0.001, runs, 0.1)


def test_band_is_tighter_than_clopper_pearson_at_hull_points():
    gaps = []
    for seed in range(5):
        y, score = normal_sample(300, 300, 2.0, seed)
        band = roc_band(y, score, method="concave")
        rates = np.linspace(0.0005, 0.01, 20)
        theirs = np.interp(rates, *clopper_pearson_at_hull_points(y, score))
        ours = np.interp(rates, *concave_majorant(band.fpr, band.low))
        gaps.append(ours.mean() - theirs.mean())
    assert np.median(gaps) > 0


def test_band_is_a_staircase_below_its_curve():
    y, score = normal_sample(100, 100, 1.0, 0)
    band = roc_band(y, score, method="concave")
    fpr, low = concave_curve(y == 1, score, np.zeros(200, dtype=int), 0.95)
    assert np.all(np.diff(band.low) >= 0)
    assert np.all(band.low <= np.interp(band.fpr, fpr, low) + 1e-12)
    assert band.at(fpr) == pytest.approx(low)
    stricter = roc_band(y, score, method="concave", level=0.99)
    assert np.all(stricter.low <= band.low)


def test_rates_depend_on_sizes_only():
    sizes = [Part(np.zeros(5), np.zeros(n)) for n in (150, 200)]
    assert rates_of(sizes).tolist() == rates_of(sizes[::-1]).tolist()
    assert rates_of([Part(np.zeros(5), np.zeros(1000))])[0] == pytest.approx(0.004)
    assert rates_of([Part(np.zeros(5), np.zeros(2))]).tolist() == [0.75]


@pytest.mark.parametrize("given", [{"sample_weight": np.ones(40)}, {"groups": np.arange(40) // 2}])
def test_weights_and_groups_are_rejected(given):
    y, score = normal_sample(20, 20, 1.0, 0)
    with pytest.raises(ValueError, match="`method='concave'` counts rows"):
        roc_band(y, score, method="concave", **given)
    with pytest.raises(ValueError, match="`side` must be 'lower' for method='concave'"):
        roc_band(y, score, method="concave", side="upper")


def test_curve_of_a_certificate_by_betting_is_a_theorem():
    law = laws.GaussianPair([1.5, 0.0], [0.0, 0.0])
    X, y = law.sample(200, 200, random_state=0)
    found = certify(ArctanRatio(), X, y, method="betting", random_state=0)
    assert found.curve.guarantee == "theorem"
    rates = np.array([0.1, 0.3, 0.6])
    assert np.all(found.curve(rates) < law.roc(rates))
    assert np.all(found.curve(rates) > rates + 0.05)
    grouped = certify(ArctanRatio(), X, y, method="betting", groups=np.arange(400), random_state=0)
    assert grouped.curve.guarantee == "asymptotic"


def test_report_by_betting_draws_the_proven_curve():
    X, y = laws.GaussianPair([1.5, 0.0], [0.0, 0.0]).sample(80, 80, random_state=0)
    found = audit(X, y, model="linear", method="betting", random_state=0)
    drawn = found.summary()["figures"]["roc"]
    assert drawn["low"] == pytest.approx(found.certificate.curve(drawn["fpr"]))
