"""A held-out figure's lower limit: several folds must clear the floor by more."""

from __future__ import annotations

import numpy as np

from rocstar.inference.draws import Draws
from rocstar.inference.held_figures import Bounded


def test_several_folds_need_twice_the_variance_to_leave_the_floor():
    draws = Draws(np.linspace(0.54, 0.66, 1001), np.zeros(1001))
    one, several = (Bounded(draws, 0.6, 1.0, folds) for folds in (1, 5))
    assert one.low(0.05, 0.53) == several.low(0.05, 0.5) > 0.54
    assert one.low(0.05, 0.53) > 0.53
    assert several.low(0.05, 0.53) == 0.53  # 0.6 − √2 · 0.054 is below it


def test_the_value_lies_between_the_ends():
    found = Bounded(Draws(np.linspace(0.5, 0.7, 101), np.zeros(101)), 0.6, 1.0, 1)
    estimate = found.estimate(0.4, 0.52, 0.05, (0.5, 1.0))
    assert estimate.low == estimate.value == 0.52 < estimate.high < 1.0
