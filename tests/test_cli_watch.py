"""`rocstar watch`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from data_cli import command

from rocstar import ArctanRatio, Monitor
from rocstar.cli.watch import content_key, expanded
from rocstar.watching.stream import Stream

LINEAR = ("--model", "linear")


def table(rng, n, shift=0.0):
    x = rng.normal(size=n) + shift
    return pd.DataFrame({"x": x, "plan": rng.choice(["a", "b"], n), "id": 1})


@pytest.fixture
def days(tmp_path):
    rng = np.random.default_rng(0)
    table(rng, 1000).to_csv(tmp_path / "reference.csv", index=False)
    for k in range(4):
        table(rng, 300, shift=1.5 * (k == 3)).to_csv(tmp_path / f"day{k}.csv", index=False)
    return tmp_path


def test_a_night_after_night_run_goes_on_from_its_state(rocstar, days):
    state, page = days / "a.watch", days / "watch.html"
    fixed = ("watch", days / "reference.csv", "--state", state, *LINEAR)
    code, out, err = rocstar(*fixed, days / "day0.csv", days / "day1.csv")
    assert code == 0
    assert out.startswith("Watch against reference.csv\n2 readings · 600 rows\n")
    assert "Quiet: no change has been shown in 2 readings." in out
    assert "  day1    300" in out
    assert err == ""
    code, out, err = rocstar(*fixed, days / "day1.csv", days / "day2.csv")
    assert code == 0
    assert "Skipped day1.csv: counted before." in err
    assert "in 3 readings" in out
    code, out, err = rocstar(*fixed, days / "day3.csv", "-o", page)
    assert code == 3
    assert "Alarm: the data have differed" in out
    assert "alarm: x" in out
    assert "Watch against reference.csv" in page.read_text(encoding="utf-8")
    # The alarm lasts until it is acknowledged.
    assert rocstar(*fixed)[0] == 3
    assert rocstar(*fixed, "--reset")[0] == 0
    assert len(Monitor.load(state).history) == 4


def test_nights_and_one_run_agree(rocstar, days):
    args = ("watch", days / "reference.csv", *LINEAR, "--json")
    whole = rocstar(*args, days / "day*.csv")[1]
    for k in range(4):
        last = rocstar(*args, days / f"day{k}.csv", "--state", days / "b.watch")[1]
    assert json.loads(last) == json.loads(whole)


def test_bad_input_is_one_sentence_and_keeps_what_was_counted(rocstar, days):
    pd.DataFrame({"y": [1, 2]}).to_csv(days / "odd.csv", index=False)
    state = days / "c.watch"
    args = ("watch", days / "reference.csv", days / "day0.csv", days / "odd.csv")
    code, _, err = rocstar(*args, "--state", state, *LINEAR, "-q")
    assert code == 2
    assert err == "`odd.csv` has no columns `x`, `plan`, `id`, which the reference has.\n"
    assert len(Monitor.load(state).history) == 1
    state.unlink()
    code, _, err = rocstar(*args[:2], days / "odd.csv", "--state", state, *LINEAR, "-q")
    assert (code, state.exists()) == (2, False)


@pytest.mark.parametrize("stopped_by", [KeyboardInterrupt, RuntimeError])
def test_a_batch_that_is_interrupted_counts_not_at_all(rocstar, days, monkeypatch, stopped_by):
    state = days / "i.watch"
    args = ("watch", days / "reference.csv", *LINEAR, "--json", "--state")
    considered, calls = Stream._consider, []

    def stopped(*given):
        calls.append(1)
        if len(calls) == 18:  # in the midst of day2
            raise stopped_by
        considered(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Stream, "_consider", stopped)
        code, _, err = rocstar(*args, state, days / "day*.csv")
    assert Monitor.load(state).history["time"].tolist() == ["day0", "day1"]
    if stopped_by is KeyboardInterrupt:
        assert (code, err) == (130, "Interrupted; 2 tables were counted and saved.\n")
    resumed = rocstar(*args, state, days / "day*.csv", "-q")
    assert resumed == rocstar(*args, days / "j.watch", days / "day*.csv", "-q")


STOPPED = """
import os, signal, sys
import rocstar.cli
from rocstar.watching.stream import Stream

stop, considered, calls = getattr(signal, sys.argv.pop(1)), Stream._consider, []

def stopped(*given):
    calls.append(1)
    if len(calls) == 18:  # in the midst of day2
        os.kill(os.getpid(), stop)
    considered(*given)

Stream._consider = stopped
rocstar.cli.main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of other systems")
@pytest.mark.parametrize(
    ("stop", "code", "sentence"),
    [(signal.SIGINT, 130, "Interrupted"), (signal.SIGTERM, 143, "Terminated")],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_signal_saves_what_was_counted(days, stop, code, sentence):
    state = days / "s.watch"
    batches = [days / f"day{k}.csv" for k in range(4)]
    args = ("watch", days / "reference.csv", *batches, *LINEAR, "--state", state, "-q")
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, stop.name, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
    )
    saved = f"{sentence}; 2 tables were counted and saved.\n"
    assert (done.returncode, done.stdout, done.stderr) == (code, "", saved)
    assert Monitor.load(state).history["time"].tolist() == ["day0", "day1"]


def test_a_run_that_is_interrupted_early_writes_nothing(rocstar, days, monkeypatch):
    state = days / "k.watch"
    monkeypatch.setattr(Stream, "take", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    args = ("watch", days / "reference.csv", days / "day0.csv", *LINEAR, "--state", state)
    assert rocstar(*args) == (130, "", "Interrupted; nothing was written.\n")
    assert not state.exists()


def test_tables_without_rows_are_days_of_their_own(rocstar, days):
    for name in ("day1.csv", "day2.csv"):
        (days / name).write_text("x,plan,id\n")
    pd.read_csv(days / "day3.csv").iloc[:0].to_parquet(days / "day4.parquet")
    args = ("watch", days / "reference.csv", "--state", days / "f.watch", *LINEAR, "--period", "5")
    for _ in range(2):
        code, out, _ = rocstar(*args, days / "day*")
        assert code == 0
        assert "5 readings · 600 rows" in out
    monitor = Monitor.load(days / "f.watch")
    assert monitor.history["rows"].tolist() == [300, 0, 0, 300, 0]
    assert monitor.stream.phase == 0
    (days / "odd.csv").write_text("y\n")
    (days / "nothing.csv").write_text("")
    for name in ("odd.csv", "nothing.csv"):
        assert rocstar(*args, days / name, "-q")[0] == 2


def test_options_are_checked_before_tables_are_read(rocstar, days, monkeypatch):
    monkeypatch.setattr("rocstar.cli.watch._monitor", lambda *_: pytest.fail("too late"))
    for options in (("--tolerance", "2"), ("--score", "x"), (days / "none.csv",)):
        code, _, err = rocstar("watch", days / "reference.csv", *options, "-q")
        assert (code, err.count("\n")) == (2, 1)


def test_a_state_of_other_settings_is_refused(rocstar, days):
    state = days / "d.watch"
    args = ("watch", days / "reference.csv", "--state", state, *LINEAR, "-q")
    assert rocstar(*args)[0] == 0
    code, _, err = rocstar(*args, "--tolerance", "0.1")
    assert code == 2
    assert "was begun with another --tolerance, 0.0; use the same, or another file" in err
    code, _, err = rocstar("watch", days / "day0.csv", "--state", state, *LINEAR, "-q")
    assert (code, "was begun with another reference" in err) == (2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tolerance", "2"), "--tolerance must be at least 0 and below 1; got 2.0."),
        (("--score", "x"), "--score must come with --target: both are columns of the reference."),
        (("--auc-drop", "-1"), "--auc-drop must be at least 0 and below 1; got -1.0."),
        (("--drop", "nope"), "`reference.csv` has no column `nope`"),
        (("--labels", __file__), "--labels needs --score and --target, whose AUC is watched"),
        (("--state", "."), "--state must name a file; `.` is a folder."),
        ((".",), "`.` is a folder; name the files in it, such as ./*.parquet."),
    ],
)
def test_options_that_cannot_be_used_are_named(rocstar, days, options, message):
    code, _, err = rocstar("watch", days / "reference.csv", *LINEAR, *options, "-q")
    assert code == 2
    assert message in err


def test_the_reference_as_a_batch_is_one_sentence(rocstar, days):
    code, _, err = rocstar("watch", days / "reference.csv", days / "reference.csv", *LINEAR, "-q")
    assert code == 2
    assert err.startswith("`reference.csv` is the reference itself")


def test_a_score_is_watched_and_labels_come_late(rocstar, tmp_path):
    rng = np.random.default_rng(1)

    def scored(n, shift):
        y = rng.integers(0, 2, n)
        score = rng.normal(size=n) + shift * y
        return pd.DataFrame({"x": rng.normal(size=n), "score": score, "y": y})

    scored(1000, 1.5).to_csv(tmp_path / "reference.csv", index=False)
    day = scored(600, 0.0)
    day.assign(y=None).to_csv(tmp_path / "day.csv", index=False)
    day[["score", "y"]].to_csv(tmp_path / "labels.csv", index=False)
    args = (
        "watch",
        tmp_path / "reference.csv",
        tmp_path / "day.csv",
        "--score",
        "score",
        "-t",
        "y",
    )
    assert rocstar(*args, *LINEAR, "-q")[0] == 0
    code, out, _ = rocstar(*args, *LINEAR, "-q", "--labels", tmp_path / "labels.csv")
    assert code == 3
    assert "the AUC of the score has fallen below the reference's" in " ".join(out.split())
    assert "alarm: AUC" in out


def test_labels_without_their_columns_name_the_file(rocstar, tmp_path):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 100)
    frame = pd.DataFrame({"x": rng.normal(size=100), "score": rng.normal(size=100) + y, "y": y})
    frame.to_csv(tmp_path / "reference.csv", index=False)
    frame[["y"]].to_csv(tmp_path / "late.csv", index=False)
    args = ("watch", tmp_path / "reference.csv", "--score", "score", "-t", "y", *LINEAR, "-q")
    code, _, err = rocstar(*args, "--labels", tmp_path / "late.csv")
    assert (code, err) == (2, "`late.csv` has no column `score`; it has `y`.\n")


def test_a_state_saved_in_python_is_one_sentence(rocstar, days):
    state = days / "python.watch"
    Monitor(pd.read_csv(days / "reference.csv"), model=ArctanRatio()).save(state)
    code, _, err = rocstar("watch", days / "reference.csv", "--state", state, "-q")
    assert code == 2
    assert err.startswith(f"`{state}` was saved in Python, not by rocstar watch; continue")


def test_two_runs_at_once_count_every_day_once(days):
    """Two processes, one state: the second waits for the first."""
    state = days / "e.watch"

    def night(k):
        batch = days / f"day{k}.csv"
        return command("watch", days / "reference.csv", batch, "--state", state, *LINEAR, "-q")

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(night, (0, 1)))
    assert [run.returncode for run in found] == [0, 0], [run.stderr for run in found]
    assert sorted(Monitor.load(state).history["time"]) == ["day0", "day1"]


def test_patterns_and_keys(tmp_path):
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).write_text("x")
    assert [os.path.basename(p) for p in expanded([str(tmp_path / "*.csv")])] == ["a.csv", "b.csv"]
    assert expanded(["no*.csv", "z.csv"]) == ["no*.csv", "z.csv"]
    assert content_key(str(tmp_path / "a.csv")) == content_key(str(tmp_path / "b.csv"))
    assert content_key("-") is None
