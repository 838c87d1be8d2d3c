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


def test_target_with_missing_values():
    frame = mixed()
    frame["target"] = frame["target"].astype("Int64")
    frame.loc[3:5, "target"] = pd.NA
    assert "has 3 missing values" in refusal(lambda: prepare(frame, target="target"))


def test_score_must_hold_numbers():
    message = refusal(lambda: prepare(mixed(), target="target", scores=["plan"]))
    assert "must hold finite numbers; got" in message


def test_negative_weights():
    message = refusal(lambda: prepare(mixed().assign(w=-1.0), target="target", weight="w"))
    assert message == "The weight column `w` must not be negative."


def test_one_column_cannot_have_two_roles():
    message = refusal(lambda: prepare(mixed(), target="target", scores=["target"]))
    assert message == "Column `target` cannot be both target and score."
