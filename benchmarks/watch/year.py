"""CPU time and memory of a monitor of 10,000 rows a day on 50 columns.

python benchmarks/watch/year.py [--days 365] [--out JSON]
"""

from __future__ import annotations

import argparse
import json
import resource
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from rocstar import Monitor

OUT = Path(__file__).parents[1] / "results" / "watch_year.json"
ROWS, COLUMNS = 10_000, 50


def frame(rng: np.random.Generator) -> pd.DataFrame:
    names = [f"x{k}" for k in range(COLUMNS)]
    return pd.DataFrame(rng.normal(size=(ROWS, COLUMNS)), columns=names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    start = process_time()
    monitor = Monitor(frame(rng))
    found = {"begin_seconds": round(process_time() - start, 2), "days": []}
    spent = 0.0
    for day in range(1, options.days + 1):
        batch = frame(rng)
        start = process_time()
        monitor.update(batch)
        spent += process_time() - start
        if day & (day - 1) == 0 or day == options.days:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            kept = sum(stretch.X.nbytes for stretch in monitor.stream.memory.kept) / 2**20
            found["days"].append(
                {
                    "day": day,
                    "cpu_seconds": round(spent, 1),
                    "peak_mb": round(peak),
                    "sample_mb": round(kept, 1),
                }
            )
            options.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
