"""Labels and weights of the rows of Dask collections, and class means and ranks by them.

Columns stay on the workers; what is computed of them is a few numbers, or a histogram.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rocstar.checks import FloatArray, IntArray, class_totals
from rocstar.scale.columns import aligned, dask_array
from rocstar.scale.tasks import task_per_partition, tree_sum

# Scores of so many rows are ranked exactly on the client; of more, in bins on the workers.
EXACT_ROWS, N_BINS = 2**20, 2**16


@dataclass(frozen=True)
class Ranks:
    """|F₊ − F₋| of a score as a step function, and how far off its steps can be."""

    edges: FloatArray
    gap: FloatArray
    error: float

    @classmethod
    def of(cls, edges: FloatArray, counts: FloatArray) -> Ranks:
        shares = counts / counts.sum(axis=1, keepdims=True)
        middle = np.cumsum(shares, axis=1) - shares / 2  # mid-distribution functions
        # Inside a bin each function lies within half the bin's share of its middle.
        error = 0.0 if np.isfinite(edges[0]) else float(shares.sum(axis=0).max() / 2)
        return cls(edges, np.abs(middle[0] - middle[1]), error)

    def __call__(self, score: FloatArray) -> FloatArray:
        return self.gap[_bins(self.edges, score)]


@dataclass(frozen=True)
class LabelledRows:
    """Labels and weights of the rows of Dask collections."""

    up: Any
    weights: Any

    @classmethod
    def of(cls, y: Any, sample_weight: Any, positive: Any) -> LabelledRows:
        up = dask_array(y, "y") == positive
        if sample_weight is None:
            return cls(up, up * 0.0 + 1.0)
        return cls(*aligned(up, dask_array(sample_weight, "sample_weight")))

    def terms(self, angle: Any) -> Any:
        """The sine of a positive's angle, the cosine of a negative's."""
        angle, up = aligned(angle, self.up)
        return np.where(up, np.sin(angle), np.cos(angle))

    def mean_sum(self, values: Any) -> float:
        """Mean over the positives plus mean over the negatives, in one pass."""
        import dask

        values, up, weights = aligned(values, self.up, self.weights)
        classes = (up * weights, ~up * weights)
        tops, totals, least = dask.compute(
            [(values * w).sum() for w in classes], [w.sum() for w in classes], weights.min()
        )
        if least < 0:
            raise ValueError(f"`sample_weight` must be non-negative; got {float(least)}.")
        class_totals(np.array([True, False]), np.array(totals, dtype=np.float64))
        return float(sum(top / total for top, total in zip(tops, totals, strict=True)))

    def ranks(self, score: Any) -> Ranks:
        """Distribution functions of both classes: exact for few rows, else from histograms."""
        import dask

        n_rows = int(dask.compute((score == score).sum())[0])  # chunks may be of unknown length
        edges = np.unique(score.compute()) if n_rows <= EXACT_ROWS else histogram_edges()
        pieces = (np.ravel(a.to_delayed()) for a in aligned(score, self.up, self.weights))
        parts = list(zip(*pieces, strict=True))
        return Ranks.of(edges, tree_sum(task_per_partition(parts, _counts, edges=edges)))


def histogram_edges() -> FloatArray:
    """Left ends of 2¹⁶ bins of a decision score, finest near 0, the first one open."""
    inner = np.tan(np.pi * (np.arange(1, N_BINS) / N_BINS - 0.5)) / 4
    return np.concatenate([[-np.inf], inner])


def _bins(edges: FloatArray, score: FloatArray) -> IntArray:
    # Read again by another processor, the least score may come out a little less.
    return np.maximum(np.searchsorted(edges, score, side="right") - 1, 0)


def _counts(score: FloatArray, up: Any, weights: Any, edges: FloatArray) -> FloatArray:
    bins = _bins(edges, score)
    sides = (weights * up, weights * ~up)
    return np.stack([np.bincount(bins, side, len(edges)) for side in sides])
