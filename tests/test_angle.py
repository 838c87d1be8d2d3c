"""Ratios and probabilities: finite, usable, and within what the training rows can know."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    MaximalAUCClassifier,
    StackedRatio,
    arc_length_score,
    laws,
)
from rocstar.estimators.angle import two_classes
from rocstar.tables.dense import DenseRatio
from rocstar.weights import effective_counts

H = np.pi / 2
LAW = laws.GaussianPair([2.0, 1.0], [0.0, 0.0])
X, Y = LAW.sample(300, 900, random_state=0)
FRESH, LABELS = LAW.sample(3000, 9000, random_state=1)
WEIGHTS = np.random.default_rng(0).uniform(0.2, 3.0, len(Y))
MODELS = {
    "tangent": ArctanRatio(),
    "log": ArctanRatio(loss="log", alpha=1e-6),
    "box": ArctanRatio("rbf", loss="box", n_components=20, random_state=0),
    "cv": ArctanRatioCV(alphas=[1e-3], random_state=0),
    "cv of logs": ArctanRatioCV(loss="log", alphas=[1e-6], random_state=0),
    "classifier": ClassifierRatio(KNeighborsClassifier(5)),
    "isotonic": ClassifierRatio(LogisticRegression(), calibration="isotonic", random_state=0),
    "stack": StackedRatio([("a", ArctanRatio()), ("b", LogisticRegression())], random_state=0),
    "dense": DenseRatio(ArctanRatio()),
    "two steps": MaximalAUCClassifier(),
}
FAR = np.concatenate([FRESH, [[40.0, 40.0], [-40.0, -40.0]]])


@pytest.mark.parametrize("name", MODELS)
def test_no_row_is_more_certain_than_the_training_rows_allow(name):
    model = clone(MODELS[name]).fit(X, Y)
    assert_array_equal(model.effective_counts_, [900, 300])
    ratio, share = model.predict_ratio(FAR), model.predict_proba(FAR)
    assert 1 / 301 <= ratio.min() < ratio.max() <= 901 * (1 + 1e-12)
    assert_allclose(np.exp(model.predict_log_ratio(FAR)), ratio, rtol=1e-10)
    assert_allclose(share[:, 1], ratio / (ratio + 3))
    assert share.min() > 0
    assert_array_equal(model.predict(FAR), share[:, 1] > 0.5)
    inside = (ratio > 1 / 300) & (ratio < 900)
    assert_allclose(np.arctan(ratio[inside]), model.predict_angle(FAR)[inside], rtol=1e-10)


def test_log_loss_of_the_default_is_that_of_a_probability():
    model = ArctanRatio().fit(X, Y)
    angle, share = model.predict_angle(FRESH), model.predict_proba(FRESH)
    positive, certain = LABELS == 1, (angle <= 0) | (angle >= H)
    assert certain.mean() > 0.1
    assert (angle[positive] <= 0).any()  # a likelihood of exactly zero for these labels
    logistic = LogisticRegression().fit(X, Y).predict_proba(FRESH)
    assert log_loss(LABELS, share) < log_loss(LABELS, logistic) + 0.03


WEIGHABLE = {"classifier": ClassifierRatio(LogisticRegression())}


@pytest.mark.parametrize("name", ["tangent", "cv", "classifier", "stack", "two steps"])
def test_weighted_rows_count_by_their_effective_number(name):
    model = clone(WEIGHABLE.get(name, MODELS[name])).fit(X, Y, sample_weight=WEIGHTS)
    sides = WEIGHTS[Y == 0], WEIGHTS[Y == 1]
    assert_allclose(model.effective_counts_, [w.sum() ** 2 / (w**2).sum() for w in sides])
    rescaled = clone(model).fit(X, Y, sample_weight=WEIGHTS * np.where(Y == 1, 1e-170, 1e150))
    assert_allclose(rescaled.effective_counts_, model.effective_counts_)


@pytest.mark.parametrize("name", ["tangent", "log", "cv", "two steps"])
def test_repetitions_count_as_rows_in_any_unit(name):
    times = np.random.default_rng(1).integers(0, 4, len(Y))
    model = MODELS[name]
    repeated = clone(model).fit(np.repeat(X, times, 0), np.repeat(Y, times))
    assert_array_equal(repeated.effective_counts_, [times[Y == 0].sum(), times[Y == 1].sum()])
    for unit in (1, 0.1, 1e-150):
        weighted = clone(model).fit(X, Y, sample_weight=times * unit)
        assert_allclose(weighted.effective_counts_, repeated.effective_counts_)
        assert_allclose(weighted.predict_proba(FAR), repeated.predict_proba(FAR), atol=1e-3)
        low, high = weighted.predict_log_ratio(FAR)[-2:], repeated.predict_log_ratio(FAR)[-2:]
        assert_allclose(low, high, atol=1e-5)


@pytest.mark.parametrize(
    ("weights", "counts"),
    [
        ([1, 2, 3, 1], [6, 1]),
        ([3, 0, 0, 2], [1, 1]),  # of the classes, not of rows
        ([7, 7, 7, 1], [3, 1]),
        ([1, 1, 98, 3], [100, 3]),
        ([1, 1, 101, 3], [103**2 / 10203, 1]),  # one row stands for too many
        ([3412, 2890, 5011, 4000], [11313**2 / (3412**2 + 2890**2 + 5011**2), 1]),
    ],
)
def test_which_weights_are_repetitions(weights, counts):
    positive = np.array([False, False, False, True])
    for unit in (1.0, 0.1, 1e200):
        assert_allclose(effective_counts(positive, np.array(weights) * unit), counts)


def test_a_subsample_knows_what_its_own_rows_know():
    model = DenseRatio(ArctanRatio(), max_rows=100).fit(X, Y)
    assert_array_equal(model.effective_counts_, [50, 50])


def test_classes_that_change_places_invert_the_ratio():
    one, other = ArctanRatio().fit(X, Y), ArctanRatio().fit(X, 1 - Y)
    assert_allclose(one.predict_ratio(FAR), 1 / other.predict_ratio(FAR), rtol=1e-5)


def test_a_model_of_another_version_says_so():
    model = ArctanRatio(loss="log").fit(X, Y)
    del model.effective_counts_
    assert model.predict_angle(X).shape == Y.shape
    for method in (model.predict_proba, model.predict_ratio, model.predict_log_ratio):
        with pytest.raises(NotFittedError, match=r"does not know how many rows.*: fit it again\."):
            method(X)


def test_single_precision_stays_and_steep_angles_are_not_negative_ratios():
    few = X.astype(np.float32)
    model = ArctanRatio().fit(few, Y)
    ratio = model.ratio_given_angle(np.array([0.0, H, np.float32(H)], dtype=np.float32))
    assert ratio.dtype == np.float32
    assert_allclose(ratio, [1 / 301, 901, 901], rtol=1e-6)
    assert model.predict_proba(few).dtype == np.float32


def test_arc_length_score_checks_its_input():
    assert arc_length_score([0, 1], [0.0, H]) == pytest.approx(2.0)
    assert arc_length_score([0, 1, 1], [0, H, 0], sample_weight=[1, 3, 1]) == pytest.approx(1.75)
    with pytest.raises(ValueError, match=r"must lie in \[0, π/2\]"):
        arc_length_score([0, 1], [0.0, 3.0])


def test_the_larger_label_is_positive():
    positive, classes = two_classes(np.array(["no", "yes", "no"]))
    assert positive.tolist() == [False, True, False]
    assert classes.tolist() == ["no", "yes"]


def test_three_classes_are_one_sentence():
    with pytest.raises(ValueError, match=r"ArctanRatio or ArctanRatioCV with loss='log', on"):
        two_classes(np.array([0, 1, 2]))


def test_tensors_of_three_classes_are_one_sentence():
    torch = pytest.importorskip("torch")
    X, y = torch.ones((6, 2), dtype=torch.float64), torch.arange(6) % 3
    with pytest.raises(ValueError, match="on NumPy arrays or data frames"):
        ArctanRatio(loss="log").fit(X, y)
