"""Track 5: two-sample tests at 5 %: level, power, and time and memory as the rows grow."""

from __future__ import annotations

import zlib
from pathlib import Path

from harness import RESULTS, Table, Team, measurements

from rocstar import laws

METHODS = {
    "rocstar": "with_ours",
    "hyppo fast MMD": "with_hyppo",
    "hyppo energy": "with_hyppo",
    "alibi-detect LSDD": "with_alibi",
    "classifier test": "with_sklearn",
}
# (law, rows per class): identical laws first, then tasks on which no test is sure.
TASKS = (
    ("identical-5d", 100),
    ("gaussian-faint-10d", 500),
    ("gaussian-correlated-10d", 100),
    ("contaminated-5d", 200),
    ("scale-10d", 50),
    ("correlation-10d", 50),
    ("student-df-1d", 200),
    ("bimodal-20d", 200),
    ("needle-50d", 500),
)
GROWTH = (500, 2000, 5000)
SIZES = {"quick": (5, GROWTH[:1], 2), "full": (50, GROWTH, len(TASKS))}


def run(team: Team, size: str, data: Path | None = None, results: Path = RESULTS) -> None:
    """Fill ``two_sample.csv`` (a row a test) run by run, methods interleaved."""
    runs, growth, n_tasks = SIZES[size]
    table = Table(results / "two_sample.csv", ("law", "n", "run", "method"))
    for repetition in range(3):
        for n in growth:
            _tests(team, table, "quadric-10d", n, repetition)
    for repetition in range(runs):
        for law, n in TASKS[:n_tasks]:
            _tests(team, table, law, n, repetition)


def _tests(team: Team, table: Table, name: str, n: int, repetition: int) -> None:
    seed = [2022, zlib.crc32(name.encode()), n, repetition]
    X, y = laws.suite()[name].sample(n, n, random_state=seed)
    for method, adapter in METHODS.items():
        if table.has(name, n, repetition, method):
            continue
        found = team.ask(adapter, "test", method, {"X": X, "y": y}, {"seed": repetition})
        pvalue = found.get("numbers", {}).get("pvalue", "")
        cell = {"law": name, "n": n, "run": repetition, "method": method}
        table.add({**cell, "pvalue": pvalue, **measurements(found)})
