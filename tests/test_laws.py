"""Laws: truths against closed forms, independent quadrature and seeded simulation."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from rocstar.laws import (
    DiscretePair,
    GaussianMixturePair,
    GaussianPair,
    LabelNoise,
    Padded,
    StudentTPair,
    UniformPair,
    Warped,
    draw_geometry,
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


# The suite


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


def test_sampling_is_repeatable_and_takes_generators():
    law = GaussianPair(1.0)
    first, again = law.sample(5, 4, random_state=3)[0], law.sample(5, 4, random_state=3)[0]
    np.testing.assert_array_equal(first, again)
    generator = np.random.default_rng(3)
    np.testing.assert_array_equal(first, law.sample(5, 4, random_state=generator)[0])
    assert not np.array_equal(first, law.sample(5, 4, random_state=generator)[0])
    assert law.sample(0, 2)[1].tolist() == [0, 0]


# One dimension: quadrature of the densities themselves, by SciPy


def mixture(means, variances, weights):
    """Density and CDF of a normal mixture."""
    m, s, w = np.array(means), np.sqrt(variances), np.array(weights)

    def pdf(x):
        return np.exp(-(((x[..., None] - m) / s) ** 2) / 2) @ (w / s / np.sqrt(2 * np.pi))

    return pdf, lambda x: special.ndtr((x[..., None] - m) / s) @ w


def student(loc, scale, df):
    """Density and CDF of a t law."""
    law = stats.t(df, loc, scale)
    return law.pdf, law.cdf


LINE = {
    "scale": (
        GaussianPair(0.5, 0.0, 1.0, 4.0),
        mixture([0.5], [1.0], [1.0]),
        mixture([0.0], [4.0], [1.0]),
    ),
    "apart": (
        GaussianPair(7.0, 0.0, 1.0, 0.25),
        mixture([7.0], [1.0], [1.0]),
        mixture([0.0], [0.25], [1.0]),
    ),
    "mixtures": (
        GaussianMixturePair(
            [-3, 0, 2], [-1, 3], [0.2, 0.5, 0.3], [0.6, 0.4], [0.1, 1, 2], [0.5, 4]
        ),
        mixture([-3, 0, 2], [0.1, 1, 2], [0.2, 0.5, 0.3]),
        mixture([-1, 3], [0.5, 4], [0.6, 0.4]),
    ),
    "shared component": (
        GaussianMixturePair([0, 3], [3]),
        mixture([0, 3], [1, 1], [0.5, 0.5]),
        mixture([3], [1], [1.0]),
    ),
    "student": (
        StudentTPair(1.0, 0.0, 2.0, 1.0, 3.0, 5.0),
        student(1.0, 2.0, 3.0),
        student(0.0, 1.0, 5.0),
    ),
    "cauchy": (
        StudentTPair(0.7, 0.0, 1.0, 1.0, 1.0),
        student(0.7, 1.0, 1.0),
        student(0.0, 1.0, 1.0),
    ),
}


# Gauss–Legendre on 3,200 panels of x = sinh(u), |x| < 2e16: plain, and dense enough for every law.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_U = (np.linspace(-38, 38, 3201)[:-1, None] + 76 / 3200 * (_NODES + 1) / 2).ravel()
_X, _DX = np.sinh(_U), np.cosh(_U) * np.tile(_WEIGHTS, 3200) * 38 / 3200


def integral(function):
    """Integral over the line; where densities underflow to zero there is nothing to add."""
    value = function(_X)
    return float(_DX @ np.where(np.isfinite(value), value, 0.0))


@pytest.mark.parametrize("name", LINE)
def test_line_laws_against_plain_quadrature(name):
    law, (p, P), (q, Q) = LINE[name]

    def js(x):
        mean = (p(x) + q(x)) / 2
        return (special.rel_entr(p(x), mean) + special.rel_entr(q(x), mean)) / 2

    assert law.arc_length == pytest.approx(integral(lambda x: np.hypot(p(x), q(x))), rel=1e-8)
    assert law.js == pytest.approx(integral(js), rel=1e-7)
    hellinger = np.sqrt(1 - integral(lambda x: np.sqrt(p(x) * q(x))))
    assert law.hellinger == pytest.approx(hellinger, rel=1e-7)
    assert law.kl == pytest.approx(integral(lambda x: special.rel_entr(p(x), q(x))), rel=1e-6)
    # |p − q| and |P − Q| have kinks, which cost the plain rule digits.
    assert law.tv == pytest.approx(integral(lambda x: abs(p(x) - q(x))) / 2, abs=1e-6)
    assert law.wasserstein == pytest.approx(integral(lambda x: abs(P(x) - Q(x))), rel=2e-6)


@pytest.mark.parametrize("name", [name for name in LINE if name not in ("cauchy", "student")])
def test_line_auc_against_sorting_a_fine_grid(name):
    law, (p, _), (q, _) = LINE[name]
    x = np.linspace(-25, 25, 400_001)
    mass_p, mass_q = p(x) * (x[1] - x[0]), q(x) * (x[1] - x[0])
    order = np.argsort(law.log_ratio(x[:, None]))
    below = np.cumsum(mass_q[order]) - mass_q[order] / 2
    assert law.auc == pytest.approx(mass_p[order] @ below, abs=1e-6)


def test_cauchy_closed_forms():
    shift = StudentTPair(1.5, df_pos=1.0)
    assert shift.tv == pytest.approx(2 / np.pi * np.arctan(0.75), rel=1e-12)
    assert shift.kl == pytest.approx(np.log1p(1.5**2 / 4), rel=1e-11)
    scale = StudentTPair(scale_pos=3.0, scale_neg=1.0, df_pos=1.0)
    assert scale.kl == pytest.approx(np.log(16 / 12), rel=1e-11)
    assert scale.wasserstein == np.inf


def test_student_wasserstein_is_infinite_exactly_when_it_is():
    assert StudentTPair(2.0, df_pos=0.5).wasserstein == 2
    assert StudentTPair(2.0, df_pos=0.5, df_neg=3.0).wasserstein == np.inf
    assert StudentTPair(scale_pos=2.0, scale_neg=1.0, df_pos=1.0).wasserstein == np.inf
    nearly = StudentTPair(scale_pos=2.0, scale_neg=1.0, df_pos=1.01).wasserstein
    # Symmetric laws of two scales: W₁ is the difference of the mean absolute values.
    mean_abs = 2 * np.sqrt(1.01) / (0.01 * special.beta(1.01 / 2, 0.5))
    assert nearly == pytest.approx(mean_abs, rel=1e-9)


def test_student_approaches_the_gaussian():
    heavy, normal = StudentTPair(1.0, df_pos=1e7), GaussianPair(1.0)
    assert heavy.arc_length == pytest.approx(normal.arc_length, abs=1e-6)
    assert heavy.auc == pytest.approx(normal.auc, abs=1e-6)


def test_radial_student_against_the_f_law():
    law = StudentTPair(scale_pos=2.0, scale_neg=1.0, df_pos=4.0, dim=6)
    # The ratio grows with the radius, and R²/(6·scale²) has the F law with (6, 4) degrees.
    f = stats.f(6, 4)
    fpr = np.array([0.01, 0.2, 0.7, 0.99])
    np.testing.assert_allclose(law.roc(fpr), f.sf(f.isf(fpr) / 4), rtol=1e-9)


# Gaussian pairs


@pytest.mark.parametrize("delta", [0.05, 0.5, 3.0, 8.0])
def test_equal_covariances_in_any_coordinates(delta):
    rng = np.random.default_rng(5)
    root = rng.standard_normal((7, 7))
    cov = root @ root.T + np.eye(7)
    step = rng.standard_normal(7)
    step *= delta / np.sqrt(step @ np.linalg.solve(cov, step))
    law = GaussianPair(step + 3, np.full(7, 3.0), cov)
    plain = GaussianPair(delta)
    for name in ("arc_length", "divergence", "tv", "auc", "kl", "js", "hellinger"):
        assert getattr(law, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    # Closed forms against the quadrature they replace.
    assert law.tv == pytest.approx(law.ratio_law.tv, rel=1e-10)
    assert law.auc == pytest.approx(law.ratio_law.auc, rel=1e-10)
    assert law.kl == pytest.approx(law.ratio_law.kl, rel=1e-9)
    assert law.hellinger == pytest.approx(law.ratio_law.hellinger, rel=1e-10)


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


# Mixtures


def test_mixtures_reduce_to_the_direction_that_matters():
    rng = np.random.default_rng(2)
    axis, root = rng.standard_normal(6), rng.standard_normal((6, 6))
    cov = root @ root.T + np.eye(6)
    scale = np.sqrt(axis @ np.linalg.solve(cov, axis))
    covs = [cov, cov]
    wide = GaussianMixturePair(
        np.outer([-2, 1], axis), np.outer([0, 0.5], axis), None, [0.3, 0.7], covs, covs
    )
    line = GaussianMixturePair(
        scale * np.array([-2, 1]), scale * np.array([0, 0.5]), None, [0.3, 0.7]
    )
    for name in ("arc_length", "tv", "auc", "kl", "js", "hellinger"):
        assert getattr(wide, name) == pytest.approx(getattr(line, name), rel=1e-9)


def test_mixtures_of_one_component_are_gaussian_pairs():
    single = GaussianMixturePair([[1.0, 0.0]], [[0.0, 0.0]], covs_pos=[[1.0, 2.0]], covs_neg=0.5)
    pair = GaussianPair([1.0, 0.0], 0.0, [1.0, 2.0], 0.5)
    assert single.arc_length == pytest.approx(pair.arc_length, rel=1e-12)


def test_equal_mixtures_in_any_order_are_identical():
    law = GaussianMixturePair([0, 3], [3, 0], [0.2, 0.8], [0.8, 0.2])
    assert law.arc_length == np.sqrt(2) or law.divergence == 0
    assert law.wasserstein == 0


def test_general_mixtures_say_their_accuracy():
    pos, neg = [[0.0, 2.0], [1.5, -1.0]], [[-1.0, 0.0], [1.0, 1.0], [0.0, -2.0]]
    law = GaussianMixturePair(pos, neg)
    assert 1e-8 < law.accuracy < 1e-2
    x = np.linspace(-8, 8, 321)
    grid = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    cell = (x[1] - x[0]) ** 2
    p, q = (
        np.mean([stats.multivariate_normal(m).pdf(grid) for m in means], axis=0) * cell
        for means in (pos, neg)
    )
    # Sums over a lattice are exact to rounding for smooth integrands, so the first two are exact.
    assert law.divergence == pytest.approx(np.hypot(p, q).sum() - np.sqrt(2), rel=law.accuracy)
    assert law.hellinger == pytest.approx(np.sqrt(1 - np.sqrt(p * q).sum()), rel=law.accuracy)
    assert law.tv == pytest.approx(np.abs(p - q).sum() / 2, rel=law.accuracy + 1e-4)
    order = np.argsort(p / q)
    auc = p[order] @ (np.cumsum(q[order]) - q[order] / 2)
    assert law.auc == pytest.approx(auc, rel=law.accuracy + 1e-4)
    noisy = LabelNoise(law, 0.1, 0.1)
    assert noisy.accuracy == law.accuracy


# Few ratios


def test_uniform_limits():
    same, apart = UniformPair((0, 2), (0, 2)), UniformPair((0, 1), (1, 2))
    assert same.divergence == same.tv == same.kl == same.wasserstein == 0
    assert same.auc == 0.5
    assert (apart.arc_length, apart.tv, apart.auc, apart.kl) == (2, 1, 1, np.inf)
    assert apart.js == pytest.approx(np.log(2))
    assert apart.hellinger == 1
    assert apart.roc(0.0) == 1


def test_uniform_boxes():
    law = UniformPair(([0, 0], [2, 1]), ([1, 0], [3, 4]))
    overlap_pos, overlap_neg = 1 / 2, 1 / 8
    assert law.tv == pytest.approx(1 - overlap_neg)
    assert law.arc_length == pytest.approx(
        1.5 - overlap_neg + np.hypot(overlap_pos, overlap_neg) - 0
    )
    z = law.log_ratio([[0.5, 0.5], [1.5, 0.5], [1.5, 3.0], [9.0, 9.0]])
    np.testing.assert_allclose(z, [np.inf, np.log(4), -np.inf, 0])


@pytest.mark.parametrize(
    ("positive", "negative"), [((0, 1), (0.5, 2)), ((0, 4), (1, 2)), ((0, 1), (3, 4))]
)
def test_uniform_wasserstein(positive, negative):
    levels = (np.arange(20_000) + 0.5) / 20_000
    quantiles = [low + (high - low) * levels for low, high in (positive, negative)]
    gap = np.mean(np.abs(quantiles[0] - quantiles[1]))
    assert UniformPair(positive, negative).wasserstein == pytest.approx(gap, abs=1e-7)


def test_discrete_truths_by_hand():
    p, q, points = (
        np.array([0.5, 0.2, 0.3, 0.0]),
        np.array([0.1, 0.2, 0.3, 0.4]),
        [3.0, -1.0, 0.5, 7.0],
    )
    law = DiscretePair(p, q, points)
    assert law.arc_length == pytest.approx(np.hypot(p, q).sum(), rel=1e-14)
    assert law.tv == pytest.approx(0.4, rel=1e-14)
    wins = sum(
        pi
        * qj
        * (1.0 if pi * qj2 > p[j] * qi else 0.5 if abs(pi * qj2 - p[j] * qi) < 1e-15 else 0.0)
        for pi, qi in zip(p, q, strict=True)
        for j, (qj, qj2) in enumerate(zip(q, q, strict=True))
    )
    assert law.auc == pytest.approx(wins, rel=1e-12)
    assert law.kl == pytest.approx(0.5 * np.log(5), rel=1e-12)
    assert DiscretePair(q, p).kl == np.inf
    assert law.wasserstein == pytest.approx(stats.wasserstein_distance(points, points, p, q))
    assert law.log_ratio([[7.0], [0.5]]).tolist() == [-np.inf, 0.0]


# Wrappers


@pytest.mark.parametrize(
    "name", ["scale-1d", "quadric-2d", "student-df-1d", "interleaved-1d", "sparse-1d"]
)
def test_label_noise_maps_the_curve_linearly(name):
    clean, a, b = SUITE[name], 0.15, 0.3
    noisy = LabelNoise(clean, a, b)
    keep = 1 - a - b
    assert noisy.tv == pytest.approx(keep * clean.tv, rel=1e-9)
    assert noisy.auc - 0.5 == pytest.approx(keep * (clean.auc - 0.5), rel=1e-9)
    fpr = np.array([0.05, 0.3, 0.8])
    tpr = clean.roc(fpr)
    image = noisy.roc((1 - b) * fpr + b * tpr)
    np.testing.assert_allclose(image, (1 - a) * tpr + a * fpr, atol=1e-9)
    if clean.dim == 1:
        assert noisy.wasserstein == pytest.approx(keep * clean.wasserstein)


def test_label_noise_integrals_against_plain_quadrature():
    _, (p, _), (q, _) = LINE["mixtures"]
    noisy = LabelNoise(LINE["mixtures"][0], 0.1, 0.25)
    p2, q2 = (lambda x: 0.9 * p(x) + 0.1 * q(x)), (lambda x: 0.75 * q(x) + 0.25 * p(x))
    assert noisy.arc_length == pytest.approx(integral(lambda x: np.hypot(p2(x), q2(x))), rel=1e-9)
    assert noisy.kl == pytest.approx(integral(lambda x: special.rel_entr(p2(x), q2(x))), rel=1e-8)
    x = np.linspace(-4, 6, 11)
    expected = np.log(p2(x) / q2(x))
    np.testing.assert_allclose(noisy.log_ratio(x[:, None]), expected, rtol=1e-9, atol=1e-12)
    # Densities of the angle by finite differences of the CDF.
    tau, h = np.array([0.5, 0.8, 1.1]), 1e-5
    above, below = noisy.surface(tau + h), noisy.surface(tau - h)
    pos, neg = noisy.mixture_densities(tau)
    np.testing.assert_allclose((below.tpr - above.tpr) / (2 * h), pos, rtol=1e-5)
    np.testing.assert_allclose((below.fpr - above.fpr) / (2 * h), neg, rtol=1e-5)


def test_label_noise_limits():
    clean = GaussianPair(2.0)
    assert LabelNoise(clean, 0, 0).arc_length == pytest.approx(clean.arc_length, rel=1e-12)
    mute = LabelNoise(clean, 0.4, 0.6)
    assert mute.divergence == mute.wasserstein == 0
    # Where only positives live, noise in the negatives makes the ratio finite.
    noisy = LabelNoise(UniformPair((0, 1), (2, 3)), 0.0, 0.25)
    np.testing.assert_allclose(noisy.log_ratio([[0.5], [2.5]]), [np.log(4), -np.inf])


@pytest.mark.parametrize("name", ["swirl-2d", "half-cube-10d", "quadric-10d", "asinh-student-1d"])
def test_warps_move_points_and_leave_truths(name):
    warped = SUITE[name]
    X, _ = warped.law.sample(50, 50, random_state=4)
    moved = warped.forward(X)
    np.testing.assert_allclose(warped.inverse(moved), X, atol=1e-9)
    np.testing.assert_allclose(warped.log_ratio(moved), warped.law.log_ratio(X), atol=1e-8)
    assert not np.allclose(moved, X)
    for truth in ("arc_length", "tv", "auc", "kl", "js", "hellinger"):
        assert getattr(warped, truth) == pytest.approx(getattr(warped.law, truth), rel=1e-9)


def test_warped_wasserstein():
    logs = GaussianPair(1.0, 0.0, 0.25, 0.25)
    warped = Warped(logs, np.exp, np.log)
    assert warped.wasserstein == pytest.approx(np.exp(1.125) - np.exp(0.125), rel=1e-10)
    crossing = Warped(GaussianPair(0.5, 0.0, 0.25, 1.0), np.sinh, np.arcsinh)
    (_, P), (_, Q) = mixture([0.5], [0.25], [1.0]), mixture([0.0], [1.0], [1.0])
    plain = integral(lambda y: abs(P(np.arcsinh(y)) - Q(np.arcsinh(y))))
    assert crossing.wasserstein == pytest.approx(plain, rel=1e-6)
    with pytest.raises(NotImplementedError, match="ask the law before the map"):
        _ = Warped(StudentTPair(1.0, df_pos=2.0), np.exp, np.log).wasserstein


def test_padding_adds_noise_and_nothing_else():
    law = Padded(StudentTPair(1.0), 4)
    X, y = law.sample(3000, 1000, random_state=9)
    assert X.shape == (4000, 5)
    np.testing.assert_array_equal(law.log_ratio(X), law.law.log_ratio(X[:, :1]))
    assert np.abs(np.corrcoef(np.c_[X[:, 1:], y].T)[-1, :-1]).max() < 0.06
    assert law.auc == law.law.auc
    assert Padded(GaussianPair(1.0), 0).wasserstein == 1


# Pictures and errors


def test_figures_are_drawn_or_say_what_is_missing(monkeypatch):
    assert len(draw_geometry(SUITE["scale-1d"], n=31).axes) == 3
    assert len(draw_geometry(SUITE["sparse-1d"], n=31).axes) == 3
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'rocstar\[plot\]'"):
        draw_geometry(SUITE["scale-1d"])


BAD = {
    "negative count": (lambda: GaussianPair(1.0).sample(-1, 2), "`n_pos` must be"),
    "fractional count": (lambda: GaussianPair(1.0).sample(1, 2.5), "`n_neg` must be"),
    "flat rows": (lambda: GaussianPair(1.0).log_ratio([1.0, 2.0]), "`X` must have shape"),
    "wrong width": (lambda: GaussianPair(1.0).angle([[1.0, 2.0]]), r"\(n, 1\)"),
    "fpr outside": (lambda: GaussianPair(1.0).roc(1.5), "`fpr` must lie"),
    "fpr missing": (lambda: GaussianPair(1.0).roc(np.nan), "`fpr` must lie"),
    "tau outside": (lambda: GaussianPair(1.0).surface(2.0), "`tau` must lie"),
    "mix outside": (lambda: GaussianPair(1.0).surface(1.0, 0.7), "`mix` must lie"),
    "few points": (lambda: GaussianPair(1.0).roc_star(1), "`n` must be at least 2"),
    "density of atoms": (lambda: DiscretePair([1], [1]).mixture_densities(0.5), "finitely many"),
    "dimensions differ": (lambda: GaussianPair([0, 1], [0, 1, 2]), "agree in dimension"),
    "mean missing": (lambda: GaussianPair(np.nan), "`mean_pos` must be a finite"),
    "not definite": (lambda: GaussianPair([0, 0], cov_pos=[1, -1]), "positive definite"),
    "not symmetric": (lambda: GaussianPair([0, 0], cov_pos=[[1, 0.5], [0, 1]]), "symmetric"),
    "mixture weights": (lambda: GaussianMixturePair([0, 1], [0], [0.5, 0.6]), "`weights_pos`"),
    "mixture sizes": (lambda: GaussianMixturePair([0, 1], [0], covs_pos=[1.0]), "`covs_pos`"),
    "mixture dims": (lambda: GaussianMixturePair([0], [[0, 1]]), "agree in dimension"),
    "mixture means": (lambda: GaussianMixturePair([np.inf], [0]), "`means_pos` must be finite"),
    "few degrees": (lambda: StudentTPair(df_pos=0.1), "`df_pos` must be at least 0.5"),
    "no scale": (lambda: StudentTPair(scale_neg=0.0), "`scale_neg` must be positive"),
    "shifted in space": (lambda: StudentTPair(1.0, dim=2), "must agree when `dim`"),
    "no dimension": (lambda: StudentTPair(dim=0), "`dim` must be"),
    "empty box": (lambda: UniformPair((1, 1), (0, 1)), "`positive` must be"),
    "mass not one": (lambda: DiscretePair([0.5], [1.0]), "`pos` must sum to one"),
    "negative mass": (lambda: DiscretePair([1.5, -0.5], [1, 0]), "`pos` must be a vector"),
    "mass sizes": (lambda: DiscretePair([1.0], [0.5, 0.5]), "one length"),
    "repeated point": (lambda: DiscretePair([0.5, 0.5], [1, 0], [2, 2]), "different points"),
    "outside support": (lambda: DiscretePair([1], [1]).log_ratio([[3.0]]), "points of the support"),
    "share outside": (lambda: LabelNoise(GaussianPair(1.0), 1.2, 0), "`flip_pos` must lie"),
    "shares too large": (lambda: LabelNoise(GaussianPair(1.0), 0.7, 0.7), "at most one"),
    "negative padding": (lambda: Padded(GaussianPair(1.0), -1), "`extra` must be"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gives_one_sentence(name):
    action, message = BAD[name]
    with pytest.raises(ValueError, match=message) as caught:
        action()
    assert "\n" not in str(caught.value).strip()


def test_wasserstein_in_space_says_it_is_unknown():
    with pytest.raises(NotImplementedError, match="one dimension only"):
        _ = GaussianPair([0.0, 1.0]).wasserstein
