"""Bounds of single measures of ROC*: by the certified curve, or by a rule fixed beforehand."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.geometry.curves import roc_points
from rocstar.geometry.linear_measures import LinearMeasure
from rocstar.geometry.measures import Measure, RocAuc
from rocstar.inference.bands import roc_band
from rocstar.inference.betting_bounds import hockey_stick_bound, rule_gain_bound
from rocstar.inference.certified_curve import certified_curve, held_polygon
from rocstar.inference.estimate import Estimate
from rocstar.inference.held_figures import Bounded, held_pair_draws, held_sum_draws
from rocstar.inference.held_out import HeldOut

N_CELLS = 64
"""Ranges of thresholds of a score, each with one limit."""
PERFECT = ([0.0, 0.0, 1.0], [0.0, 1.0, 1.0])
"""The best curve there could be: its measure is the limit that no sample can rule out."""


def bound_estimate(measure: Measure, value: float, bound: float, level: float) -> Estimate:
    """A measure of the best rule with its bound: from below, or from above where it is a cost."""
    limit = measure(*PERFECT)
    if measure.greater_is_better:
        return Estimate(max(value, bound), bound, limit, level, "lower")
    return Estimate(min(value, bound), limit, bound, level, "upper")


def check_measure(measure: object) -> None:
    """Refuse what is no measure."""
    if not isinstance(measure, Measure):
        raise TypeError(
            f"`measure` must be one of rocstar.measures, such as Tpr(0.1); got {measure!r}."
        )


def own_bound(measure: Measure, held: HeldOut, level: float, *, proven: bool = False) -> float:
    """Bound of one measure fixed beforehand: its own where it has one, else that of the curve.

    ``proven`` bets on rows judged in turn, in measures other than the AUC.
    """
    error = 1 - level
    if isinstance(measure, RocAuc):
        placed = held.per_row(held.placed)
        aucs = Bounded(held_pair_draws(held, placed), held.figures().auc, 1.0, held.n_splits)
        return aucs.low(error, 0.5)
    if isinstance(measure, LinearMeasure):
        excess_low = hockey_stick_bound if proven else hockey_stick_low
        ratio, terms = measure.ratio, measure.terms
        excess = 0.0 if math.isinf(ratio) else excess_low(held, ratio, error)
        return terms.gain * excess + terms.constant
    return certified_curve(held, level, in_turn=proven).measure(measure)


def hockey_stick_low(held: HeldOut, ratio: float, error: float) -> float:
    """Lower limit of the largest P(A) − ratio · Q(A), by the rule "angle above atan(ratio)"."""
    right = np.where(held.y, held.angle > np.arctan(ratio), held.angle <= np.arctan(ratio))
    values = np.where(held.y, 1.0, ratio) * right
    draws = held_sum_draws(held, held.per_row(values))
    bounded = Bounded(draws, held.mean_sum(values), 0.5, held.n_splits)
    return bounded.low(error, max(ratio, 1.0)) - ratio


def measure_headroom(
    measure: Measure,
    held: HeldOut,
    score: FloatArray,
    level: float,
    *,
    proven: bool = False,
) -> Estimate:
    """How far a score, one number per row of the data, is below the best rule in one measure."""
    once = held.once
    there = score[once.row]
    if isinstance(measure, LinearMeasure):
        low = _linear_headroom(measure, held, score, 1 - level, proven=proven)
    else:
        low = _curve_headroom(measure, held, there, level, proven=proven)
    sign = 1.0 if measure.greater_is_better else -1.0
    points = roc_points(once.y, there, sample_weight=once.weights)
    own = measure(points.fpr, points.tpr)
    value = max(low, _less(measure.of(held_polygon(held)), own, sign))
    return Estimate(value, low, max(value, _less(measure(*PERFECT), own, sign)), level, "lower")


def _linear_headroom(
    measure: LinearMeasure, held: HeldOut, score: FloatArray, error: float, *, proven: bool
) -> float:
    """Lower limit of what the best rule gains beyond every threshold of a score (theory §13)."""
    # One threshold is the score's best. So the least of the limits of all thresholds, each with the
    # whole error, holds for it. Thresholds between two neighbours share one limit: as if they found
    # what the lower one finds, and raised no more false alarms than the higher one.
    ratio, theirs = measure.ratio, score[held.row]
    if math.isinf(ratio):
        return 0.0
    edges = _thresholds(score, held.row) if proven else _quantiles(theirs)
    best = (held.angle > np.arctan(ratio)).astype(np.float64)
    gains = [
        np.where(held.y, best - (theirs > low), (theirs > high) - best)
        for low, high in pairwise([-np.inf, *edges, np.inf])
    ]
    weights = np.where(held.y, 1.0, ratio)
    least = np.inf
    for gain in sorted(gains, key=lambda gain: held.mean_sum(weights * gain)):
        shares = (1 + gain) / 2  # between 0 and 1
        if proven:
            low = rule_gain_bound(held, shares, ratio, error, least)
        else:
            draws = held_sum_draws(held, held.per_row(weights * shares))
            figure = held.mean_sum(weights * shares)
            floor = (1 + ratio) / 2
            low = 2 * (Bounded(draws, figure, 0.5, held.n_splits).low(error, floor) - floor)
        least = min(least, low)
        if least <= 0:
            return 0.0
    return abs(measure.terms.gain) * float(least)


def _thresholds(score: FloatArray, judged: IntArray) -> FloatArray:
    """Thresholds of a score from rows that are not judged: bets need them fixed beforehand."""
    others = np.ones(score.size, dtype=np.bool_)
    others[judged] = False
    return _quantiles(score[others & np.isfinite(score)])


def _quantiles(score: FloatArray) -> FloatArray:
    if score.size == 0:
        return score
    return np.unique(np.quantile(score, np.linspace(0, 1, N_CELLS + 1)[1:-1], method="nearest"))


def _curve_headroom(
    measure: Measure, held: HeldOut, there: FloatArray, level: float, *, proven: bool
) -> float:
    """A bound of the best less one of the score's own, each with half of the error."""
    each, once = (1 + level) / 2, held.once
    if proven:
        band = roc_band(once.y, there, level=each, side="upper", method="exact")
    else:
        band = roc_band(
            once.y, there, level=each, side="upper", sample_weight=once.weights, groups=once.groups
        )
    sign, most = 1.0 if measure.greater_is_better else -1.0, measure.of(band.upper)
    return max(0.0, _less(own_bound(measure, held, each, proven=proven), most, sign))


def _less(best: float, own: float, sign: float) -> float:
    """By how much the best is better; nothing where both are infinite."""
    return 0.0 if best == own else sign * (best - own)
