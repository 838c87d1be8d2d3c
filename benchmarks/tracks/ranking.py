"""Track 2: ranking on real imbalanced tables, every method tuned in the same inner folds.

Training rows: 24 or 120 positives with 1,000 negatives (fewer where a table has fewer), or "full":
seventy per cent of the table, at most 5,000 rows; or "large": at most 14,000, of tables where
seventy per cent are more than 10,000. At most 5,000 test rows. Categories become one column each,
missing numbers the median, all learnt from the training rows. Large tables, and three more splits
with few positives and of large tables, are for the stack and the boosters alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import RESULTS, Table, Team, measurements
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OneHotEncoder

METHODS = {
    "rocstar stack": "with_ours",
    "rocstar linear": "with_ours",
    "rocstar rbf": "with_ours",
    "logistic": "with_sklearn",
    "logistic balanced": "with_sklearn",
    "shrinkage LDA": "with_sklearn",
    "HistGradientBoosting": "with_sklearn",
    "PairwiseSquaredAUC": "with_baselines",
    "SPAUC": "with_baselines",
    "LibAUC linear": "with_libauc",
    "LightGBM": "with_lightgbm",
    "XGBoost": "with_xgboost",
    "CatBoost": "with_catboost",
}
LINEAR = (
    "rocstar linear",
    "logistic",
    "logistic balanced",
    "shrinkage LDA",
    "PairwiseSquaredAUC",
    "SPAUC",
    "LibAUC linear",
)
STRONG = ("rocstar stack", "HistGradientBoosting", "LightGBM", "XGBoost", "CatBoost")
POSITIVES = ("24", "120", "full", "large")
NEGATIVES, MOST_TRAIN, MOST_LARGE, MOST_TEST = 1000, 5000, 14_000, 5000
SPLITS = {"quick": 1, "full": 3}
# Settings of the default for few positives were chosen on the first three splits, and those for
# many rows on the first six, so others judge.
FRESH_SPLITS = {"24": range(3, 6), "120": range(3, 6), "large": range(6, 9)}
QUICK_TABLES = ("german_credit", "mammography")


def run(team: Team, size: str, data: Path | None = None, results: Path = RESULTS) -> None:
    """Fill ``ranking.csv``: splits outermost, so that an interrupted run is balanced."""
    if data is None:
        print("ranking: skipped, since no folder of tables was given (--data)")
        return
    table = Table(results / "ranking.csv", ("table", "positives", "split", "method"))
    paths = sorted(data.glob("*.parquet"), key=lambda path: path.stat().st_size)
    if not paths:
        sys.exit(f"--data must be a folder of .parquet files; {data} holds none.")
    if size == "quick":
        paths = [path for path in paths if path.stem in QUICK_TABLES]
    for split in range(SPLITS[size]):
        for positives in POSITIVES[: 1 if size == "quick" else None]:
            methods = STRONG if positives == "large" else METHODS
            for path in paths:
                _cell(team, table, path, positives, split, methods)
    if size == "full":
        for positives, splits in FRESH_SPLITS.items():
            for split in splits:
                for path in paths:
                    _cell(team, table, path, positives, split, STRONG)


def _cell(
    team: Team, table: Table, path: Path, positives: str, split: int, methods: Iterable[str]
) -> None:
    cell = {"table": path.stem, "positives": positives, "split": split}
    missing = [name for name in methods if not table.has(*cell.values(), name)]
    if not missing:
        return
    frame = pd.read_parquet(path)
    y = frame.pop("target").to_numpy().astype(int)
    train, test = training_rows(y, positives, np.random.default_rng([2022, split]))
    if train is None:
        return
    X, X_test = encoded(frame.iloc[train], frame.iloc[test])
    fold = np.empty(len(train), dtype=int)
    inner = StratifiedKFold(3, shuffle=True, random_state=split)
    for k, (_, held) in enumerate(inner.split(X, y[train])):
        fold[held] = k
    arrays = {"X": X, "y": y[train], "fold": fold, "X_test": X_test}
    shape = {"train": len(train), "columns": X.shape[1], "test": len(test)}
    turn = split % len(missing)
    for method in missing[turn:] + missing[:turn]:
        found = team.ask(METHODS[method], "rank", method, arrays)
        scores = found.get("arrays", {}).get("score")
        auc = "" if scores is None else float(roc_auc_score(y[test], np.nan_to_num(scores)))
        loss = log_loss_of(found, y[test]) if positives in ("full", "large") else ""
        figures = {"auc": auc, "log_loss": loss}
        table.add({**cell, "method": method, **shape, **figures, **measurements(found)})


def log_loss_of(found: dict[str, Any], y: np.ndarray) -> float | str:
    """That of the probabilities, where a method gives any."""
    probability = found.get("arrays", {}).get("probability")
    return "" if probability is None else float(log_loss(y, probability))


def training_rows(
    y: np.ndarray, positives: str, rng: np.random.Generator
) -> tuple[np.ndarray | None, np.ndarray]:
    """Training and test rows; no training rows where the table has too few positives."""
    order = rng.permutation(len(y))
    cut = int(0.7 * len(y))
    pool, test = order[:cut], order[cut:][:MOST_TEST]
    if positives == "full":
        return pool[:MOST_TRAIN], test
    if positives == "large":
        return (pool[:MOST_LARGE] if cut > 2 * MOST_TRAIN else None), test
    up, down = pool[y[pool] == 1], pool[y[pool] == 0]
    if len(up) < int(positives):
        return None, test
    return rng.permutation(np.concatenate([up[: int(positives)], down[:NEGATIVES]])), test


def encoded(train: pd.DataFrame, test: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    numbers = train.select_dtypes("number").columns
    others = [column for column in train.columns if column not in set(numbers)]
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=10, sparse_output=False
    )
    encoder = make_column_transformer(
        (SimpleImputer(strategy="median"), numbers), (one_hot, others), sparse_threshold=0
    )
    X, X_test = encoder.fit_transform(train), encoder.transform(test)
    varying = np.flatnonzero(np.ptp(X, axis=0) > 0)
    return X[:, varying].astype(float), X_test[:, varying].astype(float)
