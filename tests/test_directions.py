"""More than two classes: what every estimator answers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    StackedRatio,
    audit,
    certify,
    laws,
    predict_direction,
    two_sample_test,
)
from rocstar.estimators.directions import has_many_classes, has_many_labels

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample([80, 60, 40], random_state=0)
NAMES = np.array(["amber", "blue", "cyan"])[Y]
STACK = StackedRatio(
    [("linear", ArctanRatio(loss="log")), ("logistic", LogisticRegression())], random_state=0
)
MODELS = {
    "linear": ArctanRatio(loss="log"),
    "rbf": ArctanRatio("rbf", loss="log", n_components=30, random_state=0),
    "tuned": ArctanRatioCV(loss="log", cv=2, random_state=0),
    "classifier": ClassifierRatio(LogisticRegression()),
    "stack": STACK,
}


@parametrize_with_checks([MODELS["linear"], ClassifierRatio(LogisticRegression()), STACK])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", MODELS)
def test_answers_fit_together(name):
    model = MODELS[name].fit(X, NAMES)
    u, share = model.predict_direction(X), model.predict_proba(X)
    assert u.shape == share.shape == (180, 3)
    assert np.allclose(np.linalg.norm(u, axis=1), 1.0)
    assert np.allclose(share.sum(axis=1), 1.0)
    assert (share > 0).all()
    assert np.array_equal(model.predict(X), model.classes_[share.argmax(axis=1)])
    assert np.array_equal(model.decision_function(X).argmax(axis=1), share.argmax(axis=1))
    own = [u[k == Y, k].mean() for k in range(3)]
    assert model.score(X, NAMES) == pytest.approx(sum(own)) == pytest.approx(model.arc_length_)
    assert 2.2 < model.score(*_named(LAW.sample(500, random_state=1))) < LAW.arc_length + 0.1
    even = model.predict_proba(X, prior=[1 / 3] * 3)
    assert np.allclose(even / np.linalg.norm(even, axis=1, keepdims=True), u, atol=0.03)


def _named(sample):
    return sample[0], np.array(["amber", "blue", "cyan"])[sample[1]]


@pytest.mark.parametrize("name", MODELS)
def test_questions_about_two_classes_are_refused(name):
    model = MODELS[name].fit(X, NAMES)
    with pytest.raises(ValueError, match=r"`predict_angle` compares two classes; .* fitted to 3"):
        model.predict_angle(X)
    with pytest.raises(ValueError, match="`prior` must hold 3 positive shares"):
        model.predict_proba(X, prior=[0.5, 0.5])
    with pytest.raises(ValueError, match="`y` must hold rows of every class; got none of cyan"):
        model.score(X[NAMES != "cyan"], NAMES[NAMES != "cyan"])


def test_two_classes_have_directions_too():
    two = Y < 2
    model = ArctanRatio(loss="log").fit(X[two], Y[two])
    angle = model.predict_angle(X)
    expected = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert np.allclose(model.predict_direction(X), expected)
    assert np.allclose(predict_direction(model, X), expected)


def test_through_pipelines_and_searches():
    inside = make_pipeline(StandardScaler(), ArctanRatio(loss="log"))
    search = GridSearchCV(inside, {"arctanratio__alpha": [1e-3, 1e-1]}, cv=2).fit(X, Y)
    assert predict_direction(search, X).shape == (180, 3)
    with pytest.raises(TypeError, match="`estimator` must predict directions; got LogisticReg"):
        predict_direction(LogisticRegression(), X)


def test_a_class_of_no_weight_is_refused():
    with pytest.raises(ValueError, match=r"must give each class some weight; .* 2"):
        ArctanRatio(loss="log").fit(X, Y, sample_weight=(Y < 2).astype(float))


@pytest.mark.parametrize(
    ("labels", "many"),
    [
        ([0, 1, 2], True),
        (["a", "b", "c"], True),
        ([[0], [1], [2]], True),
        ([0, 1, 1], False),
        ([0.5, 1.5, 2.5], False),
        ([0, np.nan, 2], False),
        ([], False),
        ([[0, 1], [1, 0]], False),
    ],
)
def test_which_labels_are_of_many_classes(labels, many):
    assert has_many_classes(labels) is many


def test_fractions_are_labels_and_many_of_them_a_measurement():
    assert has_many_labels([0.0, 0.5, 1.0, 0.5])
    assert not has_many_labels([0.5, 1.0, 0.5])
    assert not has_many_labels([0.0, 0.5, 1.0, np.nan])
    with pytest.raises(ValueError, match=r"`y` must hold labels; got 100 .* its median, 0\.495"):
        has_many_labels(np.arange(100) / 100)


def test_fractions_as_labels():
    X, y = laws.GaussianFamily([[0.0], [3.0], [6.0]]).sample(30, random_state=0)
    found = certify(ArctanRatio(loss="log"), X, y / 2, cv="holdout", random_state=0)
    assert found.recall[0.5].value > 0.7
    tested = two_sample_test(X, y / 2, estimator=ArctanRatio(loss="log"), random_state=0)
    assert tested.pvalue < 0.01
    assert len(audit(X, y / 2, model="linear", fast=True).certificate.classes) == 3


def test_a_measurement_is_refused_with_advice():
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match="60 distinct numbers and looks like a measurement"):
        audit(X, X[:, 0])
    for ask in (lambda: certify(ArctanRatio(), X, X[:, 0]), lambda: two_sample_test(X, X[:, 0])):
        with pytest.raises(ValueError, match="`y` must hold labels; got 60 distinct numbers"):
            ask()
