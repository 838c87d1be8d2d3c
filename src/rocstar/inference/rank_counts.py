"""Positives above the negative of a given rank: exact tests of how high ROC* can be (theory §12).

The false positive rate of such a threshold has a known Beta law, whatever the score. If ROC* lies
below a line, the number of positives above the threshold is at most binomial around the line's
height there: both laws are known, so that the chance of as many positives is a single integral.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv, xlog1py, xlogy

from rocstar.checks import BoolArray, FloatArray, IntArray

N_NODES, N_CELLS = 128, 512
N_HALVINGS = 20
TAIL = 1e-10
"""Probability left out at either end of an integral."""


class Part(NamedTuple):
    """Rows that one model judged: scores of positives, and of negatives from the highest down."""

    up: FloatArray
    down: FloatArray

    def rank(self, rate: float) -> int:
        """Of a negative with about that share of the negatives above it."""
        return max(int(rate * (self.down.size + 1)), 1)

    def above(self, rank: int) -> int:
        """Positives above the negative of that rank; ties count against us."""
        return int((self.up > self.down[rank - 1]).sum())


class Count(NamedTuple):
    """How many positives lie above thresholds, and what the mean rate of these may have been."""

    above: int
    n_pos: int
    fpr: FloatArray  # nodes of the law of the thresholds' false positive rate
    masses: FloatArray
    several: bool  # whether the thresholds belong to several parts

    @classmethod
    def of(cls, parts: list[Part], ranks: list[int]) -> Count:
        n_pos = sum(part.up.size for part in parts)
        above = sum(part.above(rank) for part, rank in zip(parts, ranks, strict=True))
        shapes = [
            (rank, part.down.size + 1 - rank) for part, rank in zip(parts, ranks, strict=True)
        ]
        if len(parts) == 1:
            return cls(above, n_pos, *_beta_nodes(*shapes[0]), False)
        weights = np.array([part.up.size for part in parts]) / n_pos
        return cls(above, n_pos, *_mean_nodes(shapes, weights), True)

    def chance(self, lines: FloatArray) -> float:
        """Largest chance of so many positives above if ROC* lies below one of the lines."""
        height = np.clip(lines, 0.0, 1.0)
        tails = betainc(self.above, self.n_pos - self.above + 1, height)
        if self.several:
            # Positives of several parts have chances of their own. A count one or more above its
            # mean is then at most as likely as one of equal chances (Hoeffding 1956).
            tails = np.where(self.above >= self.n_pos * height + 1, tails, 1.0)
        return float(np.max(tails @ self.masses))

    def largest(self, low: float, lines: Callable[[float], FloatArray], error: float) -> float:
        """Largest value in [low, 1] whose lines the count rejects, or ``low`` if there is none."""
        # The lines rise with the value, and so does the chance: halving finds it.
        if self.above == 0 or self.chance(lines(low)) > error:
            return low
        high = 1.0
        for _ in range(N_HALVINGS):
            middle = (low + high) / 2
            if self.chance(lines(middle)) <= error:
                low = middle
            else:
                high = middle
        return low


def parts_of(positive: BoolArray, score: FloatArray, part: IntArray) -> list[Part]:
    """Rows by part, those without both classes left out."""
    found = []
    for k in np.unique(part):
        up, down = score[(part == k) & positive], score[(part == k) & ~positive]
        if up.size and down.size:
            found.append(Part(up, np.sort(down)[::-1]))
    return found


def _beta_nodes(a: int, b: int) -> tuple[FloatArray, FloatArray]:
    ends = betaincinv(a, b, [TAIL, 1 - TAIL])
    nodes, masses = np.polynomial.legendre.leggauss(N_NODES)
    fpr = ends.mean() + np.ptp(ends) / 2 * nodes
    logs = xlogy(a - 1, fpr) + xlog1py(b - 1, -fpr)
    masses = masses * np.exp(logs - logs.max())
    return fpr, masses / masses.sum()


def _mean_nodes(
    shapes: list[tuple[int, int]], weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Law of a weighted mean of independent Beta variables, on a grid."""
    tops = np.array([betaincinv(a, b, 1 - TAIL) for a, b in shapes]) * weights
    width = tops.sum() / N_CELLS
    edges = np.arange(N_CELLS + 1) * width
    law = np.ones(1)
    for (a, b), weight in zip(shapes, weights, strict=True):
        cells = np.diff(betainc(a, b, np.minimum(edges / weight, 1.0)))
        law = np.convolve(law, np.trim_zeros(cells, "b"))
    # Each variable lies in the middle of its cell on average.
    fpr = (np.arange(law.size) + len(shapes) / 2) * width
    kept = law > TAIL / N_CELLS
    return fpr[kept], law[kept] / law[kept].sum()
