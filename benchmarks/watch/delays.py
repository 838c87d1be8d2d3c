"""Days until alarm after a change, beside peers, and false alarms of a year without one.

    python benchmarks/watch/delays.py [--streams 50] [--years 100] [--only NAME] [--out JSON]

The streams are those of `daily.py`: the change comes after day 20 and lasts. Delays are counted in
days, the first day of the change being 1, up to 40. Peers look at every day alone:

- evidently: its default preset (normed Wasserstein and Jensen-Shannon distances above 0.1), and
  Kolmogorov-Smirnov and chi-squared tests at 5 % a day, or with Bonferroni's correction for columns
  and 365 days; frouros: Cramér–von Mises tests with the same correction. Their formulas, which
  `peers.py` checks against the packages, whose own calls take up to half a second per day.
- Hotelling's test of all columns, each day at level 0.05/365.
- `rocstar.compare` with the linear model, each day at level 1 − 0.05/365, for 20 days.

alibi-detect's online detectors are run by `online.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from daily import (
    BATCH,
    CHANGES,
    CODES,
    COLUMNS,
    MOST,
    REFERENCE,
    SMALL,
    Daily,
    Rows,
    cramer,
    distances,
    mean_test,
    rows,
    stream,
    tests,
)
from worlds import stream_of

OUT = Path(__file__).parents[1] / "results" / "watch_delays.json"
SLOW = {"rocstar compare, linear, 5 %/365": (12, 20)}
"""Streams, and days of the change, of a method that takes a second per day. It skips the days
before the change, each of which it would look at alone, and the years."""


def compared(reference: Rows, batch: Rows) -> bool:
    """Whether `compare` shows a difference at the level of one day."""
    import pandas as pd

    from rocstar import compare

    frames = []
    for X in (reference, batch):
        frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(COLUMNS)])
        frames.append(frame.assign(x5=frame["x5"].map({0.0: "a", 1.0: "b", 2.0: "c"})))
    found = compare(*frames, model="linear", level=1 - SMALL, random_state=0)
    return bool(found.divergence.low > 0)


METHODS: dict[str, Callable[[Rows, int], Any]] = {
    "rocstar Monitor": lambda ref, seed: stream_of(ref, "auto", seed, CODES),
    "rocstar Monitor, linear": lambda ref, seed: stream_of(ref, "linear", seed, CODES),
    "evidently, default preset, any column": lambda ref, seed: Daily(
        ref, lambda a, b: max(distances(a, b)) > 0.1
    ),
    "evidently, KS and chi-squared at 5 %, any column": lambda ref, seed: Daily(
        ref, lambda a, b: min(tests(a, b)) < 0.05
    ),
    "evidently, KS and chi-squared, Bonferroni": lambda ref, seed: Daily(
        ref, lambda a, b: min(tests(a, b)) < SMALL / COLUMNS
    ),
    "frouros, Cramér–von Mises, Bonferroni": lambda ref, seed: Daily(
        ref, lambda a, b: min(cramer(a, b)) < SMALL / COLUMNS
    ),
    "Hotelling's test, 5 %/365": lambda ref, seed: Daily(ref, lambda a, b: mean_test(a, b) < SMALL),
    "rocstar compare, linear, 5 %/365": lambda ref, seed: Daily(ref, compared),
}


def delay(method: str, change: str, seed: int) -> tuple[int, bool]:
    """Days until the alarm, and whether it came before the change."""
    reference, quiet, changed = stream(change, seed)
    watched = METHODS[method](reference, seed)
    for X in () if method in SLOW else quiet:
        watched.take(X)
    if watched.alarm:
        return 0, True
    _, most = SLOW.get(method, (0, MOST))
    for day, X in zip(range(1, most + 1), changed, strict=False):
        watched.take(X)
        if watched.alarm:
            return day, False
    return MOST + 1, False


def false_alarm(method: str, seed: int) -> bool:
    """Whether a year without a change raised an alarm."""
    rng = np.random.default_rng([seed, 99, 5])
    watched = METHODS[method](rows(rng, REFERENCE), seed)
    for _ in range(365):
        watched.take(rows(rng, BATCH))
        if watched.alarm:
            return True
    return False


def summary(runs: list[tuple[int, bool]]) -> dict[str, float | None]:
    """Mean and standard error of delays; a change that was not found counts as 40 days."""
    fair = [min(days, MOST) for days, early in runs if not early]
    return {
        "mean": round(float(np.mean(fair)), 3) if fair else None,
        "se": round(float(np.std(fair) / np.sqrt(len(fair))), 3) if fair else None,
        "missed": sum(days > MOST for days, _ in runs),
        "early": len(runs) - len(fair),
        "streams": len(runs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--years", type=int, default=100)
    parser.add_argument("--only")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    for method in METHODS if options.only is None else [options.only]:
        start, entry = process_time(), {}
        for change in CHANGES:
            streams, most = SLOW.get(method, (options.streams, MOST))
            found = [delay(method, change, seed) for seed in range(streams)]
            entry[change] = {**summary(found), "most": most}
        years = 0 if method in SLOW else options.years
        alarms = sum(false_alarm(method, seed) for seed in range(years))
        entry["false alarms in a year"] = [alarms, years]
        entry["seconds"] = round(process_time() - start, 1)
        # Other methods may have been added meanwhile, by another process.
        text = options.out.read_text(encoding="utf-8") if options.out.exists() else "{}"
        found = json.loads(text) | {method: entry}
        text = json.dumps(found, indent=1, ensure_ascii=False)
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
