"""`certify`: whom it judges by whom, what it takes, and what it refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from rocstar import (
    ArctanRatio,
    certify,
)
from rocstar.laws import GaussianPair

LAW = GaussianPair.shifted(2.0, 3)


@pytest.fixture(scope="module")
def data():
    return LAW.sample(150, 150, random_state=0)


@pytest.fixture(scope="module")
def certificate(data):
    return certify(ArctanRatio(), *data, random_state=0)


def test_held_out_angles_come_from_models_of_the_other_folds(data, certificate):
    X, y = data
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    for k, (train, test) in enumerate(folds):
        model = ArctanRatio().fit(X[train], y[train])
        assert (certificate.fold[test] == k).all()
        assert_allclose(certificate.angle[test], model.predict_angle(X[test]))
        assert_allclose(certificate.score[test], model.decision_function(X[test]))


def test_any_estimator_any_table(data):
    X, y = data
    plain = certify(ArctanRatio(), X, y, random_state=0)
    names = np.where(y == 1, "yes", "no")
    frame = pd.DataFrame(X, columns=list("abc"))
    assert certify(ArctanRatio(), frame, names, random_state=0).auc == plain.auc
    assert_allclose(
        certify(ArctanRatio(), sparse.csr_array(X), y, random_state=0).auc.low, plain.auc.low
    )
    for model in (
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), ArctanRatio()),
        GridSearchCV(ArctanRatio(), {"alpha": [1e-3, 1e-2]}, cv=2),
    ):
        c = certify(model, X, y, random_state=0)
        assert 1.6 < c.arc_length.low < LAW.arc_length
        with pytest.raises(NotFittedError):  # clones were fitted, not the model that was given
            check_is_fitted(model)


def test_splitters(data):
    X, y = data
    c = certify(ArctanRatio(), X, y, cv=StratifiedShuffleSplit(1, test_size=0.3, random_state=0))
    assert (c.fold >= 0).sum() == 90
    assert c.cv == "holdout"
    assert c.strict
    assert certify(ArctanRatio(), X, y, cv=KFold(3, shuffle=True, random_state=0)).cv == "3"
    twice = certify(ArctanRatio(), X, y, cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2))
    assert twice.cv == "4"
    assert "300 rows, 150 positive, judged out of 2 folds, repeated 2 times" in repr(twice)


def test_bounds_of_few_positives_hardly_depend_on_the_seed():
    X, y = GaussianPair.shifted(2.0, 20).sample(25, 100, random_state=1)
    lows = [
        [certify(GaussianNB(), X, y, cv=cv, random_state=seed).auc.low for seed in range(8)]
        for cv in (5, None)
    ]
    once, default = np.std(lows, axis=1, ddof=1)
    assert default < 0.01 < 0.02 < once


def test_same_seed_same_certificate_and_jobs_change_nothing(data):
    X, y = data
    first = certify(ArctanRatio(), X, y, random_state=1)
    with parallel_config("threading"):
        second = certify(ArctanRatio(), X, y, random_state=1, n_jobs=2)
    assert first.arc_length == second.arc_length
    assert first.tv == second.tv


def test_weights_reach_the_fit_and_the_bounds(data):
    X, y = data
    weights = np.random.default_rng(0).integers(1, 4, y.size).astype(float)
    for model in (ArctanRatio(), make_pipeline(StandardScaler(), LogisticRegression())):
        c = certify(model, X, y, sample_weight=weights, random_state=0)
        scaled = certify(model, X, y, sample_weight=4 * weights, random_state=0)
        assert_allclose(scaled.arc_length.low, c.arc_length.low, rtol=1e-3)
        assert c.arc_length.low != certify(model, X, y, random_state=0).arc_length.low


def test_groups_stay_together_and_widen_the_bounds(data):
    X, y = data
    rows = np.repeat(np.arange(y.size), 4)
    X, y = X[rows], y[rows]
    grouped = certify(ArctanRatio(), X, y, groups=rows, random_state=0)
    assert all(np.unique(grouped.fold[rows == g]).size == 1 for g in range(0, 300, 25))
    naive = certify(ArctanRatio(), X, y, random_state=0)
    assert grouped.arc_length.low < naive.arc_length.low - 0.01
    assert grouped.auc.low < naive.auc.low - 0.005
    halves = certify(ArctanRatio(), X, y, groups=rows, cv="holdout", random_state=0)
    assert not set(rows[halves.fold >= 0]) & set(rows[halves.fold < 0])


X, Y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2

FEW = np.repeat([1, 0], [3, 37])

BAD = [
    ({"y": FEW, "cv": 5}, "`cv=5` needs at least 5 positive rows; got 3: use cv=3"),
    ({"y": np.repeat([1, 0], [1, 39]), "cv": "holdout"}, "got 1: add rows of that class"),
    ({"groups": Y}, "group 1 holds every positive row"),
    ({"groups": np.repeat([0, 1, 2, 3], 10), "cv": 5}, "needs at least 5 groups"),
    ({"groups": [1, 2]}, "one group for each of the 40 rows"),
    ({"cv": 1}, "at least 2 folds; got 1: use cv='holdout'"),
    ({"cv": "loo"}, "`cv` must be a number, 'holdout' or a splitter; got 'loo'"),
    ({"cv": KFold(2), "y": np.repeat([0, 1], 20)}, "part of split 0 has no"),
    ({"cv": [(np.arange(40), np.arange(10))]}, "must not hold out training rows"),
    ({"level": 0.0}, "`level` must lie strictly between 0 and 1"),
    ({"sample_weight": -np.ones(40)}, "`sample_weight` must be non-negative"),
    ({"y": np.arange(40)}, "At least 2 rows of class 39 are needed, .*; got 1"),
    ({"X": X[:30]}, "inconsistent numbers of samples"),
    ({"X": np.where(np.arange(80).reshape(40, 2) == 3, np.nan, X)}, "NaN"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input_is_refused_in_one_sentence(change, message):
    arguments = {"X": X, "y": Y} | change
    with pytest.raises(ValueError, match=message):
        certify(ArctanRatio(), **arguments)


@pytest.mark.parametrize("estimator", [ArctanRatio, "logistic", 3])
def test_what_is_no_estimator_is_refused(estimator):
    with pytest.raises(TypeError, match="with a `fit` method"):
        certify(estimator, X, Y)
