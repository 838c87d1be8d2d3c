"""Segments in which a score loses: found where they are, silent where there are none."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rocstar import audit
from rocstar.audits.segments import segment_entries
from rocstar.inference.held_out import of_one_part
from rocstar.tables.table import table_of


def judged(n: int, *, headroom: bool, seed: int = 0, method: str = "dirichlet"):
    """True angles of rows, and a score that misses what one plan shows in its young customers."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2 == 0
    plan = rng.choice(["monthly", "yearly"], n, p=[0.4, 0.6])
    age = rng.integers(18, 80, n)
    inside = (plan == "monthly") & (age <= 40)
    usage, calls = rng.normal(1.0 * y), rng.normal(2.0 * y * inside)
    frame = pd.DataFrame({"plan": plan, "age": age, "usage": usage, "calls": calls})
    given = usage - 0.5
    truth = given + inside * (2 * calls - 2)
    table = table_of(frame, y.astype(int), leaks=False)
    held = of_one_part(y, np.arctan(np.exp(truth)), truth, np.ones(n), None)
    score = given if headroom else truth
    certificate = SimpleNamespace(level=0.95, method=method)
    return table, SimpleNamespace(held_out=held, scores={"s": score}, certificate=certificate)


def test_the_segment_that_loses_is_found_and_named() -> None:
    found = segment_entries(*_without_calls(judged(3000, headroom=True)))
    assert sorted(found[0]["segment"].split(" and ")) == ["`age` ≤ 39", "`plan` = monthly"]
    assert found[0]["rows"] == pytest.approx(0.15, abs=0.04)
    assert found[0]["loss"] > 0.7
    assert found[0]["headroom"]["low"] > 0.1
    assert "all segments together" in found[0]["sentence"]


def _without_calls(pair):
    """The tree may cut by plan, age and usage only."""
    table, judgement = pair
    frame = pd.DataFrame(
        {
            "plan": np.asarray(table.encoder.kinds_[0].categories)[table.X[:, 0].astype(int)],
            "age": table.X[:, 1].astype(int),
            "usage": table.X[:, 2],
        }
    )
    return table_of(frame, table.y.astype(int), leaks=False), judgement


def test_the_best_score_loses_nowhere() -> None:
    """The given score is the truth: no bound may be above zero, but for one table in twenty."""
    claims = 0
    for seed in range(20):
        found = segment_entries(*judged(600, headroom=False, seed=seed))
        claims += any(entry["headroom"]["low"] > 0 for entry in found)
    assert claims <= 3


def test_bounds_of_a_certificate_by_betting_are_bets_too() -> None:
    usual, proven = (
        segment_entries(*_without_calls(judged(3000, headroom=True, method=method)))
        for method in ("dirichlet", "betting")
    )
    assert proven[0]["segment"] == usual[0]["segment"]
    assert 0.05 < proven[0]["headroom"]["low"] < usual[0]["headroom"]["low"]


def test_few_rows_say_nothing() -> None:
    assert segment_entries(*judged(200, headroom=True)) == []


def test_groups_stay_on_one_side() -> None:
    from rocstar.audits.segments import _half

    groups = np.repeat(np.arange(50), 4)
    held = SimpleNamespace(y=np.ones(200, bool), groups=groups)
    half = _half(held)
    assert 80 <= half.sum() <= 120
    assert all(len(set(half[groups == g])) == 1 for g in range(50))


def test_an_audit_reports_them() -> None:
    table, judgement = judged(1600, headroom=True)
    frame = pd.DataFrame(table.X, columns=["plan", "age", "usage", "calls"])
    y, score = table.y.astype(int), judgement.scores["s"]
    found = audit(frame, y, scores={"s": score}, model="trees", cv="holdout", random_state=0)
    assert found.summary()["segments"]
    assert "Where your score loses" in found.to_markdown()
