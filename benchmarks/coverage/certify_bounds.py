"""Coverage of `certify`'s lower bounds over the law suite: linear class at a fixed penalty."""

from __future__ import annotations

import itertools
import warnings
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from lean import LeanLinear

from rocstar import certify, laws
from rocstar.inference import held_figures

N_RUNS = 1000
QUANTITIES = ("arc_length", "auc", "tv")
# Where a linear class comes close to the truth, a bound has no slack; these laws come first.
NEARLY_LINEAR = (
    "identical-5d",
    "gaussian-1d",
    "gaussian-10d",
    "gaussian-50d",
    "gaussian-apart-50d",
    "gaussian-faint-10d",
    "gaussian-correlated-10d",
    "uniform-1d",
    "binomial-1d",
    "sparse-1d",
    "noisy-gaussian-1d",
    "noisy-binomial-1d",
    "half-cube-10d",
    "disjoint-2d",
    "padded-gaussian-25d",
)


def certificates_of(estimator: Any, law: Any, n: int, runs: int, seed: int, cv: Any = 5) -> Any:
    """Certificates of independent samples, n rows each, half of either class."""
    held_figures.N_DRAWS = 400
    for run in range(runs):
        X, y = law.sample(n // 2, n // 2, random_state=[seed, n, run])
        # Fresh draws in each run: a fixed seed would lend all runs the same error in the quantile.
        held_figures.SEED = run
        yield certify(estimator, X, y, cv=cv, random_state=run)


def coverage(certs: list[Any], law: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"runs": len(certs)}
    for name in QUANTITIES:
        truth = getattr(law, name)
        lows = np.array([getattr(c, name).low for c in certs])
        values = np.array([getattr(c, name).value for c in certs])
        out |= {
            f"{name}": float(truth),
            f"{name} coverage": float((lows <= truth + 1e-9).mean()),
            f"{name} median low": float(np.median(lows)),
            f"{name} bias": float((values - truth).mean()),
        }
    return out


def simulate(law: str, n: int) -> dict[str, Any]:
    task = laws.suite()[law]
    seed = zlib.crc32(law.encode())
    certs = list(certificates_of(LeanLinear(alpha=1e-3), task, n, N_RUNS, seed))
    return coverage(certs, task)


def main() -> None:
    warnings.simplefilter("ignore")  # a heavy tail now and then stops Newton early; bounds hold
    names = [*NEARLY_LINEAR, *(name for name in laws.suite() if name not in NEARLY_LINEAR)]
    cells = [{"law": law, "n": n} for n, law in itertools.product((200, 1000, 5000), names)]
    run_cells("certify_bounds", cells, simulate)


if __name__ == "__main__":
    main()
