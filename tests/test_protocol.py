"""What callers may ask of every estimator of angles, and where it is looked for."""

from inspect import signature

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    MaximalAUCClassifier,
    NeymanPearsonClassifier,
    StackedRatio,
    TableModel,
    certify,
    predict_angle,
)
from rocstar.estimators.fits import seeded
from rocstar.estimators.protocol import declared, frozen, tunes_itself
from rocstar.estimators.standardized import StandardizedRatio
from rocstar.tables.dense import DenseRatio

X, Y = gaussians(80)


def search(estimator):
    return GridSearchCV(estimator, {}, cv=2)


MODELS = {
    "ratio": ArctanRatio(),
    "cv": ArctanRatioCV(random_state=0),
    "standardized": StandardizedRatio(ArctanRatio(random_state=0)),
    "classifier": ClassifierRatio(LogisticRegression()),
    "two steps": MaximalAUCClassifier(),
    "stack": StackedRatio([("a", ArctanRatio())], random_state=0),
    "threshold": NeymanPearsonClassifier(fpr=0.2, delta=0.2, random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator_answers_every_question(name):
    model = MODELS[name].fit(X, Y)
    assert isinstance(model.smooth_class, bool)
    assert isinstance(model.takes_collections, bool)
    assert (model.partly_in_sample_ is None) == (name != "stack")
    angle = model.predict_angle(X)
    assert_array_equal(model.score_given_angle(X, angle), model.decision_function(X))
    again = model.frozen().fit(X, Y)
    assert_array_equal(again.predict_angle(X), angle)
    shares = [member.share for member in model.members()]
    assert sum(shares) == pytest.approx(1.0)
    if name != "stack":
        [member] = model.members()
        assert member.model is model
        assert np.isnan(member.arc_length)


def test_only_searches_and_stacks_tune_themselves():
    tuned = [name for name, model in MODELS.items() if model.tunes_itself]
    assert tuned == ["cv", "stack"]


TUNED = {
    "cv": ArctanRatioCV,
    "pipeline": lambda: make_pipeline(StandardScaler(), ArctanRatioCV()),
    "pipeline in a search": lambda: search(make_pipeline(StandardScaler(), ArctanRatioCV())),
    "two steps": lambda: MaximalAUCClassifier(ArctanRatioCV()),
    "threshold": lambda: NeymanPearsonClassifier(ArctanRatioCV(), fpr=0.2, delta=0.2),
    "stack": lambda: StackedRatio([("a", ArctanRatioCV()), ("b", make_pipeline(ArctanRatioCV()))]),
    "stack in a stack": lambda: StackedRatio([("in", StackedRatio([("a", ArctanRatioCV())]))]),
    "dense": lambda: DenseRatio(ArctanRatioCV()),
    "table": lambda: TableModel("auto", fast=True),
    "table of a stack": lambda: TableModel(StackedRatio([("a", ArctanRatioCV())])),
}


@pytest.mark.parametrize("name", TUNED)
def test_what_is_tuned_once_is_not_tuned_again(name, monkeypatch):
    """Neither by a frozen copy, nor in the folds of a stack around it."""
    model = seeded(TUNED[name](), 0)
    assert tunes_itself(model)
    fits, fit = [], ArctanRatioCV.fit

    def counted(self, *args, **extra):
        fits.append(self)
        return fit(self, *args, **extra)

    counted.__signature__ = signature(fit)  # by which `groups` and weights are handed on
    monkeypatch.setattr(ArctanRatioCV, "fit", counted)
    fitted = model.fit(X, Y)
    angle, once = predict_angle(fitted, X), len(fits)
    assert once > 0
    again = clone(frozen(fitted)).fit(X, Y)
    assert len(fits) == once
    assert_allclose(predict_angle(again, X), angle, atol=1e-6)
    frozen(fitted, 0.5).fit(X[::2], Y[::2])
    assert len(fits) == once
    StackedRatio([("member", TUNED[name]())], random_state=0).fit(X, Y)
    assert len(fits) == 2 * once


def test_a_frozen_search_keeps_what_it_found():
    found = GridSearchCV(LogisticRegression(), {"C": [1e-3, 1.0]}, cv=2)
    model = ClassifierRatio(found).fit(X, Y)
    assert tunes_itself(model)
    again = model.frozen()
    assert model.estimator_.best_params_["C"] == again.estimator.C
    assert_allclose(again.fit(X, Y).predict_angle(X), model.predict_angle(X))
    assert not tunes_itself(again)


class Foreign(ClassifierMixin, BaseEstimator):
    """An estimator of angles that knows nothing of rocstar."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_angle(self, X):
        return np.full(len(X), 0.5)


def test_a_foreign_estimator_has_the_defaults():
    assert not declared(Foreign()).smooth_class
    assert declared(make_pipeline(Foreign())).partly_in_sample_ is None
    assert predict_angle(make_pipeline(Foreign()).fit(X, Y), X)[0] == 0.5
    copied = frozen(Foreign().fit(X, Y))
    assert isinstance(copied, Foreign)
    assert not hasattr(copied, "classes_")


def test_a_promised_false_positive_rate_can_be_certified():
    model = NeymanPearsonClassifier(fpr=0.2, delta=0.2, random_state=0)
    found = certify(model, X, Y, cv=2, random_state=0)
    assert 0.6 < found.auc.low < found.auc.value < 1
    fitted = model.fit(X, Y)
    assert_array_equal(fitted.predict_angle(X), fitted.estimator_.predict_angle(X))


@pytest.mark.parametrize("around", [lambda model: model, make_pipeline, search])
def test_the_classifier_inside_a_promise_is_wrapped_to_be_certified(around):
    plain = NeymanPearsonClassifier(LogisticRegression(), fpr=0.2, delta=0.2, random_state=0)
    wrapped = clone(plain).set_params(estimator=ClassifierRatio(LogisticRegression()))
    found, wanted = (certify(around(m), X, Y, cv=2, random_state=0) for m in (plain, wrapped))
    assert found.auc == wanted.auc
    assert 0.6 < found.auc.low < found.auc.value < 1
    assert isinstance(plain.estimator, LogisticRegression)
    stack = StackedRatio([("promise", around(plain))], random_state=0).fit(X, Y)
    assert stack.weights_ == {"promise": 1.0}
    fitted = plain.fit(X, Y)
    assert not hasattr(fitted, "predict_angle")
    with pytest.raises(TypeError, match="must predict angles; got NeymanPearsonClassifier: wrap"):
        predict_angle(fitted, X)
