"""Simultaneous confidence bands of an ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.special import betainc, betaincc, betainccinv, betaincinv

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
from rocstar.inference.draws import CHUNK, N_DRAWS
from rocstar.inference.estimate import Side, errors_of
from rocstar.inference.group_masses import UNSEEN_CASES, dependent, unseen_group
from rocstar.inference.masses import MAX_CELLS
from rocstar.report.notebook import card
from rocstar.results import ArrayResult
from rocstar.rounding import rounded_down, rounded_up

if TYPE_CHECKING:
    from rocstar.report.curve_displays import RocDisplay

MAX_RANKS = 96
"""Order statistics or rates the band rests on; between them it is a staircase at little cost."""


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
            steps = _exact_steps if self.method == "exact" else concave_steps
            fpr, low = steps(self.positive, self.score, 1 - error)
        else:
            rng = np.random.default_rng(self.random_state)
            fpr, low = _dirichlet_steps(
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


def _dirichlet_steps(
    positive: BoolArray,
    score: FloatArray,
    weights: FloatArray,
    units: IntArray | None,
    level: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Pointwise quantiles of random ROC curves, at the level that holds for whole curves."""
    half = np.geomspace(0.25 / (~positive).sum(), 0.5, MAX_RANKS // 2)
    fpr = np.unique(np.concatenate([half, 1 - half]))
    kept = weights > 0
    run = _descending_runs(positive[kept], score[kept])
    group = None if units is None else units[kept]
    masses = _RunMasses.of(positive[kept], weights[kept], run, group)
    curves = np.empty((N_DRAWS, fpr.size))
    step = max(1, CHUNK // masses.width)
    for start in range(0, N_DRAWS, step):
        part = slice(start, min(start + step, N_DRAWS))
        curves[part] = masses.curves(fpr, part.stop - start, rng)
    ordered = np.sort(curves, axis=0)
    ranks = [np.searchsorted(o, c, side="right") for o, c in zip(ordered.T, curves.T, strict=True)]
    lowest = np.min(ranks, axis=0)  # each curve's rank where it is worst
    local = int(np.quantile(lowest, 1 - level, method="lower"))
    return fpr, ordered[max(local - 1, 0)]


class _RunMasses(NamedTuple):
    """Laws of the masses of runs of rows, scores descending: positives, then negatives."""

    # Of independent rows, Gamma laws by `shape` and `scale`; of groups, each group's weight in
    # every run, and one exponential per group. `heaviest` is what an unseen row or group weighs.

    shape: FloatArray
    scale: FloatArray
    by_group: tuple[Any, Any] | None
    heaviest: FloatArray

    @classmethod
    def of(
        cls, positive: BoolArray, weights: FloatArray, run: IntArray, units: IntArray | None
    ) -> _RunMasses:
        n, sides = int(run.max()) + 1, (positive, ~positive)
        sums, squares = (
            np.array([np.bincount(run, w * side, n) for side in sides], dtype=np.float64)
            for w in (weights, weights**2)
        )
        shape, scale = (
            sums**2 / np.where(sums > 0, squares, 1.0),
            squares / np.maximum(sums, 1e-300),
        )
        if units is None:
            heaviest = np.array([weights[side].max() for side in sides])
            return cls(shape, scale, None, heaviest)
        group = np.unique(units, return_inverse=True)[1]
        size = (int(group.max()) + 1, n)
        cells = [coo_array((weights[s], (group[s], run[s])), size).tocsr() for s in sides]
        return cls(
            shape,
            scale,
            (cells[0], cells[1]),
            unseen_group(np.array([cell.sum(axis=1) for cell in cells], dtype=np.float64)),
        )

    @property
    def width(self) -> int:
        """Random numbers per draw and class."""
        groups = 0 if self.by_group is None else int(self.by_group[0].shape[0])
        return max(int(self.shape.shape[1]), groups)

    def curves(self, fpr: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
        """Reweighted ROC curves at some rates, one row per draw; a tie counts against us."""
        if self.by_group is None:
            unseen = self.heaviest[:, None, None] * rng.standard_exponential((2, size, 1))
            drawn = [
                scale * rng.standard_gamma(shape, (size, shape.size))
                for shape, scale in zip(self.shape, self.scale, strict=True)
            ]
            return _heights(drawn, unseen, fpr)
        unseen = self.heaviest[:, None, None] * rng.standard_exponential((size, 1))
        groups = rng.standard_exponential((size, self.by_group[0].shape[0]))
        drawn = [groups @ cells for cells in self.by_group]
        cases = UNSEEN_CASES[:, :, None, None]
        low: FloatArray = np.min([_heights(drawn, case * unseen, fpr) for case in cases], axis=0)
        return low


def _heights(drawn: list[FloatArray], unseen: FloatArray, fpr: FloatArray) -> FloatArray:
    """True positive rates at some false positive rates, given masses of runs in both classes."""
    tops, rates = (np.cumsum(masses, axis=1) for masses in drawn)
    row = np.arange(len(tops))[:, None]
    tpr = np.concatenate([np.zeros_like(tops[:, :1]), tops], axis=1)
    shares = (rates + unseen[1]) / (rates[:, -1:] + unseen[1])
    # Rates lie in [0, 1], so rows moved two apart make one sorted list to search at once.
    reached = np.searchsorted((shares + 2 * row).ravel(), fpr + 2 * row, side="right")
    below = np.take_along_axis(tpr, reached - row * rates.shape[1], axis=1)
    return np.asarray(below / (tpr[:, -1:] + unseen[0]))


def _descending_runs(positive: BoolArray, score: FloatArray) -> IntArray:
    """The run of one class, or of ties, that each row belongs to, scores descending."""
    levels, where = np.unique(-score, return_inverse=True)
    counts = np.stack([np.bincount(where, rows, levels.size) for rows in (positive, ~positive)])
    kind = (counts > 0).T @ [1, 2]
    fresh = np.append(True, (kind[1:] != kind[:-1]) | (kind[1:] == 3))
    run = np.cumsum(fresh) - 1
    n = int(run[-1]) + 1
    return np.asarray((run * min(n, 4 * MAX_CELLS) // n)[where])


def _exact_steps(
    positive: BoolArray, score: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds of all order statistics at once."""
    # The curve at an upper bound of the false positive rate is at least the lower bound of the true
    # positive rate at the same threshold.
    up, down = np.sort(score[positive])[::-1], np.sort(score[~positive])
    local = _local_level(up.size, down.size, level)
    ranks = _ranks(up.size)
    low = betaincinv(ranks, up.size + 1 - ranks, local)
    above = down.size - np.searchsorted(down, up[ranks - 1], side="left")
    return _upper_rates(above, down.size, local), np.asarray(low)


def _upper_rates(above: IntArray, n: int, local: float) -> FloatArray:
    """Upper bounds of the false positive rate of thresholds with ``above`` negatives over them."""
    ranks = _ranks(n)
    # The next negative below the threshold bounds the rate; take the next one we hold a bound for.
    next_rank = np.searchsorted(ranks, above + 1)
    bounds = np.append(betainccinv(ranks, n + 1 - ranks, local), 1.0)
    return np.asarray(bounds[next_rank])


def _ranks(n: int) -> IntArray:
    """Up to MAX_RANKS ranks of n, dense at both ends, where ROC curves are steep and flat."""
    if n <= MAX_RANKS:
        return np.arange(1, n + 1)
    half = np.geomspace(1, n / 2, MAX_RANKS // 2)
    ranks = np.unique(np.rint(np.concatenate([half, n + 1 - half])))
    return ranks.astype(np.intp)


@lru_cache(maxsize=64)
def _local_level(n_pos: int, n_neg: int, level: float) -> float:
    """The level of each single bound at which all of them hold together with ``level``."""
    rng = np.random.default_rng(0)
    smallest = np.minimum(_smallest(n_pos, rng, True), _smallest(n_neg, rng, False))
    return float(np.quantile(smallest, 1 - level, method="lower"))


def _smallest(n: int, rng: np.random.Generator, lower: bool) -> FloatArray:
    """Smallest tail probability over the ranks, for uniform samples of size n."""
    ranks = _ranks(n)
    gaps = np.diff(np.concatenate([[0], ranks, [n + 1]])).astype(np.float64)
    sums = np.cumsum(rng.standard_gamma(gaps, size=(N_DRAWS, gaps.size)), axis=1)
    uniform = sums[:, :-1] / sums[:, -1:]
    tail = betainc if lower else betaincc
    smallest: FloatArray = tail(ranks, n + 1 - ranks, uniform).min(axis=1)
    return smallest
