"""Notes, labels and content of batches."""

from __future__ import annotations

import pandas as pd
import pytest

from rocstar.checks import InputError
from rocstar.tables.columns import TableEncoder
from rocstar.watching.batches import batch_notes, constant_columns, content

TABLE = pd.DataFrame({"x": [1.0, 2, 3, 4], "plan": ["a", "b", "a", "b"], "version": "v1"})
ENCODER = TableEncoder().fit(TABLE)


def notes(frame):
    return batch_notes(frame, ENCODER, {"version": ["v1"]}, list(frame.columns))


def test_a_usual_batch_has_no_notes():
    assert notes(TABLE.iloc[::-1]) == ()


def test_what_is_unusual_is_noted():
    assert notes(TABLE.iloc[:0]) == ("The batch has no rows.",)
    found = notes(TABLE.assign(plan="c", version="v2", more=1))
    assert found[0] == "The batch has column `more`, which the reference has not."
    assert found[1].startswith("Column `version`: the reference has one value")
    assert "not seen in training ('c')" in found[2]


def test_a_missing_column_is_refused():
    with pytest.raises(InputError, match="`batch` has no column `x`, which the reference has"):
        notes(TABLE.drop(columns="x"))


@pytest.mark.parametrize(
    ("reference", "batch", "said"),
    [
        (1, 1.0, None),
        (1.0, "1", None),
        (1, 2.0, "the reference has one value, the batch has others"),
        ("v1", None, None),
        (None, None, None),
        (None, 3, "the reference has no value, the batch has some"),
    ],
)
def test_a_constant_changes_only_if_its_value_does(reference, batch, said):
    old, new = TABLE.assign(version=reference), TABLE.assign(version=batch)
    encoder = TableEncoder().fit(old)
    found = batch_notes(new, encoder, constant_columns(old, encoder), list(new))
    assert found == (() if said is None else (f"Column `version`: {said}; not watched.",))


def test_a_column_is_constant_only_if_it_is_in_the_whole_reference():
    whole = pd.concat([TABLE, TABLE.assign(version="v2")])
    constants = constant_columns(whole, ENCODER)
    assert constants == {"version": ["v1", "v2"]}
    assert batch_notes(TABLE.assign(version="v2"), ENCODER, constants, list(TABLE)) == ()
    (note,) = batch_notes(TABLE.assign(version="v3"), ENCODER, constants, list(TABLE))
    assert "hardly any other than one value, the batch has new ones; not watched" in note


def test_content_is_that_of_the_rows_in_any_order():
    assert content(TABLE) == content(TABLE.iloc[::-1].reset_index(drop=True))
    assert content(TABLE) != content(TABLE.assign(x=0.0))
    lists = pd.DataFrame({"x": [[1], [2]]})
    assert content(lists) == content(lists.copy())
