"""A proven lower band of ROC*: exact tests at a few rates that use its concavity (theory §12)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv, xlog1py, xlogy

from rocstar.checks import BoolArray, FloatArray

STEP, SMALLEST, LARGEST = 2.5, 4.0, 0.75
"""Rates go down from ¾ through 0.39 and 0.01 in these steps, to so many expected negatives."""
RANK_SHARE = 0.8
"""Thresholds lie at this share of a rate: in trials, one half and one were wider on the whole."""
N_SLOPES, N_NODES, N_HALVINGS = 24, 128, 20
TAIL = 1e-10
"""Probability left out at either end of an integral."""
N_STEPS = 128
"""Points of the staircase, evenly spaced, and again on a logarithmic scale."""


def concave_steps(
    positive: BoolArray, score: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Steps below the least concave curve above the score's own, which ROC* is not below."""
    n_neg = int((~positive).sum())
    down = np.sort(score[~positive])[::-1]
    rates = tested_rates(n_neg)
    error = (1 - level) / rates.size
    heights = []
    for rate in rates:
        rank = max(int(RANK_SHARE * rate * (n_neg + 1)), 1)
        # Positives that tie with the threshold are not counted, which can only lower the bound.
        above = int((score[positive] > down[rank - 1]).sum())
        count = _Count(rate, rank, n_neg, above, int(positive.sum()))
        heights.append(count.height(error))
    corners = _majorant(np.append(np.append(0.0, rates), 1.0), np.append([0.0, *heights], 1.0))
    dense = np.geomspace(rates[0] / N_STEPS, 1, N_STEPS), np.linspace(0, 1, N_STEPS + 1)
    fpr = np.unique(np.concatenate([*dense, rates]))[1:-1]
    return fpr, np.interp(fpr, *corners)


def tested_rates(n_neg: int) -> FloatArray:
    """False positive rates of the tests: they depend on the number of negatives only."""
    rates = 0.01 * STEP ** np.arange(-12, 5)
    return np.append(rates[rates * n_neg >= SMALLEST], LARGEST)


class _Count(NamedTuple):
    """How many positives lie above the negative of some rank, and the rate that is asked for."""

    rate: float
    rank: int
    n_neg: int
    above: int
    n_pos: int

    def height(self, error: float) -> float:
        """Largest height of the curve at the rate that the count rejects, at least the rate."""
        # Chances rise with the height, so that halving finds it.
        nodes = self._nodes()
        low, high = self.rate, 1.0
        if self.above == 0 or self.chance(low, *nodes) > error:
            return low
        for _ in range(N_HALVINGS):
            middle = (low + high) / 2
            if self.chance(middle, *nodes) <= error:
                low = middle
            else:
                high = middle
        return low

    def chance(self, height: float, fpr: FloatArray, masses: FloatArray) -> float:
        """Largest chance of such a count if the curve's height at the rate is at most this."""
        steepest, flattest = height / self.rate, (1 - height) / (1 - self.rate)
        slopes = np.geomspace(flattest, max(steepest, flattest), N_SLOPES)[:, None]
        # Of two neighbouring slopes, the one whose line is higher stands for all between them.
        beyond = fpr - self.rate
        lines = height + np.where(beyond > 0, slopes[1:] * beyond, slopes[:-1] * beyond)
        tails = betainc(self.above, self.n_pos - self.above + 1, np.clip(lines, 0.0, 1.0))
        return float((tails @ masses).max())

    def _nodes(self) -> tuple[FloatArray, FloatArray]:
        """Rates that the threshold may have, and the mass of each under its Beta law."""
        a, b = self.rank, self.n_neg + 1 - self.rank
        ends = betaincinv(a, b, [TAIL, 1 - TAIL])
        nodes, masses = np.polynomial.legendre.leggauss(N_NODES)
        fpr = ends.mean() + np.ptp(ends) / 2 * nodes
        logs = xlogy(a - 1, fpr) + xlog1py(b - 1, -fpr)
        masses = masses * np.exp(logs - logs.max())
        return fpr, masses / masses.sum()


def _majorant(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Corners of the least concave curve above some points."""
    kept: list[int] = []
    for k in range(x.size):
        while len(kept) > 1 and _turns_left(x, y, kept[-2], kept[-1], k):
            kept.pop()
        kept.append(k)
    return x[kept], y[kept]


def _turns_left(x: FloatArray, y: FloatArray, i: int, j: int, k: int) -> bool:
    return bool((y[j] - y[i]) * (x[k] - x[i]) <= (y[k] - y[i]) * (x[j] - x[i]))
