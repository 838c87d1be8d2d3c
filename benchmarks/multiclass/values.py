"""Errors of arc length and best balanced accuracy against the oracle and FeeBee-style rivals.

    python benchmarks/multiclass/values.py [--again 3 5 10]

The oracle judges the same rows by the true direction. Rivals estimate the best accuracy at equal
shares of the classes, as FeeBee (Renggli et al. 2021) does: the error of a k-nearest-neighbour
classifier (k chosen by cross-validation) and its bound by Cover and Hart, the same of one
neighbour, a kernel density estimate, and the pairwise Henze-Penrose bound (GHP). With --again, only
our part of the runs of these numbers of classes is measured anew.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from rocstar import StackedRatio, certify, laws

RESULTS = Path(__file__).parent / "results" / "values.json"
# Classes, rows per class, and runs of every law.
CELLS = [(3, 200, 8), (5, 200, 8), (10, 200, 6)]


def oracle(law: Any, X: Any, y: Any) -> dict[str, float]:
    """Figures of the true direction on these rows."""
    u, k = law.direction(X), law.n_classes
    length = sum(u[y == c, c].mean() for c in range(k))
    right = np.mean([(u[y == c].argmax(axis=1) == c).mean() for c in range(k)])
    return {"arc_length": float(length), "balanced_accuracy": float(right)}


def recall_mean(y: Any, given: Any) -> float:
    return float(np.mean([(given[y == c] == c).mean() for c in np.unique(y)]))


def cover_hart(accuracy: float, k: int) -> float:
    """Best accuracy that an asymptotic nearest-neighbour accuracy allows at most."""
    share = k / (k - 1)
    return 1 - (1 - np.sqrt(max(0.0, 1 - share * (1 - accuracy)))) / share


def henze_penrose(X: Any, y: Any, k: int) -> tuple[float, float]:
    """Bounds of the best accuracy from cross-class edges of a minimum spanning tree."""
    tree = minimum_spanning_tree(cdist(X, X)).tocoo()
    crossed = float((y[tree.row] != y[tree.col]).sum()) / y.size
    low = (k - 1) / k * (1 - np.sqrt(max(0.0, 1 - k / (k - 1) * crossed)))
    return 1 - crossed, 1 - low


def rivals(X: Any, y: Any, k: int) -> dict[str, float]:
    """Estimates of the best accuracy; bounds are entered at their midpoint."""
    X = StandardScaler().fit_transform(X)
    out = {}
    for name, choices in (("1-NN", [1]), ("kNN", [5, 15, 31])):
        found = max(
            recall_mean(y, cross_val_predict(KNeighborsClassifier(n), X, y)) for n in choices
        )
        out[f"{name} accuracy"] = found
        out[f"{name} bounds"] = (found + cover_hart(found, k)) / 2
    out["GHP bounds"] = float(np.mean(henze_penrose(X, y, k)))
    width = len(y) ** (-1 / (X.shape[1] + 4))
    logs = np.empty((y.size, k))
    folds = np.random.default_rng(0).integers(5, size=y.size)
    for f in range(5):
        for c in range(k):
            density = KernelDensity(bandwidth=width).fit(X[(folds != f) & (y == c)])
            logs[folds == f, c] = density.score_samples(X[folds == f])
    out["KDE"] = recall_mean(y, logs.argmax(axis=1))
    return out


NAMES = ("arc_length", "balanced_accuracy")


def ours(X: Any, y: Any, seed: int) -> dict[str, Any]:
    """What rocstar estimates, and how long that takes."""
    start = process_time()
    found = certify(StackedRatio(random_state=seed), X, y, random_state=seed)
    spent = round(process_time() - start, 1)
    return {"rocstar": {name: getattr(found, name).value for name in NAMES}, "cpu_seconds": spent}


def one(k: int, n: int, name: str, law: Any, seed: int) -> dict[str, Any]:
    """Every estimate on the same rows."""
    X, y = law.sample(n, random_state=seed)
    return {
        "classes": k,
        "rows": n,
        "law": name,
        "seed": seed,
        "truth": {measure: getattr(law, measure) for measure in NAMES},
        "oracle": oracle(law, X, y),
        "rivals": rivals(X, y, k),
        **ours(X, y, seed),
    }


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--again", type=int, nargs="*", default=[], metavar="K")
    again = parser.parse_args().again
    done = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    for row in done:
        if row["classes"] in again:
            law = laws.suite(n_classes=row["classes"])[row["law"]]
            row |= ours(*law.sample(row["rows"], random_state=row["seed"]), row["seed"])
            RESULTS.write_text(json.dumps(done, indent=1) + "\n")
    known = {(row["classes"], row["law"], row["seed"]) for row in done}
    for k, n, runs in CELLS:
        for seed in range(runs):
            for name, law in laws.suite(n_classes=k).items():
                if (k, name, seed) in known:
                    continue
                done.append(one(k, n, name, law, seed))
                RESULTS.write_text(json.dumps(done, indent=1) + "\n")
                print(k, name, seed, done[-1]["cpu_seconds"], flush=True)


if __name__ == "__main__":
    main()
