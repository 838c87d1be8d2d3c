"""Integer weights and repeated rows: where they are the same, and where they cannot be."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from rocstar import ArctanRatio, ArctanRatioCV, MaximalAUCClassifier, auc_interval, laws
from rocstar.tables.dense import DenseRatio

LAW = laws.GaussianPair([1.5, 0.5], [0.0, 0.0])
X, Y = LAW.sample(150, 250, random_state=0)
TIMES = np.random.default_rng(0).integers(0, 4, len(Y))
OFTEN, OFTEN_Y = np.repeat(X, TIMES, 0), np.repeat(Y, TIMES)
FEW = {"n_components": 30, "random_state": 0}

EQUAL = {
    "linear": ArctanRatio(),
    "linear log": ArctanRatio(loss="log"),
    "box": ArctanRatio(loss="box", alpha=1e-2),
    "rbf": ArctanRatio("rbf", **FEW),
    "rbf log": ArctanRatio("rbf", loss="log", **FEW),
    "rbf box": ArctanRatio("rbf", loss="box", alpha=1e-2, **FEW),
    "laplacian": ArctanRatio("laplacian", gamma="scale", **FEW),
    "every row a landmark": ArctanRatio("rbf", n_components=None),
    "two steps": MaximalAUCClassifier(ArctanRatio("rbf", **FEW)),
    "cv": ArctanRatioCV(alphas=[1e-2], random_state=0),
    "cv rbf": ArctanRatioCV("rbf", alphas=[1e-2], gammas=[0.5], **FEW),
    "cv rbf of median bandwidth": ArctanRatioCV("rbf", alphas=[1e-2], cv=2, **FEW),
}


@pytest.mark.parametrize("name", EQUAL)
def test_integer_weights_equal_repeated_rows(name):
    weighted = clone(EQUAL[name]).fit(X, Y, sample_weight=TIMES)
    repeated = clone(EQUAL[name]).fit(OFTEN, OFTEN_Y)
    if name == "cv rbf of median bandwidth":  # which of the bandwidths is for the folds to say
        gammas = [model.cv_results_["param_gamma"] for model in (weighted, repeated)]
        assert_allclose(*gammas)
        return
    exact = 1e-6 if "box" in name else 1e-8
    assert_allclose(weighted.predict_angle(X), repeated.predict_angle(X), atol=exact)
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=exact)


def test_folds_are_made_of_rows():
    # Copies of a row on both sides of a fold make the held-out figures of noise look good.
    rng = np.random.default_rng(0)
    noise, labels, times = rng.normal(size=(60, 10)), np.arange(60) % 2, np.full(60, 4)
    model = ArctanRatioCV("rbf", alphas=[1e-4], gammas=[0.2], n_components=None, random_state=0)
    weighted = clone(model).fit(noise, labels, sample_weight=times)
    repeated = clone(model).fit(np.repeat(noise, times, 0), np.repeat(labels, times))
    assert repeated.best_score_ > weighted.best_score_ + 0.2
    assert_allclose(weighted.predict_angle(noise), repeated.predict_angle(noise), atol=1e-5)


def test_bounds_count_a_row_as_one_observation():
    score = X[:, 0]
    weighted = auc_interval(Y, score, sample_weight=TIMES)
    repeated = auc_interval(OFTEN_Y, OFTEN[:, 0])
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.low < repeated.low


def test_subsamples_are_drawn_from_rows():
    model = DenseRatio(ArctanRatio(), max_rows=100)
    weighted = clone(model).fit(X, Y, sample_weight=TIMES)
    repeated = clone(model).fit(OFTEN, OFTEN_Y)
    assert np.abs(weighted.predict_angle(X) - repeated.predict_angle(X)).max() > 1e-3


def test_scales_of_columns_do_not_know_weights():
    weighted = DenseRatio(ArctanRatio()).fit(X, Y, sample_weight=TIMES)
    plain = DenseRatio(ArctanRatio()).fit(X, Y)
    assert_array_equal(weighted.dense_.transform(X), plain.dense_.transform(X))
