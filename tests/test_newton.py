"""The solver of smooth problems against slow, plain references."""

import numpy as np
import pytest
from data_problems import memory_rows, plain_objective
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import Evaluation, SmoothProblem
from rocstar.fitting.rows import MemoryRows
from rocstar.fitting.solvers import Status, newton


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_tangent_optimum_equals_a_plain_minimiser(alpha, fit_intercept):
    r = memory_rows(80, weighted=False)
    problem = SmoothProblem(r, LOSSES["tangent"], alpha, fit_intercept)
    solution = newton.minimize(problem, np.zeros(3 + fit_intercept)).solution
    slow = minimize(
        plain_objective,
        solution.w * 0,
        args=(r, "tangent", alpha, fit_intercept),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    assert solution.status is Status.CONVERGED
    assert solution.gradient_norm <= 1e-8
    assert solution.value <= slow.fun + 1e-10
    assert_allclose(solution.w, slow.x, atol=2e-4)


def test_log_ends_at_a_stationary_point_no_worse_than_its_start():
    for seed in range(20):
        r = memory_rows(60, d=4, shift=0.4, seed=seed)
        problem = SmoothProblem(r, LOSSES["log"], 1e-3)
        start = np.random.default_rng(seed).standard_normal(5) * 2
        result = newton.minimize(problem, start)
        assert result.solution.status is Status.CONVERGED
        assert result.solution.value <= problem.evaluate(start).value
        assert np.max(np.abs(result.last.gradient)) < 1e-6


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 60),
    d=st.integers(1, 12),
    alpha=st.sampled_from([0.0, 1e-6, 1e-2]),
    scale=st.sampled_from([1e-150, 1e-3, 1.0, 1e6, 1e150]),
)
@settings(max_examples=150, deadline=None)
def test_converges_on_any_convex_problem(seed, n, d, alpha, scale):
    """Few rows, many columns, repeated and constant ones, separable classes, any units."""
    rng = np.random.default_rng(seed)
    r = memory_rows(n, d, shift=rng.choice([0.0, 1.0, 30.0]), seed=seed)
    x = r.phi.copy()
    if d > 2:
        x[:, 1] = x[:, 0]
        x[:, 2] = 1.0
    r = MemoryRows(x * scale, r.sign, r.weights)
    start = np.zeros(d + 1)
    start[-1] = np.pi / 4
    problem = SmoothProblem(r, LOSSES["tangent"], alpha * scale**2)
    solution = newton.minimize(problem, start).solution
    assert solution.status is Status.CONVERGED
    assert np.all(np.isfinite(solution.w))
    assert solution.value <= problem.evaluate(start).value + 1e-14


def test_the_iteration_limit_is_a_status_not_an_exception():
    problem = SmoothProblem(memory_rows(), LOSSES["tangent"], 0.0)
    assert newton.minimize(problem, np.zeros(4), max_iter=1).solution.status is Status.MAX_ITER


class Uphill:
    """Whose value rises along its own direction of descent, as rounding may have it."""

    rounding = 1e-14
    passes = 0

    def thinned(self):
        return None

    def evaluate(self, w, order, damping=0.0):
        self.passes += 1
        hessian = np.eye(1) if order > 1 else None
        return Evaluation(1.0 + 1e-3 * abs(w[0]), np.array([5e-3]), hessian, 0.0)


@pytest.mark.parametrize("fresh", [False, True])
def test_no_descent_ends_the_search(fresh):
    problem = Uphill()
    found = newton.minimize(problem, np.zeros(1), tol=3e-3, fresh=fresh)
    assert found.solution.status is Status.STALLED
    assert problem.passes < 1000
