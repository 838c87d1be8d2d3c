"""How often is a segment of a score claimed to have headroom where there is none?

Two worlds without headroom: the given score is the true likelihood ratio, or both laws are equal
and the score is random. A claim is any shown segment with a lower bound above zero.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from cells import run_cells

from rocstar import ArctanRatio, laws
from rocstar.audits.segments import segment_entries
from rocstar.estimators.splits import split_rows
from rocstar.inference.held_out import held_out
from rocstar.tables.table import table_of

N_RUNS = 400
WORLDS = {
    "likelihood ratio": laws.GaussianPair([1.0, 0.5, 0.0], [0.0, 0.0, 0.0]),
    "equal laws": laws.GaussianPair([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
}


def segments(world: str, n: int, cv: Any, seed: int) -> list[dict[str, Any]]:
    law = WORLDS[world]
    X, y = law.sample(n, n, random_state=seed)
    random = np.random.default_rng(seed).normal(size=2 * n)
    score = random if world == "equal laws" else law.log_ratio(X)
    table = table_of(pd.DataFrame(X, columns=["a", "b", "c"]), y, leaks=False)
    splits = split_rows(cv, table.y, X=table.X, random_state=seed)
    held = held_out(ArctanRatio(), table.X, table.y, splits)
    level = SimpleNamespace(level=0.95)
    judged: Any = SimpleNamespace(held_out=held, scores={"score": score}, certificate=level)
    return segment_entries(table, judged)


def simulate(world: str, n: int, cv: Any) -> dict[str, Any]:
    found = [segments(world, n, cv, seed) for seed in range(N_RUNS)]
    claimed = [any(s["headroom"]["low"] > 0 for s in shown) for shown in found]
    return {
        "runs": N_RUNS,
        "segments": float(np.mean([len(shown) for shown in found])),
        "claims": float(np.mean(claimed)),
    }


def main() -> None:
    plan = itertools.product(WORLDS, (300, 600), (5, "holdout"))
    cells = [{"world": world, "n": n, "cv": cv} for world, n, cv in plan]
    run_cells("segments", cells, simulate)


if __name__ == "__main__":
    main()
