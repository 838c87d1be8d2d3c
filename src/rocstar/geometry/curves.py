"""ROC points, their convex hull, its arc length, the AUC and ECDF weights of labelled scores.

Pure functions of (y, score) with optional weights, all O(n log n): one sort, then sums. Equal
scores are one point of the curve: no threshold can tell them apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from rocstar.checks import (
    FloatArray,
    IntArray,
    binary_labels,
    class_totals,
    finite_scores,
    nonnegative_weights,
)

__all__ = [
    "RocHull",
    "RocPoints",
    "ecdf_weights",
    "hull_angle",
    "hull_arc_length",
    "roc_auc",
    "roc_hull",
    "roc_points",
]


class RocPoints(NamedTuple):
    """Every point of an empirical ROC curve, from (0, 0) to (1, 1).

    ``score >= thresholds[k]`` has false positive rate ``fpr[k]`` and true positive rate ``tpr[k]``;
    the first threshold is infinite.

    Examples
    --------
    >>> points = roc_points([0, 1, 1], [0.1, 0.3, 0.3])
    >>> isinstance(points, RocPoints), len(points.fpr)
    (True, 3)
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray


class RocHull(NamedTuple):
    """Vertices of the concave hull of an ROC curve, and the slope angle of each segment.

    ``angle[k]`` belongs to the segment from vertex k to vertex k + 1, so there is one fewer angle
    than vertices. Angles decrease strictly, from at most π/2 to at least 0.

    Examples
    --------
    >>> hull = roc_hull([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    >>> isinstance(hull, RocHull), len(hull.fpr), len(hull.angle)
    (True, 4, 3)
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    angle: FloatArray


def roc_points(
    y: npt.ArrayLike, score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> RocPoints:
    """All points of the empirical ROC curve, one per distinct score.

    Joined by straight lines they form the usual curve. Its length estimates nothing: it is exactly
    2 as soon as no positive ties a negative, whatever the data (theory §1). Use
    :func:`hull_arc_length` for a length.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two distinct labels; the larger is positive.
    score : array-like of shape (n,)
        Higher means more positive.
    sample_weight : array-like of shape (n,), optional
        Non-negative; integer weights equal repetition.

    Returns
    -------
    RocPoints

    Examples
    --------
    >>> fpr, tpr, thresholds = roc_points([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    >>> fpr.tolist(), tpr.tolist(), thresholds.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.4, 0.3, 0.2, 0.1])
    """
    levels, _ = _tied(y, score, sample_weight)
    return RocPoints(*levels.weighted().curve())


def roc_hull(
    y: npt.ArrayLike, score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> RocHull:
    """The concave hull of the empirical ROC curve.

    Its segments are the blocks of pool-adjacent-violators, and a segment's slope angle
    ``atan2(share of positives, share of negatives)`` is the best angle for its block (theory §6).

    Parameters
    ----------
    y, score, sample_weight
        As for :func:`roc_points`.

    Returns
    -------
    RocHull

    Examples
    --------
    >>> hull = roc_hull([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    >>> hull.fpr.tolist(), hull.tpr.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    >>> np.rad2deg(hull.angle).round().tolist()
    [90.0, 45.0, 0.0]
    """
    levels, _ = _tied(y, score, sample_weight)
    blocks = _pooled(levels.weighted())
    return RocHull(*blocks.curve(), angle=blocks.angle()[::-1])


def hull_angle(
    y: npt.ArrayLike, score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> FloatArray:
    """The best angle per sample among all non-decreasing functions of the score.

    It maximises the empirical J, whose maximum is the hull's arc length (theory §6). Fitted and
    judged on the same rows it is optimistic, like any fit.

    Parameters
    ----------
    y, score, sample_weight
        As for :func:`roc_points`. A row of weight zero takes the angle of the block its score
        falls into.

    Returns
    -------
    ndarray of shape (n,)
        In [0, π/2].

    Examples
    --------
    >>> np.rad2deg(hull_angle([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])).round().tolist()
    [0.0, 45.0, 45.0, 90.0]
    """
    levels, rows = _tied(y, score, sample_weight)
    blocks = _pooled(levels.weighted())
    block = np.searchsorted(blocks.score, levels.score, side="right") - 1
    return rows.spread(blocks.angle()[np.maximum(block, 0)])


def hull_arc_length(
    y: npt.ArrayLike, score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Arc length of the concave hull of the empirical ROC curve, in [√2, 2].

    It estimates the hull length of *this score's* ROC curve, which is L* only if the score ranks by
    the density ratio, and it is optimistic in sample (theory §6).

    Parameters
    ----------
    y, score, sample_weight
        As for :func:`roc_points`.

    Returns
    -------
    float

    Examples
    --------
    >>> hull_arc_length([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])  # 1/2 + √2/2 + 1/2
    1.707...
    """
    levels, _ = _tied(y, score, sample_weight)
    return float(np.hypot(*_pooled(levels.weighted()).shares()).sum())


def roc_auc(
    y: npt.ArrayLike, score: npt.ArrayLike, *, sample_weight: npt.ArrayLike | None = None
) -> float:
    """Area under the empirical ROC curve; a tie between a positive and a negative counts one half.

    Parameters
    ----------
    y, score, sample_weight
        As for :func:`roc_points`.

    Returns
    -------
    float

    Examples
    --------
    >>> roc_auc([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    0.75
    """
    fpr, tpr, _ = roc_points(y, score, sample_weight=sample_weight)
    return float(np.trapezoid(tpr, fpr))


def ecdf_weights(
    y: npt.ArrayLike,
    score: npt.ArrayLike,
    *,
    angle: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> FloatArray:
    r"""Weights :math:`\sin(v + \pi/4)\,|F_+ - F_-|` of the second step to maximal AUC (theory §7).

    F± are the *mid*-distribution functions of the score in each class, halfway up each jump: with
    ties only these keep the identity between the weighted objective and AUC*.

    Parameters
    ----------
    y, score, sample_weight
        As for :func:`roc_points`. Rank by the unclipped score: clipping makes ties.
    angle : array-like of shape (n,), optional
        In [0, π/2]; by default the score is the angle.

    Returns
    -------
    ndarray of shape (n,)
        In [0, 1].

    Examples
    --------
    >>> ecdf_weights([0, 1], [0.0, np.pi / 2]).round(4).tolist()
    [0.3536, 0.3536]
    """
    levels, rows = _tied(y, score, sample_weight)
    name = "score" if angle is None else "angle"
    v = finite_scores(score if angle is None else angle, rows.order.size, name)
    if (v < 0).any() or (v > np.pi / 2 + 1e-6).any():  # π/2 in float32 exceeds that in float64
        raise ValueError(
            f"`{name}` must lie in [0, π/2]; got values from {v.min():.4g} to {v.max():.4g}: "
            "pass the clipped ones as `angle`."
        )
    positives, negatives = levels.shares()
    gap = np.abs(_mid_cdf(positives) - _mid_cdf(negatives))
    weights: FloatArray = np.sin(v + np.pi / 4) * rows.spread(gap)
    return weights


class _Levels(NamedTuple):
    """Total weight of each class at each distinct score (or block of them), scores ascending."""

    score: FloatArray
    positives: FloatArray
    negatives: FloatArray

    def weighted(self) -> _Levels:
        """Without the scores that carry no weight: they are no points of the curve."""
        some = (self.positives > 0) | (self.negatives > 0)
        return self if some.all() else _Levels(*(column[some] for column in self))

    def shares(self) -> tuple[FloatArray, FloatArray]:
        """What part of all positives, and of all negatives, each level holds."""
        return self.positives / self.positives.sum(), self.negatives / self.negatives.sum()

    def angle(self) -> FloatArray:
        """Slope angle of the curve at each level."""
        return np.arctan2(*self.shares())

    def curve(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """False and true positive rates with thresholds, from (0, 0) to (1, 1)."""
        thresholds = np.concatenate([[np.inf], self.score[::-1]])
        return _rates(self.negatives), _rates(self.positives), thresholds

    def merged(self, starts: IntArray) -> _Levels:
        """Adjacent levels added up; each new one begins at one of ``starts``."""
        if starts.size == self.score.size:  # no ties: nothing to add up
            return self
        return _Levels(
            self.score[starts],
            np.add.reduceat(self.positives, starts),
            np.add.reduceat(self.negatives, starts),
        )


class _Rows(NamedTuple):
    """Which samples share a score."""

    order: IntArray  # sorts the samples by score
    starts: IntArray  # where each distinct score begins in the sorted samples

    def spread(self, values: FloatArray) -> FloatArray:
        """Hand each level's value to the samples at that level."""
        counts = np.diff(self.starts, append=self.order.size)
        out = np.empty(self.order.size)
        out[self.order] = np.repeat(values, counts)
        return out


def _tied(
    y: npt.ArrayLike, score: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> tuple[_Levels, _Rows]:
    positive, _ = binary_labels(y)
    values = finite_scores(score, positive.size)
    weights = nonnegative_weights(sample_weight, positive.size)
    class_totals(positive, weights)
    order = np.argsort(values)
    values, positive, weights = values[order], positive[order], weights[order]
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    singles = _Levels(values, weights * positive, weights * ~positive)
    return singles.merged(starts), _Rows(order, starts)


def _pooled(levels: _Levels) -> _Levels:
    """The blocks of pool-adjacent-violators: segments of the hull, slopes strictly increasing."""
    total = levels.positives + levels.negatives
    # The share of positives in the raw weights orders blocks as their angle does, so ordinary
    # isotonic regression finds the blocks.
    fit = isotonic_regression(levels.positives / total, weights=total)
    blocks = levels.merged(fit.blocks[:-1])
    # Rounding inside the regression can leave collinear neighbours apart; a vertex is a real turn.
    while (flat := np.diff(blocks.angle()) <= 0).any():
        blocks = blocks.merged(np.flatnonzero(np.concatenate([[True], ~flat])))
    return blocks


def _rates(weights: FloatArray) -> FloatArray:
    above: FloatArray = np.concatenate([[0.0], np.cumsum(weights[::-1])])
    rates: FloatArray = above / above[-1]
    return rates


def _mid_cdf(shares: FloatArray) -> FloatArray:
    middle: FloatArray = np.cumsum(shares) - shares / 2
    return middle
