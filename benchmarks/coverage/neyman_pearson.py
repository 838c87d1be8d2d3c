"""How often `NeymanPearsonClassifier` breaks its promise."""

from __future__ import annotations

from typing import Any

import numpy as np
from cells import run_cells
from scipy.stats import norm

from rocstar import ArctanRatio, NeymanPearsonClassifier
from rocstar.laws import GaussianPair


def simulate(fpr: float, delta: float, n_neg: int, runs: int) -> dict[str, Any]:
    """Share of runs whose true false positive rate, known exactly, exceeds ``fpr``."""
    law = GaussianPair(1.5, 0.0)
    rates = np.empty(runs)
    for run in range(runs):
        X, y = law.sample(100, n_neg, random_state=[n_neg, run])
        estimator = ArctanRatio(alpha=1e-3, tol=1e-4)
        model = NeymanPearsonClassifier(estimator, fpr, delta, random_state=run).fit(X, y)
        at = model.decision_function([[0.0], [1.0]])
        slope = at[1] - at[0]
        rates[run] = norm.sf(-at[0] / slope) if slope > 0 else norm.cdf(-at[0] / slope)
    return {
        "violations": float((rates > fpr).mean()),
        "se": float(np.sqrt(delta * (1 - delta) / runs)),
        "median rate": float(np.median(rates)),
    }


def main() -> None:
    cells = [
        {"fpr": fpr, "delta": delta, "n_neg": n_neg, "runs": 2000}
        for fpr, delta, n_neg in (
            (0.05, 0.05, 120),
            (0.05, 0.05, 1000),
            (0.1, 0.1, 200),
            (0.01, 0.1, 1000),
        )
    ]
    run_cells("neyman_pearson", cells, simulate)


if __name__ == "__main__":
    main()
