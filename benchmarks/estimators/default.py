"""What the default costs, in units of five boosted fits to the same rows, beside what it reaches.

    python benchmarks/estimators/default.py [--only certify fit] [--repeats 3] [--data DIR]
        [--tables adult] [--label after]

The unit is five-fold ``cross_val_predict`` of scikit-learn's ``HistGradientBoostingClassifier``.
Each is measured by CPU time with one thread, in turn with the work it is set against, so that other
work on the machine hits both alike; medians are reported. Commands are timed in seconds, as
processes of their own. ``--data`` adds audits of its Parquet tables with a 0/1 column ``target``.
Rows are added to ``results/default.csv``; run it in two checkouts for a table of before and after.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from threadpoolctl import threadpool_limits

from rocstar import StackedRatio, TableModel, audit, certify, compare, laws

HERE = Path(__file__).parent
FIELDS = [
    "label",
    "work",
    "ratio",
    "low",
    "high",
    "cpu_s",
    "unit_s",
    "arc_length",
    "auc",
    "unit_auc",
]
LAW = laws.GaussianPair.shifted(1.5, dim=10)


def sample(positives: int, negatives: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    X, y = LAW.sample(positives, negatives or positives, random_state=0)
    order = np.random.default_rng(0).permutation(y.size)
    return X[order], np.asarray(y)[order].astype(int)


def unit(X: Any, y: np.ndarray) -> np.ndarray:
    """Five boosted fits; categories of a table as scikit-learn takes them."""
    native = "from_dtype" if isinstance(X, pd.DataFrame) else None
    model = HistGradientBoostingClassifier(categorical_features=native, random_state=0)
    return cross_val_predict(model, X, y, cv=5, method="predict_proba")[:, 1]


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def works(names: list[str], tables: dict[str, pd.DataFrame]) -> dict[str, tuple]:
    """Rows, labels and what is done with them, by name."""
    large, small = sample(1000), sample(100)
    rows = pd.DataFrame(large[0][:1000]).add_prefix("x")
    rare = sample(100, 900)
    among_many = pd.DataFrame(rare[0]).add_prefix("x")
    stack = StackedRatio(random_state=0)
    found: dict[str, tuple] = {
        "certify, 1,000 + 1,000 x 10": (*large, lambda X, y: certify(stack, X, y, random_state=0)),
        "certify, 100 + 100 x 10": (*small, lambda X, y: certify(stack, X, y, random_state=0)),
        "fit, 1,000 + 1,000 x 10": (*large, lambda X, y: TableModel().fit(X, y)),
        "audit, 1,000 x 10": (rows, large[1][:1000], lambda X, y: audit(X, y, random_state=0)),
        "certify, 100 + 900 x 10": (*rare, lambda X, y: certify(stack, X, y, random_state=0)),
        "audit, 100 + 900 x 10": (
            among_many,
            rare[1],
            lambda X, y: audit(X, y, random_state=0),
        ),
        "compare, 1,000 + 1,000 x 10": (
            *large,
            lambda X, y: compare(X[y == 0], X[y == 1], random_state=0),
        ),
    }
    for name, frame in tables.items():
        X = frame.drop(columns="target")
        text = X.select_dtypes(exclude="number").columns
        X = X.astype(dict.fromkeys(text, "category"))
        shape = f"{len(X):,} x {X.shape[1]}"
        y = frame["target"].to_numpy().astype(int)
        found[f"audit, {name}, {shape}"] = (X, y, lambda X, y: audit(X, y, random_state=0))
    return {key: work for key, work in found.items() if key.split(",")[0] in names}


def measured(X: Any, y: np.ndarray, work: Callable[..., Any], repeats: int) -> dict[str, Any]:
    """Ratio of CPU times, median and range, and what both reached."""
    ours, theirs = [], []
    for _ in range(repeats):
        spent, probability = seconds(lambda: unit(X, y))
        theirs.append(spent)
        spent, found = seconds(lambda: work(X, y))
        ours.append(spent)
    ratios = np.array(ours) / np.array(theirs)
    of = getattr(found, "certificate", found)
    reached = {
        name: round(getattr(of, name).value, 4)
        for name in ("arc_length", "auc")
        if hasattr(of, name)
    }
    return {
        "ratio": round(float(np.median(ratios)), 2),
        "low": round(ratios.min(), 2),
        "high": round(ratios.max(), 2),
        "cpu_s": round(float(np.median(ours)), 2),
        "unit_s": round(float(np.median(theirs)), 2),
        "unit_auc": round(roc_auc_score(y, probability), 4),
        **reached,
    }


def command(*arguments: str) -> float:
    """CPU seconds of a command, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "rocstar", *arguments],
            check=True,
            capture_output=True,
            cwd=folder,
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ["certify", "fit", "audit", "compare", "command"]
    parser.add_argument("--only", nargs="*", default=names, choices=names)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", nargs="*", default=["adult"])
    parser.add_argument("--label", default="now")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "default.csv")
    options = parser.parse_args()
    tables = {}
    if options.data is not None:
        tables = {
            name: pd.read_parquet(options.data / f"{name}.parquet") for name in options.tables
        }
    fresh = not options.output.exists()
    with options.output.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if fresh:
            writer.writeheader()

        def add(**row: Any) -> None:
            writer.writerow({"label": options.label, **row})
            file.flush()
            print(row, flush=True)

        unit(*sample(100))  # imports and compiled parts
        for name, work in works(options.only, tables).items():
            add(work=name, **measured(*work, options.repeats))
        if "command" in options.only:
            for arguments in (["--help"], ["audit", "--fast", "-q"]):
                spent = [command(*arguments) for _ in range(options.repeats)]
                add(work=f"rocstar {' '.join(arguments)}", cpu_s=round(float(np.median(spent)), 2))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
