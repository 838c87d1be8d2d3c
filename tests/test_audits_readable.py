"""Columns in the words of a rule."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rocstar.audits.readable import Feature, readable_features
from rocstar.tables.table import table_of

INF = np.inf


def test_ranges_read_as_people_write_them() -> None:
    values = np.array([1.0, 2.0, 3.0])
    whole = Feature("n", "n", values, whole=True)
    assert whole.words(-INF, 5.5, True) == "`n` ≤ 5"
    assert whole.words(5.5, INF, True) == "`n` ≥ 6"
    assert whole.words(1.5, 5.5, True) == "2 ≤ `n` ≤ 5"
    binary = Feature("b", "b", np.array([0.0, 1.0, np.nan]), whole=True)
    assert (binary.words(-INF, 0.5, False), binary.words(0.5, INF, False)) == ("`b` = 0", "`b` = 1")
    real = Feature("x", "x", values / 3)
    assert real.words(0.12345, INF, False) == "`x` > 0.1235"
    assert real.words(-0.1, 0.5, False) == "−0.1 < `x` ≤ 0.5"
    value = Feature("c = a", "c", values, value="a")
    assert (value.words(0.0, INF, True), value.words(-INF, 0.0, True)) == ("`c` = a", "`c` ≠ a")
    gaps = Feature("g", "g", np.array([1.0, np.nan]))
    assert gaps.words(-INF, 1.5, True) == "(`g` ≤ 1.5 or missing)"
    assert gaps.words(-INF, 1.5, False) == "`g` ≤ 1.5"


def test_every_kind_but_text_can_be_spoken_of() -> None:
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "count": rng.integers(0, 9, n),
            "plan": rng.choice(["a", "b"], n),
            "flag": rng.random(n) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
            "note": [f"note {rng.integers(1e9)} and more" for _ in range(n)],
        }
    )
    table = table_of(frame, rng.integers(0, 2, n))
    found = {f.name: f for f in readable_features(table, np.arange(n))}
    assert set(found) == {"number", "count", "plan = a", "plan = b", "flag", "day"}
    assert found["count"].whole
    assert not found["number"].whole
    noon = float(np.datetime64("2024-02-01T00:00:00", "s").astype(float))
    assert found["day"].words(-INF, noon, False) == "`day` ≤ 2024-02-01"
