"""Run the cells of a simulation one by one and append each finished one to a CSV.

A cell that is already in the file is skipped, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
Cell = Mapping[str, Any]


def run_cells(name: str, cells: Iterable[Cell], simulate: Callable[..., dict[str, Any]]) -> Path:
    """Call ``simulate(**cell)`` for every cell not yet in ``results/name.csv``."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    cells = list(cells)
    done = {tuple(row.values()) for row in _keys(path, cells)}
    for cell in cells:
        if tuple(str(_short(value)) for value in cell.values()) in done:
            continue
        start = time.perf_counter()
        row = {**cell, **simulate(**cell), "seconds": round(time.perf_counter() - start, 1)}
        _append(path, row)
        print(name, row, flush=True)
    return path


def _keys(path: Path, cells: list[Cell]) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [{key: row[key] for key in cells[0]} for row in csv.DictReader(file)]


def _append(path: Path, row: dict[str, Any]) -> None:
    fresh = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        if fresh:
            writer.writeheader()
        writer.writerow({key: _short(value) for key, value in row.items()})


def _short(value: Any) -> Any:
    return f"{value:.5g}" if isinstance(value, float) else value
