"""Track 2b: the stack beside tuned boosters, and beside AutoML with as much time as it took.

The rows and columns of track 2 at its "full" size, of seven of its tables. The stack goes first;
FLAML and AutoGluon are then given its wall-clock seconds, each with one thread. One that takes more
than it was given is run again with a limit that is shorter by as much.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from harness import RESULTS, Table, Team, measurements
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from tracks.ranking import encoded, training_rows

STACK = "rocstar stack"
METHODS = {
    "LightGBM": "with_lightgbm",
    "XGBoost": "with_xgboost",
    "CatBoost": "with_catboost",
    "FLAML": "with_flaml",
    "AutoGluon": "with_autogluon",
}
TABLES = (
    "german_credit",
    "churn",
    "spambase",
    "satimage_c4",
    "mammography",
    "magic",
    "bank_marketing",
)
TIMED = ("FLAML", "AutoGluon")
SPLITS = {"quick": 1, "full": 4}
# Of the stack's seconds, and of runs that shorten the limit until they are within them.
ALLOWED, TRIES = 1.1, 4


def run(team: Team, size: str, data: Path | None = None, results: Path = RESULTS) -> None:
    """Fill ``automl.csv``: splits outermost, so that an interrupted run is balanced."""
    if data is None:
        print("automl: skipped, since no folder of tables was given (--data)")
        return
    table = Table(results / "automl.csv", ("table", "split", "method"))
    names = TABLES[: 1 if size == "quick" else None]
    for split in range(SPLITS[size]):
        for name in names:
            if not all(table.has(name, split, method) for method in (STACK, *METHODS)):
                _cell(team, table, data / f"{name}.parquet", split)


def _cell(team: Team, table: Table, path: Path, split: int) -> None:
    """One split of one table: a started one is done anew, since the stack's time is the budget."""
    frame = pd.read_parquet(path)
    y = frame.pop("target").to_numpy().astype(int)
    train, test = training_rows(y, "full", np.random.default_rng([2022, split]))
    X, X_test = encoded(frame.iloc[train], frame.iloc[test])
    fold = np.empty(len(train), dtype=int)
    inner = StratifiedKFold(3, shuffle=True, random_state=split)
    for k, (_, held) in enumerate(inner.split(X, y[train])):
        fold[held] = k
    arrays = {"X": X, "y": y[train], "fold": fold, "X_test": X_test}
    seconds = None
    for method, adapter in ((STACK, "with_ours"), *METHODS.items()):
        if method in TIMED:
            found, limit = _within(team, adapter, method, arrays, seconds)
        else:
            found, limit = team.ask(adapter, "rank", method, arrays, {"seconds": None}), ""
        seconds = found["wall_s"] if method == STACK else seconds
        scores = found.get("arrays", {}).get("score")
        auc = "" if scores is None else float(roc_auc_score(y[test], np.nan_to_num(scores)))
        row = {"table": path.stem, "split": split, "method": method, "train": len(train)}
        row |= {"columns": X.shape[1], "seconds": seconds, "limit": limit, "auc": auc}
        table.add({**row, **measurements(found)})


def _within(
    team: Team, adapter: str, method: str, arrays: dict[str, Any], seconds: float
) -> tuple[dict[str, Any], float]:
    """What a method finds in so many seconds, or in the least it can take, and its limit."""
    limit, best = seconds, None
    for _ in range(TRIES):
        found = team.ask(adapter, "rank", method, arrays, {"seconds": limit})
        if best is not None and "score" not in found.get("arrays", {}):
            break  # no model is fitted in so short a time
        if best is None or found["wall_s"] < best[0]["wall_s"]:
            best = found, limit
        if found["wall_s"] <= ALLOWED * seconds:
            break
        limit *= seconds / found["wall_s"]
    return best
