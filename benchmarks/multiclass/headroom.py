"""Does the headroom of given probabilities hold? Seeded simulations with known gaps.

    python benchmarks/multiclass/headroom.py [--runs 300]

Rows are judged by the true direction, where no slack protects a bound, and the given probabilities
are those of a model that takes the first column for zero. Their gaps in balanced accuracy and mean
pairwise AUC come from 50,000 rows per class. Probabilities are made at equal shares, and say so.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from coverage import certificate, sizes
from scipy.stats import binomtest

from rocstar import headroom, laws, roc_auc

RESULTS = Path(__file__).parent / "results" / "headroom.json"
CELLS = [
    (law, k, rows) for law in ("ring-5d", "simplex") for k in (3, 10) for rows in ("200", "rare")
]
LARGE = 50_000


def blind(law: Any, X: np.ndarray) -> np.ndarray:
    """Probabilities at equal shares of a model that does not see the first column."""
    direction = law.direction(X * (np.arange(X.shape[1]) > 0))
    return direction / direction.sum(axis=1, keepdims=True)


def figures(y: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Balanced accuracy and mean pairwise AUC of probabilities at equal shares."""
    k = share.shape[1]
    recalls = [(share[y == c].argmax(axis=1) == c).mean() for c in range(k)]
    aucs = []
    for i in range(k):
        for j in range(i):
            rows = (y == i) | (y == j)
            aucs.append(roc_auc(y[rows] == i, np.log(share[rows, i] / share[rows, j])))
    return np.array([np.mean(recalls), np.mean(aucs)])


def run(name: str, k: int, rows: str, runs: int) -> dict[str, Any]:
    suite = laws.suite(n_classes=k)
    law = suite[next(each for each in suite if each.startswith(name))]
    X, y = law.sample(LARGE // k * 3, random_state=10**6)
    truth = figures(y, law.direction(X)) - figures(y, blind(law, X))
    misses, gaps = np.zeros(2, dtype=int), []
    for seed in range(runs):
        cell = {"classes": k, "rows": rows, "how": "true", "method": "dirichlet"}
        X, y = law.sample(sizes(k, rows), random_state=seed)
        found = headroom(y, blind(law, X), certificate(cell, law, seed), prior="balanced")
        low = np.array([found.balanced_accuracy.low, found.mean_pairwise_auc.low])
        misses += low > truth
        gaps.append(truth - low)
    pvalues = [binomtest(int(m), runs, 0.05, alternative="greater").pvalue for m in misses]
    return {
        "law": name, "classes": k, "rows": rows, "runs": runs, "truth": truth.round(4).tolist(),
        "misses": misses.tolist(), "pvalues": np.round(pvalues, 4).tolist(),
        "median_gap": np.median(gaps, axis=0).round(4).tolist(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    options = parser.parse_args()
    done = []
    for cell in CELLS:
        done.append(run(*cell, options.runs))
        print(done[-1], flush=True)
        RESULTS.write_text(json.dumps(done, indent=1) + "\n")


if __name__ == "__main__":
    main()
