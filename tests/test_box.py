"""The box-constrained problem: its losses, its arguments, and estimators that solve it."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ArctanRatio, ArctanRatioCV, laws
from rocstar.fitting.box import BoxProblem, RowLosses

H = np.pi / 2


def test_the_best_angles_of_two_rows_reach_minus_two():
    problem = BoxProblem([[0.0], [1.0]], [False, True], [1.0, 1.0], alpha=0.0)
    assert problem.value(np.array([H, 0.0])) == pytest.approx(-2.0)


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
