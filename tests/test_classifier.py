"""`ClassifierRatio`: the same ratio however the classifier inside weighs the classes."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import ClassifierRatio, certify, hull_arc_length, laws

LAW = laws.GaussianPair([1.0, 1.0, 1.0], np.zeros(3))
X, Y = LAW.sample(200, 3800, random_state=0)
FRESH = LAW.sample(10_000, 10_000, random_state=1)
BALANCED = {"class_weight": "balanced"}


def reached(classifier, sample_weight=None, **settings):
    return ClassifierRatio(classifier, **settings).fit(X, Y, sample_weight).score(*FRESH)


class Hidden(ClassifierMixin, BaseEstimator):
    """A classifier that counts positives ten times, by a setting with a name of its own."""

    def __init__(self, inner=None, favour=10.0):
        self.inner = inner
        self.favour = favour

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        weight = np.where(y == self.classes_[1], self.favour, 1.0)
        self.inner_ = clone(self.inner).fit(X, y, sample_weight=weight)
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)

    def predict(self, X):
        return self.inner_.predict(X)


class Undersampled(Hidden):
    """A classifier that is shown as many negatives as positives."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        up, down = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
        rows = np.concatenate([up, np.random.default_rng(0).permutation(down)[: len(up)]])
        self.inner_ = clone(self.inner).fit(X[rows], y[rows])
        return self


LOGISTIC = LogisticRegression()
WEIGHTED = LogisticRegression(**BALANCED)
LINEAR = {
    "balanced": WEIGHTED,
    "by a dict": LogisticRegression(class_weight={0: 1, 1: 7}),
    "pipeline": make_pipeline(StandardScaler(), WEIGHTED),
    "search": GridSearchCV(WEIGHTED, {"C": [0.1, 1.0]}, cv=3),
    "search that finds weights": GridSearchCV(
        LOGISTIC, {"class_weight": ["balanced"]}, scoring="balanced_accuracy", cv=3
    ),
    "search of a pipeline": GridSearchCV(
        make_pipeline(StandardScaler(), WEIGHTED), {"logisticregression__C": [0.1, 1.0]}, cv=3
    ),
    "bagging": BaggingClassifier(WEIGHTED, 5, random_state=0),
    "voting": VotingClassifier([("a", WEIGHTED), ("b", LOGISTIC)], voting="soft"),
    "threshold": FixedThresholdClassifier(WEIGHTED),
    "calibrated": CalibratedClassifierCV(LinearSVC(**BALANCED), cv=3),
    "priors": LinearDiscriminantAnalysis(priors=[0.5, 0.5]),
    "hidden": Hidden(LOGISTIC),
    "undersampled": Undersampled(LOGISTIC),
}


@pytest.mark.parametrize("how", LINEAR)
def test_class_weights_leave_the_ratio_of_a_linear_classifier(how):
    assert reached(LINEAR[how]) == pytest.approx(reached(LOGISTIC), abs=0.005)


def forest(kind=RandomForestClassifier, **settings):
    return kind(20, random_state=0, **settings)


FLEXIBLE = {
    "forest": (forest(), forest(**BALANCED)),
    "by subsample": (forest(), forest(class_weight="balanced_subsample")),
    "shallow": (forest(max_depth=4), forest(max_depth=4, **BALANCED)),
    "extra trees": (forest(ExtraTreesClassifier), forest(ExtraTreesClassifier, **BALANCED)),
    "hidden": (forest(max_depth=4), Hidden(forest(max_depth=4))),
    "boosting": (
        HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=7),
        HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=7, **BALANCED),
    ),
}


@pytest.mark.parametrize("how", FLEXIBLE)
def test_class_weights_cost_flexible_classifiers_little(how):
    plain, weighted = FLEXIBLE[how]
    assert reached(weighted) > reached(plain) - 0.015


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_probabilities_of_a_support_vector_machine_are_at_the_share_of_the_rows():
    # Its sigmoid is fitted to rows without weights, whatever weights its margin has.
    machine = SVC(kernel="linear", probability=True, random_state=0, **BALANCED)
    assert reached(machine, cv=2) == pytest.approx(reached(LOGISTIC), abs=0.005)


def test_a_certificate_of_a_weighted_search_is_that_of_its_classifier():
    search = GridSearchCV(WEIGHTED, {"C": [1.0]}, cv=3)
    plain, weighted = (certify(c, X, Y, random_state=0) for c in (LOGISTIC, search))
    assert weighted.arc_length.value == pytest.approx(plain.arc_length.value, abs=0.005)


def test_sample_weights_and_class_weights_work_together():
    weight = np.where(X[:, 0] > 0, 2.0, 1.0) * np.where(Y == 1, 3.0, 1.0)
    plain = reached(LOGISTIC, weight)
    assert reached(WEIGHTED, weight) == pytest.approx(plain, abs=0.005)
    assert reached(BaggingClassifier(WEIGHTED, 5, random_state=0), weight) == pytest.approx(
        plain, abs=0.01
    )


def test_another_prior_costs_a_miscalibrated_classifier_little():
    # Repeated columns make naive Bayes far too certain, so that its mean probability is off.
    wide, fresh = np.tile(X, 4), np.tile(FRESH[0], 4)
    stated = ClassifierRatio(GaussianNB(), prior=0.05).fit(wide, Y)
    found = ClassifierRatio(GaussianNB()).fit(wide, Y)
    assert found.fitted_prior_ != stated.fitted_prior_
    assert found.score(fresh, FRESH[1]) > stated.score(fresh, FRESH[1]) - 0.005


class Counting(LogisticRegression):
    """Logistic regression that counts its fits."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counting.fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(
    ("settings", "inner", "fits"),
    [
        ({}, Counting(), 1),
        ({}, Counting(**BALANCED), 1),
        ({}, Hidden(Counting()), 6),
        ({"cv": 3}, Hidden(Counting()), 4),
        ({"prior": 0.3}, Hidden(Counting()), 1),
    ],
)
def test_an_ordinary_classifier_is_fitted_once(settings, inner, fits):
    Counting.fits = 0
    model = ClassifierRatio(inner, **settings).fit(X, Y)
    assert Counting.fits == fits
    assert model.fitted_prior_ == settings.get("prior", model.fitted_prior_)


def test_a_seed_fixes_the_prior():
    first, second, other = (
        ClassifierRatio(Hidden(LOGISTIC), random_state=seed).fit(X, Y) for seed in (0, 0, 1)
    )
    assert first.fitted_prior_ == second.fitted_prior_ != other.fitted_prior_


def test_one_row_of_a_class_leaves_the_stated_prior():
    y = np.arange(30) == 0
    model = ClassifierRatio(forest(**BALANCED)).fit(X[:30], y)
    assert model.fitted_prior_ == pytest.approx(0.5)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_weights_of_boosting_libraries(library):
    package = pytest.importorskip(library)
    if library == "lightgbm":
        kind, extra = package.LGBMClassifier, {"min_child_samples": 100, "verbose": -1}
        weighted = [{"is_unbalance": True}, {"scale_pos_weight": 10}, BALANCED]
    else:
        kind, extra = package.XGBClassifier, {"min_child_weight": 5}
        weighted = [{"scale_pos_weight": 10}]
    common = {"n_estimators": 30, "max_depth": 3, "n_jobs": 1, **extra}
    plain = reached(kind(**common))
    for knob in weighted:
        assert reached(kind(**common, **knob)) > plain - 0.01


@parametrize_with_checks(
    [
        ClassifierRatio(LogisticRegression()),
        ClassifierRatio(LogisticRegression(), calibration="isotonic"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_a_classifier_gives_the_same_ratio_whatever_its_class_weights():
    X, y = laws.GaussianPair(1.0, -1.0).sample(500, 4000, random_state=0)
    plain = ClassifierRatio(LogisticRegression()).fit(X, y)
    balanced = ClassifierRatio(LogisticRegression(class_weight="balanced")).fit(X, y)
    weighted = ClassifierRatio(LogisticRegression()).fit(X, y, np.where(y == 1, 8.0, 1.0))
    ratio = plain.predict_log_ratio([[0.5]])[0]
    assert ratio == pytest.approx(1.0, abs=0.2)
    assert balanced.predict_log_ratio([[0.5]])[0] == pytest.approx(ratio, abs=0.1)
    assert weighted.predict_log_ratio([[0.5]])[0] == pytest.approx(ratio, abs=0.1)
    resampled = ClassifierRatio(LogisticRegression(class_weight="balanced"), prior=0.5).fit(X, y)
    assert_allclose(resampled.predict_angle(X), balanced.predict_angle(X))


def test_isotonic_calibration_reaches_the_hull_and_serves_scores():
    X, y = gaussians(500)
    forest = RandomForestClassifier(50, max_depth=3, random_state=0)
    raw = ClassifierRatio(forest).fit(X, y)
    calibrated = ClassifierRatio(forest, calibration="isotonic", random_state=0).fit(X, y)
    fresh, labels = gaussians(2000, seed=1)
    hull = hull_arc_length(labels, raw.decision_function(fresh))
    assert calibrated.score(fresh, labels) == pytest.approx(hull, abs=0.03)
    svc = ClassifierRatio(LinearSVC(), calibration="isotonic").fit(X, y)
    assert svc.score(fresh, labels) > 1.6


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (ClassifierRatio(LinearSVC()), {}, 'use calibration="isotonic"'),
        (ClassifierRatio(StandardScaler()), {}, "must be a classifier"),
    ],
)
def test_bad_input_gives_one_clear_sentence(model, change, message):
    given = {"X": np.array([[0.0, 1], [1, 0], [2, 1], [3, 3]]), "y": [0, 0, 1, 1], **change}
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(**given)


def test_the_prior_of_many_rows_is_read_from_some_of_them(monkeypatch):
    X, y = laws.GaussianPair(0.0, 1.5).sample(3_000, 1_000, random_state=0)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    whole = ClassifierRatio(GaussianNB()).fit(X, y, weights)
    odd = ClassifierRatio(GaussianNB(priors=[0.5, 0.5]), random_state=0)
    found = clone(odd).fit(X, y, weights).fitted_prior_
    asked = []
    predict = GaussianNB.predict_proba
    monkeypatch.setattr(
        GaussianNB, "predict_proba", lambda self, X: asked.append(len(X)) or predict(self, X)
    )
    monkeypatch.setattr("rocstar.estimators.classifier.MOST_JUDGED_ROWS", 1_000)
    some = ClassifierRatio(GaussianNB()).fit(X, y, weights)
    assert asked == [1_000]
    assert some.fitted_prior_ == whole.fitted_prior_
    assert some.arc_length_ == pytest.approx(whole.arc_length_, abs=0.03)
    # Another prior is seen from these rows too, and then estimated on all.
    assert found == pytest.approx(0.5, abs=0.05)
    assert clone(odd).fit(X, y, weights).fitted_prior_ == found
