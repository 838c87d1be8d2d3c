"""Matrices with codes and gaps behind a ratio estimator."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from data_tables import frame
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from rocstar.estimators.cv import ArctanRatioCV
from rocstar.tables.dense import DenseColumns, DenseRatio, Squashed
from rocstar.tables.table import prepare


def coded(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    table = prepare(frame(n), target="target", drop=["joined", "city"])
    return table.X, table.y


def test_dense_columns_are_numbers_a_gap_column_and_one_per_category():
    X, y = coded()
    model = DenseRatio(ArctanRatioCV(random_state=0), categorical=[1]).fit(X, y)
    assert model.ratio_.n_features_in_ == 1 + 1 + 2


@pytest.mark.parametrize("categorical", [[], [1, 3], [0, 1, 2, 3, 4]])
def test_dense_columns_are_those_of_a_column_transformer(categorical):
    rng = np.random.default_rng(0)
    X = rng.standard_t(2, size=(200, 5)) * [1.0, 1e-3, 1e3, 1.0, 1.0]
    X[:, categorical] = rng.integers(0, 4, (200, len(categorical)))
    X[rng.random(X.shape) < [0.0, 0.05, 0.6, 0.3, 0.0]] = np.nan
    new = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    new[:5, categorical] = 9  # a category that was not seen
    numbers = np.setdiff1d(np.arange(5), categorical)
    gaps = np.isnan(X[:, numbers]).any(axis=0)
    median = SimpleImputer(strategy="median", add_indicator=True)
    zero = SimpleImputer(strategy="constant", fill_value=0.0)
    spread = OneHotEncoder(handle_unknown="infrequent_if_exist", sparse_output=False)
    reference = ColumnTransformer(
        [
            ("gaps", make_pipeline(median, Squashed()), numbers[gaps]),
            ("numbers", make_pipeline(Squashed(), zero), numbers[~gaps]),
            ("categories", spread, categorical),
        ]
    ).fit(X)
    dense = DenseColumns(categorical).fit(X)
    assert_allclose(dense.transform(new), reference.transform(new), atol=1e-12)
    assert dense.width == reference.transform(new).shape[1]


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


def test_numbers_are_squashed_as_skrub_does():
    skrub = pytest.importorskip("skrub")
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.standard_cauchy(200),
            np.repeat([0.0, 0.0, 0.0, 0.0, 7.0], 40),  # both quartiles are equal
            np.full(200, 5.0),
            np.r_[np.nan, np.inf, -np.inf, rng.normal(size=197)],
        ]
    )
    new = np.array([[1.0, 1.0, 5.0, np.nan], [-9.0, 7.0, 6.0, np.inf]])
    theirs = skrub.SquashingScaler().fit(X)
    ours = Squashed().fit(X)
    for rows in (X, new):
        assert_allclose(ours.transform(rows), theirs.transform(rows), atol=1e-12)


def test_enormous_numbers_are_squashed_to_the_ends():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    far = Squashed().fit(X).transform(np.array([[1e300], [-1e300], [np.nan]]))
    assert_allclose(far[:2, 0], [3.0, -3.0])
    assert np.isnan(far[2, 0])
    wide = Squashed().fit(np.array([[-1.7e308], [0.0], [1.0], [1.7e308]]))
    assert np.isfinite(wide.transform(np.array([[0.5], [1.7e308]]))).all()


def test_tables_of_numbers_load_no_plotting_library():
    script = """
import sys
import numpy as np, pandas as pd
from rocstar import TableModel
X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
TableModel("linear").fit(X, X["a"] > 0).predict(X)
assert "skrub" not in sys.modules and "matplotlib" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
