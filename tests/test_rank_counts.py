"""Positives above negatives of a given rank: laws of the rates, tails of the counts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta, betabinom, binom

from rocstar.inference.rank_counts import Count, Part, parts_of


def part(n_pos: int, n_neg: int, seed: int = 0) -> Part:
    rng = np.random.default_rng(seed)
    return Part(rng.normal(1.0, 1.0, n_pos), np.sort(rng.normal(size=n_neg))[::-1])


def test_ties_with_the_threshold_are_not_counted():
    own = Part(np.array([3.0, 2.0, 2.0, 1.0]), np.array([2.0, 1.0, 0.0]))
    assert [own.above(rank) for rank in (1, 2, 3)] == [1, 3, 4]
    assert [own.rank(rate) for rate in (0.0, 0.5, 0.9)] == [1, 2, 3]


def test_parts_without_both_classes_are_left_out():
    positive, where = np.array([True, False, True, False]), np.array([0, 0, 1, 2])
    found = parts_of(positive, np.arange(4.0), where)
    assert [(p.up.tolist(), p.down.tolist()) for p in found] == [([0.0], [1.0])]


@pytest.mark.parametrize(("rank", "n_neg"), [(1, 5), (1, 1000), (30, 200), (700, 1000)])
def test_nodes_of_one_part_integrate_the_beta_law(rank, n_neg):
    count = Count.of([part(50, n_neg)], [rank])
    law = beta(rank, n_neg + 1 - rank)
    for power in (1, 2, 3):
        assert_allclose(count.fpr**power @ count.masses, law.moment(power), rtol=1e-6)


def test_nodes_of_several_parts_have_the_law_of_the_weighted_mean():
    parts = [part(60, 40), part(20, 100, 1), part(40, 70, 2)]
    ranks = [4, 10, 1]
    count = Count.of(parts, ranks)
    laws = [beta(r, p.down.size + 1 - r) for r, p in zip(ranks, parts, strict=True)]
    weights = np.array([60, 20, 40]) / 120
    mean = sum(w * law.mean() for w, law in zip(weights, laws, strict=True))
    variance = sum(w**2 * law.var() for w, law in zip(weights, laws, strict=True))
    assert_allclose(count.fpr @ count.masses, mean, rtol=1e-3)
    assert_allclose((count.fpr - mean) ** 2 @ count.masses, variance, rtol=1e-3)


def test_chance_on_the_diagonal_is_that_of_equal_laws():
    # If ROC* is the diagonal, the count is beta-binomial, exactly.
    count = Count.of([part(30, 80)], [9])
    exact = betabinom(30, 9, 72).sf(count.above - 1)
    assert_allclose(count.chance(count.fpr), exact, rtol=1e-5)


def test_several_parts_are_dominated_by_equal_chances():
    parts = [part(40, 60), part(40, 60, 1)]
    count = Count.of(parts, [6, 20])._replace(above=45)
    rng = np.random.default_rng(0)
    rates = beta([6, 20], [55, 41]).rvs((40_000, 2), random_state=rng)
    drawn = rng.binomial(40, np.clip(rates + 0.2, 0, 1)).sum(axis=1)
    assert np.mean(drawn >= 45) <= count.chance(count.fpr + 0.2)
    below = count._replace(above=20)  # fewer than expected: nothing is claimed
    assert below.chance(count.fpr + 0.2) > 0.99


def test_largest_inverts_the_chance():
    count = Count.of([part(100, 100)], [10])
    found = count.largest(0.0, lambda tv: count.fpr + tv, 0.05)
    assert count.chance(count.fpr + found) <= 0.05 < count.chance(count.fpr + found + 1e-4)
    none = count._replace(above=0)
    assert none.largest(0.1, lambda tv: none.fpr + tv, 0.05) == 0.1


def test_many_negatives_make_it_clopper_pearson():
    count = Count.of([part(40, 200_000)], [20_000])._replace(above=30)
    found = count.largest(0.1, lambda height: count.fpr - 0.1 + height, 0.05)
    assert binom(40, found).sf(29) == pytest.approx(0.05, abs=0.001)
