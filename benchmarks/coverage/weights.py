"""Coverage of lower bounds with known importance weights: ``python weights.py --runs 200``.

Rows come from a proposal and are weighted by the density ratio of the population to it. The figures
are those of the population, known exactly.
"""

from __future__ import annotations

import argparse
import itertools
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from figures import coverage, lower_bounds
from samplers import Sample, WeightedLaw
from scipy.stats import norm

from rocstar.inference.pair_masses import linear_auc

N_RUNS = 1000
SIZES = ((25, 25), (25, 250), (80, 80), (250, 250))


def delong(sample: Sample) -> float:
    """DeLong's one-sided 95 % bound of the AUC with weights, which the library does not offer."""
    y, w = sample.y, sample.weight
    values = linear_auc(y, sample.score, w, np.zeros(y.size, dtype=np.intp)).values
    variance = 0.0
    for rows in (y, ~y):
        share = w[rows] / w[rows].sum()
        spread = share**2 @ (values[rows] - share @ values[rows]) ** 2
        variance += spread * rows.sum() / (rows.sum() - 1)
    area = np.average(values[y], weights=w[y])
    return float(area - norm.isf(0.05) * np.sqrt(variance))


def simulate(
    kind: Any, effective: float, auc: float, n_pos: int, n_neg: int, runs: int
) -> dict[str, Any]:
    law = WeightedLaw(auc, kind, effective)
    key = [zlib.crc32(kind.encode()), int(100 * effective), int(1000 * auc), n_pos, n_neg]
    rng = np.random.default_rng(key)
    bounds, rivals = [], []
    for run in range(runs):
        sample = law.sample(n_pos, n_neg, rng)
        bounds.append(lower_bounds(sample, run))
        rivals.append(delong(sample))
    return {
        **coverage({"rocstar": bounds}, law.truth),
        "auc delong coverage": float((np.array(rivals) <= auc + 1e-9).mean()),
        "auc delong median": float(np.median(rivals)),
    }


def main(runs: int = N_RUNS) -> None:
    spreads = [("independent", 1.0)]  # equal weights, for comparison
    kinds = ("independent", "heavy-good", "heavy-bad", "strata")
    spreads += itertools.product(kinds, (0.8, 0.5, 0.2))
    cells = [
        {"kind": k, "effective": e, "auc": auc, "n_pos": n_pos, "n_neg": n_neg, "runs": runs}
        for (n_pos, n_neg), (k, e), auc in itertools.product(SIZES, spreads, (0.8, 0.95))
    ]
    run_cells("weights", cells, simulate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=N_RUNS, help="samples per cell")
    main(parser.parse_args().runs)
