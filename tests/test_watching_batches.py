"""Notes, labels and content of batches."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar.checks import InputError
from rocstar.tables.columns import TableEncoder
from rocstar.watching.batches import batch_notes, content, labelled_scores

TABLE = pd.DataFrame({"x": [1.0, 2, 3, 4], "plan": ["a", "b", "a", "b"], "version": "v1"})
ENCODER = TableEncoder().fit(TABLE)


def notes(frame):
    return batch_notes(frame, ENCODER, {"version": "v1"}, list(frame.columns))


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


@pytest.mark.parametrize("labels", [[0, 1, None, 1, 2], ["0", "1", None, "1", "no"]])
def test_only_rows_of_a_known_class_have_labels(labels):
    scores = pd.Series([0.1, 0.2, 0.3, 0.4, 0.5])
    positive, known = labelled_scores(pd.Series(labels, dtype=object), scores, [0, 1])
    np.testing.assert_array_equal(positive, [False, True, True])
    np.testing.assert_array_equal(known, [0.1, 0.2, 0.4])


def test_content_is_that_of_the_rows_in_any_order():
    assert content(TABLE) == content(TABLE.iloc[::-1].reset_index(drop=True))
    assert content(TABLE) != content(TABLE.assign(x=0.0))
    lists = pd.DataFrame({"x": [[1], [2]]})
    assert content(lists) == content(lists.copy())
