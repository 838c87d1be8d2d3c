"""The AUC of a score on a stream whose labels arrive, now or later: limits on both sides."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rocstar.checks import BoolArray, FloatArray
from rocstar.inference.estimate import Estimate
from rocstar.inference.intervals import auc_interval
from rocstar.watching.means import Average
from rocstar.watching.wealth import Evidence, log_factors

ROWS_OF_RARER = 3
"""Rows of the rarer class in a block; a single one while that class has fewer than a dozen."""
MOST_WAITING = 1000
"""Rows of one class that wait for rows of the other."""


@dataclass
class AucWatch:
    """Blocks of labelled rows, each with an AUC of its own, against the AUC of the reference.

    The mean of a block's AUC is that of the stream, so that the average over blocks has limits
    that hold at all times, and wealth bet on blocks below the reference's lower limit cannot be
    expected to grow as long as the stream's AUC is not below it. Limits and alarms are statements
    of their own: the limits do not share the error of the alarms.
    """

    reference: Estimate
    drop: float
    level: float
    error: float  # of alarms: of the reference's limit and of the stream's wealth, together
    limits_error: float  # of the average's two limits, together
    seed: int
    share: float = 1.0  # of the stream's errors, since the last reset
    deliveries: int = 0
    average: Average = field(init=False)
    evidence: Evidence = field(init=False)
    waiting: list[FloatArray] = field(init=False)
    latest: float = field(init=False)

    def __post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.average = Average(self.reference.value)
        self.evidence = Evidence(1, 1, 0)  # one bettor against one value
        self.evidence.join()
        # Rows of before a reset must not be compared with those of after it.
        self.waiting, self.latest = [np.zeros(0), np.zeros(0)], float("nan")

    @classmethod
    def of_reference(
        cls,
        positive: BoolArray,
        score: FloatArray,
        *,
        drop: float,
        level: float,
        error: float,
        limits_error: float,
        share: float,
        seed: int,
    ) -> AucWatch:
        """Watch against the reference's labelled rows."""
        found = auc_interval(
            positive, score, level=1 - error / 2, side="lower", method="betting", random_state=seed
        )
        return cls(found, drop, level, error, limits_error, seed, share)

    def reset(self, share: float) -> None:
        """Begin anew, with so large a share of the error."""
        self.share = share
        self._begin()

    def take(self, positive: BoolArray, score: FloatArray, time: int) -> None:
        """Count labelled rows."""
        self.deliveries += 1
        rng = np.random.default_rng([self.seed, 3, self.deliveries])
        sides = [
            rng.permutation(np.concatenate([kept, score[side]]))
            for kept, side in zip(self.waiting, (positive, ~positive), strict=True)
        ]
        if not all(side.size for side in sides):
            self.waiting = [side[:MOST_WAITING] for side in sides]
            return
        self.waiting = [np.zeros(0), np.zeros(0)]
        rates = block_rates(*sides)
        self.latest = float(rates.mean())
        self.average.update(rates)
        factors = log_factors(1 - rates, np.array([1 - self.limit])).sum(axis=0)
        self.evidence.update([factors[None]], time, self.stream_error)

    @property
    def limit(self) -> float:
        """An AUC shown to be below this is an alarm."""
        return max(self.reference.low - self.drop, 0.0)

    @property
    def stream_error(self) -> float:
        """Of the stream's wealth since the last reset."""
        return self.error / 2 * self.share

    @property
    def estimate(self) -> Estimate | None:
        """The average AUC since the last reset between limits that hold at all times."""
        if self.average.n == 0:
            return None
        value = self.average.total / self.average.n
        low, high = self.average.limits(self.limits_error * self.share / 2)
        return Estimate(value, low, high, self.level, "two-sided")

    @property
    def alarm(self) -> bool:
        """Whether the AUC has fallen below the reference's by more than the drop allowed."""
        return self.evidence.rejected(self.stream_error) > 0


def block_rates(positives: FloatArray, negatives: FloatArray) -> FloatArray:
    """Shares of pairs in the right order, in blocks that share no row."""
    rarer = min(positives.size, negatives.size)
    blocks = rarer // ROWS_OF_RARER if rarer >= 4 * ROWS_OF_RARER else rarer
    up, down = (np.array_split(side, blocks) for side in (positives, negatives))
    rates = [
        (np.sign(a[:, None] - b[None, :]).mean() + 1) / 2 for a, b in zip(up, down, strict=True)
    ]
    return np.asarray(rates)
