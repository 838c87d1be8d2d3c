"""K log ratios: derivatives, two classes as before, weights as repetitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad

from rocstar import ArctanRatio, laws
from rocstar.fitting.directions import (
    DirectionProblem,
    class_landmarks,
    direction_arc_length,
    unit_directions,
)

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])


def problem(rows=40, **options):
    X, y = LAW.sample(rows, random_state=0)
    return DirectionProblem(X, y, np.full(y.size, 1 / rows), 3, **options)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gradient(fit_intercept):
    asked = problem(fit_intercept=fit_intercept)
    scale, centre = asked._columns(0.01)
    rest = np.full(2, 0.01) / scale**2, scale, centre
    w = np.random.default_rng(0).normal(size=9)
    if not fit_intercept:
        w.reshape(3, 3)[:, -1] = 0.0
    free = np.tile([True, True, fit_intercept], 3)

    def value(part):
        w[free] = part
        return asked._objective(w, *rest)[0]

    def slope(part):
        w[free] = part
        return asked._objective(w, *rest)[1][free]

    assert check_grad(value, slope, w[free].copy()) < 1e-6


def test_two_classes_are_the_log_loss():
    X, y = laws.GaussianPair([1.0, 1.0], [0.0, 0.0]).sample(80, 80, random_state=0)
    one = ArctanRatio(loss="log", alpha=1e-2).fit(X, y)
    two = DirectionProblem(X, y.astype(int), np.full(160, 1 / 80), 2).solve(1e-2, tol=1e-8)
    assert two.w[1] - two.w[0] == pytest.approx(np.append(one.coef_, one.intercept_), abs=2e-3)


def test_the_true_log_ratios_are_found():
    X, y = LAW.sample(4000, random_state=1)
    found = DirectionProblem(X, y, np.full(y.size, 1 / 4000), 3).solve(0.0)
    assert found.status.ok
    assert np.diff(found.w[:, :-1], axis=0) == pytest.approx(
        np.array([[2.0, 0.0], [-2.0, 2.0]]), abs=0.25
    )
    u = unit_directions(X @ found.w[:, :-1].T + found.w[:, -1])
    assert np.abs(u - LAW.direction(X)).mean() < 0.03


def test_sparse_rows_and_weights_mean_the_same():
    X, y = LAW.sample(30, random_state=2)
    times = np.random.default_rng(0).integers(1, 4, size=y.size)
    weights = times / np.bincount(y, times)[y]
    one = DirectionProblem(X, y, weights, 3).solve(1e-2)
    again = DirectionProblem(sparse.csr_matrix(X), y, weights, 3).solve(1e-2)
    rows = np.repeat(np.arange(y.size), times)
    repeated = weights[rows] / times[rows]
    many = DirectionProblem(X[rows], y[rows], repeated, 3).solve(1e-2)
    for other in (again, many):
        assert other.value == pytest.approx(one.value, abs=1e-6)


def test_directions_are_unit_vectors_whatever_the_scores():
    u = unit_directions(np.array([[800.0, -800.0, 0.0], [0.0, 0.0, 0.0]]))
    assert np.allclose(u, [[1.0, 0.0, 0.0], np.full(3, 3**-0.5)])
    assert direction_arc_length(np.array([0, 1]), u, np.ones(2)) == pytest.approx(1 + 3**-0.5)


def test_landmarks_come_evenly_from_the_classes():
    codes = np.repeat([0, 1, 2], [100, 50, 4])
    weights = np.ones(154)
    weights[0] = 0.0
    chosen = class_landmarks(codes, weights, 24, 0)
    assert np.bincount(codes[chosen]).tolist() == [10, 10, 4]
    assert 0 not in class_landmarks(codes, weights, None, 0)


def test_repeated_rows_are_drawn_once_per_class():
    """Every row three times: as many landmarks as are wanted, and none of them twice."""
    x = np.repeat(np.random.default_rng(0).normal(size=(300, 2)), 3, axis=0)
    codes, weights = np.repeat([0, 1, 2], 300), np.ones(900)
    chosen = class_landmarks(codes, weights, 200, 0, x)
    assert len(np.unique(x[chosen], axis=0)) == 200
    some = np.arange(0, 900, 3)  # no row twice: the same draw
    once = class_landmarks(codes[some], weights[some], 100, 0, x[some])
    assert once.tolist() == class_landmarks(codes[some], weights[some], 100, 0).tolist()


def test_a_kernel_has_as_many_components_as_are_wanted_on_repeated_rows():
    law = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    X, y = law.sample(40, random_state=0)
    model = ArctanRatio("rbf", loss="log", n_components=30, random_state=0)
    model.fit(np.repeat(X, 4, axis=0), np.repeat(y, 4))
    assert len(model.components_) == 30
