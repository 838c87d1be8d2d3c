"""`Monitor`: mixed tables, odd batches, keys, resets, labels, history."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rocstar import Monitor
from rocstar.checks import InputError
from rocstar.watching.means import RunningMean
from rocstar.watching.monitor import copied


def table(rng, n, shift=0.0):
    return pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * shift, 10, n),
            "plan": rng.choice(["basic", "plus", "pro"], n),
            "since": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "gap": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        }
    )


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def monitor(rng):
    return Monitor(table(rng, 1200), model="linear")


def test_a_change_in_a_mixed_table_is_found_and_named(monitor, rng):
    for _ in range(3):
        assert not monitor.update(table(rng, 300)).alarm
    reading = monitor.update(table(rng, 600, shift=1.0), time="bad day")
    assert reading.alarm
    assert reading.since == "bad day"
    assert reading.moved[0].name == "age"
    assert reading.moved[0].importance > 0.1
    assert 0 < reading.tv.low <= reading.tv.low_since_start < 0.39
    assert 0 < reading.divergence.low < reading.tv.low
    assert monitor.history["alarm"].tolist() == [False] * 3 + [True]
    assert monitor.shifts.loc["bad day"].idxmax() == "age"


def test_a_column_that_alarms_stays_named_but_moved_only_once(rng):
    monitor = Monitor(rng.normal(size=(2000, 3)), model="linear")
    first = monitor.update(rng.normal(size=(200, 3)) + np.array([0, 0.5, 0]), time="a")
    assert (first.alarm, first.column, first.since) == (True, "x1", "a")
    assert first.column_pvalue <= 0.05
    assert "x1" in [column.name for column in first.moved]
    later = monitor.update(rng.normal(size=(200, 3)), time="b")
    assert (later.alarm, later.column) == (True, "x1")
    assert later.moved == ()
    monitor.reset()
    assert monitor.update(rng.normal(size=(200, 3)), time="c").column is None


def test_quiet_batches_after_an_alarm_name_no_column_by_chance():
    rng = np.random.default_rng(0)
    named = 0
    for _ in range(4):
        monitor = Monitor(rng.normal(size=(1500, 5)), model="linear")
        monitor.update(rng.normal(size=(400, 5)) + np.array([1.5, 0, 0, 0, 0]))
        named += sum(bool(monitor.update(rng.normal(size=(400, 5))).moved) for _ in range(10))
        assert monitor.alarm
    assert named <= 6  # of 40 at 5 % by their own tests: more have probability 0.003


def test_days_that_differ_within_a_period_do_not_move_its_columns():
    rng = np.random.default_rng(3)

    def day(k, n, shift=0.0):
        weekend = np.array([1.0 * (k % 7 >= 5), 0.0])
        return rng.normal(size=(n, 2)) + weekend + np.array([0.0, shift])

    reference = np.concatenate([day(k, 150) for k in range(28)])
    monitor = Monitor(reference, model="linear", period=7)
    named = [monitor.update(day(k, 100)).moved for k in range(28)]
    assert sum(map(bool, named)) <= 1
    monitor.update(day(0, 100))
    monitor.reset()  # begins a new week
    changed = [monitor.update(day(k, 100, shift=0.5)).moved for k in range(6)]
    changed.append(monitor.update(np.zeros((0, 2))).moved)  # an empty day may end a week
    assert changed[:6] == [()] * 6
    assert "x1" in [column.name for column in changed[6]]


def test_columns_are_not_tested_with_a_tolerance_or_a_period(rng):
    for settings in ({"tolerance": 0.01}, {"period": 2}):
        monitor = Monitor(rng.normal(size=(400, 2)), model="linear", **settings)
        assert monitor.update(rng.normal(size=(50, 2))).column_pvalue is None


def test_a_change_of_correlation_names_columns_that_did_not_move_alone():
    rng = np.random.default_rng(1)
    monitor = Monitor(rng.normal(size=(2000, 4)))
    X = rng.normal(size=(800, 4))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    reading = monitor.update(X)
    assert reading.alarm
    assert {column.name for column in reading.moved} == {"x0", "x1"}
    assert max(column.shift for column in reading.moved) < 0.1


def test_a_text_does_not_move_in_quiet_batches():
    rng = np.random.default_rng(7)
    words = [f"{a}{b}{c}" for a in "bdgkmt" for b in "aeiou" for c in "lnrs"]

    def texts(n):
        return pd.DataFrame({"text": [" ".join(rng.choice(words, 5)) for _ in range(n)]})

    monitor = Monitor(texts(800), model="linear")
    assert sum(bool(monitor.update(texts(200)).moved) for _ in range(6)) <= 1


def test_a_new_category_is_noted_and_found(monitor, rng):
    reading = monitor.update(table(rng, 400).assign(plan="free"))
    assert reading.alarm
    assert "not seen in training ('free')" in reading.notes[0]
    assert reading.moved[0].name == "plan"


@pytest.mark.parametrize("dtype", [int, float, str])
def test_flags_written_as_zero_and_one_are_the_same_flags(rng, dtype):
    def flags(n):
        return pd.DataFrame({"x": rng.normal(size=n), "flag": rng.random(n) < 0.3})

    monitor = Monitor(flags(1000), model="linear")
    batch = flags(400)
    batch["flag"] = batch["flag"].astype(int).astype(dtype)
    reading = monitor.update(batch)
    assert (reading.alarm, reading.notes) == (False, ())
    batch["flag"] = batch["flag"].astype(int) + 1  # two and one are no flags
    assert "are neither true nor false" in monitor.update(batch).notes[0]


def test_an_empty_batch_is_a_reading(monitor, rng):
    reading = monitor.update(table(rng, 0))
    assert (reading.rows, reading.alarm) == (0, False)
    assert reading.notes == ("The batch has no rows.",)


def test_a_missing_column_is_one_sentence_and_changes_nothing(monitor, rng):
    with pytest.raises(InputError, match="`batch` has no column `age`, which the reference has"):
        monitor.update(table(rng, 50).drop(columns="age"))
    assert monitor.stream.batches == 0


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"tolerance": "a"}, "`tolerance` must be a number, at least 0 and below 1; got 'a'."),
        ({"tolerance": None}, "`tolerance` must be a number, at least 0 and below 1; got None."),
        ({"auc_drop": "x"}, "`auc_drop` must be a number, at least 0 and below 1; got 'x'."),
        ({"level": "0.95"}, "`level` must be a number between 0 and 1; got '0.95'."),
        (
            {"period": "week"},
            "`period` must be a whole number of batches, 1 or more; got 'week'.",
        ),
        ({"period": np.inf}, "`period` must be a whole number of batches, 1 or more; got inf."),
        (
            {"positive": "x"},
            "`positive` must come with `score` and a target, whose AUC is watched; got 'x' alone.",
        ),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_used_is_one_sentence(rng, settings, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        Monitor(rng.normal(size=(100, 2)), **settings)


def test_missing_values_that_a_model_cannot_take_are_named_at_once(rng):
    clean = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    gaps = clean.assign(b=clean["b"].where(clean["b"] < 1))
    sentence = "^`model` must take missing values, which column `b` of `{}` has; got Logistic"
    with pytest.raises(InputError, match=sentence.format("reference")):
        Monitor(gaps, model=LogisticRegression())
    monitor = Monitor(clean, model=LogisticRegression())
    with pytest.raises(InputError, match=sentence.format("batch")):
        monitor.update(gaps[:100])
    assert monitor.records == []
    imputed = make_pipeline(SimpleImputer(), LogisticRegression())
    for model in (HistGradientBoostingClassifier(max_iter=5), imputed):
        assert Monitor(gaps, model=model).update(gaps[:100]).rows == 100


def test_a_series_is_one_sentence_that_fits_it():
    with pytest.raises(InputError, match=r"got a series of 3 values: pass reference\.to_frame\(\)"):
        Monitor(pd.Series([1.0, 2.0, 3.0]))


def test_a_dask_batch_is_one_sentence_that_names_it(monitor, rng):
    dd = pytest.importorskip("dask.dataframe")
    batch = dd.from_pandas(table(rng, 50), npartitions=2)
    with pytest.raises(ValueError, match=r"`batch` must be in memory.*pass batch\.compute\(\)"):
        monitor.update(batch)


def test_a_new_column_is_noted(monitor, rng):
    reading = monitor.update(table(rng, 50).assign(extra=1))
    assert reading.notes == ("The batch has column `extra`, which the reference has not.",)


def test_a_column_of_one_value_is_noted_when_it_changes(rng):
    monitor = Monitor(table(rng, 200).assign(version="v1"), model="linear")
    assert monitor.update(table(rng, 50).assign(version="v1")).notes == ()
    assert monitor.update(table(rng, 50).assign(version="v2")).notes == (
        "Column `version`: the reference has one value, the batch has others; not watched.",
    )
    assert monitor.shifts.shape == (2, 4)


def test_the_reference_itself_is_one_sentence():
    X = table(np.random.default_rng(2), 100)
    with pytest.raises(InputError, match="`batch` is the reference itself"):
        Monitor(X, model="linear").update(X.copy())


def test_a_key_is_counted_once(monitor, rng):
    batch = table(rng, 100)
    assert monitor.update(batch, key="a") is not None
    assert monitor.update(batch, key="a") is None
    assert len(monitor.history) == 1


def test_the_same_seed_gives_the_same_readings():
    def last(seed):
        rng = np.random.default_rng(3)
        monitor = Monitor(rng.normal(size=(300, 2)), random_state=seed)
        return [monitor.update(rng.normal(size=(200, 2)) + 0.3) for _ in range(3)][-1]

    assert last(5) == last(5)
    assert last(5) != last(6)


def test_a_reset_acknowledges_an_alarm(monitor, rng):
    assert monitor.update(table(rng, 600, shift=1.0)).alarm
    monitor.reset()
    reading = monitor.update(table(rng, 300))
    assert not reading.alarm
    assert reading.tv.low == 0 < reading.tv.low_since_start


def test_a_reset_may_bring_a_new_reference(monitor, rng):
    monitor.update(table(rng, 600, shift=1.0))
    monitor.reset(reference=table(rng, 1200, shift=1.0))
    assert monitor.stream.error == pytest.approx(0.05 * 0.1)
    for _ in range(3):
        assert not monitor.update(table(rng, 300, shift=1.0)).alarm
    assert len(monitor.history) == 4
    reading = monitor.update(table(rng, 300, shift=2.0), time="again")
    assert (reading.column, reading.since) == ("age", "again")


def test_a_new_reference_may_have_other_columns(monitor, rng):
    monitor.update(table(rng, 100), time="a")
    monitor.reset(reference=table(rng, 300).rename(columns={"gap": "delay", "plan": "tariff"}))
    names = [each["name"] for each in monitor.summary()["columns"]]
    assert names == ["age", "tariff", "since", "delay"]
    monitor.to_html()
    later = table(rng, 100).rename(columns={"gap": "delay", "plan": "tariff"})
    monitor.update(later.assign(age=0.0), time="b")
    shifts = monitor.shifts
    assert shifts.columns.tolist() == ["age", "tariff", "since", "delay", "plan", "gap"]
    assert shifts.isna().to_numpy().tolist() == [
        [False, True, False, True, False, False],
        [False, False, False, False, True, True],
    ]
    columns = {each["name"]: each["shifts"] for each in monitor.summary()["columns"]}
    assert columns["age"][0] < 0.3 < columns["age"][1]
    assert columns["delay"][0] is None
    assert "tariff" in monitor.to_html()


def test_a_reference_that_cannot_be_used_changes_nothing(monitor, rng):
    monitor.update(table(rng, 600, shift=1.0))
    before = dict(vars(monitor))
    with pytest.raises(InputError, match="at least 20 rows"):
        monitor.reset(reference=table(rng, 5))
    with pytest.raises(InputError, match="two values or more"):
        monitor.reset(reference=np.zeros((50, 2)))
    assert monitor.alarm
    assert vars(monitor) == before
    monitor.update(table(rng, 50))


def test_alarms_of_data_and_auc_share_the_error(rng):
    y = rng.integers(0, 2, 200)
    frame = table(rng, 200).assign(label=y, score=y + rng.normal(size=200))
    alone = Monitor(frame, model="linear")
    both = Monitor(frame, model="linear", score="score", target="label")
    assert both.stream.error + both.auc.error == pytest.approx(alone.stream.error)


def test_periods_count_empty_batches_and_begin_with_a_new_reference(rng):
    monitor = Monitor(table(rng, 200), model="linear", period=3)

    def counted(*sizes):
        for n in sizes:
            monitor.update(table(rng, n))
        return monitor.stream.epoch.average.n

    assert counted(50, 0) == 0
    assert counted(50) == 100
    monitor.update(table(rng, 50))
    monitor.reset(reference=table(rng, 300))
    assert counted(50, 50) == 0
    assert counted(50) == 150


def test_tolerance_in_units_of_divergence(rng):
    monitor = Monitor(table(rng, 1200), model="linear", tolerance=0.1, unit="divergence")
    reading = monitor.update(table(rng, 600, shift=0.5))
    assert not reading.alarm
    assert 0 < reading.divergence.low < 0.1
    assert monitor.update(table(rng, 600, shift=3.0)).alarm


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unit": "km"}, "`unit` must be 'tv' or 'divergence'; got 'km'"),
        ({"tolerance": 1.0}, "`tolerance` must be at least 0 and below 1; got 1.0"),
        ({"tolerance": 0.6, "unit": "divergence"}, "below 0.586"),
        ({"period": 0}, "`period` must be a whole number of batches"),
        ({"score": "s"}, "`score` must come with `target`"),
        ({"level": 2}, "`level` must lie strictly between 0 and 1"),
        ({"auc_drop": 1}, "`auc_drop` must be at least 0 and below 1"),
    ],
)
def test_settings_that_cannot_be_used_are_one_sentence(settings, message):
    with pytest.raises(ValueError, match=message):
        Monitor(np.zeros((50, 2)), **settings)


def test_the_first_settings_may_come_without_their_names(rng):
    monitor = Monitor(table(rng, 100), "linear", 0.9, 0.05, "divergence")
    found = (monitor.model, monitor.level, monitor.tolerance, monitor.unit)
    assert found == ("linear", 0.9, 0.05, "divergence")
    with pytest.raises(TypeError, match="positional"):
        Monitor(table(rng, 100), "linear", 0.9, 0.05, "divergence", 7)


def test_a_reference_of_few_rows_or_one_value_is_one_sentence():
    with pytest.raises(InputError, match="`reference` must have at least 20 rows; got 10"):
        Monitor(np.random.default_rng(0).normal(size=(10, 2)))
    with pytest.raises(InputError, match="`reference` must have a column with two values"):
        Monitor(np.zeros((50, 2)))


def scored(rng, n, shift):
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + shift * y
    return pd.DataFrame({"x": rng.normal(size=n), "score": score, "bad": y.astype(float)})


def test_the_auc_of_a_score_is_watched_with_labels_that_come_late():
    rng = np.random.default_rng(4)
    monitor = Monitor(scored(rng, 2000, 1.5), model="linear", score="score", target="bad")
    assert monitor.encoder.feature_names_in_.tolist() == ["x"]
    days = [scored(rng, 300, 1.5) for _ in range(4)] + [scored(rng, 300, 0.0) for _ in range(8)]
    for day in days:
        reading = monitor.update(day.assign(bad=np.nan))
        assert reading.auc is None
    for day in days[:4]:
        reading = monitor.update_labels(day[["score", "bad"]])
    assert reading.rows == 0
    assert not reading.auc_alarm
    assert reading.auc.low < 0.856 < reading.auc.high
    for day in days[4:]:
        reading = monitor.update_labels(day)
    assert reading.auc_alarm
    assert not reading.alarm


def test_labels_that_are_not_counted_are_noted():
    rng = np.random.default_rng(5)
    monitor = Monitor(scored(rng, 300, 1.5), model="linear", score="score", target="bad")
    day = scored(rng, 50, 1.5)
    assert monitor.update(day.drop(columns="score")).notes == (
        "The batch has labels but no column `score`; they are not counted.",
    )
    assert monitor.update(day.drop(columns=["score", "bad"])).notes == ()
    notes = monitor.update_labels(day.assign(bad=["2", *map(int, day["bad"][1:])])).notes
    assert notes[0].startswith("Column `bad`: 1 row has a class that the reference has not ('2')")
    assert monitor.update_labels(day, key="a") is not None
    assert monitor.update_labels(day, key="a") is None


def test_what_is_no_table_is_refused_by_its_name(monitor):
    with pytest.raises(InputError, match=r"^`reference` must be a dataframe or an array.*pandas"):
        Monitor("x.csv")
    for batch, got in ((None, "None"), ("x", "str 'x'"), (3, "int '3'"), ({"a": 1}, "dict")):
        with pytest.raises(InputError, match=f"^`batch` must be a dataframe .* got {got}"):
            monitor.update(batch)
    with pytest.raises(InputError, match=r"`batch` must have rows and columns.*batch\.reshape"):
        monitor.update(np.zeros(3))


def test_since_is_text_on_all_days(rng):
    monitor = Monitor(table(rng, 600), model="linear")
    day = pd.Timestamp("2026-01-01")
    found = [
        monitor.update(table(rng, 300, shift=1.0), time=day + pd.Timedelta(k, "D")).since
        for k in range(3)
    ]
    assert found == ["2026-01-01 00:00:00"] * 3
    assert monitor.history["since"].tolist() == found


def test_the_evidence_is_stated_beside_its_limit(monitor, rng):
    first = monitor.update(table(rng, 100))
    assert first.e_value < first.e_value_limit == pytest.approx(1 / monitor.stream.epoch_error)
    reading = monitor.update(table(rng, 900, shift=1.0))
    assert reading.e_value > reading.e_value_limit
    monitor.reset()
    assert monitor.update(table(rng, 100)).e_value_limit > first.e_value_limit


def test_late_labels_need_a_score_and_a_target(monitor):
    with pytest.raises(
        InputError, match="`update_labels` needs a monitor with `score` and `target`"
    ):
        monitor.update_labels(pd.DataFrame())


def test_repr_says_what_to_do_next(monitor, rng):
    assert "no batch yet" in repr(monitor)
    monitor.update(table(rng, 50), time="Monday")
    assert "quiet at Monday" in repr(monitor)


@pytest.mark.filterwarnings("ignore:.*non-GUI.*")
def test_the_page_and_the_picture(monitor, rng, tmp_path):
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    monitor.update(table(rng, 100), time="Monday")
    page = monitor.to_html(tmp_path / "watch.html", title="Churn")
    assert (tmp_path / "watch.html").read_text(encoding="utf-8") == page
    assert '<h1 id="title">Churn</h1>' in page
    assert monitor.plot().data["low"] == [0.0]
    plt.close("all")


def test_what_may_change_is_copied_and_arrays_are_shared():
    X, mean = np.zeros(3), RunningMean()
    old = {"list": [X, mean], "pair": (mean, "text")}
    new = copied(old)
    new["list"][1].update(np.ones(1), np.ones(1))
    new["list"].append(1)
    assert (mean.n, len(old["list"])) == (0.0, 2)
    assert new["list"][0] is X


def test_a_batch_that_fails_half_way_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    X, days = rng.normal(size=(600, 2)), [rng.normal(size=(200, 2)) + 0.5 for _ in range(4)]
    stopped, whole = Monitor(X), Monitor(X)
    for day in days[:2]:
        stopped.update(day)
        whole.update(day)
    with monkeypatch.context() as patched:
        patched.setattr("rocstar.watching.monitor.record", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            stopped.update(days[2], key="c")
    for day in days[2:]:
        assert repr(stopped.update(day, key="c" if day is days[2] else None)) == repr(
            whole.update(day)
        )
