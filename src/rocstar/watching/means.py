"""Bounds of means of values in [0, 1]: of the reference's, and of a stream's since its start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from rocstar.checks import FloatArray

LARGEST_BET = 0.9
"""Of the reference's bound: every factor stays above a tenth."""
RATES = 2.0 ** -np.arange(1, 13)
"""Rates of the exponential bounds that are combined, one for each size of variance."""


def upper_mean(levels: FloatArray, counts: FloatArray, variance: float, error: float) -> float:
    """Upper bound of a mean, from rows counted at each level; ``variance`` is a guess beforehand.

    The bet is fixed beforehand, so that the wealth against a candidate grows with the candidate
    and the smallest that it excludes is a bound; rows need be independent, not of one law, since
    1 + x ≤ exp(x).
    """
    n, goal = float(counts.sum()), -np.log(error)
    bet = min(np.sqrt(2 * goal / (n * max(variance, 1 / n))), LARGEST_BET)

    def lacking(mean: float) -> float:
        return float(counts @ np.log1p(bet * (mean - levels)) - goal)

    return 1.0 if lacking(1.0) <= 0 else float(brentq(lacking, 0.0, 1.0, xtol=1e-9))


@dataclass
class RunningMean:
    """Sums of a stream of values in [0, 1], and bounds of its conditional means' average.

    With V the sum of squared distances to earlier guesses, exp(λ Σ(x − E x) − ψ(λ) V) with
    ψ(λ) = −log(1 − λ) − λ is expected to stay below one (Howard, Ramdas, McAuliffe and Sekhon
    2021), for each of a few fixed rates λ that share the error.
    """

    n: float = 0.0
    total: float = 0.0
    spread: float = 0.0
    recent: float = 0.5

    def update(self, levels: FloatArray, counts: FloatArray) -> None:
        """Count rows at each level; their guess is the mean of the rows before."""
        rows = float(counts.sum())
        if rows == 0:
            return
        self.spread += float(counts @ (levels - self.recent) ** 2)
        self.total += float(counts @ levels)
        self.n += rows
        self.recent = self.total / self.n

    def margin(self, error: float) -> float:
        """Distance between the average and its bound on one side."""
        if self.n == 0:
            return 1.0
        goal = np.log(RATES.size / error)
        psi = -np.log1p(-RATES) - RATES
        return float(((psi * self.spread + goal) / RATES).min() / self.n)
