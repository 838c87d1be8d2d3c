"""`ClassifierRatio` of more than two classes: shares of classes do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC

from rocstar import ClassifierRatio, laws

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample([900, 300, 100], random_state=0)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1.0, 1: 5.0, 2: 0.3}])
def test_class_weights_of_a_linear_classifier_do_not_move_directions(class_weight):
    model = ClassifierRatio(LogisticRegression(class_weight=class_weight)).fit(X, Y)
    assert np.abs(model.predict_direction(X) - LAW.direction(X)).mean() < 0.06


def test_class_weights_of_others_are_estimated():
    """A forest's probabilities follow its class weights in a way of its own."""
    forest = RandomForestClassifier(
        60, min_samples_leaf=20, class_weight={0: 1.0, 1: 1.0, 2: 30.0}, random_state=0
    )
    model = ClassifierRatio(forest, cv=3, random_state=0).fit(X, Y)
    stated = np.array([900, 300, 3000]) / 4200
    assert np.abs(model.fitted_prior_ - stated).max() > 0.01
    fresh, labels = LAW.sample(500, random_state=1)
    u = model.estimator_.predict_proba(fresh) / stated
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    naive = sum(u[labels == k, k].mean() for k in range(3))
    assert model.score(fresh, labels) > naive - 0.005


def test_classifiers_without_probabilities_are_refused():
    with pytest.raises(
        TypeError, match="must have predict_proba for more than two classes; Linear"
    ):
        ClassifierRatio(LinearSVC()).fit(X, Y)
    with pytest.raises(
        ValueError, match="Only binary classification is supported with `calibration`"
    ):
        ClassifierRatio(RidgeClassifier(), calibration="isotonic").fit(X, Y)
