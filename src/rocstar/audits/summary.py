"""Numbers and arrays as a summary holds them: functions of what was judged."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from math import isfinite
from platform import python_version
from typing import Any

import numpy as np

from rocstar import __version__
from rocstar.audits.judge import ClassJudgement, Judgement
from rocstar.audits.stages import Stages
from rocstar.checks import BoolArray, FloatArray
from rocstar.estimators.protocol import AnglePredictor, Member
from rocstar.geometry.bounds import SHORTEST, auc_bounds, tv_bounds
from rocstar.geometry.curves import hull_arc_length, roc_hull, roc_points
from rocstar.inference.bands import fold_weights, roc_band
from rocstar.inference.certificate import Certificate
from rocstar.inference.class_held_out import ClassHeldOut
from rocstar.inference.estimate import Estimate
from rocstar.inference.headroom import headroom
from rocstar.inference.held_out import HeldOut
from rocstar.inference.intervals import auc_interval
from rocstar.report import SCHEMA
from rocstar.report.method_words import guarantee_sentence
from rocstar.report.score_words import score_sentence
from rocstar.report.words import MEASURES
from rocstar.tables.model import parts
from rocstar.tables.remarks import Remark
from rocstar.tables.table import LabelledTable, TableProfile

# Dense near zero, where a rare positive class is decided.
FPR_GRID = np.union1d(np.linspace(0, 1, 101), np.geomspace(1e-4, 0.1, 50))
ANGLE_EDGES = np.linspace(0, np.pi / 2, 41)
MOST_HULL_POINTS = 200
# A given score whose AUC is so far above the best model found, error included, was probably fitted
# on the very rows it is judged on.
FAR_ABOVE = 0.03


def data_entry(table: LabelledTable) -> dict[str, Any]:
    """What the data were and what was done to each column."""
    return {
        **profile_entry(table),
        "rows": len(table.y),
        "positives": int(table.y.sum()),
        "negatives": int((~table.y).sum()),
        "groups": None if table.groups is None else len(set(table.groups.tolist())),
        "ordered": table.time is not None,
        "weighted": table.sample_weight is not None,
    }


def profile_entry(profile: TableProfile) -> dict[str, Any]:
    """What is known of a table apart from its rows."""
    used = set(profile.encoder.feature_names_in_[np.unique(profile.encoder.owner_)])
    return {
        "source": profile.source,
        "target": profile.target,
        "positive": profile.positive,
        "features": profile.n_features,
        "columns": [
            {
                **vars(column),
                "notes": list(column.notes),
                "flags": list(column.flags),
                "used": column.name in used,
            }
            for column in profile.columns
        ],
        "warnings": [remark_entry(remark) for remark in profile.warnings],
    }


def remark_entry(remark: Remark) -> dict[str, str]:
    """A remark as a summary holds it."""
    return {"severity": remark.severity, "text": remark.text}


def method_entry(
    judgement: Judgement | ClassJudgement, model: Any, seed: int, stages: Stages
) -> dict[str, Any]:
    """How the numbers came about, so that they can be had again."""
    return {
        "model": model if isinstance(model, str) else type(model).__name__,
        "method": judgement.certificate.method,
        "cv": judgement.certificate.cv,
        "splits": judgement.scheme,
        "guarantee": judgement.certificate.guarantee,
        "guarantee_sentence": guarantee_sentence(
            judgement.certificate.guarantee,
            grouped=judgement.held_out.groups is not None,
            provable=judgement.certificate.provable,
        ),
        "seed": seed,
        "versions": versions(),
        "seconds": rounded_seconds(stages),
    }


def rounded_seconds(stages: Stages) -> dict[str, float]:
    """Seconds of each stage, to the millisecond."""
    return {stage: round(spent, 3) for stage, spent in stages.seconds.items()}


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    found = {"rocstar": __version__, "python": python_version()}
    for package in ("numpy", "scipy", "scikit-learn", "pandas", "skrub"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def score_entry(name: str, judgement: Judgement) -> dict[str, Any]:
    """What a given score reaches on the held-out rows, and how far it is below the best."""
    held, score = judgement.held_out.once, judgement.scores[name]
    level, there = judgement.certificate.level, score[held.row]
    area = auc_interval(
        held.y,
        there,
        level=level,
        method=judgement.certificate.method,
        sample_weight=held.weights if held.weighted else None,
        groups=held.groups,
    )
    labels, found = held.by_row(held.y, False), judgement.held_out.figures().auc
    room = estimate_entry(headroom(labels, score, judgement.certificate))
    entry = {
        "name": name,
        "auc": estimate_entry(area),
        "headroom": {**room, "value": max(found - area.value, room["low"])},
        "hull_arc_length": hull_arc_length(held.y, there, sample_weight=held.weights),
        "suspicious": area.low > found + FAR_ABOVE,
    }
    return {**entry, "sentence": score_sentence(entry, found)}


def found_entry(judgement: Judgement) -> dict[str, Any]:
    """Held-out AUC of the best model found, with a two-sided interval of its own."""
    held, level = judgement.held_out, judgement.certificate.level
    area = auc_interval(
        held.y, held.angle, level=level, sample_weight=held.weights, groups=held.units
    )
    unit, names = ("row", held.row) if held.groups is None else ("group", held.groups)
    fewest = min(np.unique(names[side]).size for side in (held.y, ~held.y))
    entry = {**estimate_entry(area), "value": held.figures().auc}
    return {"auc": entry, "unit": unit, "fewest": fewest}


def member_entries(held: HeldOut | ClassHeldOut) -> list[dict[str, Any]]:
    """Share and out-of-fold J of each member, averaged over the fold models."""
    stacks = [model.members() for model in held.models if isinstance(model, AnglePredictor)]
    # A stack that chooses its members by the rows of a fold may have others in the next.
    named: dict[str, list[Member]] = {}
    for member in chain.from_iterable(stacks):
        named.setdefault(member.name, []).append(member)
    if len(named) < 2:
        # Held-out J itself; the value of the certificate may lean on in-sample J.
        name = type(held.models[0]).__name__
        return [{"name": name, "weight": 1.0, "arc_length": held.figures().arc_length}]
    return [
        {
            "name": name,
            "weight": float(np.sum([member.share for member in same])) / len(stacks),
            # In turn, a stack's first model has no earlier rows to judge its members by.
            "arc_length": float(np.nanmean([member.arc_length for member in same])),
        }
        for name, same in named.items()
    ]


def estimate_entry(estimate: Estimate) -> dict[str, Any]:
    """An estimate as plain numbers, without the end that its side leaves open."""
    ends = {"lower": ("low",), "upper": ("high",)}.get(estimate.side, ("low", "high"))
    entry = {
        key: float(value) if isfinite(value := getattr(estimate, key)) else None
        for key in ("value", *ends)
    }
    return {**entry, "level": float(estimate.level), "side": estimate.side}


def measures(certificate: Certificate) -> dict[str, Any]:
    """The five numbers of a certificate, and what the arc length alone implies.

    The value of the AUC is that of the best model found, on rows it had not seen.
    """
    length = min(max(certificate.arc_length.value, SHORTEST), 2.0)
    found, low = certificate.held_out.figures().auc, certificate.auc.low
    found = max(found, low) if low > 0.5 else found
    return {
        "schema": SCHEMA,
        "level": float(certificate.level),
        **{name: estimate_entry(getattr(certificate, name)) for name in MEASURES},
        "auc": {**estimate_entry(certificate.auc), "value": found},
        "sharp": {
            "tv": [float(end) for end in tv_bounds(length)],
            "auc": [float(end) for end in auc_bounds(length)],
        },
    }


def figures(judgement: Judgement) -> dict[str, Any]:
    """Arrays behind the pictures, all of them of the held-out rows.

    Angles of different fold models are put on one curve: thresholding the angle of a model drawn
    at random is a classifier like any other, so ROC* lies above that curve and above its band.
    Each fold has the same share of both classes for that.
    """
    held = judgement.held_out
    y, angle, weights = held.y, held.angle, held.weights
    shared = fold_weights(y, weights, held.fold)
    hull = roc_hull(y, angle, sample_weight=shared)
    kept = np.unique(np.linspace(0, len(hull.fpr) - 1, MOST_HULL_POINTS).round().astype(int))
    level = judgement.certificate.level
    if judgement.certificate.method == "betting" and held.groups is None:
        low = judgement.certificate.curve(FPR_GRID)
    else:
        band = roc_band(
            y, angle, level=level, sample_weight=weights, groups=held.units, folds=held.fold
        )
        low = band.at(FPR_GRID)
    return {
        "roc": {
            "fpr": FPR_GRID.tolist(),
            "tpr": _curve(y, angle, shared),
            "low": low.tolist(),
            "hull": {"fpr": hull.fpr[kept].tolist(), "tpr": hull.tpr[kept].tolist()},
            "scores": [
                {
                    "name": name,
                    "fpr": FPR_GRID.tolist(),
                    "tpr": _curve(y, score[held.row], weights),
                }
                for name, score in judgement.scores.items()
            ],
        },
        "angles": {
            "edges": ANGLE_EDGES.tolist(),
            "positive": _shares(angle[y], weights[y]),
            "negative": _shares(angle[~y], weights[~y]),
        },
    }


def _curve(y: BoolArray, score: FloatArray, weights: FloatArray) -> list[float]:
    """The empirical ROC curve on the grid."""
    points = roc_points(y, score, sample_weight=weights)
    last = np.append(np.diff(points.fpr) > 0, True)  # the top of every vertical step
    heights: list[float] = np.interp(FPR_GRID, points.fpr[last], points.tpr[last]).tolist()
    return heights


def _shares(angle: FloatArray, weights: FloatArray) -> list[float]:
    counts, _ = np.histogram(angle, ANGLE_EDGES, weights=weights)
    shares: list[float] = (counts / counts.sum()).tolist()
    return shares


def unconverged(models: Sequence[Any]) -> int:
    """How many models have a solver inside that stopped before its tolerance."""
    return sum(
        any(not part.solution_.status.ok for part in parts(model) if hasattr(part, "solution_"))
        for model in models
    )
