"""Polygons: heights, rates, areas and the least concave curve above points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from rocstar.geometry.polygons import Polygon, concave_majorant


def test_jumps_have_their_upper_end_and_flats_their_left_end():
    steps = Polygon.staircase(np.array([0.0, 0.2, 0.6]), np.array([0.3, 0.5, 0.9]))
    assert [steps.height(f) for f in (0.0, 0.1, 0.2, 0.6, 1.0)] == [0.3, 0.3, 0.5, 0.9, 1.0]
    assert [steps.rate(t) for t in (0.0, 0.1, 0.3, 0.31, 0.5, 0.95)] == [0, 0, 0, 0.2, 0.2, 1.0]
    assert steps.area() == pytest.approx(0.2 * 0.3 + 0.4 * 0.5 + 0.4 * 0.9)
    assert steps.area(0.4) == pytest.approx(0.2 * 0.3 + 0.2 * 0.5)
    assert steps.reach(np.inf) == 0.3
    assert steps.reach(2.0) == 0.5  # at (0.25, 0.5) the staircase leaves the line of slope 2
    assert steps.reach(0.9) == 1.0


def test_rates_invert_heights_on_a_concave_curve():
    curve = Polygon.through([0.1, 0.4], [0.5, 0.9])
    for f in (0.05, 0.1, 0.3, 0.7):
        assert curve.rate(curve.height(f)) == pytest.approx(f)


def test_the_majorant_is_the_upper_hull():
    rng = np.random.default_rng(0)
    f, t = rng.random((2, 40))
    t = np.maximum(f, t)
    fpr, tpr = concave_majorant(f, t)
    corners = np.stack([np.append(f, [0, 1, 1]), np.append(t, [0, 1, 0])], axis=1)
    assert fpr.size == ConvexHull(corners).vertices.size - 1  # all but the corner below
    assert (np.diff(np.diff(tpr) / np.diff(fpr)) < 0).all()
    assert (np.interp(f, fpr, tpr) >= t - 1e-12).all()


def test_points_below_the_diagonal_leave_the_diagonal():
    fpr, tpr = concave_majorant(np.array([0.2, 0.5, 1.0]), np.array([0.1, 0.5, 1.0]))
    assert fpr.tolist() == tpr.tolist() == [0.0, 1.0]
