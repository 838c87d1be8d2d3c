"""Values of a new table that a fitted encoder cannot read."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rocstar.tables.columns import TableEncoder
from rocstar.tables.unread import unread_values

DAYS = pd.date_range("2024-01-01", periods=40).strftime("%Y-%m-%d")
TABLE = pd.DataFrame(
    {
        "tenure": [1.5, 2.0, None, 4.25] * 10,
        "plan": ["basic", "plus"] * 20,
        "paid": [True, False] * 20,
        "since": DAYS,
    }
)


def test_what_the_encoder_reads_raises_no_warning():
    encoder = TableEncoder().fit(TABLE)
    assert unread_values(encoder, TABLE) == []
    gaps = TABLE.assign(tenure=None, plan=["", "n/a"] * 20, since=None)
    assert unread_values(encoder, gaps) == []


def test_values_that_count_as_missing_are_counted_and_named():
    encoder = TableEncoder().fit(TABLE)
    new = TABLE.assign(
        tenure="abc",
        plan=["gold", "basic", "silver", "lead", "tin", "plus", "gold", "gold"] * 5,
        paid=["perhaps", *[True, False] * 19, None],
        since=["01/02/2024", *DAYS[:39]],
    )
    assert unread_values(encoder, new) == [
        "Column `tenure`: 40 of 40 values are not numbers; treated as missing.",
        "Column `plan`: 4 values not seen in training ('gold', 'silver', 'lead', …) in 30 rows; "
        "treated as missing.",
        "Column `paid`: 1 of 39 values is neither true nor false; treated as missing.",
        "Column `since`: 1 of 40 values is not a date written as in training; treated as missing.",
    ]


def test_numbers_are_not_looked_at_one_by_one(monkeypatch):
    """Of 500,000 numbers that took longer than all else in a batch of a monitor."""
    encoder = TableEncoder().fit(pd.DataFrame({"x": [1.0, 2.5, 3.0]}))
    monkeypatch.setattr("rocstar.tables.unread.says_unknown", None)
    assert unread_values(encoder, pd.DataFrame({"x": [1.0, np.nan]})) == []
    assert (
        "1 of 2 values is not a number"
        in unread_values(encoder, pd.DataFrame({"x": [1.0, np.inf]}))[0]
    )
