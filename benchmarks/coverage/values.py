"""Bias and RMSE of the point estimates, against the oracle that knows the true angle."""

from __future__ import annotations

import warnings
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from certify_bounds import coverage
from sklearn.ensemble import HistGradientBoostingClassifier

from rocstar import (
    ArctanRatio,
    StackedRatio,
    arc_length_score,
    certify,
    laws,
    roc_auc,
)
from rocstar.inference import held_figures

# Tasks a linear class can represent, and five that need more.
LINEAR_TASKS = ("gaussian-1d", "gaussian-10d", "gaussian-50d", "padded-gaussian-25d")
OTHER_TASKS = ("gaussian-10d", "quadric-2d", "scale-10d", "bimodal-1d", "swirl-2d")


def small_stack() -> StackedRatio:
    """The default's three kinds of members at fixed settings, for simulations of many fits."""
    trees = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8, random_state=0)
    members = [
        ("linear", ArctanRatio(alpha=1e-3, tol=1e-5)),
        ("rbf", MODELS["rbf"]()),
        ("trees", trees),
    ]
    return StackedRatio(members, random_state=0)


MODELS = {
    "linear tangent": lambda: ArctanRatio(alpha=1e-4, tol=1e-5),
    "linear log": lambda: ArctanRatio(loss="log", alpha=1e-4, tol=1e-5),
    "rbf": lambda: ArctanRatio("rbf", alpha=1e-3, n_components=100, tol=1e-5, random_state=0),
    "small stack": small_stack,
    "stack": lambda: StackedRatio(random_state=0),
}


def simulate(model: str, law: str, n: int, runs: int) -> dict[str, Any]:
    """Certificates of n rows, half of either class."""
    held_figures.N_DRAWS = 400
    task, seed = laws.suite()[law], zlib.crc32(law.encode())
    certs, oracle, held = [], [], []
    for run in range(runs):
        X, y = task.sample(n // 2, n // 2, random_state=[seed, n, run, 1])
        held_figures.SEED = run
        cert = certify(MODELS[model](), X, y, random_state=run)
        certs.append(cert)
        oracle.append([arc_length_score(y, task.angle(X)), roc_auc(y, task.log_ratio(X))])
        folds = [cert.fold == k for k in range(5)]
        aucs = [roc_auc(y[rows], cert.score[rows]) for rows in folds]
        held.append([arc_length_score(y, cert.angle), np.mean(aucs)])
    out = coverage(certs, task)
    truth = np.array([task.arc_length, task.auc])
    for name, figures in (("oracle", oracle), ("held-out", held), ("value", _values(certs))):
        errors = np.array(figures) - truth
        for k, quantity in enumerate(("arc_length", "auc")):
            out[f"{quantity} {name} rmse"] = float(np.sqrt((errors[:, k] ** 2).mean()))
        if name == "held-out":
            out["arc_length held-out bias"], out["auc held-out bias"] = map(
                float, errors.mean(axis=0)
            )
    return out


def _values(certs: list[Any]) -> list[list[float]]:
    return [[cert.arc_length.value, cert.auc.value] for cert in certs]


def main() -> None:
    warnings.simplefilter("ignore")
    plan = [
        ("linear tangent", 2000, 300, LINEAR_TASKS),
        ("rbf", 1000, 200, OTHER_TASKS),
        ("small stack", 1000, 200, OTHER_TASKS),
        ("linear log", 2000, 300, LINEAR_TASKS),
        ("stack", 2000, 6, OTHER_TASKS),
    ]
    cells = [
        {"model": model, "law": law, "n": n, "runs": runs}
        for model, n, runs, tasks in plan
        for law in tasks
    ]
    run_cells("values", cells, simulate)


if __name__ == "__main__":
    main()
