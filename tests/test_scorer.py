"""`arc_length_scorer`: in searches, for plain classifiers, with metadata routing."""

import pickle

import numpy as np
import pytest
import sklearn
from data_gaussians import gaussians
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from rocstar import (
    ArctanRatio,
    ClassifierRatio,
    arc_length_scorer,
)


def test_the_scorer_takes_plain_classifiers_at_their_word():
    X, y = gaussians(100)
    model = LogisticRegression().fit(X, y)
    assert_allclose(arc_length_scorer(model, X, y), ClassifierRatio(model).fit(X, y).score(X, y))
    weight = np.where(y == 1, 3.0, 1.0)
    weighted = LogisticRegression().fit(X, y, sample_weight=weight)
    ratio = ClassifierRatio(LogisticRegression()).fit(X, y, sample_weight=weight)
    assert_allclose(arc_length_scorer(weighted, X, y, weight), ratio.score(X, y, weight))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [1e-6, 1.0]},
        scoring=arc_length_scorer,
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"logisticregression__C": 1.0}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    with pytest.raises(TypeError, match="must predict angles or probabilities; got LinearSVC: wr"):
        arc_length_scorer(LinearSVC().fit(X, y), X, y)


def test_the_scorer_takes_part_in_metadata_routing():
    X, y = gaussians(100)
    weight = np.random.default_rng(0).integers(1, 5, 200).astype(float)
    grid = {"alpha": [1e-3, 1.0]}
    with sklearn.config_context(enable_metadata_routing=True):
        asking = arc_length_scorer.set_score_request(sample_weight=True)
        one = ArctanRatio().set_fit_request(sample_weight=True)
        routed = GridSearchCV(one, grid, scoring=asking, cv=2).fit(X, y, sample_weight=weight)
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            GridSearchCV(one, grid, scoring=arc_length_scorer, cv=2).fit(X, y, sample_weight=weight)
    plain = GridSearchCV(ArctanRatio(), grid, scoring=arc_length_scorer, cv=2)
    expected = plain.fit(X, y, sample_weight=weight).cv_results_["mean_test_score"]
    assert_allclose(routed.cv_results_["mean_test_score"], expected)
    assert arc_length_scorer.sample_weight is None
    assert pickle.loads(pickle.dumps(asking)).sample_weight is True
