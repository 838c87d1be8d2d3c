"""Roots of monotone functions."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from rocstar.laws.ratio import monotone_root


def test_roots_inside_and_the_nearer_end_where_there_is_none():
    goal = np.array([-1.0, 2.0, 100.0])
    found = monotone_root(lambda x, goal: x**2 - goal, np.zeros(3), np.full(3, 8.0), goal)
    assert_allclose(found, [0, np.sqrt(2), 8], atol=1e-12)
