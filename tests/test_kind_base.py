"""Columns that hold one value, none, or what no column may hold."""

from __future__ import annotations

import pandas as pd
from data_tables import refusal

from rocstar.tables.columns import TableEncoder
from rocstar.tables.table import prepare


def test_a_number_and_its_text_alone_are_constant():
    encoder = TableEncoder().fit(pd.DataFrame({"c": pd.Series([1, "1"] * 3, dtype=object)}))
    assert [(column.type, column.distinct) for column in encoder.columns_] == [("constant", 1)]


def test_cells_that_hold_lists():
    frame = pd.DataFrame({"a": [[1], [2], [3, 4], [5]], "target": [0, 1, 0, 1]})
    assert "`a` holds lists" in refusal(lambda: prepare(frame, target="target"))


def test_a_column_of_one_value_or_none_says_which_rows_have_it():
    encoder = TableEncoder()
    frame = pd.DataFrame({"x": ["yes", None, "yes", "N/A"], "y": [1.0, 2.0, 3.0, 4.0]})
    assert encoder.fit_transform(frame)[:, 0].tolist() == [1, 0, 1, 0]
    column = encoder.columns_[0]
    assert (column.type, column.missing, column.distinct) == ("presence", 2, 1)
    assert column.treatment == "1 where it has a value, 0 where it is blank"
    new = pd.DataFrame({"x": ["other", "N/A", " ", None], "y": 0.0})
    assert encoder.transform(new)[:, 0].tolist() == [1, 0, 0, 0]


def test_columns_without_information_are_dropped():
    encoder = TableEncoder()
    frame = pd.DataFrame({"empty": [None] * 3, "one": "x", "two": ["a", "b", "a"]})
    assert encoder.fit_transform(frame).shape == (3, 1)
    assert [(column.type, column.treatment) for column in encoder.columns_[:2]] == [
        ("empty", "dropped: it has no value in any row"),
        ("constant", "dropped: it has one value only"),
    ]
