"""Lower bounds by betting that are theorems: their level where it is hardest to hold, one by one.

Each cell is a figure of a fixed score, angle or rule under a law with known truth; the bounds are
one-sided 95 %.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from auc_bound import LAWS
from cells import run_cells
from scipy.stats import norm

from rocstar import arc_length_interval, auc_interval, laws, mean_interval, youden_interval

RUNS, RUNS_OF_MANY_ROWS = 1000, 300
METHODS = ("betting", "dirichlet")
Draw = Callable[[np.random.Generator, int, int], tuple[float, Callable[..., Any]]]


def auc_of(law: str, auc: float) -> Draw:
    def draw(rng: np.random.Generator, n: int, m: int) -> tuple[float, Callable[..., Any]]:
        y, score = np.repeat([1, 0], [n, m]), np.concatenate(LAWS[law](rng, auc, n, m))
        return auc, lambda **options: auc_interval(y, score, **options)

    return draw


def rates(tpr: float, tnr: float) -> Draw:
    """Right decisions with these chances: two points, and identical laws at one half each."""

    def draw(rng: np.random.Generator, n: int, m: int) -> tuple[float, Callable[..., Any]]:
        y = np.repeat([1, 0], [n, m])
        decision = np.where(y, rng.random(n + m) < tpr, rng.random(n + m) >= tnr)
        return tpr + tnr - 1, lambda **options: youden_interval(y, decision, **options)

    return draw


def arc_length(shift: float, rounded: bool = False) -> Draw:
    law = laws.GaussianPair(shift, 0.0)

    def draw(rng: np.random.Generator, n: int, m: int) -> tuple[float, Callable[..., Any]]:
        y, x = np.repeat([1, 0], [n, m]), rng.normal(size=n + m)
        x[:n] += shift
        if not rounded:
            angle = law.angle(x[:, None]) if shift else np.full(n + m, np.pi / 4)
            truth = law.arc_length if shift else np.sqrt(2)
        else:  # one angle below the midpoint and one above: sines and cosines of two values
            right = norm.cdf(shift / 2)
            angle = np.where(x > shift / 2, 1.4, np.pi / 2 - 1.4)
            truth = 2 * (right * np.sin(1.4) + (1 - right) * np.cos(1.4))
        return float(truth), lambda **options: arc_length_interval(y, angle, **options)

    return draw


def mean(p: float) -> Draw:
    def draw(rng: np.random.Generator, n: int, m: int) -> tuple[float, Callable[..., Any]]:
        values = (rng.random(n) < p).astype(np.float64)
        return p, lambda **options: mean_interval(values, **options)

    return draw


FIGURES: dict[str, Draw] = {
    "mean, two points, .9": mean(0.9),
    "mean, two points, .99": mean(0.99),
    "AUC, identical laws": auc_of("binormal", 0.5),
    "AUC .8, normal": auc_of("binormal", 0.8),
    "AUC .9, two points": auc_of("two-point", 0.9),
    "AUC .8, ties": auc_of("lattice", 0.8),
    "TV, identical laws": rates(0.5, 0.5),
    "TV .9, two points": rates(0.95, 0.95),
    "J, normal": arc_length(1.5),
    "J, two points": arc_length(2.0, rounded=True),
}
SIZES = ((10, 1000), (40, 40), (120, 1000))
MANY = (1000, 1000)
WITH_MANY_ROWS = ("AUC, identical laws", "TV .9, two points", "J, two points")


def simulate(figure: str, n_pos: int, n_neg: int) -> dict[str, Any]:
    """Coverage and median distance to the truth of each method's lower bound."""
    rng = np.random.default_rng([zlib.crc32(figure.encode()), n_pos, n_neg])
    runs = RUNS_OF_MANY_ROWS if (n_pos, n_neg) == MANY else RUNS
    gaps = np.empty((len(METHODS), runs))
    for run in range(runs):
        truth, interval = FIGURES[figure](rng, n_pos, n_neg)
        for k, method in enumerate(METHODS):
            found = interval(side="lower", method=method, n_draws=1000, random_state=run)
            gaps[k, run] = truth - found.low
    out: dict[str, Any] = {"runs": runs}
    for method, gap in zip(METHODS, gaps, strict=True):
        # Where the truth is attained exactly, such as √2, rounding is no miss.
        out[f"{method} coverage"] = float(np.mean(gap >= -1e-9))
        out[f"{method} gap"] = float(np.median(gap))
    return out


def main() -> None:
    cells = [{"figure": figure, "n_pos": n, "n_neg": m} for n, m in SIZES for figure in FIGURES]
    cells += [{"figure": figure, "n_pos": MANY[0], "n_neg": MANY[1]} for figure in WITH_MANY_ROWS]
    run_cells("betting", cells, simulate)


if __name__ == "__main__":
    main()
