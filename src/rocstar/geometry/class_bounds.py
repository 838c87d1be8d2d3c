r"""Sharp bounds for two or more classes, given their arc length.

The arc length of K laws is :math:`L = \int\|(p_1, \dots, p_K)\|_2`, between √K for identical laws
and K for disjoint ones; for two classes it is that of ROC* (theory §15).
"""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray
from rocstar.geometry.bounds import ROUNDING, Interval, _interval, _real, tv_bounds

__all__ = ["balanced_accuracy_bounds", "pairwise_tv_bounds"]


def balanced_accuracy_bounds(arc_length: npt.ArrayLike, n_classes: int = 2) -> Interval:
    r"""Sharp bounds of the best balanced accuracy, given the arc length of the classes.

    With :math:`r = L/K` the best balanced accuracy is at most
    :math:`1/K + \sqrt{(1 - 1/K)(r^2 - 1/K)}`, attained where every row has one likelier class and
    the others alike, and at least the polygon through :math:`(r, 1/m) = (1/\sqrt m, 1/m)` for
    m = 1, …, K, attained where every row has m or m + 1 equally likely classes and no others. For
    two classes these are the ends of :func:`tv_bounds`, moved (theory §9, §15).

    Parameters
    ----------
    arc_length : float or array-like
        In [√K, K], with K the number of classes.
    n_classes : int, default=2

    Returns
    -------
    Interval
        ``low`` and ``high``, of the shape of ``arc_length``.

    Examples
    --------
    >>> low, high = balanced_accuracy_bounds(1.8)
    >>> f"{low:.4f} {high:.4f}"
    '0.8293 0.8937'
    >>> low, high = balanced_accuracy_bounds(2.5, n_classes=3)
    >>> f"{low:.4f} {high:.4f}"
    '0.7155 0.8240'
    """
    k = checked_classes(n_classes)
    if k == 2:
        low, high = tv_bounds(arc_length)
        return Interval((1 + low) / 2, (1 + high) / 2)
    r = _checked_length(arc_length, k) / k
    corners = np.arange(k, 0, -1)
    low = np.interp(r, 1 / np.sqrt(corners), 1 / corners)
    return _interval(low, 1 / k + np.sqrt((1 - 1 / k) * _excess(r, k)))


def pairwise_tv_bounds(arc_length: npt.ArrayLike, n_classes: int) -> Interval:
    r"""Sharp bounds of the mean total variation distance over pairs of classes.

    With :math:`r = L/K` the mean over the K(K − 1)/2 pairs is at least
    :math:`(L - \sqrt K)/(K - \sqrt K)`, attained where a row is equally likely in all classes or
    possible in one only, and at most
    :math:`[K - m + \sqrt{(m-1)m(m+1)/3\,(r^2 - 1/m)}]/(K - 1)`, attained where the probabilities
    of m classes at every row, in any order, are evenly spaced and those of the others zero; m is
    the number for which the smallest of these is not negative (theory §15). The mean over pairs of
    the best AUC is then at least half of one plus the lower end.

    Parameters
    ----------
    arc_length : float or array-like
        In [√K, K], with K the number of classes.
    n_classes : int

    Returns
    -------
    Interval
        ``low`` and ``high``, of the shape of ``arc_length``.

    Examples
    --------
    >>> low, high = pairwise_tv_bounds(2.5, n_classes=3)
    >>> f"{low:.4f} {high:.4f}"
    '0.6057 0.8118'
    """
    k = checked_classes(n_classes)
    if k == 2:
        return tv_bounds(arc_length)
    length = _checked_length(arc_length, k)
    r = length / k
    # m classes share a row's probability from this r² downwards, to where m + 1 of them do.
    m = np.arange(k, 2, -1)
    shared = k - np.searchsorted((4 * m - 2) / (3 * m * (m - 1)), r**2, side="left")
    slope = (shared - 1) * shared * (shared + 1) / 3
    high = (k - shared + np.sqrt(slope * _excess(r, shared))) / (k - 1)
    return _interval((length - math.sqrt(k)) / (k - math.sqrt(k)), np.minimum(high, 1.0))


def implied_class_bounds(
    arc_length: float, balanced_accuracy: float, pairwise_auc: float, n_classes: int
) -> tuple[float, float, float]:
    """Lower bounds of arc length, balanced accuracy and mean pairwise AUC, raised by each other.

    What a balanced accuracy implies is the upper end of :func:`balanced_accuracy_bounds`, turned
    round; the mean pairwise AUC follows from the arc length that is reached then.
    """
    above = balanced_accuracy - 1 / n_classes
    shortest = n_classes * math.sqrt(1 / n_classes + above**2 / (1 - 1 / n_classes))
    length = max(arc_length, shortest)
    return (
        length,
        max(balanced_accuracy, float(balanced_accuracy_bounds(length, n_classes).low)),
        max(pairwise_auc, (1 + float(pairwise_tv_bounds(length, n_classes).low)) / 2),
    )


def checked_classes(n_classes: object, least: int = 2) -> int:
    """The number of classes as an int."""
    if not isinstance(n_classes, Integral) or n_classes < least:
        raise ValueError(
            f"`n_classes` must be a whole number of at least {least}; got {n_classes!r}."
        )
    return int(n_classes)


def _excess(r: FloatArray, k: npt.ArrayLike) -> FloatArray:
    """r² − 1/k without cancellation, at least 0."""
    root = 1 / np.sqrt(k)
    return np.asarray(np.maximum((r - root) * (r + root), 0.0))


def _checked_length(arc_length: npt.ArrayLike, k: int) -> FloatArray:
    length = _real(arc_length, "arc_length")
    least = math.sqrt(k)
    inside = (length >= least - ROUNDING) & (length <= k + ROUNDING)  # NaN is outside
    if not inside.all():
        raise ValueError(
            f"`arc_length` of {k} classes must lie in [√{k}, {k}]; got "
            f"{length[~inside].flat[0]}: clip an estimate to that range first."
        )
    return np.clip(length, least, float(k))
