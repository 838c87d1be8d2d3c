"""Evidence that a stream has left its reference: wealth of many bets, begun at many times.

A bet multiplies its wealth by 1 + λ(f(x) − m) for each new row. If the row's law differs from the
reference by at most τ in total variation, then E f(x) ≤ m = τ + an upper bound of the reference's
mean of f, whatever f in [0, 1] is, and the wealth cannot be expected to grow. So a mean of wealths
that started with one in all reaches 1/α with probability at most α, ever (theory §12, §14).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import zeta

from rocstar.checks import FloatArray, IntArray

SHARES = np.array([0.9, 0.5, 0.25, 0.12, 0.06, 0.03])
"""Shares of the largest admissible bet, one bet each: no single one suits all differences."""
POWER = 1.5
"""The k-th of many trials gets a share of k to the minus this, over their sum, of the whole."""
_ALL_TRIALS = float(zeta(POWER))
TOLERANCES = np.concatenate([np.arange(0, 0.1, 0.005), np.arange(0.1, 0.99, 0.02)])
"""Differences in total variation that a lower bound may state, beside the user's tolerance."""


def trial_share(k: int | IntArray) -> FloatArray:
    """Share of the k-th trial, from k = 1 on; all of them sum to one."""
    return np.asarray(np.asarray(k, dtype=np.float64) ** -POWER / _ALL_TRIALS)


def log_factors(levels: FloatArray, means: FloatArray) -> FloatArray:
    """Logarithms of what a row at each level multiplies each bet by: (levels, bets, means)."""
    # λ = share / m keeps every factor above 1 − share, and falls with m: the wealth against a
    # larger tolerance is never larger.
    gain = levels[:, None, None] / means - 1.0
    return np.asarray(np.log1p(SHARES[:, None] * gain))


@dataclass
class Wealth:
    """Log wealth of each payoff's bets against each tolerance, with new bets where old ones fell.

    A bet that has fallen below what a new one would start with is joined by a new one, so that a
    late change is found as soon as an early one, but for the logarithm of the share.
    """

    log: FloatArray  # (payoffs, bets, tolerances)
    starts: IntArray  # (payoffs, bets): how often each was begun
    idle: FloatArray  # (payoffs, bets): wealth that is kept for later starts
    best: FloatArray  # (payoffs, bets): log wealth of the best single start, at the tolerance
    begun: IntArray  # (payoffs, bets): when that start was made
    at: int  # place of the user's tolerance

    @classmethod
    def fresh(cls, n_payoffs: int, n_tolerances: int, at: int) -> Wealth:
        """Wealth of one, none of which is at stake."""
        shape = (n_payoffs, SHARES.size)
        return cls(
            np.full((*shape, n_tolerances), -np.inf),
            np.zeros(shape, dtype=np.intp),
            np.ones(shape),
            np.full(shape, -np.inf),
            np.zeros(shape, dtype=np.intp),
            at,
        )

    def update(self, factors: FloatArray, time: int) -> None:
        """Multiply every bet by the factors of new rows."""
        share = trial_share(self.starts + 1)
        starts = self.log[:, :, self.at] < np.log(share)
        new = np.where(starts, np.log(share), -np.inf)
        if starts.any():
            better = new > self.best
            self.best = np.where(better, new, self.best)
            self.begun = np.where(better, time, self.begun)
            self.log = np.logaddexp(self.log, new[:, :, None])
            self.starts = self.starts + starts
            self.idle = np.maximum(self.idle - np.where(starts, share, 0.0), 0.0)
        self.best = self.best + factors[:, :, self.at]
        self.log = self.log + factors

    def log_e_values(self) -> FloatArray:
        """Logarithm of the mean wealth against each tolerance."""
        with np.errstate(divide="ignore"):
            whole = np.logaddexp(self.log, np.log(self.idle)[:, :, None])
        top = whole.max(axis=(0, 1))
        return np.asarray(top + np.log(np.exp(whole - top).mean(axis=(0, 1))))


@dataclass
class Evidence:
    """Bettors with a share of the capital each, and the most they ever had together."""

    n_payoffs: int
    n_tolerances: int
    at: int
    bettors: list[Wealth] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    held: list[FloatArray] = field(default_factory=list)  # log of what each of them has
    retired: list[FloatArray] = field(default_factory=list)  # log of what others left
    highest: FloatArray = field(init=False)
    log_e: float = 0.0
    dated: int | None = None  # `since`, as it was when the evidence was enough

    def __post_init__(self) -> None:
        self.highest = np.zeros(self.n_tolerances)

    def join(self) -> None:
        """One more bettor, with the share of its number."""
        number = len(self.shares) + len(self.retired) + 1
        self.bettors.append(Wealth.fresh(self.n_payoffs, self.n_tolerances, self.at))
        self.shares.append(float(trial_share(number)))
        self.held.append(np.full(self.n_tolerances, np.log(self.shares[-1])))

    def retire(self, k: int) -> None:
        """A bettor bets no more; its wealth stays."""
        del self.shares[k], self.bettors[k]
        self.retired.append(self.held.pop(k))

    def update(self, factors: list[FloatArray], time: int, error: float) -> None:
        """Multiply every bettor's wealth by its factors of new rows; ``error`` is always the same.

        When the tolerance is excluded at that error, the date of the evidence is fixed.
        """
        for bettor, own in zip(self.bettors, factors, strict=True):
            bettor.update(own, time)
        pairs = zip(self.shares, self.bettors, strict=True)
        self.held = [np.log(share) + bettor.log_e_values() for share, bettor in pairs]
        e_values = self._log_e_values()
        self.log_e = float(e_values[self.at])
        self.highest = np.maximum(self.highest, e_values)
        if self.dated is None and self.rejected(error) > self.at:
            self.dated = self.since

    def rejected(self, error: float) -> int:
        """How many of the tolerances, from the smallest on, the evidence has ever excluded."""
        excluded = self.highest >= -np.log(error)
        return int(np.argmin(np.append(excluded, False)))

    @property
    def leader(self) -> int:
        """The bettor with the largest wealth."""
        return int(np.argmax([held[self.at] for held in self.held]))

    @property
    def since(self) -> int:
        """When the start was made whose wealth is largest, among all of the leader's.

        It is that of the alarm, once there is one: later starts would move it.
        """
        if self.dated is not None:
            return self.dated
        leader = self.bettors[self.leader]
        return int(leader.begun.flat[int(np.argmax(leader.best))])

    def _log_e_values(self) -> FloatArray:
        held = self.held + self.retired
        number = len(held)
        idle = 1 - float(trial_share(np.arange(1, number + 1)).sum())
        whole = np.stack([*held, np.full(self.n_tolerances, np.log(idle))])
        top = whole.max(axis=0)
        return np.asarray(top + np.log(np.exp(whole - top).sum(axis=0)))
