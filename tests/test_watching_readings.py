"""Readings in words."""

from __future__ import annotations

from rocstar.inference.estimate import Estimate
from rocstar.watching.readings import Drift, Reading, record
from rocstar.watching.shifts import Shift

NONE = Drift(float("nan"), 0.0, 0.0, 0.0)


def test_a_quiet_reading():
    assert str(Reading("Monday", 1, NONE, NONE, 1.0, False)) == "Monday: 1 row; quiet."


def test_an_alarm_names_its_bound_rounded_down_its_start_and_its_columns():
    drift = Drift(0.2216, 0.0749, 0.0749, 0.01)
    reading = Reading(
        "Friday", 1200, drift, NONE, 1e3, True, "Thursday", moved=(Shift("age", 0.2, 0.0),)
    )
    assert str(reading) == (
        "Friday: 1,200 rows; alarm: total variation from the reference at least 0.074 (95 % "
        "confidence), evidence since Thursday; estimate 0.222; moved: `age`."
    )


def test_an_alarm_about_a_column_names_it_also_without_a_bound():
    reading = Reading("Friday", 9, NONE, NONE, 1.0, True, "Thursday", "age", 0.01)
    assert "alarm: `age` has changed (95 % confidence), evidence since Thursday." in str(reading)
    both = Reading(
        "Friday", 9, Drift(0.2, 0.05, 0.05, 0), NONE, 99.0, True, "Thursday", "age", 0.01
    )
    assert "total variation from the reference at least 0.050, `age` has changed (95" in str(both)
    assert record(reading)["column"] == "age"
    assert record(reading)["column_pvalue"] == 0.01


def test_the_auc_is_stated_with_its_limits():
    auc = Estimate(0.8, 0.75, 0.85, 0.95, "two-sided")
    text = str(Reading(1, 2, NONE, NONE, 1.0, False, auc=auc, auc_alarm=True))
    assert "AUC 0.800; between 0.750 and 0.850 (95 % confidence)" in text
    assert "alarm: the AUC has fallen below the reference's" in text
    assert "quiet" not in text


def test_a_record_is_plain():
    auc = Estimate(0.8, 0.75, 0.85, 0.95, "two-sided")
    line = record(Reading(("a", 1), 2, NONE, Drift(0.1, 0.2, 0.3, 0.4), 1.0, False, auc=auc))
    assert line["time"] == "('a', 1)"
    assert (line["divergence"], line["divergence_low_since_start"]) == (0.1, 0.3)
    assert (line["auc"], line["auc_low"], line["auc_high"]) == (0.8, 0.75, 0.85)
