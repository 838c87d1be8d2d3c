"""`QuadraticRatio`: truths of normal laws, weights, symmetries, and what it may choose."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ClassifierRatio, QuadraticRatio, StackedRatio, laws, roc_auc
from rocstar.estimators.discriminant import Moments, lines
from rocstar.estimators.protocol import frozen, tunes_itself

FIXED = {"rank": 2, "damping": 0.0, "ridge": 0.1, "slope": 0.8, "offset": 0.1}


@parametrize_with_checks(
    [QuadraticRatio(random_state=0), QuadraticRatio(**FIXED)], expected_failed_checks=lambda _: {}
)
def test_contract(estimator, check):
    check(estimator)


def sample(name, n, seed=0):
    law = laws.suite()[name]
    return law, *law.sample(n, n, random_state=seed)


@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("correlation-10d", 0.025),
        ("scale-10d", 0.03),
        ("quadric-2d", 0.01),
        ("gaussian-50d", 0.045),
    ],
)
def test_normal_laws_are_found_in_few_rows(name, gap):
    law, X, y = sample(name, 200)
    fresh, labels = law.sample(5000, 5000, random_state=1)
    best = np.mean(np.sin(law.angle(fresh)[labels == 1])) + np.mean(
        np.cos(law.angle(fresh)[labels == 0])
    )
    assert QuadraticRatio(random_state=0).fit(X, y).score(fresh, labels) > best - gap


def test_one_direction_of_fifty_needs_a_low_rank():
    law, X, y = sample("needle-50d", 400)
    fresh, labels = law.sample(3000, 3000, random_state=1)
    free = QuadraticRatio(random_state=0).fit(X, y)
    flat = QuadraticRatio(rank=0, random_state=0).fit(X, y)
    whole = QuadraticRatio(rank=50, random_state=0).fit(X, y)
    assert free.rank_ in (1, 4)
    assert free.score(fresh, labels) > 0.05 + max(m.score(fresh, labels) for m in (flat, whole))


def test_without_shrinkage_it_is_quadratic_discriminant_analysis():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    X = rng.normal(size=(600, 3)) * np.where(y, 1.5, 1.0)[:, None] + 0.5 * y[:, None]
    plain = QuadraticRatio(rank=3, damping=0.0, ridge=0.0, slope=1.0, offset=0.0).fit(X, y)
    known = QuadraticDiscriminantAnalysis().fit(X, y)
    inner = np.abs(X).max(axis=1) < 3  # no value is cut off
    assert_allclose(
        plain.predict_log_ratio(X[inner]),
        np.clip(known.decision_function(X[inner]), *np.log([1 / 301, 301])),
        atol=0.05,
    )


def test_integer_weights_are_repetitions_and_class_weights_mean_nothing():
    _, X, y = sample("quadric-2d", 60)
    weights = np.random.default_rng(0).integers(0, 4, y.size).astype(float)
    weighted = QuadraticRatio(**FIXED).fit(X, y, weights)
    repeated = QuadraticRatio(**FIXED).fit(*(np.repeat(a, weights.astype(int), 0) for a in (X, y)))
    assert_allclose(weighted.predict_angle(X), repeated.predict_angle(X), atol=1e-9)
    by_class = QuadraticRatio(random_state=0).fit(X, y, np.where(y == 1, 7.0, 0.3))
    assert_allclose(
        by_class.predict_angle(X),
        QuadraticRatio(random_state=0).fit(X, y).predict_angle(X),
        atol=0.02,
    )


def test_swapping_the_classes_mirrors_the_angle():
    _, X, y = sample("quadric-2d", 100)
    one = QuadraticRatio(**FIXED).fit(X, y)
    other = QuadraticRatio(**{**FIXED, "offset": -0.1}).fit(X, 1 - y)
    assert_allclose(one.predict_angle(X), np.pi / 2 - other.predict_angle(X), atol=1e-9)


def test_units_of_columns_mean_nothing():
    _, X, y = sample("quadric-10d", 100)
    model = QuadraticRatio(random_state=0)
    moved = model.fit(X * 1000.0 + 5, y).predict_angle(X * 1000.0 + 5)
    assert_allclose(moved, model.fit(X, y).predict_angle(X), atol=1e-6)


def test_few_rows_of_a_class_show_no_direction():
    _, X, y = sample("scale-10d", 200)
    few = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:12]]
    assert QuadraticRatio(random_state=0).fit(X[few], y[few]).rank_ == 0


def test_many_columns_become_principal_components():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 80)) + 0.1 * rng.normal(size=(200, 80))
    X += y[:, None]
    model = QuadraticRatio(random_state=0).fit(X, y)
    assert model.components_.shape == (80, 50)
    assert model.score(X, y) > 1.5


@pytest.mark.parametrize("change", ["constant", "copy", "heavy", "separated"])
def test_awkward_columns(change):
    _, X, y = sample("gaussian-10d", 60)
    if change == "constant":
        X[:, 0] = 3.0
    elif change == "copy":
        X[:, 0] = X[:, 1]
    elif change == "heavy":
        X[0, 0] = 1e12
    else:
        X[:, 0] += 1000 * y
    angle = QuadraticRatio(random_state=0).fit(X, y).predict_angle(X)
    assert np.isfinite(angle).all()
    assert angle[y == 1].mean() > angle[y == 0].mean() + 0.2


def test_a_frozen_copy_keeps_the_choice():
    _, X, y = sample("quadric-10d", 150)
    model = QuadraticRatio(random_state=0).fit(X, y)
    kept = frozen(model)
    assert not tunes_itself(model)
    assert_allclose(clone(kept).fit(X, y).predict_angle(X), model.predict_angle(X))
    assert not kept.keeps_choices
    assert frozen(ClassifierRatio().fit(X, y)).estimator is None


def test_the_default_stack_uses_it():
    law, X, y = sample("correlation-10d", 200)
    fresh, labels = law.sample(3000, 3000, random_state=1)
    stack = StackedRatio(random_state=0).fit(X, y)
    without = StackedRatio(random_state=0).set_params(quadratic="drop").fit(X, y)
    assert stack.weights_["quadratic"] > 0.5
    assert stack.score(fresh, labels) > without.score(fresh, labels) + 0.02


def test_slopes_and_offsets_are_those_of_logistic_regression():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 4000))
    positive = rng.random(4000) < 1 / (1 + np.exp(-0.7 * scores[0]))
    weights = np.where(positive, 1 / positive.sum(), 1 / (~positive).sum())
    slope, offset = lines(scores, positive, weights, 4000.0)
    assert slope[0] == pytest.approx(0.7, abs=0.08)
    assert slope[1] < 0.08
    assert np.abs(offset).max() < 0.1


def test_moments_of_weighted_rows():
    _, X, y = sample("quadric-2d", 50)
    moments = Moments.of(X, y == 1, np.ones(y.size), np.ones(2))
    Z = moments.turned(X)
    assert_allclose(moments.means[1], Z[y == 1].mean(axis=0))
    gap = np.cov(Z[y == 1].T, bias=True) - np.cov(Z[y == 0].T, bias=True)
    assert_allclose((moments.vectors * moments.values) @ moments.vectors.T, gap, atol=1e-12)
    assert moments.noise == pytest.approx(1 / 50 + 1 / 50)


def test_one_direction_of_fifty_leaves_no_trace_in_the_others():
    """A spread of one direction is no spread of all, and equal means are not told apart."""
    law, X, y = sample("needle-50d", 1000)
    fresh, labels = law.sample(5000, 5000, random_state=1)
    model = QuadraticRatio(random_state=0).fit(X, y)
    assert model.rank_ == 1
    assert roc_auc(labels, model.predict_angle(fresh)) > law.auc - 0.025


@pytest.mark.parametrize(("shift", "least", "most"), [(0.0, 0.0, 0.35), (1.5, 0.9, 1.0)])
def test_means_are_drawn_together_as_far_as_noise_explains_them(shift, least, most):
    X, y = laws.GaussianPair.shifted(shift, 20).sample(200, 200, random_state=3)
    moments = Moments.of(X, y == 1, np.ones(y.size), np.ones(2))
    first, second = moments.drawn_means(1e-9)
    before = moments.means[1] - moments.means[0]
    kept = np.linalg.norm(second - first) / np.linalg.norm(before)
    assert least <= kept <= most
    assert_allclose(first + second, moments.means[0] + moments.means[1])
