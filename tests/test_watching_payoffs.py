"""Payoffs: values in [0, 1], the whole total variation distance, and bounds of the reference."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from rocstar.watching.payoffs import Judge, Payoffs

RNG = np.random.default_rng(0)
STREAM, REFERENCE = RNG.normal(1, 1, 4000), RNG.normal(0, 1, 4000)


def test_values_lie_between_zero_and_one_and_rise():
    payoffs = Payoffs.of_scores(STREAM, REFERENCE)
    assert payoffs.levels.min() >= 0
    assert payoffs.levels.max() <= 1
    assert (np.diff(payoffs.levels, axis=1) >= 0).all()


def test_estimates_are_those_of_the_law():
    payoffs = Payoffs.of_scores(STREAM, REFERENCE)
    judge = Judge.of(None, payoffs, RNG.normal(0, 1, 4000), 0.01)
    tv, divergence = judge.distances(payoffs.counts(RNG.normal(1, 1, 4000)))
    assert abs(tv - (2 * norm.cdf(0.5) - 1)) < 0.03
    # √(2(1 + tv²)) − √2 is the smallest divergence at this distance, and not far from the truth.
    assert 0.08 < divergence < 0.16


def test_bounds_are_above_the_reference():
    payoffs = Payoffs.of_scores(STREAM, REFERENCE)
    judge = Judge.of(None, payoffs, RNG.normal(0, 1, 1000), 0.01)
    assert (judge.bounds > payoffs.levels @ judge.reference).all()
    assert (judge.bounds < payoffs.levels @ judge.reference + 0.08).all()


def test_a_rare_value_has_a_bin_of_its_own():
    stream = np.where(np.arange(1000) < 60, 5.0, 0.0)
    reference = np.where(np.arange(1000) < 20, 5.0, 0.0)
    payoffs = Payoffs.of_scores(stream, reference)
    judge = Judge.of(None, payoffs, reference, 0.01)
    assert abs(judge.distances(payoffs.counts(stream))[0] - 0.04) < 1e-9


def test_factors_have_one_entry_per_payoff_bet_and_tolerance():
    payoffs = Payoffs.of_scores(STREAM, REFERENCE)
    judge = Judge.of(None, payoffs, REFERENCE, 0.01)
    factors = judge.factors(payoffs.counts(STREAM[:50]), np.array([0.0, 0.1, 0.9]))
    assert factors.shape == (2, 6, 3)
    assert (np.diff(factors, axis=2) <= 0).all()
