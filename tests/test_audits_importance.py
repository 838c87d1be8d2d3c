"""Importance of columns: what is lost without them, groups of them, and the level of intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar import ArctanRatio, audit, compare, laws, roc_auc
from rocstar.audits.importance import Judged, correlated_columns
from rocstar.tables.table import table_of


def frame_of(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, np.ndarray]:
    y = np.repeat([0, 1], n // 2)
    carries = rng.normal(1.2 * y)
    frame = pd.DataFrame(
        {
            "carries": carries,
            "copy": carries + rng.normal(0, 0.1, n),
            "plan": rng.choice(["a", "b", "c"], n),
            "noise": rng.normal(size=n),
        }
    )
    return frame.assign(tariff=frame["plan"].map({"a": "one", "b": "two", "c": "three"})), y


def test_columns_that_stand_in_for_each_other_are_one() -> None:
    frame, y = frame_of(np.random.default_rng(0), 400)
    table = table_of(frame, y)
    blocks = correlated_columns(table, np.arange(400))
    names = [[str(table.encoder.feature_names_in_[k]) for k in block] for block in blocks]
    assert sorted(names) == [["carries", "copy"], ["noise"], ["plan", "tariff"]]


def test_what_is_lost_is_that_of_the_model_found() -> None:
    frame, y = frame_of(np.random.default_rng(1), 1200)
    found = audit(frame, y, model="linear", cv=2, random_state=0).summary()
    first, *others = found["columns_importance"]
    assert first["columns"] == ["carries", "copy"]
    # Without its only carriers the model ranks at random.
    assert first["importance"] == pytest.approx(found["found"]["auc"]["value"] - 0.5, abs=0.03)
    assert first["low"] < first["importance"] < first["high"]
    for other in others:
        assert abs(other["importance"]) < 0.01
        assert other["low"] <= 0.002


def test_all_numbers_of_a_date_are_shuffled_together() -> None:
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 400), unit="D")
    y = (day.day_of_year + rng.normal(0, 30, 400) > 150).astype(int)
    frame = pd.DataFrame({"day": day, "noise": rng.normal(size=400)})
    found = audit(frame, y, model="trees", cv="holdout", random_state=0).summary()
    assert found["columns_importance"][0]["name"] == "day"
    assert found["columns_importance"][0]["importance"] > 0.3


def test_intervals_hold_what_more_rows_show() -> None:
    """Over samples, the interval of one column covers its loss as often as it says."""
    law = laws.GaussianPair([1.0, 0.5], [0.0, 0.0])
    model = ArctanRatio(alpha=1e-3).fit(*law.sample(300, 300, random_state=0))
    X, y = law.sample(50_000, 50_000, random_state=1)
    other = np.column_stack([X[:, 0], np.random.default_rng(0).permutation(X[:, 1])])
    true = roc_auc(y, model.predict_angle(X)) - roc_auc(y, model.predict_angle(other))
    rng, covered, one = np.random.default_rng(2), 0, np.ones(200)
    for seed in range(100):
        X, y = law.sample(100, 100, random_state=seed + 2)
        angle, fold = model.predict_angle(X), np.zeros(200, dtype=np.intp)
        judged = Judged(X, y == 1, one, None, fold, angle, [model], 3, 2)
        found = judged.importance(judged.shuffled([np.array([1])], rng)[0], "auc", 0.9)
        covered += found["low"] <= true <= found["high"]
    assert 83 <= covered <= 97  # of 100 at 90 %: outside with a probability of 1 % on either side


def test_intervals_of_more_than_two_classes_hold() -> None:
    law = laws.GaussianFamily([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5], [1.5, 1.5]])
    model = ArctanRatio(loss="log", alpha=1e-3).fit(*law.sample(200, random_state=0))
    X, y = law.sample(20_000, random_state=1)
    other = np.column_stack([X[:, 0], np.random.default_rng(0).permutation(X[:, 1])])
    lost = [(model.predict(Z) == y).mean() for Z in (X, other)]
    rng, covered, fold = np.random.default_rng(2), 0, np.zeros(240, dtype=np.intp)
    for seed in range(100):
        X, y = law.sample(60, random_state=seed + 2)
        said = model.predict_direction(X)
        judged = Judged(X, y, np.ones(240), None, fold, said, [model], 3, 4)
        found = judged.importance(
            judged.shuffled([np.array([1])], rng)[0], "balanced_accuracy", 0.9
        )
        covered += found["low"] <= lost[0] - lost[1] <= found["high"]
    assert 83 <= covered <= 97


def test_copies_in_groups_do_not_narrow_an_interval() -> None:
    X, y = laws.GaussianPair([1.0, 0.0], [0.0, 0.0]).sample(150, 150, random_state=0)
    quick = {"model": "linear", "cv": "holdout", "random_state": 0}
    once = audit(X, y, **quick).summary()["columns_importance"][0]
    groups = np.repeat(np.arange(300), 4)
    many = audit(np.repeat(X, 4, 0), np.repeat(y, 4), groups=groups, **quick)
    copied = many.summary()["columns_importance"][0]
    width = copied["high"] - copied["low"]
    assert width > 0.7 * (once["high"] - once["low"])


@pytest.mark.parametrize("more", [0, 1])
def test_the_divergence_of_a_column_alone_depends_little_on_the_seed(more: int) -> None:
    """Two and three small tables: judged over all folds, it is near the truth for every seed."""
    means = [[0.0], [2.0], [4.0]][: 2 + more]
    law = laws.GaussianFamily(means)
    X, y = law.sample(60, random_state=0)
    X = np.column_stack([X, np.random.default_rng(99).normal(size=len(X))])
    tables = [X[y == k] for k in range(len(means))]
    alone = []
    for seed in range(5):
        names = tuple("ABC"[: len(means)])
        found = compare(*tables, names=names, model="linear", random_state=seed).summary()
        entries = {entry["name"]: entry["divergence"] for entry in found["columns_importance"]}
        assert entries["x1"] < 0.03
        alone.append(entries["x0"])
    assert np.ptp(alone) < 0.15
    assert np.mean(alone) == pytest.approx(law.arc_length - np.sqrt(len(means)), abs=0.15)
