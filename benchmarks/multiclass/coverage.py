"""Do the bounds of more than two classes hold? Seeded simulations, finished cells are kept.

    python benchmarks/multiclass/coverage.py

"true" judges rows by the true direction on one held-out part, where no slack protects a bound;
"folds" certifies a linear model out of five folds.
"""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from rocstar import ArctanRatio, certify, laws
from rocstar.inference.class_held_out import ClassHeldOut
from rocstar.inference.multiclass import MulticlassCertificate, multiclass_certificate

RESULTS = Path(__file__).parent / "results" / "coverage.json"
CLASSES = (3, 5, 10)
RARE = 30


def sizes(k: int, rows: str) -> list[int]:
    """Rows of each class; in "rare" the first class has few."""
    return [RARE, *[200] * (k - 1)] if rows == "rare" else [int(rows)] * k


def cells() -> list[dict[str, Any]]:
    """What is simulated, cheap cells first."""
    out = []
    for rows, runs in (("200", 200), ("rare", 200), ("1000", 100)):
        for k in CLASSES:
            kinds = [
                ("true", "dirichlet", "ring-5d", runs),
                ("true", "dirichlet", "steps-1d", runs),
                ("folds", "dirichlet", "twins-4d", 100),
                ("true", "betting", "ring-5d", 100),
            ]
            names = ("how", "method", "law", "runs")
            out += [
                {**dict(zip(names, kind, strict=True)), "classes": k, "rows": rows}
                for kind in kinds
            ]
    return out


def certificate(cell: dict[str, Any], law: Any, seed: int) -> MulticlassCertificate:
    """One certificate of fresh rows."""
    X, y = law.sample(sizes(cell["classes"], cell["rows"]), random_state=seed)
    if cell["how"] == "folds":
        return certify(ArctanRatio(loss="log"), X, y, random_state=seed)
    none = np.zeros(y.size, dtype=np.intp)
    held = ClassHeldOut(
        np.arange(y.size), y, law.direction(X), none, none, np.ones(y.size), None, (None,), y.size,
        np.arange(law.n_classes),
    )  # fmt: skip
    return multiclass_certificate(held, 0.95, cell["method"])


def run(cell: dict[str, Any]) -> dict[str, Any]:
    """How often each joint statement fails."""
    law = laws.suite(n_classes=cell["classes"])[cell["law"]]
    pairs = np.triu_indices(cell["classes"], 1)
    truth = np.array([law.arc_length, law.balanced_accuracy, law.mean_pairwise_auc])
    misses, gaps, start = np.zeros(3, dtype=int), [], process_time()
    for seed in range(cell["runs"]):
        found = certificate(cell, law, seed)
        low = np.array(
            [found.arc_length.low, found.balanced_accuracy.low, found.mean_pairwise_auc.low]
        )
        gaps.append(truth - low)
        misses += [
            (low > truth + 1e-9).any(),
            (found.pairwise_auc.low[pairs] > law.pairwise_auc[pairs] + 1e-4).any(),
            (found.one_versus_rest_auc.low > law.one_versus_rest_auc + 1e-4).any(),
        ]
    return {
        **cell,
        "misses": dict(zip(("main", "pairs", "rest"), misses.tolist(), strict=True)),
        "median_gap": np.median(gaps, axis=0).round(4).tolist(),
        "cpu_seconds": round(process_time() - start, 1),
    }


def main() -> None:
    """Run what is missing."""
    done = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    known = [{key: row[key] for key in cells()[0]} for row in done]
    for cell in cells():
        if cell not in known:
            done.append(run(cell))
            RESULTS.write_text(json.dumps(done, indent=1) + "\n")
            print(done[-1], flush=True)


if __name__ == "__main__":
    main()
