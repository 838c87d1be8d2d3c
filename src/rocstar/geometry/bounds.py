r"""Bounds of total variation and AUC*: pure functions of numbers.

The sharp ones need only the arc length L of a concave ROC curve (theory §9). They hold for ROC* and
for a convex hull, never for the raw length of a curve that is not concave. A lower confidence bound
of L gives valid *lower* ends only: put into an upper formula it bounds nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray

__all__ = [
    "Interval",
    "auc_bounds",
    "bretagnolle_huber_tv_bounds",
    "implied_bounds",
    "le_cam_tv_bounds",
    "liu_tv_bounds",
    "pinsker_tv_bounds",
    "tv_bounds",
]

SHORTEST = math.sqrt(2)  # the diagonal: the classes are identical
LONGEST = 2.0  # up, then right: the classes are disjoint
# Ten times the accuracy promised of a law's truth; a held-out estimate below √2 is far beyond it.
ROUNDING = 1e-7


class Interval(NamedTuple):
    """Two ends of a range; unpacks as ``low, high``.

    Each end is a float, or an array where the function was given an array.

    Examples
    --------
    >>> low, high = Interval(0.25, 0.75)
    >>> high - low
    0.5
    """

    low: Any
    high: Any


def tv_bounds(arc_length: npt.ArrayLike) -> Interval:
    r"""Sharp bounds of the total variation distance, given the arc length of ROC*.

    A concave curve of length L from (0, 0) to (1, 1) rises above the diagonal by at least
    :math:`(L-\sqrt2)/(2-\sqrt2)` and at most :math:`\sqrt{L^2/2-1}`; both are attained (theory §9).

    Parameters
    ----------
    arc_length : float or array-like
        In [√2, 2].

    Returns
    -------
    Interval
        ``low`` and ``high``, of the shape of ``arc_length``.

    Examples
    --------
    >>> low, high = tv_bounds(1.8)
    >>> f"{low:.4f} {high:.4f}"
    '0.6586 0.7874'
    """
    length = _checked_length(arc_length)
    excess = length - SHORTEST
    low = excess / (LONGEST - SHORTEST)
    # L²/2 − 1 = (L − √2)(L + √2)/2, which does not cancel near √2.
    high = np.sqrt(excess * (length + SHORTEST) / 2)
    return _interval(low, high)


def auc_bounds(arc_length: npt.ArrayLike) -> Interval:
    r"""Sharp bounds of the maximal AUC, given the arc length of ROC*.

    The smallest area belongs to the triangle-like curve through :math:`(0, y)` with
    :math:`y + \sqrt{1 + (1-y)^2} = L`; the largest to a circular arc over the diagonal while
    :math:`L \le \pi/2`, and beyond that to a quarter circle of radius
    :math:`s = (2 - L)/(2 - \pi/2)` between two straight sides (theory §9).

    Parameters
    ----------
    arc_length : float or array-like
        In [√2, 2].

    Returns
    -------
    Interval
        ``low`` and ``high``, of the shape of ``arc_length``.

    Examples
    --------
    >>> low, high = auc_bounds(1.8)
    >>> f"{low:.4f} {high:.4f}"
    '0.8875 0.9534'
    """
    length = _checked_length(arc_length)
    height = (length - SHORTEST) * (length + SHORTEST) / (2 * (length - 1))
    radius = (LONGEST - length) / (LONGEST - math.pi / 2)
    high = np.where(
        length >= math.pi / 2,
        1 - radius**2 * (1 - math.pi / 4),
        0.5 + _circular_segment(np.minimum(length, math.pi / 2)),
    )
    return _interval((1 + height) / 2, high)


def implied_bounds(arc_length: float, auc: float, tv: float) -> tuple[float, float, float]:
    r"""Three lower bounds of one ROC*, each raised to what the other two imply (theory §9).

    A concave curve that rises above the diagonal by T has an area of at least :math:`(1+T)/2` and
    a length of at least :math:`\sqrt{2(1+T^2)}`; one of area A rises by at least
    :math:`1-\sqrt{2(1-A)}`, since it lies below :math:`\min(1, f+T)`, and is at least as long as
    the circular arcs of :func:`auc_bounds`; what a length implies is in :func:`tv_bounds` and
    :func:`auc_bounds`. Where the three hold together, so do the results; applying this twice
    changes nothing.

    Parameters
    ----------
    arc_length : float
        In [√2, 2].
    auc : float
        In [½, 1].
    tv : float
        In [0, 1].

    Returns
    -------
    arc_length, auc, tv : float

    Examples
    --------
    >>> [round(low, 3) for low in implied_bounds(1.5, 0.5, 0.42)]
    [1.534, 0.71, 0.42]
    """
    by_length = float(auc_bounds(arc_length).low), float(tv_bounds(arc_length).low)
    return (
        max(arc_length, math.sqrt(2 * (1 + tv**2)), _shortest_with_area(auc)),
        max(auc, by_length[0], (1 + tv) / 2),
        max(tv, by_length[1], 1 - math.sqrt(2 * (1 - auc))),
    )


def _shortest_with_area(auc: float) -> float:
    """Length of the shortest concave curve with that area: the inverse of the upper AUC bound."""
    if auc >= math.pi / 4:
        radius = math.sqrt((1 - auc) / (1 - math.pi / 4))
        return LONGEST - radius * (LONGEST - math.pi / 2)
    if auc <= 0.5:
        return SHORTEST

    from scipy.optimize import brentq  # not above: reports need the constants there at once

    def missing(length: float) -> float:
        return float(auc_bounds(length).high) - auc

    return float(brentq(missing, SHORTEST, math.pi / 2))


def liu_tv_bounds(arc_length: npt.ArrayLike) -> Interval:
    r"""Bounds of the total variation distance from the paper, looser than :func:`tv_bounds`.

    The paper's lower end is the maximum over a of
    :math:`\frac2\pi[(L - 2\sqrt{1-a^2})/a + \arccos a - \arcsin a]`. Its derivative
    is a constant times :math:`(2\sqrt{1-a^2} - L)/a^2`, so the maximum is where
    :math:`\sqrt{1-a^2} = L/2` and equals :math:`1 - \frac4\pi\arccos\frac L2`. The upper end is
    :math:`L - 1`.

    Parameters
    ----------
    arc_length : float or array-like
        In [√2, 2].

    Returns
    -------
    Interval
        ``low`` and ``high``, of the shape of ``arc_length``.

    Examples
    --------
    >>> low, high = liu_tv_bounds(1.8)
    >>> f"{low:.4f} {high:.4f}"
    '0.4257 0.8000'
    """
    length = _checked_length(arc_length)
    # At √2 the rounded arccosine may exceed π/4 by one unit.
    low = np.maximum(1 - 4 / math.pi * np.arccos(length / 2), 0.0)
    return _interval(low, length - 1)


def pinsker_tv_bounds(kl: npt.ArrayLike) -> Interval:
    r"""Pinsker's bound of the total variation distance: at most :math:`\sqrt{KL/2}`.

    Parameters
    ----------
    kl : float or array-like
        Kullback–Leibler divergence in nats, either direction; may be infinite.

    Returns
    -------
    Interval
        ``low`` is 0, since a tiny total variation distance allows any divergence.

    Examples
    --------
    >>> pinsker_tv_bounds(0.5)
    Interval(low=0.0, high=0.5)
    """
    divergence = _checked_divergence(kl, "kl", math.inf)
    return _interval(np.zeros_like(divergence), np.minimum(np.sqrt(divergence / 2), 1.0))


def bretagnolle_huber_tv_bounds(kl: npt.ArrayLike) -> Interval:
    r"""Bound of Bretagnolle and Huber: total variation is at most :math:`\sqrt{1 - e^{-KL}}`.

    Never above 1, so it stays informative where Pinsker's does not.

    Parameters
    ----------
    kl : float or array-like
        Kullback–Leibler divergence in nats, either direction; may be infinite.

    Returns
    -------
    Interval
        ``low`` is 0.

    Examples
    --------
    >>> low, high = bretagnolle_huber_tv_bounds(2.0)
    >>> f"{low:.4f} {high:.4f}"
    '0.0000 0.9299'
    """
    divergence = _checked_divergence(kl, "kl", math.inf)
    return _interval(np.zeros_like(divergence), np.sqrt(-np.expm1(-divergence)))


def le_cam_tv_bounds(hellinger: npt.ArrayLike) -> Interval:
    r"""Le Cam's bounds of the total variation distance: :math:`H^2 \le TV \le H\sqrt{2 - H^2}`.

    Parameters
    ----------
    hellinger : float or array-like
        Hellinger distance scaled to [0, 1]:
        :math:`H^2 = \frac12\int(\sqrt p - \sqrt q)^2 = 1 - \int\sqrt{pq}`.

    Returns
    -------
    Interval
        ``low`` and ``high``, of the shape of ``hellinger``.

    Examples
    --------
    >>> low, high = le_cam_tv_bounds(0.5)
    >>> f"{low:.4f} {high:.4f}"
    '0.2500 0.6614'
    """
    distance = _checked_divergence(hellinger, "hellinger", 1.0)
    return _interval(distance**2, distance * np.sqrt(2 - distance**2))


def _checked_length(arc_length: npt.ArrayLike) -> FloatArray:
    length = _real(arc_length, "arc_length")
    inside = (length >= SHORTEST - ROUNDING) & (length <= LONGEST + ROUNDING)  # NaN is outside
    if not inside.all():
        raise ValueError(
            f"`arc_length` must lie in [√2, 2]; got {length[~inside].flat[0]}: "
            "clip an estimate to that range first."
        )
    return np.clip(length, SHORTEST, LONGEST)


def _checked_divergence(value: npt.ArrayLike, name: str, largest: float) -> FloatArray:
    divergence = _real(value, name)
    inside = (divergence >= -ROUNDING) & (divergence <= largest + ROUNDING)
    if not inside.all():
        required = "be non-negative" if math.isinf(largest) else f"lie in [0, {largest:g}]"
        raise ValueError(f"`{name}` must {required}; got {divergence[~inside].flat[0]}.")
    return np.clip(divergence, 0.0, largest)


def _real(value: npt.ArrayLike, name: str) -> FloatArray:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufO":
            raise TypeError
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`{name}` must be a real number or an array of them.") from None


def _interval(low: FloatArray, high: FloatArray) -> Interval:
    high = np.maximum(
        low, high
    )  # they meet at the ends of the range, where rounding could swap them
    if np.ndim(low) == 0:
        return Interval(float(low), float(high))
    return Interval(low, high)


def _circular_segment(length: FloatArray) -> FloatArray:
    """Area between the diagonal of the unit square and the circular arc of this length over it."""
    theta = _half_angle(length)
    # R²(θ − sin θ cos θ) with R = 1/(√2 sin θ); it tends to θ/3 → 0 as the arc flattens.
    squared_sine = np.sin(theta) ** 2
    area: FloatArray = np.divide(
        _minus_sine(2 * theta),
        4 * squared_sine,
        out=np.zeros_like(theta),
        where=squared_sine > 0,
    )
    return area


def _half_angle(length: FloatArray) -> FloatArray:
    """Solve θ/sin θ = L/√2 for θ in [0, π/4], the half-angle of the arc of length L."""
    stretch = length / SHORTEST - 1
    # θ − (1 + stretch) sin θ is convex, and θ/sin θ ≥ 1 + θ²/6 puts this start right of the root,
    # so Newton descends to it; from at most 4 % away, five steps reach rounding error.
    theta = np.sqrt(6 * stretch)
    for _ in range(5):
        gap = _minus_sine(theta) - stretch * np.sin(theta)
        slope = 2 * np.sin(theta / 2) ** 2 - stretch * np.cos(theta)
        theta = theta - np.divide(gap, slope, out=np.zeros_like(theta), where=slope > 0)
    return theta


def _minus_sine(x: FloatArray) -> FloatArray:
    """x − sin x by its power series, which keeps full relative accuracy down to zero."""
    # Eleven terms leave less than 1e-16 of the value for |x| ≤ π/2, the whole range used here.
    squared = x * x
    series = np.ones_like(x)
    for k in range(11, 1, -1):
        series = 1 - squared / (2 * k * (2 * k + 1)) * series
    return x * squared / 6 * series
