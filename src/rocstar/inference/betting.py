"""Lower bounds that are theorems: wealth that grows only if a mean exceeds its candidate.

Every candidate value of the figure has a wealth of its own that starts at one and, as long as the
candidate is no smaller than the figure, cannot be expected to grow. So it reaches 1/α with
probability at most α. A fixed grid of candidates is scanned upwards, and the last of those whose
wealth has reached 1/α, before the first whose wealth has not, is the bound (theory §12).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from rocstar.checks import FloatArray

CAP = 0.97
"""Share of the largest admissible bet that is risked at most: a wealth of zero never recovers."""
AIM = 1.1
"""Final wealth that bets aim at, in units of 1/α: a hedge in steps stops a little short of it."""
AIM_OF_ORDERS = 1.5
"""The same where several orders are averaged, so that two thirds of them suffice."""
PRIOR_BLOCKS = 3.0
"""Blocks that the first guess of the variance counts for."""
LEAST_POINTS, MOST_POINTS = 200, 4000
"""Points of a grid: 10⁵ rows take less than a second."""


class Payoffs(NamedTuple):
    """Blocks of units in the order in which they are bet on; units of a block are independent."""

    # A unit is a row, a mean of rows or a group. It pays `plus` times its value among the positives
    # and `minus` times that among the negatives, both in [0, 1]. Over the units of every block
    # `plus` sums to one, and `minus` to the weight of the negatives' mean in the figure: one, or
    # zero where there is only one sample. A block may be matched in several ways; its wealth is
    # then the mean over them.

    paid: FloatArray  # (blocks, matchings, units)
    plus: FloatArray  # (blocks, units)
    minus: FloatArray  # (blocks, units)
    means: FloatArray  # (blocks, 2): mean value of the positives, and of the negatives
    variance: FloatArray  # (blocks,): of the block's payoff, as guessed before any is seen

    def mirrored(self) -> Payoffs:
        """The same for one minus each value, a lower bound of which is an upper bound of these."""
        paid = (self.plus + self.minus)[:, None, :] - self.paid
        return self._replace(paid=paid, means=1 - self.means)


def candidates(low: float, high: float, n_rows: int) -> FloatArray:
    """A fixed grid above ``low``; how fine it is depends on the number of rows only."""
    points = int(np.clip(20 * np.sqrt(n_rows), LEAST_POINTS, MOST_POINTS))
    return np.linspace(low, high, points, endpoint=False)[1:]


def lower_bound(orders: Sequence[Payoffs], values: FloatArray, error: float) -> float | None:
    """Last value rejected in a scan upwards to the first that is not; None if there is none."""
    # The orders must be exchangeable, such as random permutations of the same rows.
    several = len(orders) > 1
    aim = AIM_OF_ORDERS if several else AIM
    enough = AIM_OF_ORDERS if several else 1.0
    wealths = np.stack([wealth(each, values, error, aim, enough) for each in orders])
    # Exchangeable e-values: the largest running mean reaches 1/α with probability at most α (Ramdas
    # and Manole 2023).
    running = np.cumsum(wealths, axis=0) / np.arange(1, len(orders) + 1)[:, None]
    rejected = running.max(axis=0) >= 1 / error
    first = values.size if rejected.all() else int(np.argmin(rejected))
    return float(values[first - 1]) if first else None


def wealth(
    payoffs: Payoffs, values: FloatArray, error: float, aim: float, enough: float
) -> FloatArray:
    """Final wealth against each candidate; bets stop where it is ``enough``, in units of 1/α."""
    n_blocks = len(payoffs.paid)
    found = np.ones(values.size)
    past = _Past(payoffs)
    for t, (paid, plus, minus, *_) in enumerate(zip(*payoffs, strict=True)):
        expected = past.expected(values, plus, minus)
        bets = hedge(found * error / aim) / np.sqrt(past.variance * (n_blocks - t))
        bets[found * error >= enough] = 0.0
        # Units pay nothing at worst, so that this keeps every factor above zero.
        np.minimum(bets, CAP / expected.max(axis=1), out=bets)
        factors = paid - expected[:, None, :]
        factors *= bets[:, None, None]
        factors += 1.0
        found *= factors.prod(axis=2).mean(axis=1)
        past.learn(t)
    return found


def hedge(share: FloatArray) -> FloatArray:
    """Bet per standard deviation of what is still to come, given the share of the goal reached."""
    # Sums of many small payoffs are nearly a Brownian motion. The wealth that ends at the goal
    # where the sum is large enough, and at zero elsewhere, is then goal × Φ(d), and this is its
    # logarithmic derivative φ(d)/Φ(d): no bets reach the goal from a smaller start.
    share = np.clip(share, 1e-12, 1 - 1e-12)
    density = np.exp(-(ndtri(share) ** 2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray(density / share)


class _Past:
    """Means and variance of the blocks so far, from which the next bets are chosen."""

    def __init__(self, payoffs: Payoffs) -> None:
        self.means = payoffs.means
        self.weight = float(payoffs.minus[0].sum())
        self.totals = payoffs.paid.sum(axis=2).mean(axis=1)
        self.squares = PRIOR_BLOCKS * float(payoffs.variance.mean())
        self.sums = np.zeros(2)
        self.total, self.n = 0.0, 0

    @property
    def variance(self) -> float:
        """Of a block's payoff."""
        return self.squares / (self.n + PRIOR_BLOCKS)

    def expected(self, values: FloatArray, plus: FloatArray, minus: FloatArray) -> FloatArray:
        """What each unit is to pay if the figure equals each value: (values, units)."""
        if not minus.any():
            return np.asarray(values[:, None] * plus)
        # Past means, and what they miss of the value laid on the class of fewer units: a bet is
        # limited by the expectation there.
        prior = values / (1 + self.weight)
        up, down = ((total + prior) / (self.n + 1) for total in self.sums)
        n_up, n_down = np.count_nonzero(plus), np.count_nonzero(minus)
        up = up + (values - up - self.weight * down) * (n_down / (n_up + n_down))
        up = np.clip(up, np.maximum(values - self.weight, 0), np.minimum(values, 1))
        down = (values - up) / self.weight
        return np.asarray(up[:, None] * plus + down[:, None] * minus)

    def learn(self, t: int) -> None:
        self.n += 1
        self.sums += self.means[t]
        self.total += self.totals[t]
        self.squares += (self.totals[t] - self.total / self.n) ** 2
