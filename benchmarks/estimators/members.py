"""Which members earn their time? Stacks of several sets of them on real tables.

    python benchmarks/estimators/members.py --data DIR [--rows 4000] [--tables churn magic]

Tables are Parquet files with a 0/1 column ``target``. Each candidate is fitted once to at most
``--rows`` rows and once per fold of three; every set of candidates then shares the same angles, so
that the sets differ in nothing else. Rows go to ``results/members.csv``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss, roc_auc_score
from threadpoolctl import threadpool_limits

from rocstar import (
    ArctanRatioCV,
    ClassifierRatio,
    QuadraticRatio,
    TableEncoder,
    arc_length_score,
    predict_angle,
)
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.forest import RandomlyCutForest
from rocstar.estimators.members import boosted_trees, class_rows, member_forest
from rocstar.estimators.protocol import frozen, tunes_itself
from rocstar.estimators.shares import MixtureArcLength
from rocstar.estimators.splits import split_rows
from rocstar.tables.dense import DenseRatio

HERE = Path(__file__).parent
MOST_TEST = 10_000
SOME = {"max_features": 0.5}
BOOSTED = {
    "40 steps": {"learning_rate": 0.12, "max_iter": 40, "max_leaf_nodes": 24},
    "trees before": {"learning_rate": 0.05, "max_iter": 100, "max_leaf_nodes": 15},
    "250 steps": {"learning_rate": 0.05, "max_iter": 250, "max_leaf_nodes": 12, **SOME},
    "trees of half": {"learning_rate": 0.1, "max_iter": 50, "max_leaf_nodes": 24, **SOME},
    "shallow of half": {"learning_rate": 0.18, "max_iter": 100, "max_leaf_nodes": 4, **SOME},
}
OF_HALF = ["trees of half", "shallow of half"]
SETS = {
    "linear, rbf, trees (before)": ["linear", "rbf", "trees before"],
    "linear, rbf, 250 steps of boosting": ["linear", "rbf", "250 steps"],
    "linear, rbf, 250 steps of boosting, forest": ["linear", "rbf", "250 steps", "forest"],
    "linear, rbf, trees and shallow of half of the columns, forest": [
        *("linear", "rbf", *OF_HALF, "forest")
    ],
    "linear, rbf, 40 steps of boosting, shallow, forest of the root of the columns": [
        *("linear", "rbf", "40 steps", "shallow", "forest of root")
    ],
    "linear, rbf, trees, forest": ["linear", "rbf", "trees", "forest"],
    "linear, rbf, shallow, forest": ["linear", "rbf", "shallow", "forest"],
    "linear, trees, shallow, forest": ["linear", "trees", "shallow", "forest"],
    "linear, rbf, trees, shallow, forest": ["linear", "rbf", "trees", "shallow", "forest"],
    "linear, quadratic, trees, shallow, forest": [
        *("linear", "quadratic", "trees", "shallow", "forest")
    ],
    "linear, rbf, quadratic, trees, shallow, forest (default)": [
        *("linear", "rbf", "quadratic", "trees", "shallow", "forest")
    ],
}


def candidates(categorical: list[int], rows: int, columns: int, rarer: int) -> dict[str, Any]:
    """Categories as codes for boosting, as columns for the others."""

    def dense(ratio: Any) -> DenseRatio:
        return DenseRatio(ratio, categorical=categorical, random_state=0)

    def smooth(kernel: str, loss: str) -> DenseRatio:
        tuned = {"cv": 3, "max_columns": 300, "max_tuning_rows": 3000, "random_state": 0}
        return dense(ArctanRatioCV(kernel, loss=loss, **tuned))

    usual = {"l2_regularization": 1.0, "early_stopping": False, "random_state": 0}
    boosted = {
        name: ClassifierRatio(
            HistGradientBoostingClassifier(
                categorical_features=categorical or None, **usual, **settings
            )
        )
        for name, settings in BOOSTED.items()
    }
    shape = rows, columns, rarer
    boosted |= {
        name: ClassifierRatio(
            boosted_trees(name, *shape, categorical_features=categorical or None, random_state=0)
        )
        for name in ("trees", "shallow")
    }
    forests = {
        "forest": member_forest(*shape, random_state=0),
        "forest of root": RandomlyCutForest(random_state=0),
    }
    return {
        "linear": smooth("linear", "log"),
        "rbf": smooth("rbf", "tangent"),
        "quadratic": dense(QuadraticRatio(random_state=0)),
        **boosted,
        **{name: dense(ClassifierRatio(forest)) for name, forest in forests.items()},
    }


def judged(model: Any, X: np.ndarray, y: np.ndarray, folds: list, test: np.ndarray) -> dict:
    """Out-of-fold angles, angles of the test rows, and CPU seconds of all fits."""
    start = time.process_time()
    full = fitted_clone(model, X, y)
    outside = np.empty(len(y))
    kept = frozen(full) if tunes_itself(model) else model
    for train, held in folds:
        outside[held] = predict_angle(fitted_clone(kept, X, y, rows=train), X[held])
    seconds = time.process_time() - start
    return {"outside": outside, "test": predict_angle(full, test), "seconds": seconds}


def stacked(members: list[dict], y: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """What the mixture of the best shares reaches on the test rows."""
    outside = np.stack([member["outside"] for member in members])
    shares = MixtureArcLength(outside, y, np.ones(len(y))).best_shares()
    angle = shares @ np.stack([member["test"] for member in members])
    ratio = np.tan(np.clip(angle, 1e-4, np.pi / 2 - 1e-4)) * y.mean() / (1 - y.mean())
    return {
        "auc": roc_auc_score(labels, angle),
        "log_loss": log_loss(labels, np.clip(ratio / (1 + ratio), 1e-4, 1 - 1e-4)),
        "J": arc_length_score(labels, angle),
        "cpu_s": sum(member["seconds"] for member in members),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "members.csv")
    options = parser.parse_args()
    found = []
    for path in sorted(options.data.glob("*.parquet"), key=lambda path: path.stat().st_size):
        if options.tables and path.stem not in options.tables:
            continue
        frame = pd.read_parquet(path)
        y = frame.pop("target").to_numpy().astype(bool)
        order = np.random.default_rng([7, 0]).permutation(len(y))
        cut = int(0.7 * len(y))
        train, test = order[:cut][: options.rows], order[cut:][:MOST_TEST]
        encoder = TableEncoder()
        X, fresh = encoder.fit_transform(frame.iloc[train]), encoder.transform(frame.iloc[test])
        folds = split_rows(3, y[train], random_state=0, inner=True)
        rarer = class_rows(y[train])[1]
        models = candidates(encoder.categorical_.tolist(), *X.shape, rarer)
        said = {name: judged(model, X, y[train], folds, fresh) for name, model in models.items()}
        for name, members in SETS.items():
            reached = stacked([said[member] for member in members], y[train], y[test])
            found.append({"table": path.stem, "members": name, "rows": len(train), **reached})
            print(found[-1], flush=True)
    table = pd.DataFrame(found)
    table.round(5).to_csv(options.output, index=False)
    print(table.groupby("members", sort=False)[["auc", "log_loss", "J", "cpu_s"]].mean().round(4))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
