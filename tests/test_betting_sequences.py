"""Limits that hold at all times: their level over whole paths, ends and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom

from rocstar import mean_interval, mean_sequence


def test_level_over_whole_paths():
    rng = np.random.default_rng(1)
    paths = rng.random((60, 150)) < 0.3
    missed = 0
    for path in paths:
        low, high = mean_sequence(path)
        missed += bool((low > 0.3).any() or (high < 0.3).any())
    assert missed <= binom.isf(0.001, 60, 0.05)


def test_bounds_do_not_look_ahead():
    values = np.random.default_rng(0).random(600)
    low, high = mean_sequence(values, support=(0, 2), level=0.9)
    first = mean_sequence(values[:250], support=(0, 2), level=0.9)
    assert_allclose(low[:250], first.low)
    assert_allclose(high[:250], first.high)


def test_close_to_the_interval_of_a_fixed_size():
    values = np.random.default_rng(0).beta(2, 5, 5000)
    low, high = mean_sequence(values)
    fixed = mean_interval(values, method="betting")
    assert fixed.high - fixed.low < high[-1] - low[-1] < 2 * (fixed.high - fixed.low)


def test_sides_and_errors():
    low, high = mean_sequence([0.5] * 100, side="lower")
    assert (high == 1).all()
    assert low[-1] > 0.3
    with pytest.raises(ValueError, match="`values` must hold at least one value"):
        mean_sequence([0.5, 1.5])
