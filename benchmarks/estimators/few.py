"""What do small leaves buy where the rarer class has few rows? Stacks on real tables and on laws.

    python benchmarks/estimators/few.py --data DIR

The tables are cut as in track 2, with 24 or 120 positives and up to 1,000 negatives, on splits that
the settings have not seen; of the laws of `laws.suite` there are 24 rows and 400, or 100 and 600.
Each step adds to the one before it; the last has the members of the default, whose kernel is always
tuned here. All stacks share the angles of the members that do not change. Rows go to
``results/few.csv``.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from members import judged, stacked
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rocstar import ClassifierRatio, laws
from rocstar.estimators.forest import RandomlyCutForest
from rocstar.estimators.members import default_members
from rocstar.estimators.splits import split_rows

sys.path.insert(0, str(Path(__file__).parents[1]))
from tracks.ranking import encoded, training_rows

HERE = Path(__file__).parent
# The settings were chosen on splits 0 to 2.
SPLITS = (3, 4, 5)
JUDGED = 5_000  # rows of each class of a law
SIZES = {"tables": ("24", "120"), "laws": ((24, 400), (100, 600))}
Sample = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def table_samples(folder: Path) -> Iterator[tuple[dict[str, Any], Sample]]:
    """Training rows, their labels, rows that judge, and theirs."""
    for path in sorted(folder.glob("*.parquet"), key=lambda path: path.stat().st_size):
        frame = pd.read_parquet(path)
        y = frame.pop("target").to_numpy().astype(int)
        for positives in SIZES["tables"]:
            for split in SPLITS:
                train, test = training_rows(y, positives, np.random.default_rng([2022, split]))
                if train is None:
                    continue
                X, fresh = encoded(frame.iloc[train], frame.iloc[test])
                cell = {"source": path.stem, "rows": positives, "split": split}
                yield cell, (X, y[train] == 1, fresh, y[test] == 1)


def law_samples() -> Iterator[tuple[dict[str, Any], Sample]]:
    for name, law in laws.suite().items():
        fresh, labels = law.sample(JUDGED, JUDGED, random_state=9)
        for sizes in SIZES["laws"]:
            for split in SPLITS:
                X, y = law.sample(*sizes, random_state=[5, zlib.crc32(name.encode()), split])
                cell = {"source": name, "rows": "{} + {}".format(*sizes), "split": split}
                yield cell, (X, y == 1, fresh, labels == 1)


def steps(X: np.ndarray, y: np.ndarray) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """All members, and for each step which of them stand for trees, shallow ones and the forest."""
    rarer = min(y.sum(), (~y).sum())
    members = dict(default_members(0, *X.shape, rarer))
    plain = dict(default_members(0, *X.shape))  # as if no class were rare
    more = round(float(np.clip(30 * 150 / rarer, 30, 150)))
    members |= {
        "trees, leaves of 20": plain["trees"],
        "shallow, leaves of 20": plain["shallow"],
        "shallow, penalty 1": clone(members["shallow"]).set_params(estimator__l2_regularization=1),
        "forest of 30": plain["forest"],
        "forest of more": ClassifierRatio(RandomlyCutForest(more, random_state=0)),
    }
    before = {"trees": "trees, leaves of 20", "shallow": "shallow, leaves of 20"}
    small = {"trees": "trees", "shallow": "shallow, penalty 1", "forest": "forest of more"}
    return members, {
        "no class is rare": before | {"forest": "forest of 30"},
        "a forest of up to 150 trees": before | {"forest": "forest of more"},
        "leaves of 5 in boosting": small,
        "penalty 10 for shallow trees": small | {"shallow": "shallow"},
        "a forest of 100 trees with leaves of 2": small
        | {"shallow": "shallow", "forest": "forest"},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    found = []
    for samples in (table_samples(options.data), law_samples()):
        for cell, (X, y, fresh, labels) in samples:
            members, chosen = steps(X, y)
            folds = split_rows(3, y, random_state=0, inner=True)
            said = {name: judged(model, X, y, folds, fresh) for name, model in members.items()}
            for step, others in chosen.items():
                kept = [others.get(name, name) for name in dict(default_members(0, *X.shape))]
                reached = stacked([said[name] for name in kept], y, labels)
                del reached["log_loss"]  # class shares differ from those that judge
                found.append({**cell, "step": step, **reached})
            print(found[-1], flush=True)
    table = pd.DataFrame(found).round(4)
    table.to_csv(HERE / "results" / "few.csv", index=False)
    means = table.groupby(["rows", "step", "source"], sort=False)[["auc", "J", "cpu_s"]].mean()
    print(means.groupby(["rows", "step"], sort=False).mean().round(4).to_string())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
