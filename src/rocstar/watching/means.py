"""Bounds of means of values in [0, 1]: of the reference's, and of a stream's since its start."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from rocstar.checks import FloatArray
from rocstar.geometry.bounds import Interval
from rocstar.inference.betting_sequences import GROWTH

LARGEST_BET = 0.9
"""Of the reference's bound: every factor stays above a tenth."""
RATES = 2.0 ** -np.arange(1, 13)
"""Rates of the exponential bounds that are combined, one for each size of variance."""
BETS = 2.0 ** -np.arange(-1, 9)
"""Bets that are mixed: large ones suit a few dozen values, small ones hundreds of thousands."""
PRIOR_VALUES = 10.0
"""Values that a first guess counts for."""


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


@dataclass
class Average:
    r"""Limits, for all times, of the average of a stream's conditional means in [0, 1].

    For a fixed bet λ and a guess g made before the value x with mean μ is seen,
    E[1 + λ(x − g)] = 1 + λ(μ − g) ≤ exp(λ(μ − g)). So Π (1 + λ(xᵢ − gᵢ)) exp(−λ(μᵢ − gᵢ)) is
    expected to stay below one, and so is its mean over a few fixed λ. At no time does that reach
    1/error, but with probability ``error``; hence a lower limit of Σμᵢ, however the means change
    (theory §14). That of 1 − x gives the upper limit.
    """

    guess: float  # before the first value
    n: int = 0
    total: float = 0.0
    # Σ log(1 + λ(xᵢ − gᵢ)) + λgᵢ for each bet, of the values and of one minus them.
    gains: FloatArray = field(default_factory=lambda: np.zeros((2, BETS.size)))

    def update(self, values: FloatArray) -> None:
        """Count values, in an order that does not depend on them."""
        while values.size:
            # Guesses follow the values before; renewing them more often gains nothing.
            part, values = np.split(values, [max(1, self.n // GROWTH)])
            weight = PRIOR_VALUES + self.n
            guess = (PRIOR_VALUES * self.guess + self.total) / weight
            gains = [_gains(part, guess), _gains(1 - part, 1 - guess)]
            self.gains = self.gains + np.stack(gains)
            self.total += float(part.sum())
            self.n += part.size

    def limits(self, error: float) -> Interval:
        """Lower and upper limit, each wrong at any time ever with at most this probability."""
        low, high = (_least_sum(gains, self.n, error) / max(self.n, 1) for gains in self.gains)
        return Interval(low, 1 - high)


def _gains(values: FloatArray, guess: float) -> FloatArray:
    # A large bet needs a small guess: every factor stays above a tenth.
    own = np.minimum(guess, LARGEST_BET / BETS)[:, None]
    return np.asarray((np.log1p(BETS[:, None] * (values - own)) + BETS[:, None] * own).sum(axis=1))


def _least_sum(gains: FloatArray, n: int, error: float) -> float:
    """Smallest sum of means that the mixed bets leave possible."""
    goal = float(np.log(BETS.size / error))

    def excess(total: float) -> float:
        return float(np.logaddexp.reduce(gains - BETS * total)) - goal

    # No gain exceeds its bet times the sum of values, so that at n nothing is left.
    return float(brentq(excess, 0.0, n, xtol=1e-9)) if excess(0.0) > 0 else 0.0
