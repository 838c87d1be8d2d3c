"""How often does the interval of ``more_rows`` contain the gain that twice the rows bring?

    python benchmarks/learning/coverage.py [--data DIR] [--part laws|tables|stack|seeds] [--out CSV]

Truth: the mean over training sets of AUC at 2m less AUC at m, judged on many rows, where m is the
number of rows that the audit's models learn from; every model of it tunes itself. Each audit draws
new rows; with ``--part seeds`` one table is audited with five seeds. ``DIR/NAME.parquet`` holds a
table with a 0/1 column ``target``; audits see some of its rows, disjoint from those that judge.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from rocstar import laws
from rocstar.audits.judge import row_splits
from rocstar.audits.learning import learning_curve
from rocstar.curves import roc_auc
from rocstar.inference.held_out import held_out, judged_by
from rocstar.tables.model import table_model
from rocstar.tables.table import table_of

HERE = Path(__file__).parent
FIELDS = [
    "source", "rows", "model", "cv", "runs", "gain", "gain_se", "estimate", "low", "high",
    "covered", "helps", "little", "cannot_tell", "cost",
]  # fmt: skip
Draw = Callable[[int, np.random.Generator], tuple[Any, Any]]


@dataclass(frozen=True)
class Cell:
    source: str
    rows: int
    model: str
    cv: Any = 5
    runs: int = 10
    truths: int = 8

    @property
    def training_rows(self) -> int:
        return self.rows // 2 if self.cv == "holdout" else self.rows * (self.cv - 1) // self.cv


PARTS = {
    "laws": [
        *(Cell(law, 200, "linear", truths=30) for law in ("gaussian-10d", "gaussian-50d")),
        *(Cell(law, 200, "trees", truths=30) for law in ("gaussian-10d", "quadric-2d")),
        *(Cell(law, 800, "linear") for law in ("gaussian-10d", "gaussian-50d", "identical-5d")),
        *(Cell(law, 800, "trees") for law in ("gaussian-10d", "quadric-2d")),
        Cell("gaussian-faint-10d", 800, "linear", truths=30),
        Cell("gaussian-50d", 3200, "linear"),
        # Above 10,000 rows two folds are followed, above 40,000 one.
        Cell("gaussian-50d", 14_000, "linear"),
        Cell("quadric-10d", 14_000, "trees"),
        Cell("gaussian-50d", 42_000, "linear"),
        Cell("quadric-10d", 42_000, "trees"),
        Cell("gaussian-50d", 800, "linear", "holdout"),
        Cell("quadric-2d", 800, "fast", "holdout"),
    ],
    "tables": [
        Cell("magic", 500, "trees", runs=6),
        Cell("adult", 500, "linear", runs=6),
        Cell("magic", 2000, "trees", runs=6, truths=5),
        Cell("default_credit_card", 2000, "linear", runs=6),
        Cell("adult", 2000, "fast", runs=6, truths=5),
        Cell("bank_marketing", 2000, "fast", "holdout", runs=6, truths=5),
        Cell("adult", 8000, "linear", runs=4, truths=4),
    ],
    "stack": [
        Cell("quadric-10d", 200, "auto", runs=20, truths=10),
        Cell("quadric-10d", 14_000, "auto"),
    ],
}
SEEDS = [
    Cell("gaussian-50d", 800, "linear"),
    Cell("identical-5d", 800, "linear"),
    Cell("quadric-10d", 600, "auto"),
    Cell("adult", 2000, "fast"),
    Cell("default_credit_card", 2000, "linear"),
]


class Rows:
    """Rows of a law or a table to draw from, and others that judge."""

    def __init__(self, source: str, folder: Path | None, judges: int = 10_000) -> None:
        self.categorical: list[int] = []
        if source in laws.suite():
            law = laws.suite()[source]
            self.draw = lambda n, rng: _of_law(law, n, rng)
            self.judges = _of_law(law, judges, np.random.default_rng(0))
            return
        import pandas as pd

        if folder is None:
            raise SystemExit(f"{source} is a table: pass --data DIR.")
        frame = pd.read_parquet(folder / f"{source}.parquet")
        y = frame.pop("target").to_numpy() == 1
        table = table_of(frame, y.astype(int))
        self.categorical = table.encoder.categorical_.tolist()
        order = np.random.default_rng(0).permutation(len(y))
        cut = min(20_000, len(y) // 4)
        self.judges = table.X[order[:cut]], y[order[:cut]]
        self.draw = lambda n, rng: _of_rows(table.X, y, rng.choice(order[cut:], n, replace=False))

    def model(self, cell: Cell) -> Any:
        kind, fast = ("auto", True) if cell.model == "fast" else (cell.model, False)
        return table_model(
            kind, rows=cell.rows, categorical=self.categorical, fast=fast, random_state=0
        )


def _of_law(law: Any, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    X, y = law.sample(n // 2, n - n // 2, random_state=int(rng.integers(2**31)))
    return X, y == 1


def _of_rows(X: Any, y: Any, rows: Any) -> tuple[Any, Any]:
    return X[rows], y[rows]


def true_gains(cell: Cell, rows: Rows, rng: np.random.Generator) -> np.ndarray:
    """AUC of a model of 2m rows less the mean of those of its two halves, for some draws."""

    def auc(X: Any, y: Any) -> float:
        Xj, yj = rows.judges
        return float(roc_auc(yj, judged_by(rows.model(cell).fit(X, y), Xj)[1]))

    gains = []
    for _ in range(cell.truths):
        X, y = rows.draw(2 * cell.training_rows, rng)
        half = np.zeros(len(y), dtype=bool)
        for members in (np.flatnonzero(y), np.flatnonzero(~y)):
            half[rng.permutation(members)[: len(members) // 2]] = True
        gains.append(auc(X, y) - (auc(X[half], y[half]) + auc(X[~half], y[~half])) / 2)
    return np.array(gains)


def outlook(cell: Cell, rows: Rows, X: Any, y: Any, seed: int) -> tuple[dict[str, Any], float]:
    """What an audit says about more rows, and the curve's cost as a share of the certificate's."""
    table = table_of(X, y.astype(int))
    splits = row_splits(table, cell.cv, seed)
    start = process_time()
    held = held_out(rows.model(cell), table.X, table.y, splits)
    middle = process_time()
    found = learning_curve(table, held, splits, random_state=seed).more_rows
    assert found is not None
    return found, (process_time() - middle) / (middle - start)


def coverage(cell: Cell, folder: Path | None) -> dict[str, Any]:
    # Gains of many rows are small.
    rows = Rows(cell.source, folder, 10_000 if cell.rows < 10_000 else 400_000)
    rng = np.random.default_rng([cell.rows, len(cell.model)])
    gains = true_gains(cell, rows, rng)
    said, costs = zip(
        *(outlook(cell, rows, *rows.draw(cell.rows, rng), run) for run in range(cell.runs)),
        strict=True,
    )
    truth = gains.mean()
    mean = {key: np.mean([one[key] for one in said]) for key in ("gain", "low", "high")}
    verdicts = Counter(one["verdict"] for one in said)
    figures = [
        truth,
        gains.std(ddof=1) / np.sqrt(gains.size),
        mean["gain"],
        mean["low"],
        mean["high"],
    ]
    covered = np.mean([one["low"] <= truth <= one["high"] for one in said])
    shares = [verdicts[name] / cell.runs for name in ("helps", "little", "cannot tell")]
    values = [
        cell.source, cell.rows, cell.model, cell.cv, cell.runs, *(f"{v:.4f}" for v in figures),
        *(f"{v:.2f}" for v in (covered, *shares, np.mean(costs))),
    ]  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


def stability(cell: Cell, folder: Path | None) -> dict[str, Any]:
    """Verdicts of five seeds on one table: the share of the commonest, and all of them."""
    rows, rng = Rows(cell.source, folder), np.random.default_rng(1)
    X, y = rows.draw(cell.rows, rng)
    said = [outlook(cell, rows, X, y, seed)[0] for seed in range(5)]
    verdicts = Counter(one["verdict"] for one in said).most_common()
    gains = [one["gain"] for one in said]
    return {
        "source": cell.source,
        "rows": cell.rows,
        "model": cell.model,
        "same": f"{verdicts[0][1] / 5:.1f}",
        "verdicts": "; ".join(f"{n} {name}" for name, n in verdicts),
        "smallest": f"{min(gains):.4f}",
        "largest": f"{max(gains):.4f}",
        "width": f"{np.mean([one['high'] - one['low'] for one in said]):.4f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--part", choices=[*PARTS, "seeds"], default="laws")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    cells, measure = (SEEDS, stability) if asked.part == "seeds" else (PARTS[asked.part], coverage)
    out = asked.out or HERE / f"{asked.part}.csv"
    with out.open("w", newline="") as file:
        for k, cell in enumerate(cells):
            row = measure(cell, asked.data)
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if k == 0:
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            print(row, flush=True)


if __name__ == "__main__":
    main()
