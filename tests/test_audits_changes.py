"""Changes of single columns: which are listed, new and vanished values, gaps, weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar import compare
from rocstar.audits.changes import column_changes
from rocstar.audits.compare import matched_table

NAMES = ("old", "new")


def changes(A: pd.DataFrame, B: pd.DataFrame, **given) -> dict[str, dict]:
    table, both = matched_table(A, B, NAMES, **given)
    return {entry["name"]: entry for entry in column_changes(both, table, 0.95)}


def frames(n: int = 400) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(0)
    old = pd.DataFrame(
        {
            "same": rng.normal(size=n),
            "moved": rng.normal(size=n),
            "plan": rng.choice(["basic", "plus", "old"], n),
            "gaps": np.where(rng.random(n) < 0.05, np.nan, rng.normal(size=n)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
        }
    )
    new = old.sample(frac=1, random_state=1).reset_index(drop=True)
    new["moved"] += 1
    new["plan"] = new["plan"].replace({"old": "trial"})
    new.loc[new.index % 3 == 0, "gaps"] = np.nan
    new["day"] += pd.Timedelta(60, "D")
    return old, new


def test_changed_columns_are_listed_with_shares_of_both_samples() -> None:
    found = changes(*frames())
    assert set(found) == {"moved", "plan", "gaps", "day"}
    assert found["plan"]["new"] == ["trial"]
    assert found["plan"]["vanished"] == ["old"]
    assert found["plan"]["edges"] is None
    assert found["gaps"]["missing"][0] < 0.1 < 0.3 < found["gaps"]["missing"][1]
    assert found["day"]["labels"][0].startswith("2024-01-0")
    assert len(found["moved"]["edges"]) == len(found["moved"]["first"]) + 1
    for entry in found.values():
        for key, gap in zip(("first", "second"), entry["missing"], strict=True):
            assert sum(entry[key]) + gap == pytest.approx(1)


def test_equal_samples_list_nothing_more_often_than_the_level_says() -> None:
    rng = np.random.default_rng(0)
    listed = 0
    for _ in range(40):
        A, B = (pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc")) for _ in NAMES)
        A["f"], B["f"] = (rng.choice(["x", "y", "z"], 100) for _ in NAMES)
        listed += bool(changes(A, B))
    assert listed <= 6  # more has a probability of 1 % at 5 %


def test_copies_in_one_group_are_no_evidence() -> None:
    rng = np.random.default_rng(3)
    A, B = (pd.DataFrame({"a": np.repeat(rng.normal(size=12), 60)}) for _ in NAMES)
    groups = (np.repeat(np.arange(12), 60), np.repeat(np.arange(12, 24), 60))
    assert "a" in changes(A, B)
    assert changes(A, B, groups=groups) == {}


def test_weights_count_in_the_shares() -> None:
    old, new = frames()
    weights = np.where(old["plan"] == "basic", 3.0, 1.0)
    plain, weighted = (
        changes(old, new, sample_weight=pair)["plan"]
        for pair in (None, (weights, np.ones(len(new))))
    )
    place = plain["labels"].index("basic")
    assert weighted["first"][place] > plain["first"][place] + 0.1


def test_a_comparison_carries_them() -> None:
    found = compare(*frames(200), model="linear", random_state=0, names=NAMES)
    assert "plan" in {entry["name"] for entry in found.summary()["changes"]}
    assert "`plan`: new: `trial`; vanished: `old`." in found.to_markdown()
