"""Means under random masses."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from rocstar.inference import masses


def test_merging_does_not_hide_a_straggler():
    """One value far below a crowd carries the variance; lumped with neighbours it would vanish."""
    values = np.append(np.linspace(0.99, 1, 4999), 0.0)
    draws = masses.mean_draws(values, np.ones(5000), np.random.default_rng(0), 4000)
    expected = values.std() / np.sqrt(5000)
    assert_allclose(np.std(draws.seen + draws.unseen * values.mean()), expected, rtol=0.1)


def test_rows_of_a_class_that_all_agree_leave_the_atom():
    draws = masses.mean_draws(np.ones(10), np.ones(10), np.random.default_rng(0))
    assert_allclose(draws.low(0.05, worst=0.0), 0.05 ** (1 / 10), atol=0.01)


def test_a_sum_of_class_means_has_the_unseen_of_both():
    y, values = np.array([True, True, False]), np.array([0.25, 0.25, 0.5])
    draws = masses.sum_draws(y, values, np.ones(3), np.random.default_rng(0), 20_000)
    assert_allclose(draws.unseen.mean(), 1 / 3 + 1 / 2, atol=0.01)
    assert_allclose(draws.seen.mean(), 0.25 * 2 / 3 + 0.5 / 2, atol=0.01)
