"""The suite of laws: published truths, simulation, curves and surfaces."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

from rocstar.laws import (
    suite,
)

SUITE = suite()

# A published name keeps its law: dimension, arc length and maximal AUC of every task.
PUBLISHED = {
    "identical-5d": (5, 1.41421356, 0.5),
    "gaussian-1d": (1, 1.54646934, 0.76024994),
    "gaussian-faint-10d": (10, 1.42497717, stats.norm.cdf(0.25 / np.sqrt(2))),
    "gaussian-10d": (10, 1.54646934, 0.76024994),
    "gaussian-50d": (50, 1.74982296, 0.92135040),
    "gaussian-apart-50d": (50, 1.99774586, stats.norm.cdf(6 / np.sqrt(2))),
    "gaussian-correlated-10d": (10, 1.45191455, None),
    "scale-1d": (1, 1.60732009, 2 / np.pi * np.arctan(3)),
    "scale-10d": (10, 1.52421892, None),
    "quadric-2d": (2, 1.64534575, None),
    "quadric-10d": (10, 1.54583067, None),
    "correlation-10d": (10, 1.83159477, None),
    "scale-50d": (50, 1.60885110, None),
    "bimodal-1d": (1, 1.65931936, None),
    "interleaved-1d": (1, 1.93901894, None),
    "contaminated-5d": (5, 1.44166697, None),
    "bimodal-20d": (20, 1.54605957, None),
    "student-1d": (1, 1.51226600, None),
    "cauchy-1d": (1, 1.48622980, None),
    "student-df-1d": (1, 1.43962540, None),
    "student-scale-10d": (10, 1.50737142, None),
    "uniform-1d": (1, 1 + np.sqrt(0.5), 0.875),
    "uniform-5d": (5, 1.73792265, None),
    "disjoint-2d": (2, 2.0, 1.0),
    "binomial-1d": (1, 1.60659569, None),
    "sparse-1d": (1, 1.61700873, 0.8),
    "noisy-gaussian-1d": (1, 1.59093775, None),
    "noisy-scale-10d": (10, 1.55533781, None),
    "noisy-binomial-1d": (1, 1.68245677, None),
    "half-cube-10d": (10, 1.65200176, 0.85557782),
    "swirl-2d": (2, 1.74982296, 0.92135040),
    "asinh-student-1d": (1, 1.63371857, None),
    "padded-gaussian-25d": (25, 1.65200176, 0.85557782),
    "needle-50d": (50, 1.65931936, None),
}


def test_suite_keeps_its_promises():
    assert list(SUITE) == list(PUBLISHED)
    dims = {law.dim for law in SUITE.values()}
    lengths = sorted(law.arc_length for law in SUITE.values())
    assert min(dims) == 1
    assert max(dims) == 50
    assert lengths[0] == pytest.approx(np.sqrt(2), abs=1e-15)
    assert lengths[-1] == 2
    assert 1.99 < lengths[-2] < 2


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tasks_keep_their_truth(name):
    dim, length, auc = PUBLISHED[name]
    law = SUITE[name]
    assert law.dim == dim
    assert law.arc_length == pytest.approx(length, abs=1e-8)
    assert law.accuracy <= 1e-8
    if auc is not None:
        assert law.auc == pytest.approx(auc, abs=1e-8)


@pytest.mark.parametrize("name", SUITE)
def test_truth_agrees_with_simulation(name):
    law, n = SUITE[name], 10_000
    X, y = law.sample(n, n, random_state=7)
    assert X.shape == (2 * n, law.dim)
    assert X.dtype == np.float64
    assert y.sum() == n
    z, v = law.log_ratio(X), law.angle(X)
    assert np.all((v >= 0) & (v <= np.pi / 2))
    positive = y == 1

    def off(value_pos, value_neg, truth):
        """Standard errors between the mean of a sum of one term a class and its truth."""
        error = np.sqrt(np.var(value_pos) / n + np.var(value_neg) / n)
        return abs(np.mean(value_pos) + np.mean(value_neg) - truth) / max(error, 1e-9)

    zp, zn = z[positive], z[~positive]
    # Where the ratio is exactly one, either decision is optimal.
    side_pos, side_neg = ((np.sign(a) + 1) / 2 for a in (zp, zn))
    rank = stats.rankdata(z)
    auc = (rank[positive].sum() - n * (n + 1) / 2) / n**2
    assert off(np.sin(v[positive]), np.cos(v[~positive]), law.arc_length) < 4.5
    assert off(side_pos, -side_neg, law.tv) < 4.5
    assert off(-np.logaddexp(0, -zp), -np.logaddexp(0, zn), 2 * law.js - 2 * np.log(2)) < 4.5
    affinity = 2 * (1 - law.hellinger**2)
    # ∫√(pq) by both classes, each with a term that is bounded: √(pq) = (p+q)/(2 cosh(z/2)).
    assert off(1 / np.cosh(zp / 2), 1 / np.cosh(zn / 2), affinity) < 4.5
    assert abs(auc - law.auc) < 4.5 * np.sqrt(law.auc * (1 - law.auc) / n) + 1e-9
    if np.isfinite(law.kl) and law.kl < 4:
        assert off(zp, np.zeros(n), law.kl) < 4.5


@pytest.mark.parametrize("name", SUITE)
def test_curve_and_surface_are_one_geometry(name):
    law = SUITE[name]
    fpr, tpr = law.roc_star(41)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert np.all(np.diff(fpr) >= 0)
    assert np.all(np.diff(tpr) >= -1e-12)
    rates = np.linspace(0, 1, 17)
    height = law.roc(rates)
    assert np.all(np.diff(height, 2) < 1e-9)
    if law.ratio_law.continuous:
        angles = np.linspace(0.05, 1.5, 8)
        at = law.surface(angles)
        inner = (at.fpr > 1e-9) & (at.fpr < 1 - 1e-9)
        np.testing.assert_allclose(law.roc(at.fpr[inner]), at.tpr[inner], atol=1e-9)
        np.testing.assert_allclose(law.tangent(at.fpr[inner]).angle, angles[inner], atol=1e-4)
    np.testing.assert_allclose(np.subtract(*law.surface([0.3, 0.9], 0.5)), 0, atol=1e-12)


def test_suite_survives_pickling():
    X, _ = SUITE["needle-50d"].sample(3, 2, random_state=1)
    copies = pickle.loads(pickle.dumps(SUITE))
    assert list(copies) == list(SUITE)
    np.testing.assert_array_equal(
        copies["needle-50d"].log_ratio(X), SUITE["needle-50d"].log_ratio(X)
    )
