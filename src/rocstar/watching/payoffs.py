"""What is bet on: functions of a model's score that take few values, fixed before rows are seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.watching.means import upper_mean
from rocstar.watching.wealth import log_factors

PLACES = np.concatenate([np.arange(1, 32) / 32, [0.98, 0.99, 0.995], [0.02, 0.01, 0.005]])
"""Quantiles of the scores between which they are not told apart; finer where changes are rare."""
N_PAYOFFS = 2


@dataclass
class Payoffs:
    """A score cut into bins, and each bin's value in [0, 1] to each of two kinds of bet.

    The first value is the bin's place in the order of scores: it gains from small shifts of all
    rows. The second is whether the bin is among those denser in the stream, which gains the
    whole total variation distance.
    """

    edges: FloatArray
    levels: FloatArray  # (payoffs, bins)
    angle: FloatArray  # (bins,): atan of the density ratio
    shares: FloatArray  # (bins,): of training rows of the reference
    variance: FloatArray  # (payoffs,): among the same

    @classmethod
    def of_scores(cls, stream: FloatArray, reference: FloatArray) -> Payoffs:
        """Bins and values from training scores of both sides."""
        both = np.concatenate([stream, reference])
        weight = np.repeat([0.5 / stream.size, 0.5 / reference.size], [stream.size, reference.size])
        order = np.argsort(both, kind="stable")
        total = np.cumsum(weight[order])
        at = np.searchsorted(total, np.sort(PLACES)).clip(0, both.size - 1)
        edges = np.unique(both[order][at])
        counts = np.stack([_counts(edges, rows) for rows in (stream, reference)])
        shares = counts / counts.sum(axis=1, keepdims=True)
        middle = shares.mean(axis=0)
        place = np.cumsum(middle) - middle / 2
        # Denser from some score on, where the two tails differ most.
        tail = np.cumsum((shares[0] - shares[1])[::-1])[::-1]
        dense = np.arange(place.size) >= int(np.argmax(tail))
        levels = np.stack([place, dense.astype(np.float64)])
        variance = (levels**2) @ shares[1] - (levels @ shares[1]) ** 2
        # Half a row in every bin on either side keeps ratios sober.
        smooth = (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)
        return cls(edges, levels, np.arctan2(smooth[0], smooth[1]), shares[1], variance)

    def counts(self, scores: FloatArray) -> FloatArray:
        """How many rows are in each bin."""
        return _counts(self.edges, scores)

    def values(self, scores: FloatArray) -> FloatArray:
        """Value of each row to the first kind of bet."""
        return np.asarray(self.levels[0][_places(self.edges, scores)])


@dataclass
class Judge:
    """A model with its payoffs and what the reference's second part says of their means."""

    model: Any
    payoffs: Payoffs
    reference: FloatArray  # (bins,): shares of the reference's second part
    bounds: FloatArray  # (payoffs,): upper bounds of the reference's means
    table: FloatArray | None = field(default=None, repr=False)  # log factors of a row in each bin

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is computed from the rest."""
        return {**vars(self), "table": None}

    @classmethod
    def of(cls, model: Any, payoffs: Payoffs, scores: FloatArray, error: float) -> Judge:
        """Judge whose bounds are all valid but with probability ``error``."""
        counts = payoffs.counts(scores)
        bounds = [
            upper_mean(levels, counts, variance, error / N_PAYOFFS)
            for levels, variance in zip(payoffs.levels, payoffs.variance, strict=True)
        ]
        return cls(model, payoffs, counts / counts.sum(), np.array(bounds))

    def factors(self, counts: FloatArray, tolerances: FloatArray) -> FloatArray:
        """Log factors of rows counted in bins: (payoffs, bets, tolerances), always the same."""
        if self.table is None:
            means = np.minimum(self.bounds[:, None] + tolerances, 1.0)
            pairs = zip(self.payoffs.levels, means, strict=True)
            self.table = np.stack([log_factors(levels, mean) for levels, mean in pairs], axis=1)
        found = counts @ self.table.reshape(counts.size, -1)
        return np.asarray(found.reshape(self.table.shape[1:]))

    def distances(self, counts: FloatArray) -> FloatArray:
        """Estimated total variation distance and divergence of rows counted in bins."""
        # Both may be negative: only their mean over a batch is cut at zero.
        shares, angle = counts / counts.sum(), self.payoffs.angle
        length = np.sin(angle) @ shares + np.cos(angle) @ self.reference
        return np.array([self.payoffs.levels[1] @ (shares - self.reference), length - np.sqrt(2)])


def _counts(edges: FloatArray, scores: FloatArray) -> FloatArray:
    return np.bincount(_places(edges, scores), minlength=edges.size + 1).astype(np.float64)


def _places(edges: FloatArray, scores: FloatArray) -> IntArray:
    return np.searchsorted(edges, scores, side="right")
