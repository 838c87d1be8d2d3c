"""Small tables of mixed columns, shared by the tests of tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar.checks import InputError


def mixed(n: int = 200, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "plan": rng.choice(["basic", "plus", "pro"], n),
            "joined": days.strftime("%Y-%m-%d"),
            "active": rng.random(n) < 0.5,
            "city": [f"{a}ton {b}" for a, b in zip(rng.integers(0, 99, n), "ab" * n, strict=False)],
            "target": rng.integers(0, 2, n),
        }
    )
    frame.loc[:4, "age"] = np.nan
    frame.loc[5:9, "plan"] = "N/A"
    return frame


DAY_FIRST = [f"{day:02}/{month:02}/2020" for month in (1, 3, 5) for day in (31, 2, 25, 4)]


def refusal(call) -> str:
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    return message


def frame(n: int = 240, seed: int = 0) -> pd.DataFrame:
    """Numbers, categories, dates and text, of which the first two tell the classes apart."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, 2, n)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    table = pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * target, 10),
            "plan": np.where(rng.random(n) < 0.3 + 0.4 * target, "plus", "basic"),
            "joined": day,
            "city": [f"{word}ville" for word in rng.integers(0, 10**6, n)],
            "target": target,
        }
    )
    table.loc[:9, "age"] = np.nan
    return table
