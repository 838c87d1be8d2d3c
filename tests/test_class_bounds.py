"""Bounds for K classes: never violated, attained by the families named, K = 2 as before."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocstar.bounds import balanced_accuracy_bounds, pairwise_tv_bounds, tv_bounds
from rocstar.geometry.class_bounds import implied_class_bounds


def truths(p):
    """Arc length, best balanced accuracy and mean pairwise TV of laws (K, cells)."""
    k = len(p)
    pairs = [np.abs(p[i] - p[j]).sum() / 2 for i in range(k) for j in range(i)]
    return np.linalg.norm(p, axis=0).sum(), p.max(axis=0).sum() / k, np.mean(pairs)


def mean_pairwise_auc(p):
    """Every pair of cells is ranked the better way round."""
    found = []
    for i in range(len(p)):
        for j in range(i):
            cross = np.outer(p[i], p[j])
            found.append(0.5 + np.abs(cross - cross.T).sum() / 4)
    return np.mean(found)


def symmetrised(posterior):
    """The family whose rows have this posterior in every order, each equally often."""
    k = len(posterior)
    return np.array([np.roll(posterior, s) for s in range(k)]).T


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 8), st.integers(1, 30), st.floats(0.02, 3), st.integers(0, 2**31))
def test_no_family_violates_a_bound(k, cells, concentration, seed):
    p = np.random.default_rng(seed).dirichlet(np.full(cells, concentration), size=k)
    length, accuracy, tv = truths(p)
    low, high = balanced_accuracy_bounds(length, k)
    assert low - 1e-12 <= accuracy <= high + 1e-7
    low, high = pairwise_tv_bounds(length, k)
    assert low - 1e-12 <= tv <= high + 1e-7


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("a", [0.0, 0.3, 0.8, 1.0])
def test_one_likelier_class_attains_the_upper_accuracy(k, a):
    posterior = np.full(k, (1 - a) / k)
    posterior[0] += a
    length, accuracy, _ = truths(symmetrised(posterior))
    assert balanced_accuracy_bounds(length, k).high == pytest.approx(accuracy, abs=1e-7)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_few_equally_likely_classes_attain_the_lower_accuracy(m, share):
    k = 5
    parts = [symmetrised(np.append(np.full(n, 1 / n), np.zeros(k - n))) for n in (m, m + 1)]
    p = np.concatenate([(1 - share) * parts[0], share * parts[1]], axis=1)
    length, accuracy, _ = truths(p)
    assert balanced_accuracy_bounds(length, k).low == pytest.approx(accuracy, abs=1e-12)


@pytest.mark.parametrize("k", [3, 4, 7])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_all_or_one_class_attains_the_lower_pairwise_tv(k, share):
    p = np.concatenate([share * np.eye(k), np.full((k, 1), 1 - share)], axis=1)
    length, _, tv = truths(p)
    assert pairwise_tv_bounds(length, k).low == pytest.approx(tv, abs=1e-12)


@pytest.mark.parametrize("m", [2, 3, 4, 5])
@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_evenly_spaced_posteriors_attain_the_upper_pairwise_tv(m, where):
    """In every order; only cyclic ones need be tried for the mean over pairs of all orders."""
    k = 5
    lowest = 1 / k if m == k else (4 * m + 2) / (3 * m * (m + 1))
    squared = lowest + where * ((4 * m - 2) / (3 * m * (m - 1)) - lowest)
    steps = m + 1 - 2 * np.arange(1, m + 1)
    posterior = np.zeros(k)
    posterior[:m] = 1 / m + math.sqrt((squared - 1 / m) / (steps**2).sum()) * steps
    assert posterior.min() >= -1e-12
    # The mean over pairs of |π_i − π_j|, and ‖π‖, do not depend on the order.
    tv = sum(abs(a - b) for i, a in enumerate(posterior) for b in posterior[:i]) / (k - 1)
    assert pairwise_tv_bounds(k * math.sqrt(squared), k).high == pytest.approx(tv, abs=1e-12)


def test_two_classes_are_as_before_to_the_last_digit():
    lengths = np.linspace(math.sqrt(2), 2, 101)
    low, high = tv_bounds(lengths)
    assert np.array_equal(pairwise_tv_bounds(lengths, 2), (low, high))
    assert np.array_equal(balanced_accuracy_bounds(lengths), ((1 + low) / 2, (1 + high) / 2))


@pytest.mark.parametrize("bound", [balanced_accuracy_bounds, pairwise_tv_bounds])
@pytest.mark.parametrize("k", [3, 10, 50])
def test_bounds_rise_and_meet_at_the_ends(bound, k):
    low, high = bound(np.linspace(math.sqrt(k), k, 500), k)
    assert np.all(np.diff(low) > 0)
    assert np.all(np.diff(high) >= -1e-15)
    least = 1 / k if bound is balanced_accuracy_bounds else 0.0
    assert (low[0], high[0]) == pytest.approx((least, least), abs=1e-7)
    assert (low[-1], high[-1]) == pytest.approx((1, 1))
    assert isinstance(bound(float(k), k).low, float)


def test_wrong_arguments_are_named():
    with pytest.raises(
        ValueError, match=r"`arc_length` of 3 classes must lie in \[√3, 3\]; got 3.5"
    ):
        balanced_accuracy_bounds(3.5, 3)
    with pytest.raises(ValueError, match="`n_classes` must be a whole number of at least 2; got 1"):
        pairwise_tv_bounds(1.0, 1)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 6), st.floats(0.05, 2), st.integers(0, 2**31))
def test_implied_bounds_stay_below_the_truth(k, concentration, seed):
    p = np.random.default_rng(seed).dirichlet(np.full(9, concentration), size=k)
    length, accuracy, _ = truths(p)
    auc = mean_pairwise_auc(p)
    for given_bounds in (
        (math.sqrt(k), accuracy, 0.5), (length, 1 / k, 0.5), (math.sqrt(k), 1 / k, auc)
    ):  # fmt: skip
        raised = implied_class_bounds(*given_bounds, k)
        assert all(
            g - 1e-12 <= low <= truth + 1e-7
            for g, low, truth in zip(given_bounds, raised, (length, accuracy, auc), strict=True)
        )
    assert implied_class_bounds(math.sqrt(k), accuracy, 0.5, k)[0] > math.sqrt(k) - 1e-12
