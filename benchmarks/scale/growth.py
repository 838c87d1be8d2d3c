"""Cost against the number of rows, 10⁵ … 10⁸, rows regenerated from a seed in each pass.

    python benchmarks/scale/growth.py [--largest 8]

Nothing of the size of the data is ever held, so the largest problem needs no more memory than the
smallest. Also shows how to give a problem rows of one's own: an object with a handful of members.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import DOUBLE_ROUNDING, Block, workspace
from rocstar.fitting.solvers import newton

RESULTS = Path(__file__).parent / "results"
BLOCK_ROWS, COLUMNS, SHIFT = 5000, 20, 0.25


@dataclass(frozen=True)
class SeededRows:
    """Blocks of two Gaussians, classes in turn, each block from its own seed."""

    n_rows: int
    step: int = 1

    rounding = DOUBLE_ROUNDING

    @property
    def n_blocks(self) -> int:
        return self.n_rows // BLOCK_ROWS // self.step

    def read(self, index: int) -> Block:
        sign = np.where(np.arange(BLOCK_ROWS) % 2, 1.0, -1.0)
        draw = np.random.Generator(np.random.SFC64(index))
        phi = draw.standard_normal((BLOCK_ROWS, COLUMNS)) + SHIFT * (sign[:, None] > 0)
        weights = np.full(BLOCK_ROWS, 2.0 * self.step / self.n_rows)
        return Block(phi, sign, weights, workspace(phi))

    def total(self, function: Callable[[Block], Any]) -> Any:
        blocks = range(0, self.n_rows // BLOCK_ROWS, self.step)
        return reduce(add, (function(self.read(i)) for i in blocks))

    def thinned(self, step: int) -> SeededRows:
        return replace(self, step=step)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=8, help="power of ten")
    args = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    about = [datetime.date.today().isoformat(), commit, f"{os.cpu_count()} cores, one used"]
    RESULTS.mkdir(exist_ok=True)
    lines: list[list[Any]] = []
    start = np.append(np.zeros(COLUMNS), np.pi / 4)
    for power in range(5, args.largest + 1):
        problem = SmoothProblem(SeededRows(10**power), LOSSES["tangent"], 1e-3)
        begun = time.process_time()
        solution = newton.minimize(problem, start).solution
        cpu = time.process_time() - begun
        exponent = np.log10(cpu / lines[-1][1]) if lines else np.nan
        lines.append([10**power, cpu, solution.n_iter, solution.gradient_norm, exponent])
        print(*lines[-1], flush=True)
        with (RESULTS / "growth.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            names = ["rows", "cpu_s", "iterations", "gradient_norm", "exponent"]
            writer.writerow([*names, "date", "commit", "machine"])
            writer.writerows([*line, *about] for line in lines)


if __name__ == "__main__":
    main()
