"""Where an interior-point method may move."""

import numpy as np
import pytest
from data_problems import H, class_weights
from numpy.testing import assert_allclose, assert_array_equal

from rocstar.fitting.box import BoxProblem
from rocstar.fitting.solvers.interior import Penalty, interior_of


def problem(fit_intercept, *, alpha=1e-3):
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2 == 0
    phi = np.abs(rng.normal(size=(20, 3))) + y[:, None]
    return BoxProblem(phi, y, class_weights(y), alpha, fit_intercept)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("warm", [None, 0.0, 50.0, -50.0])
def test_the_start_is_strictly_inside_the_box(fit_intercept, warm):
    given = problem(fit_intercept)
    init = None if warm is None else np.full(3 + fit_intercept, warm)
    inside = interior_of(given, init)
    angles = inside.basis @ inside.start
    assert inside.free.all()
    assert angles.min() > 0
    assert angles.max() < H


def test_rows_that_are_zero_at_every_feasible_point_cannot_move():
    y = np.array([True, False, True, False])
    phi = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0], [1.0, -1.0]])
    phi = np.column_stack([phi[:, 0] * [1, 1, 0, 0], phi[:, 1]])
    inside = interior_of(BoxProblem(phi, y, class_weights(y), 0.0, fit_intercept=False), None)
    assert_array_equal(inside.free, [True, True, False, False])
    assert (inside.basis @ inside.start > 0).all()


def test_a_diagonal_penalty_does_what_the_whole_form_does():
    rng = np.random.default_rng(0)
    x, diagonal = rng.normal(size=3), np.diag([1.0, 0.0, 3.0])
    full = diagonal + 0.1 * np.ones((3, 3))
    assert Penalty.of(diagonal).form.ndim == 1
    assert Penalty.of(full).form.ndim == 2
    for matrix in (diagonal, full):
        penalty = Penalty.of(matrix)
        assert_allclose(penalty.times(x), matrix @ x)
        assert_allclose(penalty.diagonal(), np.diag(matrix))
        assert_allclose(penalty.plus(np.eye(3)), np.eye(3) + matrix)
