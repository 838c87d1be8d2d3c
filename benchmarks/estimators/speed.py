"""Time of the estimators as ratios within one run: a Gram pass, scikit-learn, densratio.

    python benchmarks/estimators/speed.py [--rows 1000000] [--repeats 5] [--densratio PYTHON]

Repetitions are interleaved, so that a slow moment of the machine hits all alike; medians are
reported. ``--densratio`` names a Python that has densratio 0.4.0, which wants its own environment.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import rocstar
from rocstar import ArctanRatio, ArctanRatioCV, arc_length_score

HERE = Path(__file__).parent
THREADS = 2


def shifted(n: int, d: int, shift: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (np.arange(n) % 2).astype(int)
    X[y == 1] += shift
    return X, y


def timed(work) -> tuple[float, float, object]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def interleaved(works: dict, repeats: int) -> dict[str, tuple[float, float, object]]:
    """Median wall and CPU time of each, after one warm-up of all."""
    for work in works.values():
        work()
    runs = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            runs[name].append(timed(work))
    return {
        name: (
            float(np.median([wall for wall, _, _ in times])),
            float(np.median([cpu for _, cpu, _ in times])),
            times[-1][2],
        )
        for name, times in runs.items()
    }


def linear(rows: int, repeats: int) -> list[dict]:
    X, y = shifted(rows, 50, np.full(50, 0.3), seed=0)
    test, labels = shifted(200_000, 50, np.full(50, 0.3), seed=1)
    works = {
        "Gram pass X'X": lambda: X.T @ X,
        "ArctanRatio()": lambda: ArctanRatio().fit(X, y),
        "LogisticRegression() lbfgs": lambda: LogisticRegression().fit(X, y),
        "LogisticRegression newton-cholesky": lambda: LogisticRegression(
            solver="newton-cholesky"
        ).fit(X, y),
    }
    table = []
    medians = interleaved(works, repeats)
    gram, ours = medians["Gram pass X'X"][0], medians["ArctanRatio()"][0]
    for name, (wall, cpu, model) in medians.items():
        row = {
            "work": f"linear, n = {rows:,}, d = 50",
            "method": name,
            "wall s": round(wall, 4),
            "cpu s": round(cpu, 4),
            "Gram passes": round(wall / gram, 2),
            "times ours": round(wall / ours, 2),
        }
        if isinstance(model, ArctanRatio):
            row["gradient norm"] = f"{model.solution_.gradient_norm:.1e}"
            row["test J"] = round(model.score(test, labels), 5)
        if hasattr(model, "decision_function"):
            row["test AUC"] = round(roc_auc_score(labels, model.decision_function(test)), 5)
        table.append(row)
    tracemalloc.start()
    ArctanRatio().fit(X, y)
    table[1]["extra memory / X"] = round(tracemalloc.get_traced_memory()[1] / X.nbytes, 4)
    tracemalloc.stop()
    return table


def rbf(repeats: int, densratio: str | None) -> list[dict]:
    shift = np.eye(10)[0]
    X, y = shifted(10_000, 10, shift, seed=0)
    test, labels = shifted(20_000, 10, shift, seed=1)
    work = {"ArctanRatioCV('rbf')": lambda: ArctanRatioCV("rbf", random_state=0).fit(X, y)}
    ((name, (wall, cpu, model)),) = interleaved(work, repeats).items()
    problem = "rbf with CV, 5,000 + 5,000 rows, d = 10"
    auc = roc_auc_score(labels, model.decision_function(test))
    rows = [
        {
            "work": problem,
            "method": name,
            "wall s": round(wall, 4),
            "cpu s": round(cpu, 4),
            "times ours (cpu)": 1.0,
            "test J": round(arc_length_score(labels, model.predict_angle(test)), 5),
            "test AUC": round(auc, 5),
        }
    ]
    if densratio is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.npz"
            np.savez(path, X=X, y=y, test=test, labels=labels)
            adapter = HERE.parent / "rivals" / "densratio_ulsif.py"
            answer = subprocess.run(
                [densratio, str(adapter), str(path)], check=True, capture_output=True, text=True
            )
        theirs = json.loads(answer.stdout.splitlines()[-1])
        rows.append(
            {
                "work": problem,
                "method": f"densratio {theirs['version']} uLSIF",
                "wall s": round(theirs["wall"], 4),
                "cpu s": round(theirs["cpu"], 4),
                "times ours (cpu)": round(theirs["cpu"] / cpu, 2),
                "test AUC": round(
                    roc_auc_score(labels, np.nan_to_num(np.array(theirs["ratio"]))), 5
                ),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--densratio", metavar="PYTHON")
    parser.add_argument("--output", type=Path, default=HERE / "results")
    options = parser.parse_args()
    with threadpool_limits(THREADS):
        rows = linear(options.rows, options.repeats) + rbf(options.repeats, options.densratio)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE
    ).stdout.strip()
    options.output.mkdir(exist_ok=True)
    path = options.output / "speed.csv"
    with path.open("w", newline="") as file:
        file.write(
            f"# rocstar {rocstar.__version__} at {commit}, scikit-learn {sklearn.__version__}, "
            f"NumPy {np.__version__}, {platform.machine()}, {os.cpu_count()} cores, "
            f"{THREADS} threads, load {os.getloadavg()[0]:.1f}, "
            f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GiB\n"
        )
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print(", ".join(f"{name}: {value}" for name, value in row.items()), file=sys.stdout)


if __name__ == "__main__":
    main()
