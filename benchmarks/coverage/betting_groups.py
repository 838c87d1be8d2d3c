"""Bounds by betting on groups of five dependent rows, beside Dirichlet and cluster bootstrap."""

from __future__ import annotations

import itertools
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from figures import coverage
from groups import bootstrap
from samplers import GroupedLaw, Sample, Truth

from rocstar import arc_length_interval, auc_gain, auc_interval, youden_interval

N_RUNS = 200


def lower_bounds(s: Sample, method: Any, run: int) -> Truth:
    options: dict[str, Any] = {
        "method": method, "side": "lower", "groups": s.group, "n_draws": 1000, "random_state": run,
    }  # fmt: skip
    return Truth(
        auc_interval(s.y, s.score, **options).low,
        arc_length_interval(s.y, s.angle, **options).low,
        youden_interval(s.y, s.decision, **options).low,
        auc_gain(s.y, s.score, s.baseline, **options).low,
    )


def simulate(auc: float, classes: Any, n_groups: int) -> dict[str, Any]:
    law = GroupedLaw(auc, "normal", "fixed", classes, 0.5)
    rng = np.random.default_rng([zlib.crc32(classes.encode()), int(1000 * auc), n_groups])
    bounds: dict[str, list[Truth]] = {"betting": [], "dirichlet": [], "bootstrap": []}
    for run in range(N_RUNS):
        sample = law.sample(n_groups, rng)
        for method in ("betting", "dirichlet"):
            bounds[method].append(lower_bounds(sample, method, run))
        bounds["bootstrap"].append(bootstrap(sample, rng))
    return coverage(bounds, law.truth)


def main() -> None:
    plan = itertools.product((0.5, 0.74, 0.95), ("mixed", "pure"), (20, 100))
    cells = [{"auc": auc, "classes": classes, "n_groups": n} for auc, classes, n in plan]
    run_cells("betting_groups", cells, simulate)


if __name__ == "__main__":
    main()
