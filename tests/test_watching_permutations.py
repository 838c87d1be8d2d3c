"""P-values of exchangeable samples: never below the exact ones, and not far above."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.special import i0e
from scipy.stats import mannwhitneyu

from rocstar.watching.permutations import (
    LARGEST_MASS,
    codes_pvalue,
    number_pvalue,
    rank_scores,
    share_pvalues,
    sum_pvalue,
)


@pytest.mark.parametrize("pool", [np.arange(11.0), np.repeat([0.0, 1, 2, 9], [5, 3, 2, 1])])
@pytest.mark.parametrize("m", [1, 4, 8])
def test_no_pvalue_is_below_that_of_all_permutations(pool, m):
    which = [np.isin(np.arange(pool.size), chosen) for chosen in combinations(range(pool.size), m)]
    for kind in (0, 1):
        scores = [list(rank_scores(pool[~own], pool[own]))[kind] for own in which]
        sums = np.array([own @ score for score, _, own in scores])
        for (score, total, own), s in zip(scores, sums, strict=True):
            tails = (sums >= s - 1e-9).mean(), (sums <= s + 1e-9).mean()
            assert sum_pvalue(score, total, own) >= min(1, 2 * min(tails)) - 1e-12


@pytest.mark.parametrize(("n", "m", "shift"), [(2000, 200, 0.4), (500, 800, 0.3), (2000, 20, 1.3)])
def test_bounds_of_rank_sums_are_close(n, m, shift):
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=n), rng.normal(size=m) + shift
    location, scale = (sum_pvalue(*scores) for scores in rank_scores(old, new))
    exact = mannwhitneyu(old, new).pvalue
    assert exact < 1e-4
    assert exact < location < 20 * exact
    assert scale > 1e-3


def test_a_change_of_scale_is_seen_by_distances_from_the_middle():
    rng = np.random.default_rng(1)
    old, new = rng.normal(size=1000), 1.5 * rng.normal(size=300)
    location, scale = (sum_pvalue(*scores) for scores in rank_scores(old, new))
    assert location > 0.01
    assert scale < 1e-6


def test_the_largest_mass_is_that_of_the_difference_of_two_poisson_counts():
    """The limit that attains it: the mass at zero times the root of the variance."""
    variance = np.linspace(0.1, 3, 10_000)
    assert LARGEST_MASS >= (np.sqrt(variance) * i0e(variance)).max() > LARGEST_MASS - 1e-6


def test_shares_are_exact():
    """All 5 rows of 8 that count are among the 5 sampled: one choice in 56."""
    assert share_pvalues(np.array([5]), np.array([5]), 1000, 5)[0] < 1e-10
    found = share_pvalues(np.array([30]), np.array([30]), 60, 30)[0]
    assert found == pytest.approx(2 / 1.1826458156486115e17, rel=1e-6)
    assert share_pvalues(np.array([30]), np.array([15]), 60, 30)[0] == 1


def test_a_column_counts_all_its_tests():
    rng = np.random.default_rng(2)
    old, new = rng.normal(size=300), rng.normal(size=80) + 0.8
    location = sum_pvalue(*next(iter(rank_scores(old, new))))
    assert number_pvalue(old, new) == pytest.approx(2 * location)
    gaps = np.where(np.arange(300) < 3, np.nan, old)
    assert 2.5 * location < number_pvalue(gaps, new) < 4 * location
    codes = np.repeat([0.0, 1, np.nan], [200, 95, 5]), np.repeat([0.0, 1, np.nan], [50, 20, 30])
    alone = share_pvalues(np.array([35]), np.array([30]), 400, 100)[0]
    assert codes_pvalue(*codes) == pytest.approx(3 * alone)


@pytest.mark.parametrize("values", [np.full(40, np.nan), np.zeros(40), np.arange(40.0) % 7])
def test_degenerate_columns_have_pvalues(values):
    assert number_pvalue(values, values[:7]) == 1
    assert codes_pvalue(values, values[:7]) == 1
    assert 0 < number_pvalue(values, np.full(9, np.nan)) <= 1
