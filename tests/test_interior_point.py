"""The interior-point method: random and degenerate problems against SciPy and IPOPT."""

import numpy as np
import pytest
from data_problems import class_weights
from scipy.optimize import minimize

from rocstar.fitting.box import BoxProblem
from rocstar.fitting.solvers import Status
from rocstar.fitting.solvers.interior_point import solve

H = np.pi / 2


# --------------------------------------------------------------------------- random problems


def plain(rng, x, y):
    return x


def duplicated_columns(rng, x, y):
    return np.column_stack([x, x[:, 0], 2 * x[:, -1], x.sum(axis=1)])


def constant_columns(rng, x, y):
    return np.column_stack([x, np.full(len(x), 0.1), np.zeros(len(x))])


def separable(rng, x, y):
    x[:, 0] = np.where(y, 1, -1) * (0.1 + rng.random(len(x)))
    return x


def more_columns_than_rows(rng, x, y):
    return rng.normal(size=(len(x), len(x) + int(rng.integers(1, 8))))


def badly_scaled(rng, x, y):
    return x * 10.0 ** rng.uniform(-8, 8, size=x.shape[1])


def shifted_far(rng, x, y):
    return x + 1e4 * rng.normal(size=x.shape[1])


def zero_rows(rng, x, y):
    x[rng.random(len(x)) < 0.3] = 0.0
    return x


def non_negative(rng, x, y):
    return np.abs(x)


def binary(rng, x, y):
    return (x > 0).astype(float)


def heavy_tailed(rng, x, y):
    return rng.standard_t(1, size=x.shape)


def rank_one(rng, x, y):
    return np.outer(x[:, 0], rng.normal(size=x.shape[1]))


def tied(rng, x, y):
    return np.round(x)


def one_hot(rng, x, y):
    return np.eye(5)[rng.integers(0, 5, len(x))]


FEATURES = [
    plain,
    duplicated_columns,
    constant_columns,
    separable,
    more_columns_than_rows,
    badly_scaled,
    shifted_far,
    zero_rows,
    non_negative,
    binary,
    heavy_tailed,
    rank_one,
    tied,
    one_hot,
]
KINDS = [f.__name__ for f in FEATURES] + [
    "one_positive",
    "zero_weights",
    "only_zero_feasible",
    "part_of_the_rows_stuck",
]


def box_problem(kind, seed, most_rows=40):
    """A problem of the kind named; penalty, intercept, shape and overlap are drawn."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, d = int(rng.integers(6, most_rows)), int(rng.integers(1, 7))
    alpha = float(rng.choice([0.0, 1e-6, 1e-3, 1e-1, 10.0]))
    fit_intercept = bool(rng.integers(2))
    y = rng.random(n) < rng.choice([0.5, 0.2])
    y[:2] = True, False
    if kind == "one_positive":
        y[1:] = False
    x = rng.normal(size=(n, d)) + rng.normal(size=d) * y[:, None] * rng.choice([0.3, 1, 3])
    counts = None
    if kind == "zero_weights":
        counts = rng.random(n) * (rng.random(n) < 0.5)
    elif kind == "only_zero_feasible":
        x, y, fit_intercept = np.vstack([x, -x]), np.tile(y, 2), False
    elif kind == "part_of_the_rows_stuck":
        # The first block's columns can be positive; the second's rows fight each other.
        z, u = np.zeros((n, d)), rng.normal(size=(n, d))
        x, y, fit_intercept = np.block([[np.abs(x), u], [z, u], [z, -u]]), np.tile(y, 3), False
    elif kind != "one_positive":
        x = next(f for f in FEATURES if f.__name__ == kind)(rng, x, y)
    return BoxProblem(x, y, class_weights(y, counts), alpha, fit_intercept)


def outside(problem, w):
    v = problem.angles(w)
    return max(-v.min(), v.max() - H)


# --------------------------------------------------------------------------- plain references


def gradient(problem, w):
    slope = problem.losses.slope(problem.angles(w))
    d = problem.phi.shape[1]
    g = np.append(problem.phi.T @ slope + problem.alpha * w[:d], slope.sum())
    return g[: len(w)]


def design(problem):
    n, d = problem.phi.shape
    return np.column_stack([problem.phi, np.ones(n)])[:, : d + problem.fit_intercept]


def by_slsqp(problem):
    """A feasible point found with no knowledge of the structure."""
    a = design(problem)
    result = minimize(
        problem.value,
        problem.safe,
        jac=lambda w: gradient(problem, w),
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda w: a @ w, "jac": lambda w: a},
            {"type": "ineq", "fun": lambda w: H - a @ w, "jac": lambda w: -a},
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return result.x


def by_ipopt(problem):
    """The same by IPOPT, exact Hessian, bounds not relaxed."""
    cyipopt = pytest.importorskip("cyipopt")
    a = design(problem)
    n, p = a.shape
    ridge = np.append(np.full(problem.phi.shape[1], problem.alpha), 0.0)[:p]
    lower = np.tril_indices(p)

    class Callbacks:
        def objective(self, w):
            return problem.value(w)

        def gradient(self, w):
            return gradient(problem, w)

        def constraints(self, w):
            return a @ w

        def jacobian(self, w):
            return a.ravel()

        def hessianstructure(self):
            return lower

        def hessian(self, w, multipliers, factor):
            curvature = problem.losses.curvature(np.clip(a @ w, 0, H))
            return factor * ((a.T * curvature) @ a + np.diag(ridge))[lower]

    nlp = cyipopt.Problem(n=p, m=n, problem_obj=Callbacks(), cl=np.zeros(n), cu=np.full(n, H))
    for option, value in {"print_level": 0, "sb": "yes", "tol": 1e-11, "max_iter": 500}.items():
        nlp.add_option(option, value)
    nlp.add_option("bound_relax_factor", 0.0)
    w, _ = nlp.solve(problem.safe)
    return w


def agree(problem, reference, relative):
    """Check solver and reference against each other; True if the reference was optimal too."""
    solution = solve(problem)
    scale = max(problem.weights.sum(), 1.0)
    assert solution.status is Status.CONVERGED
    assert outside(problem, solution.w) <= 1e-9
    assert solution.duality_gap <= 1e-8 * scale
    if not np.isfinite(reference).all() or outside(problem, reference) > 1e-9:
        return False
    value = problem.value(reference)
    # The dual bound is a bound, and nobody finds anything better.
    assert solution.value - solution.duality_gap <= value + 1e-9 * scale
    assert solution.value <= value + relative * scale
    return value <= solution.value + relative * scale


@pytest.mark.parametrize("kind", KINDS)
def test_no_worse_than_slsqp(kind):
    reached = [agree(p, by_slsqp(p), 1e-7) for p in (box_problem(kind, s) for s in range(12))]
    # A reference that never gets there would test nothing. It cannot work on bad scales.
    assert sum(reached) >= (0 if kind in {"badly_scaled", "shifted_far"} else 6)


@pytest.mark.ipopt
@pytest.mark.parametrize("kind", KINDS)
def test_no_worse_than_ipopt(kind):
    problems = [box_problem(kind, s, most_rows=120) for s in range(100, 115)]
    reached = [agree(p, by_ipopt(p), 1e-7) for p in problems]
    assert sum(reached) >= (0 if kind in {"badly_scaled", "shifted_far"} else 5)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_solved_at_more_seeds(kind):
    for seed in range(500, 530):
        problem = box_problem(kind, seed, most_rows=90)
        solution = solve(problem)
        assert solution.status.ok
        assert outside(problem, solution.w) <= 1e-9


# --------------------------------------------------------------------------- known answers


def test_separable_classes_without_penalty_reach_the_corners():
    x = np.r_[-2.0, -1.0, 1.0, 2.0][:, None]
    y = x[:, 0] > 0
    solution = solve(BoxProblem(np.hstack([x, np.sign(x)]), y, class_weights(y), 0.0), tol=1e-12)
    assert solution.value == pytest.approx(-2.0, abs=1e-11)


def test_without_intercept_and_with_both_signs_zero_is_all_there_is():
    y = np.array([True, False, True])
    phi = [[1.0], [-1.0], [3.0]]
    solution = solve(BoxProblem(phi, y, class_weights(y), 0.0, fit_intercept=False))
    assert solution.w == pytest.approx([0.0])
    assert solution.value == -1.0
    assert solution.duality_gap == 0.0


def test_a_heavy_penalty_leaves_the_best_constant():
    problem = box_problem("plain", 3)
    heavy = BoxProblem(problem.phi, problem.positive, problem.weights, 1e9)
    solution = solve(heavy)
    assert solution.w[-1] == pytest.approx(np.pi / 4, abs=1e-6)
    assert solution.value == pytest.approx(-np.sqrt(2), abs=1e-6)


def test_no_weight_and_no_columns_are_no_error():
    y = np.array([True, False])
    nothing = solve(BoxProblem(np.ones((2, 1)), y, np.zeros(2), 0.0))
    assert nothing.value == 0.0
    empty = solve(BoxProblem(np.zeros((2, 0)), y, np.array([3.0, 4.0]), 0.0))
    assert empty.value == pytest.approx(-5.0)
    assert np.tan(empty.w[-1]) == pytest.approx(3 / 4)


# --------------------------------------------------------------------------- laws


def test_swapping_the_classes_reflects_the_angles():
    problem = box_problem("plain", 5)
    p = BoxProblem(problem.phi, problem.positive, problem.weights, 1e-3)
    q = BoxProblem(problem.phi, ~problem.positive, problem.weights, 1e-3)
    assert p.angles(solve(p, tol=1e-12).w) == pytest.approx(
        H - q.angles(solve(q, tol=1e-12).w), abs=1e-5
    )


def test_weights_equal_repetition():
    problem = box_problem("plain", 8)
    times = np.random.default_rng(0).integers(1, 4, len(problem.positive))
    weights = problem.weights * times
    once = BoxProblem(problem.phi, problem.positive, weights, 1e-2)
    rows = np.repeat(np.arange(len(times)), times)
    often = BoxProblem(problem.phi[rows], problem.positive[rows], problem.weights[rows], 1e-2)
    assert solve(once).value == pytest.approx(solve(often).value, abs=1e-8)


def test_units_of_the_columns_do_not_matter_without_penalty():
    problem = box_problem("plain", 11)
    units = 10.0 ** np.arange(-9, 9, 18 / problem.phi.shape[1])[: problem.phi.shape[1]]
    a = BoxProblem(problem.phi, problem.positive, problem.weights, 0.0)
    b = BoxProblem(problem.phi * units, problem.positive, problem.weights, 0.0)
    assert solve(a).value == pytest.approx(solve(b).value, abs=1e-8)


def test_duplicated_columns_share_the_coefficient():
    problem = box_problem("plain", 2)
    twice = BoxProblem(np.hstack([problem.phi] * 2), problem.positive, problem.weights, 1e-2)
    w = solve(twice, tol=1e-12).w[:-1]
    assert w[: len(w) // 2] == pytest.approx(w[len(w) // 2 :], abs=1e-8)


def test_warm_start_from_anywhere_reaches_the_same_value():
    problem = box_problem("plain", 7)
    cold = solve(problem)
    rng = np.random.default_rng(1)
    for start in (cold.w, problem.safe, 10 * rng.normal(size=len(cold.w))):
        assert solve(problem, init=start).value == pytest.approx(cold.value, abs=1e-8)


def test_the_iteration_limit_is_told():
    problem = box_problem("plain", 0)
    problem = BoxProblem(problem.phi, problem.positive, problem.weights, 0.0)
    assert solve(problem, max_iter=1).status is Status.MAX_ITER
