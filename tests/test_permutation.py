"""The order of the rows changes no interval, band, certificate or headroom.

What is computed from the rows alone must agree to rounding. Bounds by random draws may give each
row other draws in another order, so they may differ by the error of a quantile of B draws. That of
the q-quantile is √(q(1 − q)/B)/f with f the density there. For a normal law of standard deviation
s at q = 0.025 this is 2.67 s/√B, and the two-sided 95 % interval is 3.92 s wide, so that one
quantile errs by 0.68 and the difference of two by 0.96 widths/√B. We allow six: more than six
standard errors, and three where all of the width lies on one side. With 20,000 draws that is 4 % of
the width. Placements summed in an order other than that of the scores, a mistake this must catch,
move the ends of the AUC's interval by a third of the width where weights rise with the score.
"""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator

from rocstar import (
    ArctanRatio,
    arc_length_interval,
    auc_gain,
    auc_interval,
    certify,
    headroom,
    mean_interval,
    roc_band,
    youden_interval,
)
from rocstar.inference import dirichlet_band, held_figures

N_DRAWS = 20_000
ALLOWED = 6 / np.sqrt(N_DRAWS)
EXACT = 1e-10  # sums in another order

WEIGHTS = (None, "free", "by score")
TIES = GROUPED = (False, True)


class Rows:
    """Two normals one apart in groups of three rows, and everything that goes with a row."""

    def __init__(self, weights=None, grouped=False, tied=False, shift=1.0, n=60, tilt=0.8):
        rng = np.random.default_rng(7)
        self.y = np.repeat([1, 0], n)
        unit = rng.permutation(2 * n) // 3
        self.group = unit if grouped else None
        common = rng.normal(size=2 * n)[unit]
        self.score = shift * self.y + 0.6 * common + 0.8 * rng.normal(size=2 * n)
        self.baseline = 0.5 * self.score + rng.normal(size=2 * n)
        if tied:
            self.score, self.baseline = self.score.round(), self.baseline.round()
        self.weight = {
            None: None,
            "free": rng.uniform(0.1, 1.9, 2 * n),
            "by score": np.exp(tilt * self.score),
        }[weights]
        self.order = np.arange(2 * n)

    def taken(self, order):
        """These rows in another order."""
        out = object.__new__(Rows)
        for name, column in vars(self).items():
            setattr(out, name, None if column is None else column[order])
        return out

    def orders(self):
        """By score both ways, as tables often come, and at random."""
        ascending = np.argsort(self.score, kind="stable")
        shuffled = np.random.default_rng(1).permutation(self.y.size)
        return [self.taken(order) for order in (ascending, ascending[::-1], shuffled)]

    @property
    def angle(self):
        return np.arctan(np.exp(self.score - 0.5))

    @property
    def weighting(self):
        return {"sample_weight": self.weight}

    @property
    def all_options(self):
        return {"sample_weight": self.weight, "groups": self.group}


def assert_same_estimate(got, expected, allowed):
    assert_allclose(got.value, expected.value, rtol=0, atol=EXACT)
    ends = [got.low, got.high], [expected.low, expected.high]
    assert_allclose(*ends, rtol=0, atol=max(allowed * (expected.high - expected.low), EXACT))


DRAWN = {"n_draws": N_DRAWS}
INTERVALS = {
    "mean": lambda r: mean_interval(r.angle / np.pi * 2, **DRAWN, **r.weighting),
    "arc length": lambda r: arc_length_interval(r.y, r.angle, **DRAWN, **r.all_options),
    "auc": lambda r: auc_interval(r.y, r.score, **DRAWN, **r.all_options),
    "gain": lambda r: auc_gain(r.y, r.score, r.baseline, **DRAWN, **r.all_options),
    "youden": lambda r: youden_interval(r.y, r.score > 0.5, **DRAWN, **r.all_options),
}


@pytest.mark.parametrize("tied", TIES)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("name", "grouped"),
    [("mean", False), *itertools.product([key for key in INTERVALS if key != "mean"], GROUPED)],
)
def test_drawn_intervals(name, grouped, weights, tied):
    first, *others = Rows(weights, grouped, tied).orders()
    expected = INTERVALS[name](first)
    for other in others:
        assert_same_estimate(INTERVALS[name](other), expected, ALLOWED)


def test_names_of_groups_do_not_matter():
    """Nor does the order in which they sort."""
    rows = Rows("free", grouped=True)
    names = np.random.default_rng(3).permutation(rows.group.max() + 1)
    for interval in (INTERVALS["auc"], INTERVALS["gain"], INTERVALS["arc length"]):
        expected = interval(rows)
        other = rows.taken(rows.order)
        other.group = np.array([f"group {k}" for k in names])[rows.group]
        assert_same_estimate(interval(other), expected, ALLOWED)


PLAIN = {
    "delong": lambda r: auc_interval(r.y, r.score, method="delong", **r.weighting),
    "delong-logit": lambda r: auc_interval(r.y, r.score, method="delong-logit", **r.weighting),
    "clopper-pearson": lambda r: youden_interval(
        r.y, r.score > 0.5, method="clopper-pearson", **r.weighting
    ),
}


@pytest.mark.parametrize("tied", TIES)
@pytest.mark.parametrize(
    ("name", "weights"),
    [("delong", None), ("delong-logit", None), ("clopper-pearson", None)],
)
def test_intervals_without_draws(name, weights, tied):
    rows = Rows(weights, tied=tied)
    expected = PLAIN[name](rows)
    for other in rows.orders():
        assert_same_estimate(PLAIN[name](other), expected, 0.0)


def band_options():
    """Every combination of weights and groups that `roc_band` takes."""
    takes = inspect.signature(roc_band).parameters
    weights = WEIGHTS if "sample_weight" in takes else (None,)
    return list(itertools.product(weights, GROUPED if "groups" in takes else (False,)))


@pytest.mark.parametrize("tied", TIES)
@pytest.mark.parametrize(("weights", "grouped"), band_options())
def test_drawn_bands(weights, grouped, tied):
    """A band lies at a quantile of about 0.3 %, which errs by 5 s/√B, and 2.7 s below the curve."""
    rows = Rows(weights, grouped, tied)
    grid = np.linspace(0, 1, 41)

    def band(r):
        given = {key: column for key, column in r.all_options.items() if column is not None}
        return roc_band(r.y, r.score, **given)

    expected = band(rows)
    reached = np.interp(grid, expected.fpr, expected.tpr)
    allowed = 14 / np.sqrt(dirichlet_band.N_DRAWS) * (reached - expected.at(grid)).max()
    for other in rows.orders():
        assert_allclose(band(other).at(grid), expected.at(grid), rtol=0, atol=allowed)


@pytest.mark.parametrize("tied", TIES)
def test_exact_bands(tied):
    rows = Rows(tied=tied)
    expected = roc_band(rows.y, rows.score, method="exact")
    for other in rows.orders():
        got = roc_band(other.y, other.score, method="exact")
        for name in ("fpr", "tpr", "low"):
            assert_allclose(getattr(got, name), getattr(expected, name), rtol=0, atol=EXACT)


class Given(BaseEstimator):
    """Knows its angle and score beforehand, so that a certificate judges the same in any order."""

    def fit(self, X, y, sample_weight=None):
        return self

    def predict_angle(self, X):
        return np.arctan(np.exp(X[:, 0] - 1))

    def decision_function(self, X):
        return X[:, 0]


def judged(rows, estimator=None):
    """Certificate on four fixed folds that keep groups together, and the headroom of a baseline."""
    fold = (rows.order if rows.group is None else rows.group) % 4
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    X = np.stack([rows.score, rows.baseline], axis=1)
    estimator = Given() if estimator is None else estimator
    certificate = certify(estimator, X, rows.y, cv=splits, **rows.all_options)
    return certificate, headroom(rows.y, rows.baseline, certificate)


def certified_rows(weights=None, grouped=False, tied=False):
    return Rows(weights, grouped, tied, shift=2.5, n=120, tilt=0.3)


FIGURES = ("arc_length", "divergence", "auc", "tv", "balanced_accuracy")


@pytest.mark.parametrize("tied", TIES)
@pytest.mark.parametrize("grouped", GROUPED)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_certificates_and_headroom(weights, grouped, tied, monkeypatch):
    monkeypatch.setattr(held_figures, "N_DRAWS", N_DRAWS)
    first, *others = certified_rows(weights, grouped, tied).orders()
    expected, room = judged(first)
    for other in others:
        got, other_room = judged(other)
        moved = np.argsort(first.order)[other.order]
        assert_array_equal(got.score, expected.score[moved])
        assert_array_equal(got.fold, expected.fold[moved])
        for name in FIGURES:
            pair = getattr(got, name), getattr(expected, name)
            assert_same_estimate(*pair, ALLOWED)
        assert_same_estimate(other_room, room, ALLOWED)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_these_certificates_are_not_at_their_floors(weights):
    """At a floor the test above would compare constants."""
    certificate, room = judged(certified_rows(weights))
    assert certificate.arc_length.low > 1.45
    assert certificate.auc.low > 0.7
    assert certificate.tv.low > 0.2
    assert room.low > 0.01


def test_certificate_of_a_fitted_model(monkeypatch):
    """Sums in another order move a fit by rounding only."""
    monkeypatch.setattr(held_figures, "N_DRAWS", N_DRAWS)
    rows = certified_rows("free")
    expected, _ = judged(rows, ArctanRatio())
    for other in rows.orders():
        got, _ = judged(other, ArctanRatio())
        assert_allclose(got.angle, expected.angle[other.order], atol=1e-7)
        for name in FIGURES:
            a, b = getattr(got, name), getattr(expected, name)
            assert_allclose(a.value, b.value, atol=1e-7)
            assert_allclose(a.low, b.low, atol=ALLOWED * (b.high - b.low))
