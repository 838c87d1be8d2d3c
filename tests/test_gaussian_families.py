"""Families of normal laws: closed forms, quadrature, and samples that reach the truths."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import norm, ortho_group

from rocstar import laws

THREE = [[0.0], [1.0], [2.0]]


def test_laws_on_a_line():
    law = laws.GaussianFamily(THREE)
    length = integrate.quad(
        lambda x: np.sqrt(sum(norm.pdf(x, m) ** 2 for m in (0, 1, 2))), -12, 14, epsabs=1e-12
    )[0]
    assert law.arc_length == pytest.approx(length, abs=1e-10)
    assert law.balanced_accuracy == pytest.approx((4 * norm.cdf(0.5) - 1) / 3, abs=1e-12)
    assert law.mean_pairwise_auc == pytest.approx(0.8133, abs=1e-3)
    # From the cells, not from the closed form.
    cells = laws.FiniteFamily(law._cells / law._cells.sum(axis=1, keepdims=True))
    assert np.allclose(cells.pairwise_auc, law.pairwise_auc, atol=1e-4)
    assert np.allclose(cells.pairwise_tv, law.pairwise_tv, atol=1e-3)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_both_ways_to_integrate_over_a_simplex_agree(k):
    plane, simplex = laws.GaussianFamily(2.0 * np.eye(k)), laws.SimplexFamily(k, 2.0)
    assert plane.arc_length == pytest.approx(simplex.arc_length, abs=1e-8)
    assert plane.balanced_accuracy == pytest.approx(simplex.balanced_accuracy, abs=2e-6)
    assert np.allclose(plane.pairwise_auc, simplex.pairwise_auc)
    assert np.allclose(plane.pairwise_tv, simplex.pairwise_tv)


@pytest.mark.parametrize("seed", range(4))
def test_accuracy_does_not_depend_on_the_axes_of_the_span(seed):
    # Equally distant means have no axes of their own: LAPACK returns any rotation. Without tilted
    # axes the first one here, with borders parallel to the last axis, is off by 7e-6.
    law, truth = laws.GaussianFamily(2.0 * np.eye(4)), laws.SimplexFamily(4, 2.0)
    aligned = np.array([[0, 0, -3], [8**0.5, 0, 1], [-(2**0.5), -(6**0.5), 1]]) / 3**0.5
    places = np.vstack([aligned, -aligned.sum(axis=0)])
    turn = np.eye(3) if seed == 0 else ortho_group.rvs(3, random_state=seed)
    law.__dict__["_places"] = places @ turn
    assert law.balanced_accuracy == pytest.approx(truth.balanced_accuracy, abs=1e-7)


@pytest.mark.parametrize("shift", [0.1, 0.5, 1.0, 2.5, 4.0, 6.0, 10.0])
def test_a_simplex_of_two_is_a_pair_whichever_way_masses_are_rounded(shift):
    # Whether a sum of masses rounds to one depends on the shift and on the machine.
    pair = laws.GaussianPair.shifted(np.sqrt(2) * shift)
    assert laws.SimplexFamily(2, shift).arc_length == pytest.approx(pair.arc_length, abs=1e-9)


def test_truths_do_not_depend_on_coordinates():
    rng = np.random.default_rng(0)
    means, mix = rng.normal(size=(4, 2)), rng.normal(size=(6, 2))
    plain = laws.GaussianFamily(means)
    factor = np.linalg.qr(rng.normal(size=(6, 6)))[0] @ np.diag([1, 2, 3, 1, 1, 0.5])
    white = np.pad(means, ((0, 0), (0, 4)))
    turned = laws.GaussianFamily(white @ factor.T + mix[:, 0], factor @ factor.T)
    assert turned.arc_length == pytest.approx(plain.arc_length, abs=1e-9)
    assert turned.balanced_accuracy == pytest.approx(plain.balanced_accuracy, abs=1e-6)
    X, _ = plain.sample(5, random_state=0)
    Z = np.pad(X, ((0, 0), (0, 4))) @ factor.T + mix[:, 0]
    assert np.allclose(turned.direction(Z), plain.direction(X))


def test_equal_means_are_identical_laws():
    law = laws.GaussianFamily(np.zeros((3, 2)))
    assert law.arc_length == pytest.approx(np.sqrt(3), abs=1e-12)
    assert law.divergence == pytest.approx(0.0, abs=1e-12)
    assert law.balanced_accuracy == pytest.approx(1 / 3, abs=1e-12)
    assert law.one_versus_rest_auc == pytest.approx(0.5)


def test_too_many_dimensions_are_refused():
    with pytest.raises(ValueError, match=r"`means` must lie in a space of three.*span 4"):
        laws.GaussianFamily(np.eye(5))
    with pytest.raises(ValueError, match="one line per class"):
        laws.GaussianFamily([0.0, 1.0])
    with pytest.raises(NotImplementedError):
        _ = laws.SimplexFamily(5).one_versus_rest_auc
