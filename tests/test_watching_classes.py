"""Labels of a stream: spelled in many ways, unknown, or without a score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar.watching.classes import Classes

SCORES = pd.Series([0.1, 0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, None, 1, 0],
        [0.0, 1.0, np.nan, 1.0, 0.0],
        ["0", "1", None, "1.0", " 0"],
    ],
)
@pytest.mark.parametrize("classes", [Classes(1, [0]), Classes("1", ["0"]), Classes(1.0, [0.0])])
def test_a_label_is_known_however_it_is_spelled(labels, classes):
    positive, scores, notes = classes.labelled(pd.Series(labels, dtype=object), SCORES)
    np.testing.assert_array_equal(positive, [False, True, True, False])
    np.testing.assert_array_equal(scores, [0.1, 0.2, 0.4, 0.5])
    assert notes == ()


def test_true_and_false_are_one_and_zero():
    labels = pd.Series([False, True, True, True, False])
    assert Classes(1, [0]).labelled(labels, SCORES)[0].tolist() == labels.tolist()
    assert Classes(True, [False]).labelled(labels * 1.0, SCORES)[0].tolist() == labels.tolist()


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_labels_of_any_type_may_be_missing(dtype):
    labels = pd.Series(["no", "yes", None, "?", "yes"], dtype=dtype)
    positive, scores, notes = Classes("yes", ["no"]).labelled(labels, SCORES)
    assert (positive.tolist(), scores.tolist()) == ([False, True, True], [0.1, 0.2, 0.5])
    assert notes == ()


def test_case_matters_only_where_it_tells_classes_apart():
    labels = pd.Series(["Yes", "no", "NO ", "yes", "yes"])
    positive, _, notes = Classes("yes", ["no"]).labelled(labels, SCORES)
    assert (positive.tolist(), notes) == ([True, False, False, True, True], ())
    positive, _, _ = Classes("a", ["A"]).labelled(pd.Series(["a", "A", "A", "a", "a"]), SCORES)
    assert positive.tolist() == [True, False, False, True, True]


def test_rows_left_out_are_noted():
    labels = pd.Series([0, 1, 2, 1, "unknown"], name="bad", dtype=object)
    scores = SCORES.mask(SCORES == 0.4)
    positive, found, notes = Classes(1, [0]).labelled(labels, scores)
    assert (positive.tolist(), found.tolist()) == ([False, True], [0.1, 0.2])
    assert notes == (
        "Column `bad`: 1 row has a class that the reference has not ('2'); left out of the AUC.",
        "1 labelled row has no score; left out of the AUC.",
    )


def test_all_other_classes_of_the_reference_are_negative():
    frame = pd.DataFrame({"score": SCORES, "y": ["a", "b", "c", "c", None]})
    classes, positive, scores = Classes.of_reference(frame, "score", "y", "c")
    assert classes == Classes("c", ["a", "b"])
    assert positive.tolist() == [False, False, True, True]
    assert scores.tolist() == [0.1, 0.2, 0.3, 0.4]
    labels = pd.Series(["b", "c", "a", "c", "d"])
    assert classes.labelled(labels, SCORES)[0].tolist() == [False, True, False, True]
