"""Coverage of lower bounds from dependent rows in groups: ``python groups.py --runs 200``.

The target is the population of rows: each figure is a ratio of sums over groups. The rival
resamples whole groups with replacement and takes the 5 % quantile (percentile bound of the cluster
bootstrap).
"""

from __future__ import annotations

import argparse
import itertools
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from figures import N_DRAWS, coverage, lower_bounds
from samplers import GroupedLaw, Sample, Truth

N_RUNS = 1000
N_GROUPS = (10, 20, 40, 100)
# Identical laws, ordinary and good scores, few misplaced rows, and none at all.
SHAPES = (
    ("normal", 0.5),
    ("normal", 0.74),
    ("normal", 0.95),
    ("normal", 0.99),
    ("two-point", 0.95),
    ("two-point", 0.99),
    ("two-point", 1.0),
)


def bootstrap(sample: Sample, rng: np.random.Generator) -> Truth:
    """The 5 % quantile of each figure over resamples of whole groups."""
    y, n_groups = sample.y, sample.group.max() + 1
    drawn = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), N_DRAWS).astype(float)
    member = np.equal.outer(np.arange(n_groups), sample.group).astype(float)
    totals = [drawn @ member[:, rows].sum(axis=1) for rows in (y, ~y)]
    both = (totals[0] > 0) & (totals[1] > 0)

    def mean_sum(values: Any) -> Any:
        sums = [drawn @ (member[:, rows] @ values[rows]) for rows in (y, ~y)]
        return sums[0][both] / totals[0][both] + sums[1][both] / totals[1][both]

    def auc(score: Any) -> Any:
        up, down = score[y][:, None], score[~y]
        wins = member[:, y] @ ((up > down) + 0.5 * (up == down)) @ member[:, ~y].T
        return ((drawn @ wins) * drawn).sum(axis=1)[both] / (totals[0] * totals[1])[both]

    own = auc(sample.score)
    terms = np.where(y, np.sin(sample.angle), np.cos(sample.angle))
    figures = (
        own,
        mean_sum(terms),
        mean_sum((sample.decision == y) * 1.0) - 1,
        own - auc(sample.baseline),
    )
    return Truth(*(float(np.quantile(f, 0.05)) for f in figures))


def simulate(
    shape: Any, auc: float, sizes: Any, classes: Any, correlation: float, n_groups: int, runs: int
) -> dict[str, Any]:
    law = GroupedLaw(auc, shape, sizes, classes, correlation)
    name = zlib.crc32(f"{shape} {sizes} {classes}".encode())
    rng = np.random.default_rng([name, int(1000 * auc), int(100 * correlation), n_groups])
    bounds: dict[str, list[Truth]] = {"rocstar": [], "bootstrap": []}
    for run in range(runs):
        sample = law.sample(n_groups, rng)
        bounds["rocstar"].append(lower_bounds(sample, run))
        bounds["bootstrap"].append(bootstrap(sample, rng))
    return coverage(bounds, law.truth)


def main(runs: int = N_RUNS) -> None:
    dependence = [("fixed", correlation) for correlation in (0.0, 0.5, 0.95)]
    dependence += [("heavy", 0.5), ("heavy-bad", 0.5)]
    plan = itertools.product(dependence, SHAPES, ("mixed", "pure"), N_GROUPS)
    cells = [
        {
            "shape": shape,
            "auc": auc,
            "sizes": sizes,
            "classes": classes,
            "correlation": correlation,
            "n_groups": n_groups,
            "runs": runs,
        }
        for (sizes, correlation), (shape, auc), classes, n_groups in plan
    ]
    run_cells("groups", cells, simulate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=N_RUNS, help="samples per cell")
    main(parser.parse_args().runs)
