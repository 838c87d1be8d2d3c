"""The two-step procedure: weights, target, fall-back, scikit-learn's contract."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ArctanRatio, ArctanRatioCV, ClassifierRatio, MaximalAUCClassifier, laws


@parametrize_with_checks(
    [
        MaximalAUCClassifier(),
        MaximalAUCClassifier(ArctanRatio(loss="box")),
        MaximalAUCClassifier(ArctanRatio("rbf", n_components=20, random_state=0)),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def slow_weights(y, score, angle, frequency):
    """Importance by the definition: mid-distribution functions counted row by row."""
    importance = np.empty(len(y))
    for i in range(len(y)):
        below = (score < score[i]) + 0.5 * (score == score[i])
        up, down = (np.average(below[y == k], weights=frequency[y == k]) for k in (1, 0))
        importance[i] = np.sin(angle[i] + np.pi / 4) * abs(up - down)
    means = [np.average(importance[y == k], weights=frequency[y == k]) for k in (1, 0)]
    return importance, importance / (0.5 * sum(means))


def test_weights_by_the_definition_and_one_scale_for_both_classes():
    law = laws.GaussianPair(0.0, 2.0, 1.0, 4.0)
    X, y = law.sample(60, 90, random_state=0)
    frequency = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = MaximalAUCClassifier().fit(X, y, sample_weight=frequency)
    first = model.first_step_
    importance, weights = slow_weights(
        y, first.decision_function(X), first.predict_angle(X), frequency
    )
    assert_allclose(model.weights_, weights, rtol=1e-10)
    v = model.predict_angle(X)
    terms = importance * np.where(y == 1, np.sin(v), np.cos(v))
    gain = sum(np.average(terms[y == k], weights=frequency[y == k]) for k in (1, 0))
    assert_allclose(model.objective_, 0.5 + np.sqrt(0.5) * gain)


def test_ranks_are_those_of_unclipped_scores():
    X, y = laws.GaussianPair.shifted(4.0).sample(200, 200, random_state=0)
    model = MaximalAUCClassifier(ArctanRatio(alpha=0.0)).fit(X, y)
    angle = model.first_step_.predict_angle(X)
    clipped = angle == angle.max()
    assert clipped.sum() > 20
    # Clipped rows share an angle; their ranks, and so their weights, still differ.
    assert len(np.unique(model.weights_[clipped])) > 10


def test_target_stays_the_angle_on_an_asymmetric_law():
    # Three atoms, one free coefficient each: whatever the weights, the best angle of an atom is
    # atan of its ratio, as long as both classes share one scale.
    law = laws.DiscretePair([0.05, 0.05, 0.9], [0.5, 0.2, 0.3])
    X, y = law.sample(3000, 3000, random_state=0)
    atoms = np.eye(3)
    indicators = atoms[X[:, 0].astype(int)]
    counts = np.array([np.bincount(X[y == k, 0].astype(int)) for k in (1, 0)])
    truth = np.arctan2(counts[0], counts[1])
    ratio = ArctanRatio(alpha=1e-9, tol=1e-10)
    model = MaximalAUCClassifier(ratio).fit(indicators, y)
    assert_allclose(model.predict_angle(atoms), truth, atol=1e-5)
    # Normalised per class instead, the target is the angle of another ratio.
    per_class = model.weights_.copy()
    for k in (0, 1):
        per_class[y == k] /= per_class[y == k].mean()
    ratio.fit(indicators, y, objective_weight=per_class)
    assert np.abs(ratio.predict_angle(atoms) - truth).max() > 0.01


def test_a_rich_class_keeps_the_angle_too():
    law = laws.GaussianPair(0.0, 0.0, 1.0, 9.0)
    X, y = law.sample(8000, 8000, random_state=0)
    grid = np.linspace(-2, 2, 200)[:, None]
    ratio = ArctanRatio("rbf", alpha=1e-6, gamma=0.5, n_components=60, random_state=0)
    model = MaximalAUCClassifier(ratio).fit(X, y)
    assert_allclose(model.predict_angle(grid), law.angle(grid), atol=0.08)


def test_second_step_solves_the_weighted_problem():
    X, y = laws.GaussianPair.shifted(2.0, 3).sample(300, 200, random_state=1)
    for loss in ("tangent", "box"):
        model = MaximalAUCClassifier(ArctanRatio(loss=loss, alpha=1e-2)).fit(X, y)
        cold = ArctanRatio(loss=loss, alpha=1e-2).fit(X, y, objective_weight=model.weights_)
        assert_allclose(model.second_step_.coef_, cold.coef_, atol=1e-4)
        assert_array_equal(model.predict_angle(X), model.second_step_.predict_angle(X))


def test_integer_weights_equal_repetition():
    X, y = laws.GaussianPair.shifted(2.0, 2).sample(50, 60, random_state=1)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    once = MaximalAUCClassifier().fit(X, y, sample_weight=times)
    often = MaximalAUCClassifier().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(once.second_step_.coef_, often.second_step_.coef_, rtol=1e-5)
    assert once.objective_ == pytest.approx(often.objective_)
    assert once.arc_length_ == pytest.approx(often.arc_length_)


def test_swapping_the_classes_reflects_the_angles():
    X, y = laws.GaussianPair.shifted(1.5, 2).sample(80, 120, random_state=3)
    ratio = ArctanRatio(tol=1e-12)
    there = MaximalAUCClassifier(ratio).fit(X, y).predict_angle(X)
    back = MaximalAUCClassifier(ratio).fit(X, 1 - y).predict_angle(X)
    assert_allclose(there, np.pi / 2 - back, atol=1e-6)


def test_constant_first_step_is_returned_and_said_once():
    X, y = np.zeros((20, 2)), np.arange(20) % 2
    with pytest.warns(UserWarning, match="ranks no row above another") as said:
        model = MaximalAUCClassifier().fit(X, y)
    assert len(said) == 1
    assert model.second_step_ is model.first_step_
    assert model.objective_ == 0.5
    assert_allclose(model.predict_angle(X), np.pi / 4)


def test_the_objective_may_exceed_one_so_it_is_no_auc():
    X, y = laws.GaussianPair.shifted(6.0).sample(500, 500, random_state=0)
    assert MaximalAUCClassifier(ArctanRatio(alpha=1e-2)).fit(X, y).objective_ > 1.0


def test_auc_close_to_the_largest():
    law = laws.GaussianPair.shifted(2.0, 5)
    X, y = law.sample(20_000, 20_000, random_state=2)
    model = MaximalAUCClassifier().fit(*law.sample(1000, 500, random_state=1))
    assert roc_auc_score(y, model.decision_function(X)) == pytest.approx(law.auc, abs=0.006)


def test_a_search_keeps_its_choice():
    X, y = laws.GaussianPair.shifted(2.0, 3).sample(150, 150, random_state=1)
    model = MaximalAUCClassifier(ArctanRatioCV(random_state=0)).fit(X, y)
    assert model.second_step_.ratio.alpha == model.first_step_.alpha_
    assert model.smooth_class


def test_ratio_without_objective_weights_is_refused():
    with pytest.raises(TypeError, match=r"ClassifierRatio does not: use ArctanRatio"):
        MaximalAUCClassifier(ClassifierRatio(LogisticRegression())).fit(np.eye(2), [0, 1])
