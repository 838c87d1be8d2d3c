r"""Measures of an ROC curve: small frozen classes, one formula each (theory §13).

``measure(fpr, tpr)`` is the measure of any ROC curve, given its points in ascending order, joined
by straight lines: an empirical curve, a hull, a staircase, a certified curve. Every measure
improves or stays where the curve rises, so a curve that lies below ROC* bounds what the best
classifier reaches: from below, or from above where ``greater_is_better`` is False. Prevalence is
the share of positives where the classifier will be used; it is known beforehand, not estimated.
"""

# To add a measure, write one class and list it in `__all__`; `tests/test_measures.py` then asks for
# an instance, a plain formula to compare it with, and checks it on random curves and on laws:
#
#     @dataclass(frozen=True)
#     class Jaccard(PointMeasure):
#         """Largest Jaccard index of the rows called positive and the positives."""
#
#         prevalence: float
#
#         def at(self, fpr, tpr):
#             wrong = (1 - self.prevalence) * np.asarray(fpr)
#             return self.prevalence * np.asarray(tpr) / (self.prevalence + wrong)
#
# `LinearMeasure`, in `linear_measures.py`, asks for three numbers, `PointMeasure` for the value of
# one operating point (the best one counts; on a straight line the value must be monotone),
# `Measure` for the value of a `RocCurve`, through the few questions that any curve answers.

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray, check_fraction
from rocstar.geometry.polygons import Polygon, RocCurve

__all__ = [
    "Epsilon",
    "FScore",
    "Measure",
    "PartialAuc",
    "PointMeasure",
    "Precision",
    "PrecisionRecallArea",
    "Recall",
    "RocAuc",
    "Tpr",
]


class Measure(ABC):
    """A number that can only improve where an ROC curve rises.

    ``greater_is_better`` says whether improving means growing.

    Examples
    --------
    >>> from rocstar.measures import Measure, Tpr
    >>> isinstance(Tpr(0.1), Measure), Tpr(0.1).greater_is_better
    (True, True)
    """

    greater_is_better: ClassVar[bool] = True

    @abstractmethod
    def of(self, curve: RocCurve) -> float:
        """The measure of a curve that answers the questions of `RocCurve`."""

    def __call__(self, fpr: npt.ArrayLike, tpr: npt.ArrayLike) -> float:
        """The measure of the curve through these points, in ascending order."""
        return self.of(Polygon.through(fpr, tpr))


class PointMeasure(Measure):
    """The best operating point of a curve: a value of each point, the best of which counts.

    ``at(fpr, tpr)`` is the value of a rule with these rates, also of one that a given threshold
    makes, whether it is the best one or not.

    Examples
    --------
    >>> from rocstar.measures import Accuracy
    >>> round(float(Accuracy(prevalence=0.5).at(0.1, 0.7)), 3)
    0.8
    """

    @abstractmethod
    def at(self, fpr: Any, tpr: Any) -> Any:
        """Value of a rule with these rates; numbers or arrays."""

    def of(self, curve: RocCurve) -> float:
        """The best value along a curve."""
        if self.greater_is_better:
            return curve.best(self.at)
        return -curve.best(lambda fpr, tpr: -self.at(fpr, tpr))


@dataclass(frozen=True)
class RocAuc(Measure):
    """Area under the curve.

    Examples
    --------
    >>> from rocstar.measures import RocAuc
    >>> RocAuc()([0, 0.25, 1], [0, 0.75, 1])
    0.75
    """

    def of(self, curve: RocCurve) -> float:
        """∫ H."""
        return curve.area()


@dataclass(frozen=True)
class PartialAuc(Measure):
    """Area up to a false positive rate, scaled to ½ for the diagonal and 1 at best (McClish 1989).

    The scale is that of ``sklearn.metrics.roc_auc_score(max_fpr=...)``.

    Examples
    --------
    >>> from rocstar.measures import PartialAuc
    >>> round(PartialAuc(max_fpr=0.5)([0, 0.25, 1], [0, 0.75, 1]), 3)
    0.722
    """

    max_fpr: float

    def __post_init__(self) -> None:
        within(self, "max_fpr", low_open=True)

    def of(self, curve: RocCurve) -> float:
        """½ + ½(∫ H − f²/2)/(f − f²/2), the integral up to f."""
        most, least = self.max_fpr, self.max_fpr**2 / 2
        return (1 + (curve.area(self.max_fpr) - least) / (most - least)) / 2


@dataclass(frozen=True)
class Tpr(Measure):
    """True positive rate (recall, sensitivity) at a false positive rate.

    Examples
    --------
    >>> from rocstar.measures import Tpr
    >>> Tpr(fpr=0.125)([0, 0.25, 1], [0, 0.75, 1])
    0.375
    """

    fpr: float

    def __post_init__(self) -> None:
        within(self, "fpr")

    def of(self, curve: RocCurve) -> float:
        """H(f)."""
        return curve.height(self.fpr)


@dataclass(frozen=True)
class Precision(Measure):
    """Precision (positive predictive value) at a recall and a prevalence.

    Examples
    --------
    >>> from rocstar.measures import Precision
    >>> Precision(recall=0.75, prevalence=0.25)([0, 0.25, 1], [0, 0.75, 1])
    0.5
    """

    recall: float
    prevalence: float

    def __post_init__(self) -> None:
        within(self, "recall", low_open=True)
        check_fraction(self.prevalence, "prevalence")

    def of(self, curve: RocCurve) -> float:
        """π r/(π r + (1 − π) f), f the smallest false positive rate with recall r."""
        found = self.prevalence * self.recall
        return found / (found + (1 - self.prevalence) * curve.rate(self.recall))


@dataclass(frozen=True)
class Recall(Measure):
    """Largest recall with at least a given precision, at a prevalence; 0 where there is none.

    Examples
    --------
    >>> from rocstar.measures import Recall
    >>> Recall(precision=0.5, prevalence=0.25)([0, 0.25, 1], [0, 0.75, 1])
    0.75
    """

    precision: float
    prevalence: float

    def __post_init__(self) -> None:
        within(self, "precision", low_open=True)
        check_fraction(self.prevalence, "prevalence")

    def of(self, curve: RocCurve) -> float:
        """Where the curve leaves the line of this precision through (0, 0)."""
        if self.precision == 1:
            return curve.height(0.0)
        odds = self.precision / (1 - self.precision)
        return curve.reach(odds * (1 - self.prevalence) / self.prevalence)


@dataclass(frozen=True)
class PrecisionRecallArea(Measure):
    """Area under the precision–recall curve at a prevalence, joined as the ROC curve is.

    Average precision takes steps instead, so that with ties it is smaller.

    Examples
    --------
    >>> from rocstar.measures import PrecisionRecallArea
    >>> round(PrecisionRecallArea(prevalence=0.5)([0, 0.1, 1], [0, 0.9, 1]), 3)
    0.875
    """

    prevalence: float

    def __post_init__(self) -> None:
        check_fraction(self.prevalence, "prevalence")

    def of(self, curve: RocCurve) -> float:
        """∫ π r/(π r + (1 − π) f(r)) dr."""
        return curve.precision_area((1 - self.prevalence) / self.prevalence)


@dataclass(frozen=True)
class FScore(PointMeasure):
    """Largest F-score at a prevalence; with ``beta`` above 1 recall counts more.

    Examples
    --------
    >>> from rocstar.measures import FScore
    >>> FScore(prevalence=0.25)([0, 0.25, 1], [0, 0.75, 1])
    0.6
    """

    prevalence: float
    beta: float = 1.0

    def __post_init__(self) -> None:
        check_fraction(self.prevalence, "prevalence")
        if not 0 < self.beta < math.inf:
            raise ValueError(f"`beta` must be a positive number; got {self.beta}.")

    def at(self, fpr: Any, tpr: Any) -> Any:
        """(1 + β²) π TPR/(π TPR + (1 − π) FPR + β² π)."""
        found, square = self.prevalence * np.asarray(tpr), self.beta**2
        called = found + (1 - self.prevalence) * np.asarray(fpr)
        return (1 + square) * found / (called + square * self.prevalence)


@dataclass(frozen=True)
class Epsilon(PointMeasure):
    """Smallest ε for which the two laws are (ε, δ)-indistinguishable, in both directions.

    For an audit of differential privacy let the classes be what a mechanism released with and
    without one record.

    Examples
    --------
    >>> from rocstar.measures import Epsilon
    >>> round(Epsilon(delta=0.0)([0, 0.25, 1], [0, 0.75, 1]), 4)  # log 3
    1.0986
    """

    delta: float

    def __post_init__(self) -> None:
        within(self, "delta", high_open=True)

    def at(self, fpr: Any, tpr: Any) -> Any:
        """The larger of log((TPR − δ)/FPR) and log((1 − FPR − δ)/(1 − TPR)), at least 0."""
        f, t = np.asarray(fpr, dtype=np.float64), np.asarray(tpr, dtype=np.float64)
        forward = _log_ratio(t - self.delta, f)
        return np.maximum(np.maximum(forward, _log_ratio(1 - f - self.delta, 1 - t)), 0.0)


def _log_ratio(over: FloatArray, under: FloatArray) -> FloatArray:
    """log(over/under) where ``over`` is positive, else −∞."""
    some = over > 0
    with np.errstate(divide="ignore"):
        logs = np.log(np.where(some, over, 1.0)) - np.log(np.where(some, under, 1.0))
    return np.where(some, logs, -np.inf)


def within(measure: Any, name: str, *, low_open: bool = False, high_open: bool = False) -> None:
    """Refuse a parameter outside the unit interval."""
    value = getattr(measure, name)
    low = value > 0 if low_open else value >= 0
    if not (low and (value < 1 if high_open else value <= 1)):
        ends = f"{'(' if low_open else '['}0, 1{')' if high_open else ']'}"
        raise ValueError(f"`{name}` must lie in {ends}; got {value}.")
