"""Measures that weigh true against false positive rates: the best rule is known beforehand."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rocstar.checks import check_fraction
from rocstar.geometry.measures import PointMeasure, within

__all__ = [
    "Accuracy",
    "Cost",
    "HockeyStick",
    "LinearMeasure",
    "NetBenefit",
    "TotalVariation",
]


class Terms(NamedTuple):
    """The value ``gain * tpr - loss * fpr + constant`` of a linear measure."""

    gain: float
    loss: float
    constant: float


class LinearMeasure(PointMeasure):
    """A measure whose operating points are worth ``gain * tpr - loss * fpr + constant``.

    The best rule calls a row positive where p/q exceeds ``loss / gain``, the ``ratio`` that is
    known before any data are seen: so one such measure has a tighter bound than a whole curve.

    Examples
    --------
    >>> from rocstar.measures import NetBenefit
    >>> measure = NetBenefit(threshold=0.1, prevalence=0.1)
    >>> round(measure.ratio, 3)
    1.0
    """

    @property
    @abstractmethod
    def terms(self) -> Terms:
        """What a true and a false positive rate are worth, and what the rule (0, 0) is."""

    @property
    def ratio(self) -> float:
        """The density ratio above which the best rule calls a row positive."""
        gain, loss, _ = self.terms
        return math.inf if gain == 0 else loss / gain

    def at(self, fpr: Any, tpr: Any) -> Any:
        """Value of a rule with these rates."""
        gain, loss, constant = self.terms
        return gain * np.asarray(tpr) - loss * np.asarray(fpr) + constant


@dataclass(frozen=True)
class HockeyStick(LinearMeasure):
    """Hockey-stick divergence: the largest P(A) − γ Q(A), P the positives' law, Q the negatives'.

    With γ = 1 it is the total variation distance. ``reverse`` exchanges the two laws.

    Examples
    --------
    >>> from rocstar.measures import HockeyStick
    >>> HockeyStick(gamma=2)([0, 0.25, 1], [0, 0.75, 1])
    0.25
    """

    gamma: float
    reverse: bool = False

    def __post_init__(self) -> None:
        _not_negative(self, "gamma")

    @property
    def terms(self) -> Terms:
        """P(A) − γ Q(A), or Q(Aᶜ) − γ P(Aᶜ)."""
        return Terms(self.gamma, 1.0, 1 - self.gamma) if self.reverse else Terms(1.0, self.gamma, 0)


@dataclass(frozen=True)
class TotalVariation(LinearMeasure):
    """Largest TPR − FPR: Youden's index, the total variation distance for ROC*.

    Examples
    --------
    >>> from rocstar.measures import TotalVariation
    >>> TotalVariation()([0, 0.25, 1], [0, 0.75, 1])
    0.5
    """

    @property
    def terms(self) -> Terms:
        """P(A) − Q(A)."""
        return Terms(1.0, 1.0, 0.0)


@dataclass(frozen=True)
class Accuracy(LinearMeasure):
    """Largest share of right decisions at a prevalence; the Bayes error is one minus that of ROC*.

    Examples
    --------
    >>> from rocstar.measures import Accuracy
    >>> Accuracy(prevalence=0.5)([0, 0.25, 1], [0, 0.75, 1])
    0.75
    """

    prevalence: float

    def __post_init__(self) -> None:
        check_fraction(self.prevalence, "prevalence")

    @property
    def terms(self) -> Terms:
        """π TPR + (1 − π)(1 − FPR)."""
        return Terms(self.prevalence, 1 - self.prevalence, 1 - self.prevalence)


@dataclass(frozen=True)
class NetBenefit(LinearMeasure):
    """Net benefit of decision-curve analysis at a threshold probability and a prevalence.

    Of the best rule: at least 0, which is what treating nobody yields, and at least what treating
    everybody yields (Vickers and Elkin 2006).

    Examples
    --------
    >>> from rocstar.measures import NetBenefit
    >>> NetBenefit(threshold=0.5, prevalence=0.5)([0, 0.25, 1], [0, 0.75, 1])
    0.25
    """

    threshold: float
    prevalence: float

    def __post_init__(self) -> None:
        within(self, "threshold", high_open=True)
        check_fraction(self.prevalence, "prevalence")

    @property
    def terms(self) -> Terms:
        """π TPR − (1 − π) FPR p/(1 − p)."""
        odds = self.threshold / (1 - self.threshold)
        return Terms(self.prevalence, (1 - self.prevalence) * odds, 0.0)


@dataclass(frozen=True)
class Cost(LinearMeasure):
    """Smallest expected cost per case; smaller is better, so that it is bounded from above.

    Examples
    --------
    >>> from rocstar.measures import Cost
    >>> cost = Cost(false_negative=500, false_positive=10, prevalence=0.01)
    >>> cost([0, 0.25, 1], [0, 0.75, 1])
    3.725
    """

    false_negative: float
    false_positive: float
    prevalence: float

    greater_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _not_negative(self, "false_negative")
        _not_negative(self, "false_positive")
        check_fraction(self.prevalence, "prevalence")

    @property
    def terms(self) -> Terms:
        """π c₋ (1 − TPR) + (1 − π) c₊ FPR."""
        missed = self.prevalence * self.false_negative
        return Terms(-missed, -(1 - self.prevalence) * self.false_positive, missed)


def _not_negative(measure: Any, name: str) -> None:
    value = getattr(measure, name)
    if not 0 <= value < math.inf:
        raise ValueError(f"`{name}` must be a non-negative number; got {value}.")
