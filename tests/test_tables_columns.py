"""What each column of a table becomes, also in new tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_tables import mixed

from rocstar.checks import InputError
from rocstar.tables.columns import TableEncoder
from rocstar.tables.table import prepare


def test_column_types_and_treatments():
    table = prepare(mixed(), target="target")
    types = {column.name: column.type for column in table.columns}
    assert types == {
        "age": "number",
        "plan": "category",
        "joined": "date",
        "active": "boolean",
        "city": "text",
    }
    records = {column.name: column for column in table.columns}
    assert records["age"].missing == 5
    assert records["plan"].missing == (mixed()["plan"] == "N/A").sum()
    assert records["plan"].distinct == 3
    assert "30 components" in records["city"].treatment
    plan = table.X[:, list(table.encoder.get_feature_names_out()).index("plan")]
    assert set(plan[np.isfinite(plan)]) == {0, 1, 2}
    assert np.isnan(plan[5:10]).all()


def test_new_rows_are_encoded_like_the_old_ones():
    frame = mixed().drop(columns="target")
    encoder = TableEncoder().fit(frame)
    shuffled = frame.sample(frac=1, random_state=1)[list(reversed(frame.columns))]
    np.testing.assert_allclose(
        encoder.transform(shuffled.assign(further=1)),
        encoder.transform(frame)[shuffled.index],
    )


def test_a_column_the_model_needs_is_asked_for():
    encoder = TableEncoder().fit(mixed())
    with pytest.raises(InputError, match=r"no column `age`, which the model was fitted with\.$"):
        encoder.transform(mixed().drop(columns="age"))


def test_constant_columns_are_dropped_and_said_so():
    table = prepare(mixed().assign(country="NO"), target="target")
    record = next(column for column in table.columns if column.name == "country")
    assert record.type == "constant"
    assert record.treatment.startswith("dropped")


# What skrub does to columns of objects is deprecated in pandas 2.2.
@pytest.mark.filterwarnings("ignore:Downcasting behavior:FutureWarning")
def test_columns_of_numbers_are_not_cleaned(monkeypatch):
    """In a wide table, skrub would take longer for them than a model does."""
    table = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, np.nan, np.inf]})
    expected = TableEncoder().fit_transform(table.astype(object))
    monkeypatch.setattr("skrub.Cleaner", None)
    np.testing.assert_array_equal(TableEncoder().fit_transform(table), expected)


WORDS = {
    "plan": ["basic", "plus", None, "basic", "N/A", "plus"] * 5,
    "month": ["May", "June", "null", "May", " ", "July"] * 5,
    "school": ["10th", "Bachelors", "1.#IND", "7th-8th", "10th", "N/A"] * 5,
    "seen": ["2024-05-01", "unknown", "2024-06-01", None, "2024-05-01", "unknown"] * 5,
    "day": pd.Categorical(["2024-05-01", "2024-06-01", None, "?", "2024-05-01", "?"] * 5),
    "paid": [True, False, True, True, False, False] * 5,
}


def test_words_without_digits_need_no_skrub(monkeypatch):
    table = pd.DataFrame(WORDS)
    with monkeypatch.context() as without:
        without.setattr("skrub.Cleaner", None)  # a call of it fails
        encoder = TableEncoder()
        plain = encoder.fit_transform(table)
    assert [column.type for column in encoder.columns_] == 5 * ["category"] + ["boolean"]
    assert [column.missing for column in encoder.columns_] == [10, 10, 10, 5, 5, 0]
    # One date more, and skrub reads all: with the same answer for the words.
    monkeypatch.setattr("rocstar.tables.columns._is_plain", lambda values: False)
    read = TableEncoder().fit(table)
    np.testing.assert_array_equal(read.transform(table), plain)
    assert read.columns_ == encoder.columns_


def test_words_with_digits_are_read_by_skrub():
    dates = pd.DataFrame({"day": ["1 May 2024", "2 June 2024", "3 July 2024"] * 5})
    assert TableEncoder().fit(dates).columns_[0].type == "date"
