"""Audits of real tables of more than two classes, as a user runs them, with time and answer.

    python benchmarks/multiclass/audits.py --data DIR --keel DIR --covertype FILE

Digits, iris and wine come with scikit-learn. ``--data`` is a folder of Parquet files; columns of
theirs with many values are the targets. ``--keel`` is a folder of KEEL files, and ``--covertype``
the file covtype.csv, which the wheels of scikit-multiflow up to 0.4.1 contain; a random part of it
is audited. Every audit is the command ``rocstar audit TABLE --target COLUMN`` in a process of its
own, with a page written. Finished ones are kept.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

RESULTS = Path(__file__).parent / "results" / "audits.json"
PACKAGED = ("iris", "wine", "digits")
KEEL = ("satimage", "letter")
COVERTYPE_ROWS = 30_000
# Table, target, and columns left out.
COLUMNS = (
    ("german_credit", "Purpose", []),
    ("bank_marketing", "job", []),
    ("adult", "occupation", []),
)


def packaged(name: str) -> pd.DataFrame:
    """A table of scikit-learn with its target as a column."""
    data = getattr(datasets, f"load_{name}")(as_frame=True)
    return data.frame.rename(columns={"target": "class"})


def keel(path: Path) -> pd.DataFrame:
    """A KEEL file; the last column is the class."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    given = [line.split(",") for line in lines if line and not line.startswith("@")]
    rows = [[cell.strip() for cell in line] for line in given]
    table = pd.DataFrame(rows, columns=[*(f"x{k}" for k in range(len(rows[0]) - 1)), "class"])
    return table.astype(dict.fromkeys(table.columns[:-1], np.float64))


def covertype(path: Path) -> pd.DataFrame:
    """Some rows of the forest covers; the last column is the class."""
    table = pd.read_csv(path).sample(COVERTYPE_ROWS, random_state=0)
    return table.rename(columns={table.columns[-1]: "class"})


def audited(
    table: pd.DataFrame, target: str, drop: list[str], pages: Path | None, name: str
) -> Any:
    """Summary of one audit, and its seconds of the processors and on the clock."""
    with tempfile.TemporaryDirectory() as folder:
        path, page = Path(folder) / "table.parquet", Path(folder) / "page.html"
        table.to_parquet(path)
        command = [sys.executable, "-m", "rocstar", "audit", str(path), "--target", target]
        command += [part for column in drop for part in ("--drop", column)]
        command += ["--json", "--quiet", "-o", str(page)]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
        out = subprocess.run(command, capture_output=True, text=True, check=True)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        if pages is not None:
            (pages / f"{name}.html").write_bytes(page.read_bytes())
    cpu = spent.ru_utime + spent.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(out.stdout), cpu, perf_counter() - start


def row(name: str, table: pd.DataFrame, target: str, drop: list[str], pages: Path | None) -> Any:
    """What an audit found and took."""
    found, cpu, wall = audited(table, target, drop, pages, name)
    pairs = found["pairwise_auc"]["low"]
    apart = [low > 0.5 for i, line in enumerate(pairs) for low in line[i + 1 :]]
    return {
        "table": name,
        "target": target,
        "rows": found["data"]["rows"],
        "columns": found["data"]["features"],
        "classes": len(found["data"]["classes"]),
        "balanced_accuracy": found["balanced_accuracy"]["value"],
        "low": found["balanced_accuracy"]["low"],
        "pairs_apart": sum(apart),
        "pairs": len(apart),
        "more_rows": found["more_rows"] and found["more_rows"]["verdict"],
        "cpu_seconds": round(cpu, 1),
        "wall_seconds": round(wall, 1),
    }


def tables(data: Path | None, keel_folder: Path | None, forest: Path | None) -> Any:
    """Name, table, target and columns left out."""
    for name in PACKAGED:
        yield name, lambda name=name: packaged(name), "class", []
    if keel_folder is not None:
        for name in KEEL:
            yield name, lambda name=name: keel(keel_folder / f"{name}.dat"), "class", []
    if forest is not None:
        yield "covertype", lambda: covertype(forest), "class", []
    if data is not None:
        for name, target, drop in COLUMNS:
            yield name, lambda name=name: pd.read_parquet(data / f"{name}.parquet"), target, drop


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--keel", type=Path)
    parser.add_argument("--covertype", type=Path)
    parser.add_argument("--pages", type=Path, help="folder that keeps the pages")
    given = parser.parse_args()
    done = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    known = {(one["table"], one["target"]) for one in done}
    for name, table, target, drop in tables(given.data, given.keel, given.covertype):
        if (name, target) not in known:
            done.append(row(name, table(), target, drop, given.pages))
            RESULTS.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
            print(done[-1], flush=True)


if __name__ == "__main__":
    main()
