"""Which rows have a class, how it is spelled, and which one is positive."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_tables import refusal

from rocstar.tables.target import positive_class, read_target, refuse_unclean


def target(*labels, **given):
    return read_target(pd.Series(labels, name="churn"), **given)


def told(found) -> list[str]:
    return [remark.text for remark in found.remarks]


def test_a_plain_target_needs_no_word():
    for labels in (["no", "yes"], [0, 1], [False, True], [1.0, 2.0], ["+", "-"], ["A", "a"]):
        found = target(*labels * 3)
        assert (found.labels.tolist(), found.remarks) == ([False, True] * 3, ())
        assert list(found.classes) == labels
        assert found.kept.all()


def test_spellings_of_one_class_are_one_and_counted():
    found = target("no", "yes", "Yes ", "YES", "yes", "No", "yes", positive="yes")
    assert found.labels.tolist() == [False, True, True, True, True, False, True]
    assert found.classes == ("no", "yes")
    assert told(found) == [
        "In the target `churn`, 2 rows are spelled `Yes ` or `YES` and were counted as `yes`.",
        "In the target `churn`, 1 row is spelled `No` and was counted as `no`.",
    ]


def test_rows_without_a_class_are_left_out_and_counted():
    found = target("no", "yes", None, "?", "unknown", "no", np.nan)
    assert found.kept.tolist() == [True, True, False, False, False, True, False]
    assert found.labels.tolist() == [False, True, False]
    assert told(found) == [
        "4 rows have no known value of the target `churn` (2 blank, 1 with `?`, 1 with `unknown`) "
        "and were left out."
    ]
    assert told(target(0, 1, None)) == [
        "1 row has no known value of the target `churn` (1 blank) and was left out."
    ]


def test_unknown_as_one_of_two_classes_stays_with_a_word():
    found = target("yes", "?", "?", positive="yes")
    assert found.labels.tolist() == [True, False, False]
    assert told(found) == [
        "In the target `churn`, `?` (2 rows) counts as negative: leave these rows out if it means "
        "unknown."
    ]


def test_several_negative_classes_are_named_with_their_rows():
    found = target("yes", "no", "no", "maybe", positive="yes")
    assert found.classes == ("not yes", "yes")
    assert told(found) == [
        "The target `churn` has 3 values: `yes` is positive, and `no` (2 rows) and `maybe` (1 row) "
        "count as negative."
    ]
    many = told(target(*range(9), positive="3"))[0]
    assert many.endswith(
        "`0` (1 row), `1` (1 row), `2` (1 row), `4` (1 row) and 4 more count as negative."
    )


@pytest.mark.parametrize("positive", ["yes", "Yes", " YES"])
def test_the_positive_class_is_found_in_any_case(positive):
    assert target("No", "Yes ", positive=positive).labels.tolist() == [False, True]


def test_a_continuous_target_is_called_one():
    message = refusal(lambda: target(*range(812)))
    assert message == (
        "The target column `churn` has 812 distinct numbers; a target needs two values: replace it "
        "by a column that says, for instance, whether it exceeds its median, 405.5."
    )
    assert "has 5 classes (0, 1, 2, 3, 4); say which" in refusal(lambda: target(*range(5)))


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([None, None], "The target column `churn` has no value in any row."),
        (["yes", None], "The target column `churn` has one class only, yes."),
        ([[1], [2]], "The target column `churn` holds lists or other objects."),
    ],
)
def test_targets_that_cannot_be_used(labels, sentence):
    assert refusal(lambda: target(*labels)) == sentence


def test_classes_in_partitions_are_refused_where_a_table_in_memory_is_mended():
    refuse_unclean({"no": 5, "yes": 3}, None, "churn")
    assert refusal(lambda: refuse_unclean({"no": 5, "yes": 3, "Yes ": 1}, None, "churn")) == (
        "The target column `churn` has 1 row with `Yes ` beside `yes`; spell them alike."
    )
    assert "has 2 rows with `?`, which looks like" in refusal(
        lambda: refuse_unclean({"no": 5, "yes": 3, "?": 2}, None, "churn")
    )
    assert positive_class({"no": 5, "yes": 3}, None, "churn") == "yes"
