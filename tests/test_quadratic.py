"""Gaussian pairs of unequal covariances against chi-square laws and Parseval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from rocstar.laws import (
    GaussianPair,
)


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("variance", [1.0001, 1.5, 4.0])
def test_concentric_gaussians_against_chi_square(dim, variance):
    law = GaussianPair(np.zeros(dim), 0.0, 1.0, variance)
    chi, square = stats.chi2(dim), dim * np.log(variance) / (1 - 1 / variance)
    # The ratio falls with |x|²; at |x|² = square it is one.
    assert law.tv == pytest.approx(chi.cdf(square) - chi.cdf(square / variance), rel=1e-8)
    assert law.auc == pytest.approx(stats.f(dim, dim).cdf(variance), rel=1e-9)
    fpr = np.array([1e-6, 0.01, 0.3, 0.9])
    np.testing.assert_allclose(law.roc(fpr), chi.cdf(chi.ppf(fpr) * variance), rtol=1e-8)


def affinity_transform(law, s):
    """∫ p^s q^(1−s) of a Gaussian pair, from its matrices."""
    inverse_pos, inverse_neg = np.linalg.inv(law.cov_pos), np.linalg.inv(law.cov_neg)
    step = law.mean_pos - law.mean_neg
    log_pos, log_neg = (np.linalg.slogdet(cov)[1] for cov in (law.cov_pos, law.cov_neg))
    roots = np.linalg.eigvals(inverse_pos @ law.cov_neg)
    log_mixed = -log_neg + np.sum(np.log(s * (roots - 1) + 1 + 0j))
    middle = np.linalg.inv(law.cov_pos * (1 - s) + law.cov_neg * s)
    quadratic = s * (1 - s) * step @ middle @ step
    assert inverse_neg.shape == middle.shape
    return np.exp(-(s * log_pos + (1 - s) * log_neg + log_mixed + quadratic) / 2)


def parseval(law):
    """(2 − L*, log 2 − JS, 1 − AUC*) of a Gaussian pair by integrals over frequencies.

    Each truth is ∫ k(z)·√(pq)(z) dz with an even kernel k, hence an integral of the transform on
    Re s = ½ against the Fourier transform of k; the latter are ratios of gamma functions.
    """
    step = 1 / 16
    u = np.arange(0, 12, step)
    t = 0.5 * np.sinh(u)
    line = np.array([affinity_transform(law, 0.5 + 1j * f) for f in t])
    weight = np.r_[0.5, np.ones(len(t) - 1)] * step * 0.5 * np.cosh(u) / (0.25 + t**2) / np.pi
    gamma = np.exp(2 * special.loggamma(0.75 + 0.5j * t).real) / np.sqrt(np.pi)
    sech = np.pi / 2 / np.cosh(np.minimum(np.pi * t, 700))
    auc = np.abs(line) ** 2 / 2
    return weight @ (line.real * gamma), weight @ (line.real * sech), weight @ auc


def random_pair(seed):
    rng = np.random.default_rng(seed)
    dim = int(rng.integers(2, 9))
    roots = rng.standard_normal((2, dim, dim)) * rng.choice([0.1, 0.5, 2.0])
    covs = [np.eye(dim) + root @ root.T for root in roots]
    return GaussianPair(
        rng.standard_normal(dim) * rng.choice([0.0, 0.3, 1.0]), np.zeros(dim), *covs
    )


@pytest.mark.parametrize("seed", range(6))
def test_unequal_covariances_against_parseval(seed):
    law = random_pair(seed)
    overlap, js_gap, lost = parseval(law)
    assert law.arc_length == pytest.approx(2 - overlap, rel=1e-9)
    assert law.js == pytest.approx(np.log(2) - js_gap, rel=1e-7)
    assert law.auc == pytest.approx(1 - lost, rel=1e-8)
    assert law.kl == pytest.approx(law.ratio_law.kl, rel=1e-7)
    assert law.hellinger == pytest.approx(law.ratio_law.hellinger, rel=1e-8)
    # The CDFs come from other contours than the densities.
    assert law.surface_area == pytest.approx(law.auc - 0.5, abs=1e-9)
    assert law.accuracy <= 1e-9


# Pairs on which simpler contours fail: variances near one with a shift pull against the others.
AWKWARD = {
    "far pole": (
        [0.03, 0.05, 0.06, 0.2, 0.06, 0.1, 0.2],
        [0.77, 0.81, 0.88, 0.94, 0.98, 1.003, 1.09],
    ),
    "wide spread": ([0.33, 0.01, 0.34, 0.43, 1.36, 1.08], [0.043, 0.11, 0.986, 1.62, 5.46, 19.2]),
    "nearly equal": ([-3.0, 0.63], [1.00043, 0.999986]),
    "one far": ([1.0, 1.0], [1.0001, 1.0001]),
    "line and plane": ([1.0, 0.5, 0.0], [1.0, 1.0, 1.7]),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_gaussians_keep_their_accuracy(name):
    shift, variance = AWKWARD[name]
    law = GaussianPair(np.array(shift), 0.0, np.array(variance), 1.0)
    overlap, _, lost = parseval(law)
    assert law.accuracy <= 1e-8
    assert law.arc_length == pytest.approx(2 - overlap, rel=1e-8)
    assert law.auc == pytest.approx(1 - lost, rel=1e-8)
    assert law.surface_area == pytest.approx(law.auc - 0.5, abs=1e-8)


@settings(max_examples=4)
@given(st.integers(0, 10_000))
def test_swapping_the_laws_changes_no_symmetric_truth(seed):
    law = random_pair(seed)
    swapped = GaussianPair(law.mean_neg, law.mean_pos, law.cov_neg, law.cov_pos)
    for name in ("arc_length", "tv", "auc", "js", "hellinger"):
        assert getattr(swapped, name) == pytest.approx(getattr(law, name), rel=1e-8)
