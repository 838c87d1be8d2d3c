"""What callers may ask of every estimator of angles, and where it is looked for."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    MaximalAUCClassifier,
    NeymanPearsonClassifier,
    StackedRatio,
    certify,
    predict_angle,
)
from rocstar.estimators.protocol import declared, frozen
from rocstar.estimators.standardized import StandardizedRatio

X, Y = gaussians(80)
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


def test_only_a_search_tunes_itself():
    assert [name for name, model in MODELS.items() if model.tunes_itself] == ["cv"]


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


def search(estimator):
    return GridSearchCV(estimator, {}, cv=2)


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
