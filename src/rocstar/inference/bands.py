"""Simultaneous confidence bands of an ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rocstar.checks import (
    BoolArray,
    FloatArray,
    IntArray,
    binary_labels,
    class_totals,
    finite_scores,
    group_units,
    nonnegative_weights,
)
from rocstar.geometry.curves import roc_points
from rocstar.geometry.polygons import Polygon
from rocstar.inference.concave_band import concave_steps
from rocstar.inference.dirichlet_band import dirichlet_steps
from rocstar.inference.estimate import Side, errors_of
from rocstar.inference.exact_band import exact_steps
from rocstar.inference.group_masses import dependent
from rocstar.report.notebook import card
from rocstar.results import ArrayResult
from rocstar.rounding import rounded_down, rounded_up

if TYPE_CHECKING:
    from rocstar.report.curve_displays import RocDisplay


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(ArrayResult):
    """Staircases below and above the whole ROC curve with the stated confidence.

    Attributes
    ----------
    fpr : ndarray of shape (m,)
        False positive rates where the band steps up, ascending from 0 to 1.
    tpr : ndarray of shape (m,)
        The empirical ROC curve there.
    low : ndarray of shape (m,)
        The lower end from that rate on; 0 below 1 with ``side="upper"``.
    level : float
    high : ndarray of shape (m,)
        The upper end from that rate on; 1 with ``side="lower"``.
    side : {"lower", "upper", "two-sided"}

    Examples
    --------
    >>> band = roc_band([0] * 200 + [1] * 200, [0] * 200 + [1] * 200)
    >>> band.at([0.0, 0.1, 1.0]).round(1).tolist()
    [0.0, 1.0, 1.0]
    >>> band
    RocBand(97 steps, area at least 0.963, level=0.95, side='lower')
    """

    fpr: FloatArray
    tpr: FloatArray
    low: FloatArray
    level: float
    high: FloatArray
    side: Side = "lower"

    def at(self, fpr: npt.ArrayLike) -> FloatArray:
        """The lower end at any false positive rates in [0, 1]."""
        return np.asarray(self.low[self._step(fpr)])

    def high_at(self, fpr: npt.ArrayLike) -> FloatArray:
        """The upper end at any false positive rates in [0, 1]."""
        return np.asarray(self.high[self._step(fpr)])

    @property
    def lower(self) -> Polygon:
        """The lower end as a curve: a measure of it bounds the measure of the ROC curve."""
        return Polygon.staircase(self.fpr, self.low)

    @property
    def upper(self) -> Polygon:
        """The upper end as a curve."""
        return Polygon.staircase(self.fpr, self.high)

    def plot(self, ax: Any = None) -> RocDisplay:
        """Draw the empirical ROC curve and the band."""
        from rocstar.report.curve_displays import RocDisplay

        ends = {"lower": ("low",), "upper": ("high",)}.get(self.side, ("low", "high"))
        drawn = {end: getattr(self, end) for end in ends}
        data = {"name": "empirical curve", "fpr": self.fpr, "tpr": self.tpr, "scores": []}
        return RocDisplay({**data, **drawn}).plot(ax)

    def _repr_html_(self) -> str:
        rates = np.array([0.01, 0.05, 0.1, 0.2, 0.5])
        low = [rounded_down(end) for end in self.at(rates)]
        high = [rounded_up(end) for end in self.high_at(rates)]
        found = self.tpr[self._step(rates)]
        rows = [
            (f"{rate:g}", f"{tpr:.3f}", *ends)
            for rate, tpr, *ends in zip(rates, found, low, high, strict=True)
        ]
        head = ("false positive rate", "true positive rate", "at least", "at most")
        title = f"ROC band, {100 * self.level:g} % confidence, {self.side}"
        return card(title, rows, head=head)

    def _step(self, fpr: npt.ArrayLike) -> IntArray:
        rates = np.asarray(fpr, dtype=np.float64)
        if rates.size and not (rates.min() >= 0 and rates.max() <= 1):
            raise ValueError(
                f"`fpr` must lie in [0, 1]; got {rates.min():.4g} to {rates.max():.4g}."
            )
        return np.asarray(np.searchsorted(self.fpr, rates, side="right") - 1)

    def __repr__(self) -> str:
        low, high = rounded_down(self.lower.area()), rounded_up(self.upper.area())
        area = {
            "lower": f"at least {low}",
            "upper": f"at most {high}",
            "two-sided": f"between {low} and {high}",
        }[self.side]
        steps = f"{self.fpr.size} steps, area {area}"
        return f"RocBand({steps}, level={self.level:g}, side={self.side!r})"


def roc_band(
    y: npt.ArrayLike,
    score: npt.ArrayLike,
    *,
    level: float = 0.95,
    side: Side = "lower",
    method: Literal["dirichlet", "exact", "concave"] = "dirichlet",
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    folds: npt.ArrayLike | None = None,
    random_state: int = 0,
) -> RocBand:
    """Band of the whole ROC curve of a score that was not fitted on these rows.

    ROC* lies above every ROC curve, so the lower end is a band for ROC* too; the upper end is one
    for this score's own curve only.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two distinct labels; the larger is positive.
    score : array-like of shape (n,)
        Higher means more positive.
    level : float, default=0.95
        Confidence that the curve lies within the band everywhere at once.
    side : {"lower", "upper", "two-sided"}, default="lower"
        Where the band has an end. Two sides share the error equally.
    method : {"dirichlet", "exact", "concave"}, default="dirichlet"
        "dirichlet": ROC curves of randomly reweighted samples, with an unseen positive below and an
        unseen negative above everything; the band is their pointwise quantile at the one local
        level that leaves ``level`` of the whole curves above it. It held its level in every
        simulation. "exact": a Beta bound of every order statistic of either class, all of them
        holding at once; guaranteed for every law in finite samples, and nearly twice as wide
        (no weights, no groups, no folds). "concave": exact tests at a few rates, as well guaranteed
        and about as wide as "dirichlet"; a lower band for ROC* and for the least concave curve
        above the score's own, not for a score whose curve has dents (theory §12; no weights, no
        groups, no folds).
    sample_weight : array-like of shape (n,), optional
        Weights of rows, not counts of them.
    groups : array-like of shape (n,), optional
        Rows of one group are dependent; groups are then the units that are drawn.
    folds : array-like of shape (n,), optional
        Which of several models gave each row its score, where scores are out of fold and on one
        scale, such as angles or probabilities. Every fold then has the same weight in both
        classes, so that the curve is an average of curves that lie under ROC* (theory §13). The
        models share training rows, so the band is asymptotic. A fold of one class is left out.
    random_state : int, default=0

    Returns
    -------
    RocBand

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> band = roc_band(y, rng.normal(size=1000) + 2 * y, side="two-sided")
    >>> bool(np.all(band.low <= band.tpr)), bool(np.all(band.tpr <= band.high))
    (True, True)
    """
    positive, _ = binary_labels(y)
    values = finite_scores(score, positive.size)
    weights = nonnegative_weights(sample_weight, positive.size)
    class_totals(positive, weights)
    units = dependent(groups, positive.size)
    below, above = errors_of(level, side)
    if method not in ("dirichlet", "exact", "concave"):
        raise ValueError(f"`method` must be 'dirichlet', 'exact' or 'concave'; got {method!r}.")
    if method != "dirichlet" and not all(given is None for given in (sample_weight, groups, folds)):
        raise ValueError(
            f"`method='{method}'` counts rows and takes neither weights nor groups nor folds: use "
            "'dirichlet'."
        )
    if method == "concave" and side != "lower":
        raise ValueError(
            f"`side` must be 'lower' for method='concave'; got {side!r}: use 'exact' for both ends."
        )
    if folds is not None:
        weights = fold_weights(positive, weights, group_units(folds, positive.size, "folds"))
    rows = _Rows(positive, values, weights, units, method, random_state)
    ends = np.array([0.0, 1.0])
    steps = rows.lower(below) if below else Steps(ends, ends)
    tops = rows.upper(above) if above else Steps(ends, np.ones(2))
    fpr = np.unique(np.concatenate([[0.0], steps.fpr, tops.fpr, [1.0]]))
    points = roc_points(positive, values, sample_weight=weights)
    reached = np.searchsorted(points.fpr, fpr, side="right") - 1
    return RocBand(
        fpr,
        points.tpr[reached],
        steps.at(fpr),
        level,
        tops.at(fpr),
        side,
    )


def fold_weights(positive: BoolArray, weights: FloatArray, fold: IntArray) -> FloatArray:
    """Weights with which every fold counts the same in both classes; zero in folds of one class."""
    # A threshold's point is then an average, with one set of weights, of points of the folds'
    # curves, all under ROC*. With unequal shares it need not be (theory §13).
    side = positive.astype(np.intp)
    totals = np.zeros((int(fold.max()) + 1, 2))
    np.add.at(totals, (fold, side), weights)
    whole = totals.min(axis=1) > 0
    return np.where(whole[fold], weights / np.where(whole[fold], totals[fold, side], 1.0), 0.0)


class Steps(NamedTuple):
    """A staircase: from ``fpr[k]`` on, the height ``tpr[k]``."""

    fpr: FloatArray
    tpr: FloatArray

    def at(self, fpr: FloatArray) -> FloatArray:
        """Heights at some rates."""
        return np.asarray(self.tpr[np.searchsorted(self.fpr, fpr, side="right") - 1])


class _Rows(NamedTuple):
    """Checked rows, and how their bands are made."""

    positive: BoolArray
    score: FloatArray
    weights: FloatArray
    units: IntArray | None
    method: str
    random_state: int

    def lower(self, error: float) -> Steps:
        """A staircase below the curve, from (0, ·) to (1, 1)."""
        if self.method != "dirichlet":
            steps = exact_steps if self.method == "exact" else concave_steps
            fpr, low = steps(self.positive, self.score, 1 - error)
        else:
            rng = np.random.default_rng(self.random_state)
            fpr, low = dirichlet_steps(
                self.positive, self.score, self.weights, self.units, 1 - error, rng
            )
        corners = np.concatenate([[0.0], fpr, [1.0]])
        heights = np.maximum.accumulate(np.concatenate([[0.0], low, [1.0]]))
        last = np.append(np.diff(corners) > 0, True)  # of several steps at one rate, the highest
        return Steps(corners[last], heights[last])

    def upper(self, error: float) -> Steps:
        """A staircase above the curve: with the classes exchanged it is one below."""
        # Exchanged classes mirror the curve at the diagonal. A lower bound of the false positive
        # rate at every true positive rate, read from the other axis: as long as the false positive
        # rate is below the next step of the mirrored band, the curve has not reached that step.
        mirrored = self._replace(positive=~self.positive).lower(error)
        next_step = np.append(mirrored.fpr[1:], 1.0)
        last = np.append(np.diff(mirrored.tpr) > 0, True)
        return Steps(mirrored.tpr[last], next_step[last])
