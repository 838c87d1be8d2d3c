"""Time, memory and report size of ``rocstar audit`` on real tables.

    python benchmarks/audit/speed.py --data DIR [--sets adult churn] [--modes fast full]
        [--made 1000 200000]

``DIR/NAME.parquet`` holds a table with a 0/1 column ``target``; ``--made`` adds tables of so many
rows and 19 columns of numbers, drawn here. Each audit runs in a process of its own. "times" is its
CPU time, imports included, over that of five-fold `cross_val_predict` of
`HistGradientBoostingClassifier` on the same rows in one thread. Memory is the peak above that of a
process that has only imported everything, in copies of the float64 matrix that linear models see;
the goal is 6 copies and 300 MB.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import rocstar

HERE = Path(__file__).parent
FIELDS = [
    "set",
    "mode",
    "rows",
    "columns",
    "dense_columns",
    "wall_s",
    "cpu_s",
    "times",
    "peak_mb",
    "imports_mb",
    "allowed_mb",
    "report_mb",
    "arc_length",
    "auc",
    "auc_low",
    "load",
    "cores",
    "python",
    "commit",
]
# Five boosted fits to the rows of a file, categories as codes.
BOOSTED = """
import sys, time
import numpy as np, pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_predict
frame = pd.read_parquet(sys.argv[1])
y = frame.pop("target").to_numpy()
X = frame.apply(lambda c: c if c.dtype.kind in "biuf" else c.astype("category").cat.codes)
start = time.process_time()
cross_val_predict(HistGradientBoostingClassifier(random_state=0), X.to_numpy(float), y, cv=5)
print(time.process_time() - start)
"""
IMPORTS = "import skrub, pyarrow.parquet, rocstar.cli, rocstar.audits.audit, rocstar.report"


def measured(command: list[str]) -> tuple[str, float, float, float]:
    """Standard output, wall seconds, processor seconds and peak megabytes of a process."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        if status:
            raise SystemExit(f"{' '.join(command)} ended with status {status}.")
        out.seek(0)
        text = out.read().decode()
    return text, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def dense_columns(path: Path) -> int:
    """Width of the matrix that linear and kernel members see."""
    from rocstar.tables.dense import DenseColumns
    from rocstar.tables.reading import read_table
    from rocstar.tables.table import prepare

    table = prepare(read_table(path), target="target")
    rows = table.X[:5000]
    return DenseColumns(table.encoder.categorical_).fit(rows).width


def boosted(path: Path) -> float:
    """CPU seconds of five boosted fits in one thread."""
    command = [sys.executable, "-c", BOOSTED, str(path)]
    one = os.environ | {"OMP_NUM_THREADS": "1"}
    return float(subprocess.run(command, env=one, check=True, capture_output=True).stdout)


def made(rows: int, folder: Path) -> Path:
    """A table of numbers of which a few matter, some of them together."""
    rng = np.random.default_rng(rows)
    X = rng.standard_normal((rows, 19))
    score = X[:, :4] @ [0.6, -0.4, 0.3, 0.2] + 0.5 * X[:, 4] * X[:, 5] + 0.4 * np.abs(X[:, 6])
    y = (rng.random(rows) < 1 / (1 + np.exp(1.5 - score))).astype(int)
    path = folder / f"made-{rows}.parquet"
    pd.DataFrame(X).add_prefix("x").assign(target=y).to_parquet(path)
    return path


def run(path: Path, mode: str, imports_mb: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "audit.html")
        command = [sys.executable, "-m", "rocstar", "audit", str(path), "-t", "target"]
        command += ["--json", "-q", "-o", str(report)] + (["--fast"] if mode == "fast" else [])
        text, wall, cpu, peak = measured(command)
        size = report.stat().st_size
    found = json.loads(text)
    width = dense_columns(path)
    matrix = found["data"]["rows"] * width * 8 / 1e6
    return {
        "set": path.stem,
        "mode": mode,
        "rows": found["data"]["rows"],
        "columns": len(found["data"]["columns"]),
        "dense_columns": width,
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "times": round(cpu / boosted(path), 1),
        "peak_mb": round(peak - imports_mb),
        "imports_mb": round(imports_mb),
        "allowed_mb": round(6 * matrix + 300),
        "report_mb": round(size / 1e6, 2),
        "arc_length": round(found["arc_length"]["value"], 4),
        "auc": round(found["auc"]["value"], 4),
        "auc_low": round(found["auc"]["low"], 4),
        "load": round(os.getloadavg()[0], 1),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "commit": subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        ).stdout.strip(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--made", nargs="*", type=int, default=[], metavar="ROWS")
    parser.add_argument("--modes", nargs="*", default=["fast", "full"], choices=["fast", "full"])
    parser.add_argument("--output", type=Path, default=HERE / "speed.csv")
    arguments = parser.parse_args()
    paths = sorted(arguments.data.glob("*.parquet"), key=lambda path: path.stat().st_size)
    if arguments.sets:
        paths = [path for path in paths if path.stem in arguments.sets]
    # An installation compiles the package once, a checkout may do so at every start.
    compileall.compile_dir(rocstar.__path__[0], quiet=1)
    *_, imports_mb = measured([sys.executable, "-c", IMPORTS])
    with tempfile.TemporaryDirectory() as folder, arguments.output.open("w", newline="") as file:
        paths += [made(rows, Path(folder)) for rows in arguments.made]
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for path in paths:
            for mode in arguments.modes:
                row = run(path, mode, imports_mb)
                writer.writerow(row)
                file.flush()
                print(*(f"{key}={row[key]}" for key in FIELDS[:13]), flush=True)


if __name__ == "__main__":
    main()
