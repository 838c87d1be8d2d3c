"""`StandardizedRatio`: what a search has chosen, fitted without a search."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from rocstar import (
    ArctanRatioCV,
)


@pytest.mark.parametrize("loss", ["tangent", "log"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_frozen_keeps_the_choice_without_a_search(kernel, loss, monkeypatch):
    X, y = gaussians(60)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 120)
    tuned = ArctanRatioCV(kernel, loss=loss, random_state=3).fit(X, y, weight)
    frozen = clone(tuned.frozen())
    gammas = None if tuned.gamma_ is None else [tuned.gamma_]
    grid = ArctanRatioCV(kernel, loss=loss, alphas=[tuned.alpha_], gammas=gammas, random_state=3)
    rows = np.arange(0, 120, 2)
    expected = grid.fit(X[rows], y[rows], weight[rows])

    def no_search(*args, **kwargs):
        raise AssertionError("a frozen estimator must not search")

    monkeypatch.setattr("rocstar.estimators.cv.search", no_search)
    monkeypatch.setattr("rocstar.estimators.cv.split_rows", no_search)
    found = frozen.fit(X[rows], y[rows], weight[rows])
    assert_array_equal(found.predict_angle(X), expected.predict_angle(X))
    assert_array_equal(found.decision_function(X), expected.decision_function(X))
    assert_array_equal(found.predict_log_ratio(X), expected.predict_log_ratio(X))
    assert found.arc_length_ == expected.arc_length_


def test_frozen_needs_no_second_row_of_a_class():
    X, y = gaussians(60)
    tuned = ArctanRatioCV(random_state=0).fit(X, y)
    assert tuned.frozen().fit(X[59:], y[59:]).predict_angle(X).shape == (120,)


def test_frozen_for_fewer_rows_keeps_the_penalty_of_the_sum():
    X, y = gaussians(60)
    tuned = ArctanRatioCV(random_state=0).fit(X, y)
    assert tuned.frozen(0.25).ratio.alpha == 4 * tuned.frozen().ratio.alpha == 4 * tuned.alpha_


def test_principal_components_take_the_place_of_many_columns():
    X, y = gaussians(150)
    wide = X @ np.random.default_rng(0).normal(size=(2, 40))  # of rank two
    settings = {"loss": "log", "alphas": [1e-2], "random_state": 0}
    whole = ArctanRatioCV(**settings).fit(wide, y)
    few = ArctanRatioCV(max_columns=5, **settings).fit(wide, y)
    assert few.components_.shape == (40, 5)
    assert_allclose(few.predict_angle(wide), whole.predict_angle(wide), atol=1e-6)
    assert few.shortcuts() == [
        "The linear model was fitted to the 5 largest principal components of its 40 columns, "
        "since all of them would take too long."
    ]
    assert whole.shortcuts() == []
    again = few.frozen().fit(wide, y)
    assert_array_equal(again.predict_angle(wide), few.predict_angle(wide))
    # A kernel sees the columns themselves, and rows that count as two are two.
    assert (
        ArctanRatioCV("rbf", max_columns=5, alphas=[1e-2], gammas=[1.0]).fit(wide, y).components_
        is None
    )
    weights = np.arange(300) % 2 + 1.0
    twice = np.repeat(np.arange(300), weights.astype(int))
    weighted = few.frozen().fit(wide, y, weights)
    repeated = few.frozen().fit(wide[twice], y[twice])
    assert_allclose(weighted.predict_angle(wide), repeated.predict_angle(wide), atol=1e-6)
