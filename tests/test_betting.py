"""Wealth against its theorem: computed exactly by enumeration, and seeded coverage."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom

from rocstar.inference import betting, betting_blocks
from rocstar.inference.betting import AIM, AIM_OF_ORDERS, candidates, hedge, lower_bound, wealth
from rocstar.inference.betting_blocks import mean_payoffs, pair_payoffs, sum_payoffs

ONE_CHUNK = np.zeros(8, dtype=np.intp)


def expected_wealth(payoffs_of, chances, theta):
    """Mean final wealth over all outcomes of rows that are one with the chances given."""
    total = 0.0
    for outcome in product((0.0, 1.0), repeat=len(chances)):
        probability = np.prod([p if x else 1 - p for p, x in zip(chances, outcome, strict=True)])
        payoffs = payoffs_of(np.array(outcome))
        total += probability * wealth(payoffs, np.array([theta]), 0.05, AIM, 1.0)[0]
    return total


def test_wealth_against_the_true_mean_cannot_be_expected_to_grow():
    def payoffs_of(x):
        return mean_payoffs(x, np.random.default_rng(0))

    for p in (0.1, 0.5, 0.9):
        assert_allclose(expected_wealth(payoffs_of, [p] * 7, p), 1.0)
        assert expected_wealth(payoffs_of, [p] * 7, p + 0.05) < 1.0


@pytest.mark.parametrize("groups", [None, [0, 0, 1, 1, 2, 3, 4, 5]])
@pytest.mark.parametrize(("p", "q"), [(0.9, 0.6), (0.3, 0.3), (1.0, 0.5)])
def test_wealth_against_a_sum_of_class_means(p, q, groups):
    positive = np.array([1, 0, 1, 0, 1, 0, 0, 0], dtype=bool)
    units = None if groups is None else np.array(groups)
    for seed in range(2):

        def payoffs_of(x, seed=seed):
            order = np.random.default_rng(seed)
            return sum_payoffs(positive, x, ONE_CHUNK, units, order)

        chances = np.where(positive, p, q)
        assert expected_wealth(payoffs_of, chances, p + q) <= 1 + 1e-12
        assert expected_wealth(payoffs_of, chances, p + q - 0.3) > 1.0


def test_wealth_against_an_auc_with_several_matchings(monkeypatch):
    monkeypatch.setattr(betting_blocks, "ROWS_PER_MATCHING", 1)
    positive = np.arange(8) < 4
    order = np.random.default_rng(1)
    assert pair_payoffs(positive, np.zeros(8), ONE_CHUNK, None, order).paid.shape == (2, 2, 2)
    # Scores of 0 and 1: a pair is won with probability p(1 − q), and a tie counts one half.
    for p, q in ((0.8, 0.3), (0.5, 0.5)):
        chances = np.where(positive, p, q)
        auc = p * (1 - q) + (p * q + (1 - p) * (1 - q)) / 2

        def payoffs_of(x):
            return pair_payoffs(positive, x, ONE_CHUNK, None, np.random.default_rng(1))

        assert expected_wealth(payoffs_of, chances, auc) <= 1 + 1e-12
        assert expected_wealth(payoffs_of, chances, auc - 0.2) > 1.0


def test_hedge_reaches_the_goal_of_a_brownian_motion():
    # The logarithmic derivative of Φ, and no bet once the goal is reached.
    at = np.array([0.05, 0.5])
    assert_allclose(hedge(at), [2.0627, 0.7979], atol=1e-4)
    assert hedge(np.array([1.0]))[0] < 1e-6


def test_scan_stops_at_the_first_value_that_is_not_rejected(monkeypatch):
    points = np.array([0.1, 0.2, 0.3, 0.4])
    monkeypatch.setattr(betting, "wealth", lambda *_: np.array([30.0, 25.0, 5.0, 40.0]))
    assert lower_bound([None], points, 0.05) == 0.2
    monkeypatch.setattr(betting, "wealth", lambda *_: np.array([5.0, 25.0, 25.0, 40.0]))
    assert lower_bound([None], points, 0.05) is None


def test_orders_count_by_their_running_mean(monkeypatch):
    orders = [np.array([30.0, 0.0]), np.array([0.0, 30.0]), np.array([0.0, 20.0])]
    monkeypatch.setattr(betting, "wealth", lambda order, *_: order)
    # Means of the second value are 0, 15 and 16.7: it is not rejected at 1/20.
    assert lower_bound(orders, np.array([0.1, 0.2]), 0.05) == 0.1
    assert lower_bound(orders[1:], np.array([0.1, 0.2]), 0.05) is None


def test_each_of_several_orders_aims_higher():
    payoffs = mean_payoffs(np.ones(100), np.random.default_rng(0))
    reached = wealth(payoffs, np.array([0.5]), 0.05, AIM_OF_ORDERS, AIM_OF_ORDERS)
    assert reached[0] >= AIM_OF_ORDERS / 0.05
    assert lower_bound([payoffs] * 3, candidates(0, 1, 100), 0.05) > 0.9


@pytest.mark.parametrize("n", [10, 40])
def test_perfect_sample_comes_close_to_the_best_possible_bound(n):
    payoffs = mean_payoffs(np.ones(n), np.random.default_rng(0))
    limit = 0.05 ** (1 / n)
    assert limit - 0.012 < lower_bound([payoffs], candidates(0, 1, n), 0.05) < limit


def test_level_at_least_favourable_laws():
    # Two points, and ten rows of each class; misses of 400 runs against a binomial at 0.1 %.
    rng = np.random.default_rng(5)
    positive = np.arange(20) < 10
    points = candidates(0, 2, 20)
    for p in (0.95, 0.8, 0.5):
        misses = 0
        for _ in range(200):
            x = (rng.random(20) < p).astype(np.float64)
            payoffs = sum_payoffs(positive, x, np.zeros(20, dtype=np.intp), None, rng)
            low = lower_bound([payoffs], points, 0.05)
            misses += low is not None and low >= 2 * p
        assert misses <= binom.isf(0.001, 200, 0.05)


def test_hundred_thousand_rows_take_less_than_a_second():
    rng = np.random.default_rng(0)
    positive, values = np.arange(100_000) % 2 == 0, rng.random(100_000)
    start = time.process_time()
    payoffs = sum_payoffs(positive, values, np.zeros(100_000, dtype=np.intp), None, rng)
    low = lower_bound([payoffs], candidates(0, 2, 100_000), 0.05)
    assert time.process_time() - start < 1.0
    assert 0.99 < low < values[positive].mean() + values[~positive].mean()
