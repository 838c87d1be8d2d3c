"""What weights mean."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from rocstar.weights import class_weights, effective_counts, repeated_unit


def test_class_weights_sum_to_one_within_each_class():
    found = class_weights(np.array([True, False, False]), np.array([2.0, 1.0, 3.0]))
    assert found.tolist() == [1.0, 0.25, 0.75]


def test_whole_multiples_repeat_and_other_weights_count_as_kish_says():
    positive = np.array([False, False, False, True])
    assert effective_counts(positive, np.array([0.5, 0.5, 1.0, 0.5])).tolist() == [4, 1]
    others = effective_counts(positive, np.array([1.0, 1.0, 2.5, 1.0]))
    assert_allclose(others, [4.5**2 / 8.25, 1])


def test_the_unit_of_repeated_rows():
    assert repeated_unit([np.array([0.5, 1.5]), np.array([1.0])]) == 0.5
    assert repeated_unit([np.array([2.0, 3.0]), np.array([2.0])]) is None
    assert repeated_unit([np.array([1.0, 101.0]), np.array([1.0])]) is None
