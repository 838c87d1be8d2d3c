"""How often is the headroom of a score in a linear measure overstated?

Two Gaussians that differ in their means. The given score is their likelihood ratio, which leaves
nothing, or the first column, whose best threshold is known. The certificate is that of a linear
class, in one held-out part, in five folds, or by betting; bounds are at 95 %.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from cells import run_cells
from lean import LeanLinear
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from rocstar import certify, headroom, laws
from rocstar.measures import Cost, TotalVariation

N_RUNS = 1000
MEANS = np.array([0.5, 1.5, 0.0])
LAW = laws.GaussianPair(MEANS, np.zeros(3))
PREVALENCE, MISSED = 0.2, 5.0
MEASURES = {
    "total variation": TotalVariation(),
    "cost": Cost(false_negative=MISSED, false_positive=1.0, prevalence=PREVALENCE),
}
WAYS: dict[str, dict[str, Any]] = {
    "one part": {"cv": "holdout"},
    "five folds": {"cv": 5},
    "betting": {"method": "betting"},
}


def least_cost(distance: float) -> float:
    """Cost per case of the best threshold between two normal laws that far apart."""

    def cost(threshold: float) -> float:
        missed = norm.cdf(threshold - distance)
        return float(PREVALENCE * MISSED * missed + (1 - PREVALENCE) * norm.sf(threshold))

    return float(minimize_scalar(cost, bounds=(-6, 6), method="bounded").fun)


def true_headroom(score: str, measure: str) -> float:
    """What the best rule gains over the best threshold of the score."""
    best = float(np.linalg.norm(MEANS))
    own = best if score == "likelihood ratio" else float(MEANS[0])
    if measure == "cost":
        return least_cost(own) - least_cost(best)
    return float(2 * (norm.cdf(best / 2) - norm.cdf(own / 2)))


def simulate(score: str, way: str, positives: int, negatives: int) -> dict[str, Any]:
    out: dict[str, Any] = {"runs": N_RUNS}
    lows: dict[str, list[float]] = {name: [] for name in MEASURES}
    for seed in range(N_RUNS):
        X, y = LAW.sample(positives, negatives, random_state=seed)
        given = LAW.log_ratio(X) if score == "likelihood ratio" else X[:, 0]
        found = certify(LeanLinear(), X, y, random_state=seed, **WAYS[way])
        for name, measure in MEASURES.items():
            lows[name].append(headroom(y, given, found, measure=measure).low)
    for name, bounds in lows.items():
        truth = true_headroom(score, name)
        out[f"{name} truth"] = truth
        out[f"{name} overstated"] = float(np.mean(np.array(bounds) > truth + 1e-9))
        out[f"{name} median"] = float(np.median(bounds))
    return out


def main() -> None:
    sizes = ((200, 200), (60, 600))
    plan = itertools.product(("likelihood ratio", "first column"), WAYS, sizes)
    cells = [
        {"score": score, "way": way, "positives": m, "negatives": n} for score, way, (m, n) in plan
    ]
    run_cells("headroom", cells, simulate)


if __name__ == "__main__":
    main()
