"""DeLong's normal approximation and Clopper–Pearson's exact limits, for comparison."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.special import expit, logit
from scipy.stats import beta, norm

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.estimate import Estimate, Side, errors_of
from rocstar.inference.pair_masses import LinearAUC


def from_normal(value: float, se: float, level: float, side: Side, on_logit: bool) -> Estimate:
    below, above = errors_of(level, side)
    if se == 0:
        warnings.warn(
            "DeLong's standard error is zero (constant or perfectly separating scores), so the "
            "interval has no width and no meaning: use method='dirichlet'.",
            RuntimeWarning,
            stacklevel=3,
        )
        return Estimate(value, value, value, level, side)
    shift_low, shift_high = -norm.isf(below) * se, norm.isf(above) * se
    if on_logit:
        slope = value * (1 - value)  # d value / d logit(value), by the delta method
        low = float(expit(logit(value) + shift_low / slope))
        high = float(expit(logit(value) + shift_high / slope))
    else:
        low, high = max(value + shift_low, 0.0), min(value + shift_high, 1.0)
    return Estimate(value, low, high, level, side)


def delong_se(linear: LinearAUC, groups: IntArray | None) -> float:
    """Standard error from the spread of each row's mean comparison with the other class."""
    # Groups are added up before they are squared (Obuchowski 1997), both classes together.
    up, values = linear.positive, linear.values
    counts = np.where(up, up.sum(), (~up).sum())
    fewest, unit = (counts.min(), "rows of each class")
    if groups is not None:
        fewest, unit = groups.max() + 1, "groups"
    if fewest < 2:
        raise ValueError(
            f"DeLong's interval needs at least two {unit}; got one: use method='dirichlet'."
        )
    influence = (values - np.where(up, values[up].mean(), values[~up].mean())) / counts
    if groups is None:
        return float(np.sqrt(influence**2 @ (counts / (counts - 1))))
    sums = np.bincount(groups, influence)
    return float(np.sqrt(sums @ sums * (sums.size / (sums.size - 1))))


def clopper_pearson(
    value: float, correct: FloatArray, positive: BoolArray, level: float, side: Side
) -> Estimate:
    """Exact limits of each rate at half the error, added up."""
    below, above = (error / 2 for error in errors_of(level, side))
    low, high = -1.0, -1.0
    for rows in (positive, ~positive):
        n, k = int(rows.sum()), round(correct[rows].sum())
        low += float(beta.ppf(below, k, n - k + 1)) if k else 0.0
        high += float(beta.isf(above, k + 1, n - k)) if k < n else 1.0
    return Estimate(value, low, high, level, side)
