"""The functions among which `ArctanRatio` chooses."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from rocstar.estimators import function_class
from rocstar.estimators.function_class import kernel_scores, landmark_points


def test_landmarks_are_distinct_rows_in_an_order_of_their_own():
    X = np.array([[2.0], [1.0], [2.0], [1.0], [3.0]])
    positive = np.array([True, True, False, False, True])
    points = landmark_points(X, positive, np.ones(5), None, 0)
    assert_array_equal(points, [[1.0], [2.0], [3.0]])


def test_scores_by_blocks_are_scores_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    X, points, dual = rng.normal(size=(50, 2)), rng.normal(size=(7, 2)), rng.normal(size=7)
    whole = kernel_scores(X, points, dual, "rbf", {"gamma": 0.5})
    distances = ((X[:, None] - points) ** 2).sum(axis=2)
    assert_allclose(whole, np.exp(-0.5 * distances) @ dual)
    monkeypatch.setattr(function_class, "FEATURE_BYTES", 8 * 7 * 3)
    assert_allclose(kernel_scores(X, points, dual, "rbf", {"gamma": 0.5}), whole)
