"""Dataframes of every library mean the same table."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from rocstar import TableEncoder, TableModel, audit, compare
from rocstar.checks import InputError
from rocstar.tables.frames import as_frame, named_columns

N = 120
START = dt.datetime(2024, 1, 1)
LATER = [dt.timedelta(hours=7 * k % 5000, minutes=k) for k in range(N)]
COLUMNS = {
    "number": [None if k % 9 == 0 else k / 7 for k in range(N)],
    "integer": [None if k % 9 == 0 else k % 50 for k in range(N)],
    "decimal": [Decimal(k) / 4 for k in range(N)],
    "boolean": [None if k % 9 == 0 else k % 2 == 0 for k in range(N)],
    "category": [("basic", "plus", None)[k % 3] for k in range(N)],
    "text": [f"{k}ton {'ab'[k % 2]}" for k in range(N)],
    "day": [(START + later).date() for later in LATER],
    "moment": [START + later for later in LATER],
    "zoned": [(START + later).replace(tzinfo=dt.UTC) for later in LATER],
    "duration": LATER,
}
HALVES = (slice(0, 80), slice(80, None))
TYPES = {"integer": "number", "decimal": "number", "duration": "number"} | dict.fromkeys(
    ("day", "moment", "zoned"), "date"
)
LIBRARIES = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas on Arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_means_the_same_in_every_library(name, library):
    expected = TableEncoder().fit_transform(pd.DataFrame({name: COLUMNS[name]}))
    frame, encoder = LIBRARIES[library]({name: COLUMNS[name]}), TableEncoder()
    np.testing.assert_allclose(encoder.fit_transform(frame), expected)
    np.testing.assert_allclose(encoder.transform(frame), expected)
    assert encoder.columns_[0].type == TYPES.get(name, name)


def test_decimals_and_durations_are_numbers():
    encoded = TableEncoder().fit_transform(as_frame(pa.table(COLUMNS))[["decimal", "duration"]])
    np.testing.assert_allclose(encoded[:, 0], np.arange(N) / 4)
    np.testing.assert_allclose(encoded[:, 1], [later.total_seconds() for later in LATER])


def test_arrays_and_sparse_matrices_are_frames():
    X = np.array([[1.0, 0.0], [0.0, 2.0]])
    for given in (X, X.tolist(), sparse.csr_array(X)):
        frame = as_frame(given)
        assert frame.columns.tolist() == ["x0", "x1"]
        np.testing.assert_array_equal(frame, X)


def test_names_are_text_and_rows_are_numbered():
    frame = as_frame(pd.DataFrame({1: [5], "b": [6]}, index=["row"]))
    assert frame.columns.tolist() == ["1", "b"]
    assert frame.index.tolist() == [0]
    odd = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", None)]))
    assert as_frame(odd).columns.tolist() == ["('a', 'b')", "('a', nan)"]
    assert as_frame(pd.DataFrame({None: [1]})).columns.tolist() == ["None"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (pl.LazyFrame({"a": [1]}), "`data` must be in memory; got a lazy frame: collect it first."),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "`data` has two columns named `a`"),
        (pa.table([[1], [2]], names=["a", "a"]), "`data` has two columns named `a`"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "`data` has two columns named `1`"),
        (np.ones(3), r"`X` must have rows and columns; got shape \(3,\)"),
        (pd.Series([1, 2]), r"`X` must have rows and columns; got shape \(2,\)"),
    ],
)
def test_what_is_no_table_is_refused_in_one_message(given, message):
    with pytest.raises(InputError, match=message):
        as_frame(given, "data")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_scores_come_as_frames_or_mappings(make):
    found = named_columns(make({"old": [0.1, 0.2], "new": [0.3, 0.4]}))
    assert list(found) == ["old", "new"]
    np.testing.assert_array_equal(found["new"], [0.3, 0.4])


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda v: pl.Series(values=v)])
def test_one_score_needs_no_name(make):
    assert np.asarray(named_columns(make([0.1, 0.2]))["score"]).tolist() == [0.1, 0.2]


def churn(n: int = 160) -> dict[str, list]:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 2, n)
    return {
        "age": (40 + 8 * left + rng.normal(0, 8, n)).tolist(),
        "plan": np.where(rng.random(n) < 0.3 + 0.4 * left, "plus", "basic").tolist(),
        "left": np.where(left == 1, "yes", "no").tolist(),
    }


@pytest.mark.parametrize("library", ["pandas on Arrow", "polars", "pyarrow"])
def test_audits_models_and_comparisons_are_the_same_in_every_library(library):
    columns, make = churn(), LIBRARIES[library]
    features = {name: columns[name] for name in ("age", "plan")}
    left, old = np.array(columns["left"]), {"old": columns["age"]}
    plain = pd.DataFrame(features)
    how = {"model": "linear", "fast": True, "random_state": 0}
    expected = audit(plain, pd.Series(left, name="left"), scores=old, **how)
    y = pl.Series("left", left.tolist()) if library == "polars" else pd.Series(left, name="left")
    found = audit(make(features), y, scores=make(old), **how)
    assert found.auc == expected.auc
    assert found.summary()["data"] == expected.summary()["data"]
    assert found.summary()["scores"] == expected.summary()["scores"]
    model = TableModel("linear").fit(make(features), left)
    angle = TableModel("linear").fit(plain, left).predict_angle(plain)
    np.testing.assert_array_equal(model.predict_angle(make(features)), angle)
    np.testing.assert_array_equal(model.scores(make(features))["angle"], angle)
    halves = [{name: values[part] for name, values in features.items()} for part in HALVES]
    two = [compare(*map(kind, halves), **how).divergence for kind in (make, pd.DataFrame)]
    assert two[0] == two[1]
