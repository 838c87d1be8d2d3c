"""Many audits in one process: does memory grow?

Writes one row per audit with the resident memory after it, and ends with the growth between the
first audits, which warm up caches, and the last.

    python benchmarks/audit/many.py --audits 200 --output local/many.csv
"""

from __future__ import annotations

import argparse
import csv
import gc
import os
import sys
from pathlib import Path

import numpy as np

import rocstar
from rocstar import laws
from rocstar.cli.process import return_freed_arrays

PAGE = os.sysconf("SC_PAGE_SIZE")
WARM_UP = 20
# A leak of one table of this size at every audit would be ten times as much.
MOST_GROWTH = 30e6


def resident() -> float:
    """Bytes of memory this process holds now."""
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * PAGE


def audit(seed: int, rows: int, model: str) -> None:
    X, y = laws.GaussianPair(np.zeros(5), np.r_[1.0, np.zeros(4)]).sample(
        rows // 2, rows // 2, random_state=seed
    )
    found = rocstar.audit(
        X, y, scores={"first": X[:, 0]}, model=model, fast=True, random_state=seed
    )
    found.to_html()
    found.to_json()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=200)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--model", default="auto")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    return_freed_arrays()
    sizes = []
    for seed in range(options.audits):
        audit(seed, options.rows, options.model)
        gc.collect()
        sizes.append(resident())
    if options.output is not None:
        with options.output.open("w", newline="") as file:
            csv.writer(file).writerows([("audit", "resident_bytes"), *enumerate(sizes)])
    warm = sizes[min(WARM_UP, len(sizes) - 1)]
    growth = sizes[-1] - warm
    print(
        f"{options.audits} audits of {options.rows} rows: {warm / 1e6:.1f} MB after the first "
        f"{WARM_UP}, {sizes[-1] / 1e6:.1f} MB at the end, {growth / 1e6:+.1f} MB."
    )
    return int(growth > MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
