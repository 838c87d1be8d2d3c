"""An audit at the reader's prevalence and costs: what the best rule and each score reach.

Everything is read off ROC curves: the certified one, that of the model found, and that of each
given score. So all certified numbers hold together (theory §13).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rocstar.audits.decision import Decision
from rocstar.audits.judge import Judgement
from rocstar.checks import FloatArray
from rocstar.geometry.curves import roc_points
from rocstar.geometry.linear_measures import Cost, LinearMeasure, NetBenefit
from rocstar.geometry.measures import Precision
from rocstar.geometry.polygons import Polygon
from rocstar.inference.certified_curve import held_polygon
from rocstar.inference.certified_measures import measure_headroom
from rocstar.report.decision_words import decision_sentences

RECALLS = np.round(np.linspace(0.01, 1, 100), 2)
N_THRESHOLDS = 80
# False positive rates of the operating points that are always shown.
RATES = (0.01, 0.05, 0.1, 0.2)
CASES = 1000  # costs are stated for so many


def decision_entry(judgement: Judgement, decision: Decision) -> dict[str, Any] | None:
    """Precision, net benefit and cost of the best rule and each score; None if not asked for."""
    if not decision.asked:
        return None
    held = judgement.held_out
    once, given = held.once, decision.prevalence is not None
    share = float(once.weights[once.y].sum() / once.weights.sum())
    prevalence = decision.prevalence if decision.prevalence is not None else share
    judged = {name: score[once.row] for name, score in judgement.scores.items()}
    curves = _Curves(
        judgement.certificate.curve,
        held_polygon(held),
        {
            name: Polygon(*roc_points(once.y, score, sample_weight=once.weights)[:2])
            for name, score in judged.items()
        },
    )
    rates = {
        name: _rates_as_given(once.y, score, once.weights)
        for name, score in judged.items()
        if is_probability(score)
    }
    entry = {
        "prevalence": prevalence,
        "given": given,
        "level": float(judgement.certificate.level),
        "threshold": decision.cut,
        "cost_fn": decision.cost_fn,
        "cost_fp": decision.cost_fp,
        "precision_recall": _precision_recall(curves, prevalence),
        "curve": _decision_curve(curves, rates, decision, prevalence),
        "points": _points(curves, rates, decision, prevalence),
        "headroom": _headroom(judgement, decision.at(prevalence)),
    }
    return {**entry, "sentences": decision_sentences(entry)}


def _headroom(judgement: Judgement, goal: LinearMeasure | None) -> list[dict[str, Any]]:
    """What the best rule saves or gains beyond each score at its best, for so many cases."""
    if goal is None:
        return []
    held, level = judgement.held_out, judgement.certificate.level
    proven = judgement.certificate.method == "betting"
    found = {
        name: measure_headroom(goal, held, score, level, proven=proven)
        for name, score in judgement.scores.items()
    }
    return [
        {"name": name, "value": CASES * room.value, "low": CASES * room.low, "level": float(level)}
        for name, room in found.items()
    ]


@dataclass(frozen=True)
class _Curves:
    certified: Polygon
    found: Polygon
    scores: dict[str, Polygon]

    def named(self) -> list[tuple[str, Polygon]]:
        """Every curve, with the name of what it belongs to."""
        return [("certified", self.certified), ("found", self.found), *self.scores.items()]


def is_probability(score: FloatArray) -> bool:
    """Whether a score may be read as one: within [0, 1], and not a mere yes or no."""
    inside = float(score.min()) >= 0 and float(score.max()) <= 1
    return inside and np.unique(score).size > 2


class _rates_as_given:
    """Rates of the rule "probability at least t" for any t."""

    def __init__(self, y: Any, score: FloatArray, weights: FloatArray) -> None:
        order = np.argsort(-score, kind="stable")
        self.score = -score[order]
        self.sums = [
            np.concatenate([[0.0], np.cumsum(np.where(rows, weights, 0.0)[order])])
            for rows in (~y, y)
        ]

    def __call__(self, threshold: float) -> tuple[float, float]:
        called = np.searchsorted(self.score, -threshold, side="right")
        fpr, tpr = (float(sums[called] / sums[-1]) for sums in self.sums)
        return fpr, tpr


def _precision_recall(curves: _Curves, prevalence: float) -> dict[str, Any]:
    """Precision by recall, on one grid for all."""

    def heights(curve: Polygon) -> list[float]:
        return [Precision(float(r), prevalence).of(curve) for r in RECALLS]

    return {
        "recall": RECALLS.tolist(),
        "low": heights(curves.certified),
        "found": heights(curves.found),
        "scores": [{"name": n, "precision": heights(c)} for n, c in curves.scores.items()],
    }


def _decision_curve(
    curves: _Curves, rates: dict[str, _rates_as_given], decision: Decision, prevalence: float
) -> dict[str, Any]:
    """Net benefit by threshold; a probability is cut as given, any other score at its best."""
    most = min(max(0.2, 5 * prevalence, 2 * (decision.cut or 0.0)), 0.95)
    thresholds = np.linspace(0.0, most, N_THRESHOLDS + 1)[1:]
    measures = [NetBenefit(float(t), prevalence) for t in thresholds]

    def scored(name: str, curve: Polygon) -> list[float]:
        if name not in rates:
            return [m.of(curve) for m in measures]
        return [float(m.at(*rates[name](m.threshold))) for m in measures]

    return {
        "threshold": thresholds.tolist(),
        "low": [m.of(curves.certified) for m in measures],
        "found": [m.of(curves.found) for m in measures],
        "all": [float(m.at(1.0, 1.0)) for m in measures],
        "scores": [
            {"name": n, "net_benefit": scored(n, c), "as_given": n in rates}
            for n, c in curves.scores.items()
        ],
    }


def _points(
    curves: _Curves, rates: dict[str, _rates_as_given], decision: Decision, prevalence: float
) -> list[dict[str, Any]]:
    """Operating points of every curve: at fixed false positive rates, at the best, and as given."""
    points = []
    goal = decision.at(prevalence)
    if goal is not None and decision.cut is not None:
        for name, curve in curves.named():
            points.append(_point(name, "best", *_best_rates(curve, goal), decision, prevalence))
            if name in rates:
                as_given = rates[name](decision.cut)
                points.append(_point(name, "as given", *as_given, decision, prevalence))
    return points + [
        _point(name, f"{100 * fpr:g} % false alarms", fpr, curve.height(fpr), decision, prevalence)
        for fpr in RATES
        for name, curve in curves.named()
    ]


def _best_rates(curve: Polygon, goal: LinearMeasure) -> tuple[float, float]:
    values = goal.at(curve.fpr, curve.tpr)
    best = int(np.argmax(values if goal.greater_is_better else -values))
    return float(curve.fpr[best]), float(curve.tpr[best])


def _point(
    name: str, at: str, fpr: float, tpr: float, decision: Decision, prevalence: float
) -> dict[str, Any]:
    """Rates of a rule, and what follows from them at the prevalence."""
    called = prevalence * tpr + (1 - prevalence) * fpr
    precision = prevalence * tpr / called if called > 0 else None
    cost = benefit = None
    if decision.cost_fn is not None and decision.cost_fp is not None:
        goal = Cost(decision.cost_fn, decision.cost_fp, prevalence)
        cost = float(CASES * goal.at(fpr, tpr))
    if decision.cut is not None:
        benefit = float(CASES * NetBenefit(decision.cut, prevalence).at(fpr, tpr))
    return {
        "name": name,
        "at": at,
        "fpr": fpr,
        "recall": tpr,
        "precision": precision,
        "lift": None if precision is None else precision / prevalence,
        "cost": cost,
        "net_benefit": benefit,
    }
