"""What weights mean: shares within each class, and how many rows they stand for."""

from __future__ import annotations

import numpy as np

from rocstar.checks import BoolArray, FloatArray, IntArray, class_totals


def class_weights(positive: BoolArray, weights: FloatArray) -> FloatArray:
    """Weights that sum to one within each class: integer ones then mean repetition (theory §3)."""
    positives, negatives = class_totals(positive, weights)
    return np.asarray(weights / np.where(positive, positives, negatives))


# A row that stands for more than this many others is weighed rather than repeated.
MOST_REPETITIONS = 100


def effective_counts(positive: BoolArray, weights: FloatArray) -> FloatArray:
    """How many rows know as much as the weighted ones of each class; their unit is immaterial."""
    # Repetitions add up: weights that are whole multiples of the smallest one, up to a hundredfold.
    # Any others count (Σw)²/Σw² (Kish 1965), and so do weights that differ between the classes
    # only.
    return class_effective_counts(positive.astype(np.intp), weights)


def class_effective_counts(codes: IntArray, weights: FloatArray) -> FloatArray:
    """The same of any number of classes, which are numbered from 0."""
    sides = [weights[(codes == k) & (weights > 0)] for k in range(int(codes.max()) + 1)]
    unit = repeated_unit(sides)
    if unit is not None:
        return np.array([np.sum(side / unit) for side in sides])
    shares = [side / side.max() for side in sides]
    return np.array([np.sum(share) ** 2 / np.sum(share**2) for share in shares])


def repeated_unit(sides: list[FloatArray]) -> float | None:
    """The weight of one row, if the positive weights of all classes mean repetition; else None."""
    low, high = np.array([(side.min(), side.max()) for side in sides]).T
    unit = float(low.min())
    if np.array_equal(low, high) or high.max() > MOST_REPETITIONS * unit * (1 + 1e-9):
        return None
    times = [side / unit for side in sides]
    whole = all(bool(np.all(np.abs(t - np.rint(t)) <= 1e-9 * t)) for t in times)
    return unit if whole else None
