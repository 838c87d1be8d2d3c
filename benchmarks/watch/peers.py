"""Online detectors of alibi-detect, and checks of the formulas in `daily.py` against packages.

    python benchmarks/watch/peers.py --online [--streams 4] [--out JSON]
    python benchmarks/watch/peers.py --check

Needs alibi-detect with PyTorch, evidently and frouros, in an environment of their own; not rocstar.

The thresholds of alibi-detect are quantiles of bootstrap samples of the reference, of which it asks
for ten times as many as rows between false alarms: for a false alarm in twenty years of 200 rows a
day, 1.5 million rows, that is out of reach. Here a false alarm is expected every 1,000 rows, five
days, with 2,000 samples and windows of 50 rows; the detector is begun anew on the day before the
change.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from daily import BATCH, CHANGES, REFERENCE, Rows, cramer, distances, rows, stream, tests

OUT = Path(__file__).parents[1] / "results" / "watch_online.json"
EXPECTED_ROWS, SAMPLES, WINDOW = 1000, 2000, 50


def encoded(X: Rows) -> Rows:
    """Numbers and a column per category."""
    return np.column_stack([X[:, :5], X[:, 5:] == np.arange(3)]).astype(np.float32)


def day_of_alarm(detector: Any, days: Any) -> int | None:
    """The first day, from 1 on, with a row at which the detector alarms."""
    detector.reset_state()
    for day, X in enumerate(days, 1):
        for row in encoded(X):
            if detector.predict(row, return_test_stat=False)["data"]["is_drift"]:
                return day
    return None


def online(streams: int, out: Path) -> None:
    """Delays and false alarms of the online detectors."""
    from alibi_detect.cd import LSDDDriftOnline, MMDDriftOnline

    found: dict[str, Any] = {}
    for name, kind in (("MMD", MMDDriftOnline), ("LSDD", LSDDDriftOnline)):
        start, delays, quiet = process_time(), {change: [] for change in CHANGES}, []
        for seed in range(streams):
            # One reference serves all changes of a seed: its thresholds take a minute.
            rng = np.random.default_rng([seed, 99, 5])
            detector = kind(
                encoded(rows(rng, REFERENCE)),
                ert=EXPECTED_ROWS,
                window_size=WINDOW,
                backend="pytorch",
                n_bootstraps=SAMPLES,
                verbose=False,
            )
            quiet.append(day_of_alarm(detector, (rows(rng, BATCH) for _ in range(365))))
            for change in CHANGES:
                before = rows(rng, BATCH)
                day = day_of_alarm(detector, [before, *stream(change, seed)[2]])
                delays[change].append(day)
            days = {c: [None if d is None else d - 1 for d in each] for c, each in delays.items()}
            found[f"alibi-detect, online {name}"] = {
                "days until alarm (0: the day before the change, null: not in 40)": days,
                "day of the first false alarm in a year": quiet,
                "seconds": round(process_time() - start, 1),
            }
            out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def check(days: int = 3) -> None:
    """Compare formulas with the packages' own answers on days with each change."""
    import pandas as pd
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset
    from frouros.detectors.data_drift import ChiSquareTest, CVMTest

    names = [f"x{k}" for k in range(6)]
    definition = DataDefinition(numerical_columns=names[:5], categorical_columns=names[5:])

    def evidently(a: Rows, b: Rows, **settings: Any) -> list[float]:
        sets = [
            Dataset.from_pandas(pd.DataFrame(X, columns=names), data_definition=definition)
            for X in (b, a)
        ]
        metrics = Report([DataDriftPreset(**settings)]).run(*sets).dict()["metrics"]
        by_name = {
            each["metric_id"] if "metric_id" in each else each["metric_name"]: each["value"]
            for each in metrics
        }
        return [next(v for key, v in by_name.items() if f"column={name}" in key) for name in names]

    def frouros(a: Rows, b: Rows) -> list[float]:
        found = []
        for k in range(6):
            detector = ChiSquareTest() if k == 5 else CVMTest()
            detector.fit(X=a[:, k])
            found.append(detector.compare(X=b[:, k])[0].p_value)
        return found

    worst = 0.0
    for change in CHANGES:
        reference, _, changed = stream(change, 0)
        for X, _ in zip(changed, range(days), strict=False):
            pairs = [
                (distances(reference, X), evidently(reference, X)),
                (
                    tests(reference, X),
                    evidently(reference, X, num_method="ks", cat_method="chisquare"),
                ),
                (cramer(reference, X), frouros(reference, X)),
            ]
            for ours, theirs in pairs:
                worst = max(worst, float(np.abs(np.subtract(ours, theirs)).max()))
    print(f"{3 * days * len(CHANGES)} days, largest difference {worst:.2g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--online", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.check:
        check()
    if options.online:
        online(options.streams, options.out)


if __name__ == "__main__":
    main()
