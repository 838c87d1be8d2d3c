"""Coverage of `certify`'s default, repeated folds, where the rarer class is small.

The linear class at a fixed penalty; "once" is five folds without repeats.
"""

from __future__ import annotations

import itertools
import warnings
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from certify_bounds import QUANTITIES
from lean import LeanLinear

from rocstar import certify, laws
from rocstar.inference import held_figures

N_RUNS = 400
NEGATIVES = 100
# Identical laws, and laws of which a linear class comes close to the truth: no slack there.
LAWS = ("identical-5d", "gaussian-1d", "binomial-1d", "gaussian-10d")


def simulate(law: str, positives: int, cv: str) -> dict[str, Any]:
    task, seed = laws.suite()[law], zlib.crc32(law.encode())
    held_figures.N_DRAWS = 400
    truth = np.array([getattr(task, name) for name in QUANTITIES])
    lows = np.empty((N_RUNS, len(QUANTITIES)))
    for run in range(N_RUNS):
        X, y = task.sample(positives, NEGATIVES, random_state=[seed, positives, run])
        held_figures.SEED = run  # fresh draws in each run, or all would share one error
        given = {"once": 5, "default": None}[cv]
        found = certify(LeanLinear(alpha=1e-3), X, y, cv=given, random_state=run)
        lows[run] = [getattr(found, name).low for name in QUANTITIES]
    holds = lows <= truth + 1e-9
    return {
        "runs": N_RUNS,
        "together": float(holds.all(axis=1).mean()),
        **{f"{name} truth": float(t) for name, t in zip(QUANTITIES, truth, strict=True)},
        **{f"{name} coverage": float(h) for name, h in zip(QUANTITIES, holds.mean(0), strict=True)},
        **{
            f"{name} median low": float(low)
            for name, low in zip(QUANTITIES, np.median(lows, axis=0), strict=True)
        },
    }


def main() -> None:
    warnings.simplefilter("ignore")  # ten positives now and then stop Newton early; bounds hold
    cells = [
        {"law": law, "positives": positives, "cv": cv}
        for law, positives, cv in itertools.product(LAWS, (10, 25, 60), ("default", "once"))
    ]
    run_cells("repeats", cells, simulate)


if __name__ == "__main__":
    main()
