"""What each role requires of its column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_tables import DAY_FIRST, mixed, refusal

from rocstar.tables.table import prepare


def test_positive_class_is_the_larger_or_the_named_one():
    frame = mixed().assign(target=["no", "yes"] * 100)
    assert prepare(frame, target="target").positive == "yes"
    named = prepare(frame, target="target", positive="no")
    assert named.positive == "no"
    assert named.y[0]


def test_a_number_may_be_named_in_any_spelling():
    frame = mixed().assign(target=[1.0, 2.0, 3.0, 4.0] * 50)
    assert prepare(frame, target="target", positive="2").y.sum() == 50


def test_times_written_day_first_are_understood_whatever_row_comes_first():
    frame = pd.DataFrame({"when": DAY_FIRST[1:], "a": range(11), "target": [0, 1] * 5 + [0]})
    expected = pd.to_datetime(frame["when"], format="%d/%m/%Y").astype("int64")
    order = np.argsort(prepare(frame, target="target", time="when").time)
    np.testing.assert_array_equal(order, np.argsort(expected))


@pytest.mark.parametrize("role", ["target", "weight", "group", "time"])
def test_unknown_column_suggests_the_nearest(role):
    frame = mixed()
    call = {"target": "target"} | {role: "Joinde"}
    message = refusal(lambda: prepare(frame, **call))
    assert message == "`table` has no column `Joinde`; did you mean `joined`?"


def test_one_class_only():
    message = refusal(lambda: prepare(mixed().assign(target="yes"), target="target"))
    assert message == "The target column `target` has one class only, yes."


def test_three_classes_need_a_positive_one():
    frame = mixed().iloc[:198].assign(target=["a", "b", "c"] * 66)
    message = refusal(lambda: prepare(frame, target="target"))
    assert "has 3 classes (a, b, c); say which is positive with `positive`." in message
    assert prepare(frame, target="target", positive="b").y.sum() == 66
    message = refusal(lambda: prepare(frame, target="target", positive="d"))
    assert "never has the value `d`" in message


def test_rows_are_counted_in_the_table_also_behind_rows_without_a_class():
    frame = mixed().assign(s=["1.5"] * 9 + ["x"] * 191).astype({"target": "Int64"})
    frame.loc[3:5, "target"] = pd.NA
    message = refusal(lambda: prepare(frame, target="target", scores=["s"]))
    assert message == "The score column `s` must hold finite numbers; got x in row 10."
    frame["s"] = "1,5"
    assert prepare(frame, target="target", scores=["s"]).scores["s"].tolist() == [1.5] * 197


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (1, "has 1 missing value; fill it in or leave that row out."),
        (2, "has 2 missing values; fill them in or leave those rows out."),
    ],
)
def test_gaps_in_other_roles_are_counted(missing, sentence):
    frame = mixed().assign(w=1.0)
    frame.loc[: missing - 1, "w"] = np.nan
    assert refusal(lambda: prepare(frame, target="target", weight="w")).endswith(sentence)


def test_several_problems_are_listed_at_once():
    frame = mixed().assign(w=-1.0, s="x")
    message = refusal(lambda: prepare(frame, target="target", weight="w", scores=["s"]))
    assert "must hold finite numbers; got x in row 1. The weight column `w` must not" in message
    message = refusal(lambda: prepare(frame, target="tarfet", weight="wait", drop=["zzz"]))
    assert message.count("`table` has no column") == 3


def test_score_must_hold_numbers():
    message = refusal(lambda: prepare(mixed(), target="target", scores=["plan"]))
    assert "must hold finite numbers; got" in message


def test_negative_weights():
    message = refusal(lambda: prepare(mixed().assign(w=-1.0), target="target", weight="w"))
    assert message == "The weight column `w` must not be negative."


def test_one_column_cannot_have_two_roles():
    message = refusal(lambda: prepare(mixed(), target="target", scores=["target"]))
    assert message == "Column `target` cannot be both target and score."
