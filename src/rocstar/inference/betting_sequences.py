"""Bounds of a mean that hold at all times at once, for samples whose size is not fixed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray, finite_scores
from rocstar.geometry.bounds import Interval
from rocstar.inference.betting import CAP, PRIOR_BLOCKS, candidates
from rocstar.inference.betting_blocks import LARGEST_VARIANCE
from rocstar.inference.estimate import Side, errors_of

N_POINTS_ROWS = 2500
"""Rows for which the grid is made, since their number is not known beforehand."""
GROWTH = 20
"""Bets are renewed when the sample has grown by one part in this many."""


def mean_sequence(
    values: npt.ArrayLike,
    *,
    support: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    side: Side = "two-sided",
) -> Interval:
    """Confidence limits of a mean after each value, valid at all times at once.

    The number of values need not be fixed: look as often as you like and stop when you like. Bets
    follow the variance so far and the time (Waudby-Smith and Ramdas 2024; theory §12). For a
    sample of fixed size :func:`mean_interval` is tighter.

    Parameters
    ----------
    values : array-like of shape (n,)
        In the order in which they came.
    support : (float, float), default=(0, 1)
        Known limits of the variable, not of the sample.
    level : float, default=0.95
    side : {"two-sided", "lower", "upper"}, default="two-sided"

    Returns
    -------
    Interval
        Arrays ``low`` and ``high`` of shape (n,); of a side that was not asked for, the support.

    Examples
    --------
    >>> low, high = mean_sequence([1, 1, 0, 1] * 50)
    >>> low[19] < low[199] < 0.75 < high[199] < high[19]
    np.True_
    """
    x = finite_scores(values, np.size(values), "values")
    worst, best = support
    if x.size == 0 or x.min() < worst or x.max() > best:
        raise ValueError(
            f"`values` must hold at least one value, all of them in the support "
            f"[{worst:g}, {best:g}]."
        )
    below, above = errors_of(level, side)
    share = (x - worst) / (best - worst)
    none = np.zeros(x.size)
    low = _lower_sequence(share, below) if below else none
    high = 1 - (_lower_sequence(1 - share, above) if above else none)
    return Interval(worst + (best - worst) * low, worst + (best - worst) * high)


def _lower_sequence(values: FloatArray, error: float) -> FloatArray:
    """Lower bounds of a mean after each value in [0, 1], all of them valid at once."""
    points = candidates(0.0, 1.0, N_POINTS_ROWS)
    wealth, highest = np.ones(points.size), np.ones(points.size)
    bounds = np.empty(values.size)
    start, total, squares = 0, 0.0, PRIOR_BLOCKS * LARGEST_VARIANCE
    while start < values.size:
        part = values[start : start + max(1, start // GROWTH)]
        variance, time = squares / (start + PRIOR_BLOCKS), start + 1.0
        bet = np.sqrt(2 * np.log(1 / error) / (variance * time * np.log(time + 1)))
        bets = np.minimum(bet, CAP / points)[:, None]
        path = wealth[:, None] * np.cumprod(1 + bets * (part - points[:, None]), axis=1)
        tops = np.maximum(np.maximum.accumulate(path, axis=1), highest[:, None])
        wealth, highest = path[:, -1], tops[:, -1]
        stop = start + part.size
        # Points rejected before the first that is not.
        rejected = np.cumprod(tops >= 1 / error, axis=0).sum(axis=0)
        bounds[start:stop] = np.append(0.0, points)[rejected]
        total += float(part.sum())
        squares += float(((part - total / stop) ** 2).sum())
        start = stop
    return bounds
