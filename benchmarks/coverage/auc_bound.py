"""One-sided 95 % lower bounds of the AUC of a fixed score, with few positives."""

from __future__ import annotations

import itertools
import warnings
import zlib
from typing import Any

import numpy as np
from cells import run_cells
from scipy.optimize import brentq
from scipy.stats import norm

from rocstar.inference.intervals import auc_interval

N_NEGATIVES = 1000
N_RUNS = 4000
METHODS = ("dirichlet", "delong", "delong-logit")


def binormal(rng: np.random.Generator, auc: float, n: int, m: int) -> tuple[Any, Any]:
    return rng.normal(np.sqrt(2) * norm.ppf(auc), 1, n), rng.normal(size=m)


def two_part(rng: np.random.Generator, auc: float, n: int, m: int) -> tuple[Any, Any]:
    """A share 2(1 − AUC) of the positives looks like negatives, the others lie above them all."""
    scores = rng.random(n)
    return np.where(rng.random(n) < 2 * (1 - auc), scores, scores + 1), rng.random(m)


def two_point(rng: np.random.Generator, auc: float, n: int, m: int) -> tuple[Any, Any]:
    """A share 1 − AUC of the positives lies below all negatives: the least favourable law.

    The number of those above is binomial, so no bound that holds its level can have a median above
    the Clopper–Pearson limit of a typical sample, .730 at AUC .8 with 120 positives.
    """
    return np.where(rng.random(n) < auc, 2.0, -1.0) + rng.random(n), rng.random(m)


def exponential(rng: np.random.Generator, auc: float, n: int, m: int) -> tuple[Any, Any]:
    return rng.exponential(auc / (1 - auc), n), rng.exponential(1.0, m)


def lattice(rng: np.random.Generator, auc: float, n: int, m: int) -> tuple[Any, Any]:
    """Normal scores rounded to integers, so that most comparisons can tie."""
    return np.rint(rng.normal(_lattice_shift(auc), 1, n)), np.rint(rng.normal(size=m))


def _lattice_shift(auc: float) -> float:
    edges = np.arange(-12.5, 13)

    def excess(shift: float) -> float:
        p, q = np.diff(norm.cdf(edges - shift)), np.diff(norm.cdf(edges))
        return float(p @ (np.cumsum(q) - q / 2)) - auc

    return float(brentq(excess, 0, 6))


LAWS = {
    "binormal": binormal,
    "two-part": two_part,
    "exponential": exponential,
    "lattice": lattice,
    "two-point": two_point,
}


def simulate(law: str, auc: float, n_pos: int) -> dict[str, Any]:
    """Coverage and median of each method's lower bound."""
    rng = np.random.default_rng([zlib.crc32(law.encode()), int(1000 * auc), n_pos])
    y = np.repeat([True, False], [n_pos, N_NEGATIVES])
    low = np.empty((len(METHODS), N_RUNS))
    for run in range(N_RUNS):
        score = np.concatenate(LAWS[law](rng, auc, n_pos, N_NEGATIVES))
        for k, method in enumerate(METHODS):
            low[k, run] = auc_interval(
                y, score, side="lower", method=method, n_draws=2000, random_state=run
            ).low
    out: dict[str, Any] = {"runs": N_RUNS}
    for method, lows in zip(METHODS, low, strict=True):
        # A law in floating point can put the bound on the truth itself.
        out[f"{method} coverage"] = float((lows <= auc + 1e-12).mean())
        out[f"{method} median"] = float(np.median(lows))
    return out


def main() -> None:
    warnings.simplefilter("ignore", RuntimeWarning)  # DeLong without width is what we measure
    cells = [
        {"law": law, "auc": auc, "n_pos": n_pos}
        for n_pos, law, auc in itertools.product((10, 24, 120), LAWS, (0.8, 0.95, 0.99))
    ]
    run_cells("auc_bound", cells, simulate)


if __name__ == "__main__":
    main()
