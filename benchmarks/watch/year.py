"""CPU time and memory of a monitor of 10,000 rows a day on 50 columns.

    python benchmarks/watch/year.py [--days 365] [--minutes 10] [--state FILE] [--out JSON]

A run that is stopped by --minutes continues from its state next time, in a new process: the peak of
memory is that of the process so far.
"""

from __future__ import annotations

import argparse
import json
import resource
from pathlib import Path
from time import monotonic, process_time

import numpy as np
import pandas as pd

from rocstar import Monitor

OUT = Path(__file__).parents[1] / "results" / "watch_year.json"
ROWS, COLUMNS = 10_000, 50


def frame(day: int) -> pd.DataFrame:
    names = [f"x{k}" for k in range(COLUMNS)]
    rng = np.random.default_rng([0, day])
    return pd.DataFrame(rng.normal(size=(ROWS, COLUMNS)), columns=names)


def megabytes() -> int:
    """The most memory that this process has had."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def begin(state: Path | None, out: Path) -> tuple[Monitor, dict]:
    """A monitor and what was measured, from the start or from a stopped run."""
    if state is not None and state.exists():
        return Monitor.load(state), json.loads(out.read_text(encoding="utf-8"))
    start = process_time()
    monitor = Monitor(frame(0))
    return monitor, {"begin_seconds": round(process_time() - start, 2), "seconds": 0.0, "days": []}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    end = monotonic() + 60 * options.minutes
    monitor, found = begin(options.state, options.out)
    for day in range(len(monitor.records) + 1, options.days + 1):
        batch = frame(day)
        start = process_time()
        monitor.update(batch)
        found["seconds"] += process_time() - start
        stop = day == options.days or monotonic() > end
        if day & (day - 1) == 0 or stop:
            kept = (*monitor.stream.memory.kept, *monitor.stream.columns.memory.kept)
            line = {"day": day, "cpu_seconds": round(found["seconds"], 1), "peak_mb": megabytes()}
            line["sample_mb"] = round(sum(stretch.X.nbytes for stretch in kept) / 2**20, 1)
            found["days"].append(line)
            options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        if stop:
            break
    if options.state is not None:
        monitor.save(options.state)
    print(found["days"][-1], "alarm" if monitor.alarm else "quiet")


if __name__ == "__main__":
    main()
