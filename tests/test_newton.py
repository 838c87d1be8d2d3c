"""The smooth problem and its solver against slow, plain references."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import approx_fprime, minimize

from rocstar import ArctanRatio
from rocstar.estimators import ratio
from rocstar.fitting import rows as blocks
from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import Evaluation, SmoothProblem
from rocstar.fitting.rows import MemoryRows
from rocstar.fitting.solvers import Status, newton

H = np.pi / 2


def rows(n=200, d=3, shift=0.7, seed=0, weighted=True):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    positive = rng.random(n) < 0.4
    positive[:2] = [True, False]
    x[positive] += shift
    weights = rng.random(n) if weighted else np.ones(n)
    weights /= np.where(positive, weights[positive].sum(), weights[~positive].sum())
    return MemoryRows(x, np.where(positive, 1.0, -1.0), weights)


def plain_objective(w, r, name, alpha, fit_intercept):
    """The formula of theory §3 and §4, one sample at a time."""
    d = r.phi.shape[1]
    total = 0.5 * alpha * float(w[:d] @ w[:d])
    for x, sign, weight in zip(r.phi, r.sign, r.weights, strict=True):
        z = float(x @ w[:d]) + (w[d] if fit_intercept else 0.0)
        if name == "log":
            term = np.sin(np.arctan(np.exp(z))) if sign > 0 else np.cos(np.arctan(np.exp(z)))
            total -= weight * term
        elif sign > 0:
            total += weight * (-z if z < 0 else -1.0 if z > H else -np.sin(z))
        else:
            total += weight * (-1.0 if z < 0 else z - H if z > H else -np.cos(z))
    return total


@pytest.mark.parametrize("name", ["tangent", "log"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_value_gradient_and_hessian(name, fit_intercept):
    r = rows(40)
    problem = SmoothProblem(r, LOSSES[name], 0.1, fit_intercept)
    w = np.random.default_rng(1).standard_normal(3 + fit_intercept) * 0.4
    found = problem.evaluate(w, 2)
    assert found.value == pytest.approx(plain_objective(w, r, name, 0.1, fit_intercept))
    numeric = approx_fprime(w, plain_objective, 1e-7, r, name, 0.1, fit_intercept)
    assert_allclose(found.gradient, numeric, atol=1e-6)
    columns = approx_fprime(w, lambda v: problem.evaluate(v).gradient, 1e-7)
    # The tangent's floor of a thousandth under the curvatures is part of its Newton matrix.
    assert_allclose(found.hessian, columns, atol=1e-6 if name == "log" else 5e-3)


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_tangent_optimum_equals_a_plain_minimiser(alpha, fit_intercept):
    r = rows(80, weighted=False)
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
        r = rows(60, d=4, shift=0.4, seed=seed)
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
    r = rows(n, d, shift=rng.choice([0.0, 1.0, 30.0]), seed=seed)
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


def test_any_blocking_gives_the_same_answer(monkeypatch):
    r = rows(5000, d=6)
    problem = SmoothProblem(r, LOSSES["tangent"], 1e-3)
    start = np.zeros(7)
    whole = newton.minimize(problem, start).solution.w
    for size in (300, 3000, 50_000):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
        assert_allclose(newton.minimize(problem, start).solution.w, whole, atol=1e-10)


def test_a_thinned_start_gives_the_same_answer(monkeypatch):
    r = rows(40_000, d=5)
    problem = SmoothProblem(r, LOSSES["tangent"], 1e-3)
    start = np.zeros(6)
    whole = newton.minimize(problem, start).solution.w
    assert problem.thinned() is None
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 64 * 5 * 8)
    assert problem.thinned() is not None
    assert_allclose(newton.minimize(problem, start).solution.w, whole, atol=1e-9)


def test_thinning_keeps_the_weight_of_each_class(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 64 * 3 * 8)
    r = rows(10_000)
    thin = r.thinned(10)
    assert thin.total(lambda block: block.weights.sum()) == pytest.approx(2.0)
    assert thin.total(lambda block: len(block.weights)) <= 1100
    lonely = MemoryRows(r.phi, np.where(np.arange(10_000) == 100, 1.0, -1.0), r.weights)
    assert lonely.thinned(10) is None


def test_sparse_and_float32_and_lazy_features_agree_with_dense():
    r = rows(300, d=4)
    w = np.array([0.1, -0.2, 0.3, 0.0, 0.6])
    dense = SmoothProblem(r, LOSSES["tangent"], 0.1).evaluate(w, 2)
    lazy = MemoryRows(r.phi / 2, r.sign, r.weights, features=lambda x: 2 * x)
    shifted = MemoryRows(r.phi + 5, r.sign, r.weights, shift=np.full(4, 5.0))
    for other in (MemoryRows(sparse.csr_matrix(r.phi), r.sign, r.weights), lazy, shifted):
        found = SmoothProblem(other, LOSSES["tangent"], 0.1).evaluate(w, 2)
        assert_allclose(found.gradient, dense.gradient, atol=1e-13)
        assert_allclose(found.hessian, dense.hessian, atol=1e-13)
    single = MemoryRows(r.phi.astype(np.float32), r.sign, r.weights)
    found = SmoothProblem(single, LOSSES["tangent"], 0.1).evaluate(w, 2)
    assert_allclose(found.gradient, dense.gradient, atol=1e-6)


@pytest.mark.parametrize("name", ["tangent", "log"])
def test_strict_array_api(name):
    """The numerics use nothing outside the array-API standard."""
    r = rows(50)
    strict = MemoryRows(*(array_api_strict.asarray(a) for a in (r.phi, r.sign, r.weights)))
    w = np.array([0.1, -0.2, 0.3, 0.6])
    plain = SmoothProblem(r, LOSSES[name], 0.1).evaluate(w, 2)
    other = SmoothProblem(strict, LOSSES[name], 0.1).evaluate(w, 2)
    assert other.value == pytest.approx(plain.value, abs=1e-14)
    assert_allclose(other.gradient, plain.gradient, atol=1e-13)
    assert_allclose(other.hessian, plain.hessian, atol=1e-13)


def test_the_iteration_limit_is_a_status_not_an_exception():
    problem = SmoothProblem(rows(), LOSSES["tangent"], 0.0)
    assert newton.minimize(problem, np.zeros(4), max_iter=1).solution.status is Status.MAX_ITER


def test_a_long_pass_shares_its_rows_among_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X, sign = rng.normal(size=(5000, 4)), rng.choice([-1.0, 1.0], 5000)
    rows = MemoryRows(X, sign, np.full(5000, 1 / 2500))
    problem = SmoothProblem(rows, LOSSES["tangent"], 1e-3)
    w = rng.normal(size=5)
    alone = problem.evaluate(w, 2)
    monkeypatch.setattr(MemoryRows, "block_rows", lambda self: 640)
    monkeypatch.setattr(MemoryRows, "_threads", lambda self: 3)
    shared = problem.evaluate(w, 2)
    for ours, theirs in zip(vars(shared).values(), vars(alone).values(), strict=True):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_the_first_long_pass_notices_what_validation_left_to_it(monkeypatch, value):
    monkeypatch.setattr(ratio, "LONG_PASS_BYTES", 0)
    X, y = np.random.default_rng(0).normal(size=(300, 3)), np.arange(300) % 2
    X[217, 1] = value
    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        ArctanRatio().fit(X, y)
    X[217, 1] = 0.0
    assert np.isfinite(ArctanRatio().fit(X, y).coef_).all()


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
