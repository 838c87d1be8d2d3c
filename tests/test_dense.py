"""Matrices with codes and gaps behind a ratio estimator."""

from __future__ import annotations

import numpy as np
import pytest
from data_tables import frame
from sklearn.base import clone

from rocstar.estimators.cv import ArctanRatioCV
from rocstar.tables.dense import DenseRatio
from rocstar.tables.table import prepare


def coded(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    table = prepare(frame(n), target="target", drop=["joined", "city"])
    return table.X, table.y


def test_dense_columns_are_numbers_a_gap_column_and_one_per_category():
    X, y = coded()
    model = DenseRatio(ArctanRatioCV(random_state=0), categorical=[1]).fit(X, y)
    assert model.ratio_.n_features_in_ == 1 + 1 + 2


def test_a_large_table_is_sampled_but_keeps_its_prior():
    X, y = coded(600)
    y = y & (np.arange(600) >= 500)
    model = DenseRatio(ArctanRatioCV(random_state=0), categorical=[1], max_rows=100).fit(X, y)
    assert model.prior_ == pytest.approx(y.mean())
    assert model.predict_angle(X).shape == (600,)


def test_frozen_keeps_the_tuned_penalty():
    X, y = coded()
    model = DenseRatio(ArctanRatioCV("rbf", random_state=0), categorical=[1]).fit(X, y)
    again = clone(model.frozen()).fit(X, y)
    assert again.ratio_.ratio.alpha == model.ratio_.alpha_
    assert not hasattr(again.ratio_, "cv_results_")
    np.testing.assert_allclose(again.predict_angle(X), model.predict_angle(X), atol=1e-5)


def test_integer_weights_equal_repetition():
    X, y = coded(200)
    ratio = ArctanRatioCV(alphas=[1e-2], random_state=0)
    # Medians and scales of the numbers do not know weights, so only codes are used here.
    X, times = X[:, 1:], np.where(np.arange(200) % 3 == 0, 2, 1)
    weighted = DenseRatio(ratio, categorical=[0]).fit(X, y, sample_weight=times)
    repeated = DenseRatio(ratio, categorical=[0]).fit(np.repeat(X, times, 0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_angle(X), repeated.predict_angle(X), atol=1e-6)


def test_gaps_are_filled_alike_whether_or_not_they_were_seen_before():
    rng = np.random.default_rng(0)
    X, y = rng.exponential(size=(201, 2)), np.arange(201) % 2
    model = DenseRatio(ArctanRatioCV(alphas=[1e-2], random_state=0)).fit(X, y)
    row = np.array([[np.nan, 1.0]])
    median = np.array([[np.median(X[:, 0]), 1.0]])
    np.testing.assert_allclose(model.predict_angle(row), model.predict_angle(median))
    empty = X.copy()
    empty[:, 1] = np.nan  # as in a fold whose rows all lack a value
    model = DenseRatio(ArctanRatioCV(alphas=[1e-2], random_state=0)).fit(empty, y)
    assert np.isfinite(model.predict_angle(X)).all()
