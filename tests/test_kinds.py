"""What a column can hold, and how each kind is read and encoded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_tables import DAY_FIRST
from hypothesis import given, settings
from hypothesis import strategies as st

from rocstar.tables.columns import TableEncoder
from rocstar.tables.kind_base import Evidence
from rocstar.tables.kinds import kind_of
from rocstar.tables.table import prepare


def test_booleans_with_gaps_and_numbers_as_text_are_understood():
    frame = pd.DataFrame({"b": [True, None, False] * 5, "n": ["1.5", "2", "n/a"] * 5})
    encoder = TableEncoder()
    np.testing.assert_array_equal(
        encoder.fit_transform(frame)[:3], [[1, 1.5], [np.nan, 2], [0, np.nan]]
    )
    assert [column.type for column in encoder.columns_] == ["boolean", "number"]
    np.testing.assert_array_equal(encoder.transform(frame), encoder.fit_transform(frame))


def test_infinite_values_count_as_missing_and_are_noted():
    frame = pd.DataFrame({"a": [1.0, np.inf, -np.inf, 2.0]})
    encoder = TableEncoder()
    assert np.isnan(encoder.fit_transform(frame)).sum() == 2
    assert encoder.columns_[0].notes == ("2 infinite values count as missing",)


def test_values_never_seen_before_are_missing():
    frame = pd.DataFrame({"plan": ["a", "b"] * 3})
    encoder = TableEncoder().fit(frame)
    assert np.isnan(encoder.transform(pd.DataFrame({"plan": ["c"]}))).all()


@pytest.mark.parametrize("separator", ["/", "."], ids=["slash", "dot"])
def test_text_dates_are_read_alike_in_every_piece(separator):
    frame = pd.DataFrame({"d": [day.replace("/", separator) for day in DAY_FIRST]})
    encoder = TableEncoder()
    whole = encoder.fit_transform(frame)
    np.testing.assert_array_equal(whole[1, :3], [2020, 1, 2])
    for start in range(len(frame)):
        np.testing.assert_array_equal(encoder.transform(frame[start:]), whole[start:])
        np.testing.assert_array_equal(
            encoder.transform(frame[start : start + 1]), whole[start : start + 1]
        )
    assert encoder.kinds_[0].format == f"%d{separator}%m{separator}%Y"


def test_text_dates_that_are_written_in_another_way_are_missing():
    encoder = TableEncoder().fit(pd.DataFrame({"d": DAY_FIRST}))
    other = pd.DataFrame({"d": ["2020-01-31", "01/31/2020", "N/A", None, "31/01/2020"]})
    assert np.isnan(encoder.transform(other)).all(axis=1).tolist() == [True] * 4 + [False]
    # Dates proper need no format.
    proper = pd.DataFrame({"d": pd.to_datetime(["2020-01-31"])})
    np.testing.assert_array_equal(encoder.transform(proper), encoder.transform(other)[-1:])
    assert np.isnan(encoder.transform(pd.DataFrame({"d": [np.nan]}))).all()


def test_dates_written_as_digits_may_arrive_as_numbers():
    digits = ["20200131", "20200302", "20201225"]
    encoder = TableEncoder()
    whole = encoder.fit_transform(pd.DataFrame({"d": digits}))
    assert encoder.columns_[0].type == "date"
    for values in (list(map(int, digits)), list(map(float, digits)), [20200131, *digits[1:]]):
        np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"d": values})), whole)


def test_offsets_are_the_same_clock_in_every_piece():
    frame = pd.DataFrame({"d": ["2020-01-01T04:00:00+02:00", "2020-06-01T04:00:00+03:00", None]})
    encoder = TableEncoder()
    whole = encoder.fit_transform(frame)
    for row in range(3):
        np.testing.assert_array_equal(encoder.transform(frame[row : row + 1]), whole[row : row + 1])


def test_text_is_read_by_a_model_that_was_fitted_to_dates():
    proper = pd.DataFrame({"d": pd.to_datetime(DAY_FIRST, format="%d/%m/%Y")})
    encoder = TableEncoder()
    whole = encoder.fit_transform(proper)
    assert encoder.kinds_[0].format is None
    np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"d": DAY_FIRST[1:]})), whole[1:])


@pytest.mark.parametrize("one", [1, 1.0, np.float32(1)])
def test_a_number_and_its_text_are_one_category(one):
    values = [one, "1", "x", 2, "2", None] * 4
    frame = pd.DataFrame({"c": pd.Series(values, dtype=object), "target": [0, 1] * 12})
    table = prepare(frame, target="target")
    assert table.columns[0].type == "category"
    assert table.columns[0].distinct == 3
    np.testing.assert_array_equal(table.X[:6, 0], [0, 0, 2, 1, 1, np.nan])
    for piece in ([1, 2], [1.0, 2.0], ["1", "2"]):
        codes = table.encoder.transform(pd.DataFrame({"c": piece}))
        np.testing.assert_array_equal(codes[:, 0], [0, 1])


def test_categoricals_of_floats_keep_their_codes():
    frame = pd.DataFrame({"c": pd.Series([1.0, 2.5, 3.0] * 3).astype("category")})
    encoder = TableEncoder()
    codes = encoder.fit_transform(frame)
    assert np.isfinite(codes).all()
    np.testing.assert_array_equal(encoder.transform(frame), codes)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["x", "y", "z", None]), min_size=6, max_size=40))
def test_codes_name_the_same_categories(values):
    frame = pd.DataFrame({"c": [*values, "x", "y"]})
    encoder = TableEncoder()
    codes = encoder.fit_transform(frame)[:, 0]
    names = encoder.kinds_[0].categories
    decoded = [None if np.isnan(code) else names[int(code)] for code in codes]
    assert decoded == [*values, "x", "y"]


def test_a_number_is_read_from_text_at_scoring_time():
    ages = pd.Series([31, None, 44])
    kind = kind_of(Evidence(ages, ages, None, 0))
    assert (kind.name, kind.missing) == ("number", 1)
    np.testing.assert_array_equal(kind.encode(kind.read(pd.Series(["52", "?"]))), [[52], [np.nan]])


def test_text_with_gaps_says_which_rows_have_none():
    texts = [f"{k} of {k * 7919 % 1009}" for k in range(150)]
    frame = pd.DataFrame({"full": texts, "gaps": [*texts[:140], *[None] * 10]})
    encoder = TableEncoder()
    matrix = encoder.fit_transform(frame)
    assert matrix.shape == (150, 61)
    np.testing.assert_array_equal(matrix[:, -1], [1] * 140 + [0] * 10)
    np.testing.assert_allclose(encoder.transform(frame), matrix)
    treatments = [column.treatment for column in encoder.columns_]
    assert treatments[0] == "30 components of its character n-grams"
    assert treatments[1] == "30 components of its character n-grams, and whether it is blank"


def test_one_infinite_value_is_singular():
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, np.inf, 2.0]}))
    assert encoder.columns_[0].notes == ("1 infinite value counts as missing",)
