"""How much bounds depend on the seed of the folds: five folds once, and repeated as by default.

One sample per cell, certified with ten seeds. The first repeat of the default folds is what
``cv=5`` judges, so one fit serves both.
"""

from __future__ import annotations

import time
import warnings
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from certify_bounds import QUANTITIES
from lean import LeanLinear

from rocstar import laws
from rocstar.audits.audit import chosen_model
from rocstar.estimators.fits import seeded
from rocstar.estimators.splits import split_rows
from rocstar.inference.certificate import certificate
from rocstar.inference.held_out import held_out
from rocstar.tables.table import table_of

SEEDS = 10
NEGATIVES = 300


def simulate(model: str, law: str, positives: int) -> dict[str, Any]:
    seed = zlib.crc32(law.encode())
    table = table_of(*laws.suite()[law].sample(positives, NEGATIVES, random_state=[seed, 0]))
    lows = np.empty((2, SEEDS, len(QUANTITIES)))
    seconds = 0.0
    for run in range(SEEDS):
        estimator: Any = LeanLinear(alpha=1e-2)
        if model == "stack":
            estimator = chosen_model(table, "auto", fast=False, n_jobs=None, random_state=run)
        splits = split_rows(None, table.y, random_state=run)
        start = time.process_time()
        held = held_out(seeded(estimator, run), table.X, table.y, splits)
        found = certificate(held)
        seconds += time.process_time() - start
        for k, part in enumerate((certificate(held.once), found)):
            lows[k, run] = [getattr(part, name).low for name in QUANTITIES]
    spread, mean = lows.std(axis=1, ddof=1), lows.mean(axis=1)
    out: dict[str, Any] = {"seeds": SEEDS, "repeats": len(splits) // 5}
    for k, name in enumerate(QUANTITIES):
        out |= {f"{name} sd once": spread[0, k], f"{name} sd": spread[1, k]}
        out |= {f"{name} mean once": mean[0, k], f"{name} mean": mean[1, k]}
    return out | {"CPU seconds": round(seconds / SEEDS, 2)}


def main() -> None:
    warnings.simplefilter("ignore")  # a few positives now and then stop Newton early
    linear = [
        {"model": "linear", "law": law, "positives": positives}
        for law in ("gaussian-10d", "gaussian-50d", "quadric-2d")
        for positives in (10, 25, 60)
    ]
    stack = [
        {"model": "stack", "law": law, "positives": 25} for law in ("gaussian-10d", "gaussian-50d")
    ]
    run_cells("stability", [*linear, *stack], simulate)


if __name__ == "__main__":
    main()
