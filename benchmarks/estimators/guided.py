"""What do trees buy that see the scores of smooth models? Stacks on real tables of many rows.

    python benchmarks/estimators/guided.py --data DIR

Tables of which 70 % are more than 10,000 rows, cut as in track 2 on splits that the settings have
not seen, with at most 14,000 training rows, and with 30,000. All stacks share the angles of the
members that do not change; the kernel is not tuned. Rows go to ``results/guided.csv``.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from members import judged, stacked
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rocstar import ArctanRatio
from rocstar.estimators.cv import WEAK_ALPHA
from rocstar.estimators.members import MANY_ROWS, MAX_COLUMNS, default_members
from rocstar.estimators.protocol import stand_in
from rocstar.estimators.splits import split_rows
from rocstar.estimators.standardized import StandardizedRatio

sys.path.insert(0, str(Path(__file__).parents[1]))
from tracks.ranking import FRESH_SPLITS, MOST_TEST, encoded

HERE = Path(__file__).parent
SIZES = {14_000: MANY_ROWS, 30_000: 30_000}  # and the least that a table must have


def steps(X: np.ndarray, y: np.ndarray) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """All members, and the stacks of some of them."""
    # Members by default of so many rows, and one more where there would be none.
    members = dict(default_members(0, *X.shape, min(y.sum(), (~y).sum())))
    guided = dict(default_members(0, MANY_ROWS + 1, X.shape[1]))["guided"]
    linear = StandardizedRatio(ArctanRatio(loss="log", alpha=WEAK_ALPHA), max_columns=MAX_COLUMNS)
    curved = guided.estimator.guides
    by = {"guided": curved, "guided by three": [linear, *curved], "guided by a kernel": curved[:1]}
    members |= {
        name: clone(guided).set_params(estimator__guides=guides) for name, guides in by.items()
    }
    members["rbf"] = stand_in(members["rbf"])
    usual = [name for name in members if not name.startswith("guided")]
    without_trees = [name for name in usual if name != "trees"]
    return members, {
        "no guides": usual,
        "guided": [*usual, "guided"],
        "guided by a linear score, too": [*usual, "guided by three"],
        "guided by the kernel alone": [*usual, "guided by a kernel"],
        "guided in place of large trees": [*without_trees, "guided"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    for split in FRESH_SPLITS["large"]:
        for path in sorted(options.data.glob("*.parquet"), key=lambda path: path.stat().st_size):
            frame = pd.read_parquet(path)
            y = frame.pop("target").to_numpy() == 1
            order = np.random.default_rng([2022, split]).permutation(len(y))
            cut = int(0.7 * len(y))
            for size in [size for size, least in SIZES.items() if cut > least]:
                train, test = order[:cut][:size], order[cut:][:MOST_TEST]
                X, fresh = encoded(frame.iloc[train], frame.iloc[test])
                members, stacks = steps(X, y[train])
                folds = split_rows(3, y[train], random_state=0, inner=True)
                said = {n: judged(m, X, y[train], folds, fresh) for n, m in members.items()}
                cell = {"table": path.stem, "rows": len(train), "size": size, "split": split}
                for step, kept in stacks.items():
                    reached = stacked([said[name] for name in kept], y[train], y[test])
                    found.append({**cell, "step": step, **reached})
                print(found[-len(stacks) :][:2], flush=True)
                pd.DataFrame(found).round(5).to_csv(HERE / "results" / "guided.csv", index=False)
    table = pd.DataFrame(found)
    figures = ["auc", "J", "log_loss", "cpu_s"]
    means = table.groupby(["size", "step", "table"], sort=False)[figures].mean()
    print(means.groupby(["size", "step"], sort=False).mean().round(5).to_string())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
