"""Cost and p-values of `two_sample_test` with bundled rows and with every row alone.

    python benchmarks/two_sample/growth.py

writes ``benchmarks/results/two_sample_growth.json``: CPU time, peak memory and p-values. "alone"
permutes the labels of every row, as the test does below 8,192 rows; both are measured in one run,
on the same samples and seeds.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rocstar import laws, two_sample_test
from rocstar.inference import bundles

OUT = Path(__file__).parents[1] / "results" / "two_sample_growth.json"
SIZES = (10_000, 30_000, 100_000)
N_PAIRS, PAIR_ROWS = 60, 12_000


@contextmanager
def every_row_alone() -> Iterator[None]:
    most, bundles.MOST = bundles.MOST, 2**62
    try:
        yield
    finally:
        bundles.MOST = most


def cost(n: int) -> dict[str, float]:
    """Seconds and megabytes of one test of n rows, half of either class."""
    X, y = laws.suite()["quadric-10d"].sample(n // 2, n // 2, random_state=0)
    start = time.process_time()
    two_sample_test(X, y, random_state=0)
    seconds = time.process_time() - start
    tracemalloc.start()
    two_sample_test(X, y, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"cpu_s": round(seconds, 3), "peak_mb": round(peak / 1e6, 1)}


def pvalues(shift: float) -> dict[str, Any]:
    """P-values of both on the same samples of two normal laws."""
    law = laws.GaussianPair.shifted(shift, 5)
    found = []
    for run in range(N_PAIRS):
        X, y = law.sample(PAIR_ROWS // 2, PAIR_ROWS // 2, random_state=[1, run])
        tied = two_sample_test(X, y, n_permutations=199, random_state=run).pvalue
        with every_row_alone():
            alone = two_sample_test(X, y, n_permutations=199, random_state=run).pvalue
        found.append((tied, alone))
    tied, alone = np.array(found).T
    return {
        "shift": shift,
        "runs": N_PAIRS,
        "rejected bundled": float((tied <= 0.05).mean()),
        "rejected alone": float((alone <= 0.05).mean()),
        "mean difference": float((tied - alone).mean()),
        "sd of the difference": float((tied - alone).std(ddof=1)),
    }


def main() -> None:
    cost(1000)  # warms up
    growth = []
    for n in SIZES:
        row: dict[str, Any] = {"rows": n, "bundled": cost(n)}
        with every_row_alone():
            row["alone"] = cost(n)
        growth.append(row)
        print(row, flush=True)
    compared = [pvalues(shift) for shift in (0.0, 0.045)]
    OUT.write_text(json.dumps({"growth": growth, "pvalues": compared}, indent=1) + "\n")
    print(compared)


if __name__ == "__main__":
    main()
