"""Importance: a column that the evidence needs is named though it did not move alone."""

from __future__ import annotations

import numpy as np

from rocstar.watching.search import Search
from rocstar.watching.shifts import Shift, with_importance
from rocstar.watching.stream import Stream

SHIFTS = [Shift(f"x{k}", 0.01, 0.5) for k in range(3)]


def watched(rng):
    X = rng.normal(size=(1200, 3))
    search = Search("auto", None, (X[:300], X[300:600]), np.zeros(0, dtype=int))
    return Stream(search, X[600:], 0.0, 0.05)


def test_columns_that_moved_together_are_named():
    rng = np.random.default_rng(0)
    stream = watched(rng)
    X = rng.normal(size=(600, 3))
    X[:, 2] = 0.8 * X[:, 0] + 0.6 * X[:, 2]
    stream.take(X)
    found = with_importance([], SHIFTS, stream, X, np.arange(3), 0)
    assert {each.name for each in found} == {"x0", "x2"}
    assert all(each.importance > 0.05 for each in found)


def test_without_a_judge_nothing_is_added():
    rng = np.random.default_rng(1)
    found = with_importance(SHIFTS[:1], SHIFTS, watched(rng), np.zeros((5, 3)), np.arange(3), 0)
    assert found == tuple(SHIFTS[:1])
