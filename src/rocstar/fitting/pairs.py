"""Sums over all pairs of a positive and a negative without visiting the pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocstar.checks import FloatArray


class PairLoss(NamedTuple):
    """Value, gradient and Hessian of a loss over pairs, in the coefficients of a linear score."""

    value: float
    gradient: FloatArray
    hessian: FloatArray


class ClassRows(NamedTuple):
    """Rows of one class, with weights that sum to one."""

    x: FloatArray
    weights: FloatArray


def squared_hinge(w: FloatArray, positives: ClassRows, negatives: ClassRows) -> PairLoss:
    """Mean over all pairs of max(0, 1 − wᵀ(x₊ − x₋))², in O(n log n + n d²)."""
    # A pair counts if the negative's score exceeds the positive's less one. Scores sorted once, the
    # negatives that count for a positive are a tail and their sums are running sums; likewise the
    # positives that count for a negative.
    # Sums of squares lose digits far from zero, and only differences of scores matter.
    shift = positives.weights @ positives.x
    s, t = (positives.x - shift) @ w, (negatives.x - shift) @ w
    up, down = np.argsort(s), np.argsort(t)
    s, x, a = s[up], positives.x[up] - shift, positives.weights[up]
    t, y, b = t[down], negatives.x[down] - shift, negatives.weights[down]
    # Negative j counts for positive i from position first[i] on; positive i for j before last[j].
    first = np.searchsorted(t, s - 1.0, side="right")
    last = np.searchsorted(s, t + 1.0, side="left")

    b0, b1, b2, by = (_tails(v)[first] for v in (b, b * t, b * t**2, b[:, None] * y))
    a0, a1 = (_heads(v)[last] for v in (a, a * s))
    margin = 1.0 - s
    value = float(a @ (margin**2 * b0 + 2.0 * margin * b1 + b2))
    slope_s = -2.0 * a * (margin * b0 + b1)
    slope_t = 2.0 * b * ((1.0 + t) * a0 - a1)
    gradient = x.T @ slope_s + y.T @ slope_t
    cross = (x.T * a) @ by
    hessian = 2.0 * ((x.T * (a * b0)) @ x + (y.T * (b * a0)) @ y - cross - cross.T)
    return PairLoss(value, gradient, hessian)


def _heads(values: FloatArray) -> FloatArray:
    """Sums of the first k values, for k = 0, …, n."""
    return np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])


def _tails(values: FloatArray) -> FloatArray:
    """Sums of the values from position k on, for k = 0, …, n."""
    return _heads(values[::-1])[::-1]
