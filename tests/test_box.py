"""The box-constrained problem: random and degenerate problems against SciPy and IPOPT."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ArctanRatio, ArctanRatioCV, laws
from rocstar.fitting.box import BoxProblem, RowLosses
from rocstar.fitting.coordinates import coordinates_of
from rocstar.fitting.solvers import Status
from rocstar.fitting.solvers.cone import positive_face
from rocstar.fitting.solvers.interior_point import solve

H = np.pi / 2


# --------------------------------------------------------------------------- random problems


def weighted(y, counts=None):
    """Class-normalised weights."""
    counts = np.ones(len(y)) if counts is None else counts
    weights = np.zeros(len(y))
    for side in (y, ~y):
        total = counts[side].sum()
        weights[side] = counts[side] / total if total > 0 else 0.0
    return weights


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
    return BoxProblem(x, y, weighted(y, counts), alpha, fit_intercept)


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
    solution = solve(BoxProblem(np.hstack([x, np.sign(x)]), y, weighted(y), 0.0), tol=1e-12)
    assert solution.value == pytest.approx(-2.0, abs=1e-11)


def test_without_intercept_and_with_both_signs_zero_is_all_there_is():
    y = np.array([True, False, True])
    solution = solve(BoxProblem([[1.0], [-1.0], [3.0]], y, weighted(y), 0.0, fit_intercept=False))
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


# --------------------------------------------------------------------------- parts


def test_slope_and_curvature_are_derivatives():
    rng = np.random.default_rng(0)
    rows = RowLosses(rng.random(20) < 0.5, rng.random(20))
    v, h = rng.uniform(0.1, 1.4, 20), 1e-6
    difference = (rows.value(v + h) - rows.value(v - h)) / (2 * h)
    assert rows.slope(v) == pytest.approx(difference, abs=1e-9)
    difference = (rows.slope(v + h) - rows.slope(v - h)) / (2 * h)
    assert rows.curvature(v) == pytest.approx(difference, abs=1e-9)


def test_young_gap_against_a_grid():
    rng = np.random.default_rng(0)
    n = 40
    rows = RowLosses(rng.random(n) < 0.5, rng.random(n) * (rng.random(n) < 0.8))
    v, y = rng.uniform(0, H, n), rng.normal(size=n)
    grid = np.linspace(0, H, 20001)[:, None]
    conjugate = (y * grid - rows.value(np.broadcast_to(grid, (20001, n)))).max(axis=0)
    assert rows.young_gap(v, y) == pytest.approx(rows.value(v) + conjugate - y * v, abs=1e-7)
    assert rows.young_gap(v, rows.slope(v)) == pytest.approx(np.zeros(n), abs=1e-15)


def test_face_of_rows_that_fight_each_other():
    a = np.array([[1.0, 0.0], [1.0, 5.0], [0.0, 1.0], [0.0, -1.0], [0.0, 0.0]])
    face = positive_face(a)
    assert face.free.tolist() == [True, True, False, False, False]
    assert (a[face.free] @ face.point > 0).all()
    assert a[~face.free] @ face.point == pytest.approx(np.zeros(3), abs=1e-12)


# --------------------------------------------------------------------------- estimators


@parametrize_with_checks(
    [
        ArctanRatio(loss="box"),
        ArctanRatio("rbf", loss="box", n_components=None),
        ArctanRatioCV(loss="box", cv=2, alphas=[1e-2, 1e-1]),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_estimator_keeps_every_training_row_inside_the_box(kernel):
    X, y = laws.GaussianPair.shifted(2.0, 3).sample(150, 150, random_state=0)
    model = ArctanRatio(kernel, loss="box", alpha=1e-4, random_state=0).fit(X, y)
    z = model._scores(X)
    assert z.min() >= -1e-9
    assert z.max() <= H + 1e-9
    assert model.solution_.duality_gap <= 1e-9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phi": [1.0, 2.0]}, "two dimensions"),
        ({"positive": [True]}, "one entry for each"),
        ({"weights": [1.0, -1.0]}, "non-negative"),
        ({"weights": [1.0, np.nan]}, "finite"),
        ({"alpha": -1.0}, r"`alpha` must be non-negative and finite; got -1.0\."),
    ],
)
def test_wrong_arguments_are_told_in_one_sentence(change, message):
    arguments = {"phi": [[1.0], [2.0]], "positive": [True, False], "weights": [1.0, 1.0]}
    with pytest.raises(ValueError, match=message):
        BoxProblem(**{**arguments, "alpha": 0.0, **change})


def test_what_centring_leaves_of_far_columns_is_not_a_direction():
    """Rounding of 1e11 is 1e-5, so the difference of two such columns tells nothing."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=400)
    y = rng.normal(size=400) + z > 0
    weights = np.where(y, 1 / y.sum(), 1 / (~y).sum())
    near, far = (
        solve(
            BoxProblem(
                np.column_stack([z + off, 0.3 * z + 0.7 * off, rng.normal(size=400)]), y, weights, 0
            )
        )
        for off in (0.0, 1e11)
    )
    assert far.value == pytest.approx(near.value, abs=5e-3)


# --------------------------------------------------------------------------- coordinates


def kernel_features(n, seed, least=1e-10):
    values, vectors = np.linalg.eigh(
        rbf_kernel(np.random.default_rng(seed).normal(size=(n, 5)), gamma=0.1)
    )
    kept = values > least * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])


def near_duplicate(n, seed, by=0.0):
    """Independent columns, and one that is a multiple of the first, exactly or nearly."""
    x = np.random.default_rng(seed).normal(size=(n, 7))
    return np.column_stack([x[:, :6], 3 * x[:, 0] + by * x[:, 6]])


def correlated(n, seed):
    """No column is close to orthogonal to all others."""
    x = np.random.default_rng(seed).normal(size=(n, 6))
    return np.column_stack([x + 6 * x[:, :1], x.sum(axis=1) + 1e-3 * x[:, 0] ** 2])


def near_combinations(n, seed):
    """Two columns that are combinations of others, one exactly and one but for a billionth."""
    x = np.random.default_rng(seed).normal(size=(n, 6))
    return np.column_stack(
        [x[:, :5], x[:, 0] + x[:, 1], 1e3 * (x[:, 1] - x[:, 2]) + 1e-6 * x[:, 5]]
    )


SPANS = {
    "kernel": kernel_features(120, 1),  # the constant is a combination of them
    "nearly": kernel_features(80, 7, least=1e-7),
    "fewer": kernel_features(160, 2, least=1e-4),
    "tiny": kernel_features(80, 3) * 1e-160,
    "duplicate": near_duplicate(50, 4),
    "near": near_duplicate(50, 4, by=1e-5),
    "far": near_duplicate(50, 5) + 1e3,
    "correlated": correlated(60, 6),
    "combinations": near_combinations(60, 8),
    "more columns than rows": np.random.default_rng(9).normal(size=(20, 30)),
    "units": near_duplicate(50, 10) * 10.0 ** np.array([7, -7, 0, 3, -3, 5, -5]),
}


@pytest.mark.parametrize("name", SPANS)
def test_coordinates_give_the_same_angles_by_the_shortest_coefficients(name):
    phi = SPANS[name]
    d, at = phi.shape[1], coordinates_of(phi, fit_intercept=True)
    unit = np.abs(phi).max()  # squares of coefficients of tiny columns overflow
    slopes, intercepts, scale = at.back[:d] * unit, at.back[d], np.abs(phi).max(axis=0) / unit
    length = np.linalg.norm(slopes * scale[:, None], axis=0).max()
    np.testing.assert_allclose(phi / unit @ slopes + intercepts, at.basis, atol=1e-12 * length)
    sizes = np.linalg.norm(slopes, axis=0).clip(1e-300)
    if unit > 1e-100:
        square = at.square / (sizes / unit) / (sizes / unit)[:, None]
        np.testing.assert_allclose(square, (slopes / sizes).T @ (slopes / sizes), atol=1e-6)
    np.testing.assert_allclose(at.gram, at.basis.T @ at.basis, atol=1e-12)
    assert np.linalg.eigvalsh(at.gram)[0] > 1e-7
    # What adds nothing to the angles, but for the constant, is no part of the coefficients.
    _, s, vt = np.linalg.svd((phi - phi.mean(axis=0)) / unit / scale)
    null = vt[(s > 1e-12 * s[0]).sum() :] / scale
    null /= np.linalg.norm(null, axis=1)[:, None]
    np.testing.assert_allclose(null @ (slopes / sizes), 0.0, atol=1e-7)


@pytest.mark.parametrize("alpha", [1e-5, 1e-2, 1.0])
@pytest.mark.parametrize("units", [0, 3, 7])
def test_columns_that_depend_on_others_never_make_the_optimum_worse(alpha, units):
    """They need not be used; that they can be dropped is known without any other solver."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        phi = near_combinations(60, seed) * 10.0 ** rng.uniform(-units, units, 7)
        y = rng.random(60) < 0.5
        full, fewer = (
            solve(BoxProblem(columns, y, weighted(y), alpha)) for columns in (phi, phi[:, :5])
        )
        assert full.status.ok
        assert full.value - full.duality_gap <= fewer.value


@pytest.mark.parametrize("name", [name for name in SPANS if name not in ("fewer", "tiny")])
@pytest.mark.parametrize("alpha", [1e-4, 1.0])
def test_rows_without_weight_do_not_keep_a_solution_from_its_digits(name, alpha):
    phi = SPANS[name]
    rng = np.random.default_rng(0)
    y = rng.random(len(phi)) < 0.5
    weights = weighted(y) * (rng.random(len(phi)) < 0.8)
    solution = solve(BoxProblem(phi, y, weights, alpha), tol=1e-14)
    assert solution.status is Status.CONVERGED
    assert solution.n_iter < 20
