"""Bounds as text promise no more than was certified."""

from __future__ import annotations

import pytest

from rocstar.rounding import rounded_down, rounded_up


@pytest.mark.parametrize(
    ("value", "down", "up"),
    [
        (0.74199, "0.741", "0.742"),
        (0.74101, "0.741", "0.742"),
        (0.29, "0.290", "0.290"),  # held as 0.28999999999999998
        (float("nan"), "nan", "nan"),
        (float("inf"), "inf", "inf"),
    ],
)
def test_bounds_are_rounded_outwards(value, down, up):
    assert (rounded_down(value), rounded_up(value)) == (down, up)
