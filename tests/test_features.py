"""Landmarks, keys of rows, and the bandwidth."""

import numpy as np
from numpy.testing import assert_array_equal

from rocstar import laws
from rocstar.fitting.features import distinct_landmarks, landmarks, median_gamma, row_keys

X, Y = laws.GaussianPair([1.5, 0.5], [0.0, 0.0]).sample(150, 250, random_state=0)


def test_the_kernel_is_one_over_root_e_at_the_median_distance():
    assert median_gamma(np.array([[0.0], [2.0]]), 0) == 0.125


def test_both_zeros_have_one_key():
    keys = row_keys(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]]))
    assert keys[0] == keys[2] != keys[1]


def test_landmarks_are_drawn_as_before_where_no_row_occurs_twice():
    rows = distinct_landmarks(X, Y == 1, np.ones(len(Y)), 30, 0)
    assert_array_equal(rows, landmarks(Y == 1, np.ones(len(Y)), 30, 0))


def test_a_row_is_drawn_once_per_class_and_all_of_them_if_they_are_few():
    coarse, positive = np.round(X), Y == 1
    rows = distinct_landmarks(coarse, positive, np.ones(len(Y)), 300, 0)
    for side in (positive, ~positive):
        drawn, there = coarse[rows[side[rows]]], coarse[side]
        assert_array_equal(np.unique(drawn, axis=0), np.unique(there, axis=0))
        assert len(drawn) == len(np.unique(drawn, axis=0))


def test_keys_of_rows_tell_them_apart():
    grid = np.stack(np.meshgrid(*[np.arange(-2.0, 2.0)] * 7), axis=-1).reshape(-1, 7)
    for rows in (grid, grid / 7, grid.astype(np.float32), np.rint(grid).astype(int)):
        assert len(np.unique(row_keys(rows))) == len(grid)
        assert_array_equal(row_keys(rows), row_keys(rows.copy(order="F")))


def test_few_of_many_landmarks_are_drawn_from_each_class():
    positive = np.arange(400_000) % 2 == 0
    rows = landmarks(positive, np.ones(len(positive)), 100, 0)
    assert positive[rows].sum() == 50
    assert len(set(rows)) == 100
    assert rows.std() > 80_000  # all over the rows
    assert_array_equal(rows, landmarks(positive, np.ones(len(positive)), 100, 0))
