"""The summary of a monitor: plain data, and a verdict in words."""

from __future__ import annotations

import json

import numpy as np

from rocstar import Monitor
from rocstar.report.parts import Fact
from rocstar.report.watch_sections import facts


def monitor(shift, tolerance=0.0):
    rng = np.random.default_rng(0)
    watched = Monitor(rng.normal(size=(1000, 2)), model="linear", tolerance=tolerance)
    watched.update(rng.normal(size=(100, 2)), time="Monday")
    watched.update(rng.normal(size=(400, 2)) + np.array([shift, 0]), time="Tuesday")
    return watched


def test_a_quiet_stream_in_words():
    assert monitor(0.0).summary()["verdict"] == (
        "Quiet: no change has been shown in 2 readings. The probability of any false alarm is at "
        "most 5 %, however often one looks."
    )


def test_an_alarm_in_words():
    text = monitor(1.5, tolerance=0.1).summary()["verdict"]
    assert text.startswith("Alarm: the data have differed from the reference by at least 0.")
    assert "above the tolerance of 0.1 (95 % confidence)" in text
    assert "The evidence grew from Tuesday on." in text
    assert text.endswith("Columns that moved in the last batch: `x0`.")


def test_an_alarm_about_a_column_in_words():
    rng = np.random.default_rng(2)
    watched = Monitor(rng.normal(size=(1000, 2)), model="linear")
    watched.update(rng.normal(size=(40, 2)) + np.array([0, 1.2]), time="Monday")
    summary = watched.summary()
    assert summary["verdict"] == (
        "Alarm: column `x1` has changed (95 % confidence). The evidence grew from Monday on. "
        "Columns that moved in the last batch: `x1`."
    )
    last = summary["batches"][-1]
    assert last["tv_low"] == 0
    assert 0 < last["column_pvalue"] <= 0.05


def test_after_a_reset_verdict_and_page_are_quiet():
    watched = monitor(1.5)
    watched.reset()
    summary = watched.summary()
    assert (summary["alarm"], summary["awaits_batch"]) == (False, True)
    assert summary["verdict"] == "Quiet: no batch has been judged since the last reset."
    assert facts(summary) == [Fact("State", "Quiet", "no batch since the last reset")]
    watched.update(np.random.default_rng(1).normal(size=(100, 2)))
    said = watched.summary()["verdict"]
    assert said.startswith("Quiet: no change has been shown in 1 reading since the last reset.")


def test_an_alarm_about_the_auc_alone_is_not_called_quiet():
    watched = monitor(0.0)
    watched.records[-1]["auc_alarm"] = True
    assert watched.summary()["verdict"] == (
        "Alarm: the AUC of the score has fallen below the reference's (95 % confidence). "
        "No change of the other columns has been shown."
    )


def test_no_batch_yet():
    watched = Monitor(np.random.default_rng(0).normal(size=(50, 2)), model="linear")
    assert watched.summary()["verdict"] == "No batch has been judged yet."


def test_the_summary_is_strict_json():
    rng = np.random.default_rng(1)
    watched = Monitor(rng.normal(size=(100, 2)), model="linear")
    watched.update(rng.normal(size=(30, 2)))  # no estimate yet: NaN
    summary = watched.summary("Churn")
    text = json.dumps(summary, allow_nan=False)
    assert json.loads(text)["title"] == "Churn"
    assert summary["batches"][0]["tv"] is None
    assert [len(column["shifts"]) for column in summary["columns"]] == [1, 1]
