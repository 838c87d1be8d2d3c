"""Every measure: against a plain formula on dense points, monotone in the curve, refused input."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.metrics import roc_auc_score

from rocstar import measures, roc_points
from rocstar.geometry.polygons import Polygon, concave_majorant
from rocstar.measures import (
    Accuracy,
    Cost,
    Epsilon,
    FScore,
    HockeyStick,
    Measure,
    NetBenefit,
    PartialAuc,
    Precision,
    PrecisionRecallArea,
    Recall,
    RocAuc,
    TotalVariation,
    Tpr,
)


def precision(f, t, prevalence):
    called = prevalence * t + (1 - prevalence) * f
    return np.divide(prevalence * t, called, out=np.zeros_like(t), where=called > 0)


def partial(f, t, most):
    grid = np.linspace(0, most, 40_001)
    area = np.trapezoid(np.interp(grid, f, t), grid)
    return 0.5 * (1 + (area - most**2 / 2) / (most - most**2 / 2))


def largest_log(over, under):
    return max((np.log(a / b) for a, b in zip(over, under, strict=True) if a > 0 < b), default=0.0)


# An instance of each measure with a plain formula on many points of a curve. A new measure is added
# here, or `test_every_measure_is_registered` fails.
CASES = [
    (RocAuc(), lambda f, t: np.trapezoid(t, f)),
    (PartialAuc(0.2), lambda f, t: partial(f, t, 0.2)),
    (PartialAuc(1.0), lambda f, t: np.trapezoid(t, f)),
    (Tpr(0.1), lambda f, t: t[f <= 0.1].max()),
    (HockeyStick(2.5), lambda f, t: (t - 2.5 * f).max()),
    (HockeyStick(0.4, reverse=True), lambda f, t: ((1 - f) - 0.4 * (1 - t)).max()),
    (TotalVariation(), lambda f, t: (t - f).max()),
    (Accuracy(0.1), lambda f, t: (0.1 * t + 0.9 * (1 - f)).max()),
    (NetBenefit(0.2, 0.1), lambda f, t: (0.1 * t - 0.9 * f * 0.2 / 0.8).max()),
    (Cost(500, 10, 0.01), lambda f, t: (0.01 * 500 * (1 - t) + 0.99 * 10 * f).min()),
    (Precision(0.6, 0.1), lambda f, t: 0.06 / (0.06 + 0.9 * f[t >= 0.6].min())),
    (Recall(0.3, 0.1), lambda f, t: t[precision(f, t, 0.1) >= 0.3].max(initial=0.0)),
    (Recall(0.05, 0.1), lambda f, t: 1.0),
    (PrecisionRecallArea(0.1), lambda f, t: np.trapezoid(precision(f, t, 0.1), t)),
    (PrecisionRecallArea(0.001), lambda f, t: np.trapezoid(precision(f, t, 0.001), t)),
    (FScore(0.1), lambda f, t: (0.2 * t / (0.1 * t + 0.9 * f + 0.1)).max()),
    (FScore(0.1, beta=2), lambda f, t: (5 * 0.1 * t / (0.1 * t + 0.9 * f + 0.4)).max()),
    (Epsilon(0.1), lambda f, t: max(largest_log(t - 0.1, f), largest_log(0.9 - f, 1 - t), 0.0)),
]
INSTANCES = [instance for instance, _ in CASES]


def test_every_measure_is_registered():
    listed = {getattr(measures, name) for name in measures.__all__}
    concrete = {cls for cls in listed if not inspect.isabstract(cls)}
    assert {type(instance) for instance in INSTANCES} == concrete
    assert all(issubclass(cls, Measure) for cls in listed)


def dense(fpr, tpr, n=4000):
    """Many points on every line of a polygon, more towards its start."""
    u = np.append(np.geomspace(1e-9, 1, n), 0.0)
    u.sort()
    f = fpr[:-1, None] + u * np.diff(fpr)[:, None]
    t = tpr[:-1, None] + u * np.diff(tpr)[:, None]
    return f.ravel(), t.ravel()


def random_curve(rng, concave):
    f, t = np.sort(rng.random((2, 6)) ** [[2], [1]], axis=1)
    if concave:
        return concave_majorant(f, t)
    polygon = Polygon.through(f, t)
    return polygon.fpr, polygon.tpr


@pytest.mark.parametrize(("measure", "formula"), CASES, ids=[repr(m) for m, _ in CASES])
@pytest.mark.parametrize("shape", ["concave", "any", "staircase"])
def test_measures_agree_with_plain_formulas(measure, formula, shape):
    rng = np.random.default_rng(7)
    for _ in range(5):
        f, t = random_curve(rng, shape == "concave")
        if shape == "staircase":
            steps = Polygon.staircase(f[:-1], t[:-1])
            f, t = steps.fpr, steps.tpr
        if isinstance(measure, Epsilon) and (t[f == 0] > measure.delta).any():
            continue  # infinite; see below
        assert measure(f, t) == pytest.approx(formula(*dense(f, t)), abs=2e-3, rel=2e-3)


def points(n):
    return st.lists(st.floats(0, 1), min_size=n, max_size=n).map(sorted)


@settings(max_examples=60, deadline=None)
@given(points(5), points(5), st.lists(st.floats(0, 1), min_size=5, max_size=5), st.booleans())
def test_measures_improve_with_the_curve(fpr, tpr, shares, concave):
    low, f = np.array(tpr), np.array(fpr)
    high = np.maximum.accumulate(low + np.array(shares) * (1 - low))
    below, above = (concave_majorant(f, t) if concave else (f, t) for t in (low, high))
    for measure in INSTANCES:
        worse, better = measure(*below), measure(*above)
        sign = 1 if measure.greater_is_better else -1
        assert sign * worse <= sign * better + 1e-9, measure


def test_staircases_are_below_their_concave_majorant():
    rng = np.random.default_rng(0)
    f, t = np.sort(rng.random((2, 8)), axis=1)
    steps, smooth = Polygon.staircase(f, t), Polygon(*concave_majorant(f, t))
    for measure in INSTANCES:
        sign = 1 if measure.greater_is_better else -1
        assert sign * measure.of(steps) <= sign * measure.of(smooth) + 1e-12


def test_values_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    score = (rng.normal(size=300) + y).round(1)
    f, t, _ = roc_points(y, score)
    assert RocAuc()(f, t) == pytest.approx(roc_auc_score(y, score))
    assert PartialAuc(0.3)(f, t) == pytest.approx(roc_auc_score(y, score, max_fpr=0.3))


def test_precision_recall_area_is_not_average_precision():
    """Two values with ties, π = ½: .875, where average precision is .860 (theory §13)."""
    rest, _ = quad(lambda r: r / (r + 0.1 + 9 * (r - 0.9)), 0.9, 1)
    assert 0.9**2 + rest == pytest.approx(0.875, abs=1e-3)
    assert PrecisionRecallArea(0.5)([0, 0.1, 1], [0, 0.9, 1]) == pytest.approx(0.9**2 + rest)
    # Constant precision along the diagonal, and one at best.
    assert PrecisionRecallArea(0.2)([0, 1], [0, 1]) == pytest.approx(0.2)
    assert PrecisionRecallArea(0.2)([0, 0, 1], [0, 1, 1]) == pytest.approx(1.0)


def test_epsilon_is_infinite_where_one_law_sees_what_the_other_never_does():
    jump = [0, 0, 1], [0, 0.2, 1]
    assert Epsilon(0.1)(*jump) == np.inf
    assert Epsilon(0.2)(*jump) == pytest.approx(0.0, abs=1e-12)
    assert Epsilon(0.0)([0, 1], [0, 1]) == 0.0


@pytest.mark.parametrize("measure", INSTANCES, ids=repr)
def test_measures_are_values(measure):
    again = type(measure)(**vars(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert repr(measure).startswith(type(measure).__name__)
    with pytest.raises(AttributeError):
        measure.prevalence = 0.3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Accuracy(0.0), "`prevalence` must lie strictly between 0 and 1; got 0.0"),
        (lambda: Accuracy(50), "`prevalence` must lie strictly between 0 and 1; got 50"),
        (lambda: Tpr(1.2), r"`fpr` must lie in \[0, 1\]; got 1.2"),
        (lambda: PartialAuc(0), r"`max_fpr` must lie in \(0, 1\]; got 0"),
        (lambda: NetBenefit(1.0, 0.1), r"`threshold` must lie in \[0, 1\); got 1.0"),
        (lambda: Cost(-1, 1, 0.1), "`false_negative` must be a non-negative number; got -1"),
        (lambda: HockeyStick(np.nan), "`gamma` must be a non-negative number; got nan"),
        (lambda: FScore(0.1, beta=0), "`beta` must be a positive number; got 0"),
        (lambda: Precision(0, 0.1), r"`recall` must lie in \(0, 1\]; got 0"),
        (lambda: RocAuc()([0.0, 0.5], [1.0]), "must be vectors of one length"),
        (lambda: RocAuc()([0.5, 0.2], [0.1, 0.2]), "`fpr` must be in ascending order"),
        (lambda: RocAuc()([0.5, 0.6], [0.1, np.nan]), "`tpr` must rise from 0 to 1; got nan"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()
