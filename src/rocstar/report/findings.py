"""Sections that answer: curves, room for improvement, the scale, columns that differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocstar.report import words
from rocstar.report.parts import (
    Curve,
    Data,
    Section,
    Summary,
    Table,
    curves,
    expected_points,
    followed,
    sides,
)

READ_OFF = np.round(np.linspace(0, 1, 21), 2)
"""False-positive rates at which the printed table reads the curves; the CSV holds every point."""


def roc(summary: Summary) -> Section:
    """The best curve found, what is certified of it, and each given score's own."""
    found, (positive, negative) = curves(summary), sides(summary)
    comparison = summary["kind"] == "comparison"
    text = (
        f"Every threshold of a score finds some of the rows with `{positive}` (upwards) and raises "
        "false alarms for some of the others (to the right). The closer to the upper left corner, "
        "the better."
        if not comparison
        else f"How well rows of `{positive}` can be distinguished from rows of `{negative}`. On "
        "the diagonal they cannot be distinguished at all.",
        "The solid line is what the best model found reaches on rows it had not seen, with its "
        "convex hull.",
        "The stepped line is certified: the best possible curve, ROC*, lies above all of it "
        f"({words.confidence(summary['level'])}).",
    )
    header = ("false-positive rate", *(curve.label for curve in found))
    rows = tuple((f"{x:.2f}", *(_height(curve, x) for curve in found)) for x in READ_OFF.tolist())
    points = tuple(
        (curve.label, x, y)
        for curve in found
        for x, y in zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True)
    )
    return Section(
        "roc",
        "Distinguishing the samples" if comparison else "The best ROC curve",
        text,
        Table(header, rows, names=(0,)),
        Data(("curve", "false_positive_rate", "true_positive_rate"), points),
        folded=True,
    )


def _height(curve: Curve, fpr: float) -> str:
    printed = words.rounded_down if curve.role == "band" else words.number
    return printed(curve.at(fpr))


def headroom(summary: Summary) -> Section | None:
    """How far each given score is below the best."""
    scores = summary["scores"]
    if not scores:
        return None
    rows = tuple(
        (
            words.visible(s["name"]),
            words.interval(s["auc"]),
            words.rounded_down(s["headroom"]["low"]),
            words.number(s["headroom"]["value"]),
            words.number(s["hull_arc_length"]),
        )
        for s in scores
    )
    points = tuple(
        (
            s["name"],
            *(s["auc"][k] for k in ("value", "low", "high")),
            *(s["headroom"][k] for k in ("low", "value")),
            s["hull_arc_length"],
        )
        for s in scores
    )
    return Section(
        "headroom",
        "Headroom of each score",
        (
            "Headroom is the AUC that some classifier reaches on these columns beyond the given "
            "score. A lower bound of zero means that no better classifier was shown to exist: the "
            "score may already be the best possible.",
        ),
        Table(
            (
                "score",
                "AUC",
                "headroom, at least",
                "below the best model found",
                "arc length of its hull",
            ),
            rows,
        ),
        Data(
            ("score", "auc", "auc_low", "auc_high", "headroom_low", "headroom", "hull_arc_length"),
            points,
        ),
        folded=True,
        items=tuple(s["sentence"] for s in scores),
    )


def scale(summary: Summary) -> Section:
    """Arc length on its scale, and the ranges that follow from it."""
    length, chance = summary["arc_length"], summary["test"]["pvalue"]
    text = (
        "The arc length of the best ROC curve measures how different the two groups are: √2 ≈ "
        "1.414 if they cannot be distinguished, 2 if they can be separated without error. Here it "
        f"is {words.at_least(length)}. Total variation (TV) is the share of one group that would "
        "have to change to look like the other.",
        f"Could this be chance? {words.chance(chance, summary['level'])} ({words.pvalue(chance)}).",
        "The lower bounds are certified. The estimate of the AUC is what the best model found "
        "reaches with these rows, and not a ceiling: a better model may exist.",
    )
    rows, points = _on_their_scales(summary)
    level = words.percent(length["level"])
    return Section(
        "scale",
        "How different the two groups are",
        text,
        Table(
            ("measure", f"at least ({level})", "estimate", "range implied by the estimated length"),
            tuple(rows),
        ),
        Data(("measure", "lower_bound", "estimate", "implied_low", "implied_high"), tuple(points)),
        folded=True,
    )


def _on_their_scales(summary: Summary) -> tuple[list[tuple[str, ...]], list[tuple[Any, ...]]]:
    """Each measure as a row of the table, and as a row of the CSV file."""
    rows: list[tuple[str, ...]] = []
    points: list[tuple[Any, ...]] = []
    for key, label in words.MEASURES.items():
        low, value = summary[key]["low"], summary[key]["value"]
        implied = summary["sharp"].get(key, (None, None))
        rows.append((label, words.rounded_down(low), words.number(value), words.between(*implied)))
        points.append((label, low, value, *implied))
    return rows, points


def angles(summary: Summary) -> Section:
    """Distribution of the angle in each group."""
    angles = summary["figures"]["angles"]
    positive, negative = sides(summary)
    degrees = np.degrees(np.asarray(angles["edges"], float))
    shares = list(zip(angles["positive"], angles["negative"], strict=True))
    bins = list(zip(degrees[:-1], degrees[1:], shares, strict=True))
    return Section(
        "angles",
        "Distribution of the density-ratio angle",
        (
            "Each row gets an angle from a model of other rows: at 0° it can only be "
            f"`{negative}`, at 45° it is equally likely in both groups, at 90° it can only be "
            f"`{positive}`. The less the two distributions overlap, the better a classifier can "
            "be; a peak near 45° means that these columns do not distinguish the groups.",
        ),
        Table(
            ("angle", positive, negative),
            tuple(
                (f"{a:.1f}° to {b:.1f}°", words.percent(p, 1), words.percent(q, 1))
                for a, b, (p, q) in bins
            ),
        ),
        Data(
            ("angle_from_degrees", "angle_to_degrees", f"share_{positive}", f"share_{negative}"),
            tuple((float(a), float(b), p, q) for a, b, (p, q) in bins),
        ),
        folded=True,
    )


def learning(summary: Summary) -> Section | None:
    """Whether more rows would help."""
    curve, more = summary["learning_curve"], summary["more_rows"]
    if not curve:
        return None
    name = followed(summary)
    figure = words.FIGURE_NAMES[name]
    text = (
        "There are too few rows to tell whether more would help."
        if more is None
        else more["sentence"],
        f"Each point is the mean held-out {figure} of models trained on that "
        "many rows; their settings were tuned once, on all training rows. The last measured point "
        "is that of the audited models themselves. Bars show the 90 % confidence interval of the "
        "difference from it.",
    )
    keys = ("arc_length", name, f"{name}_low", f"{name}_high")
    measured = [(p, "measured") for p in curve]
    points = [*measured, *((p, "expected") for p in expected_points(summary))]
    return Section(
        "learning",
        "Would more rows help?",
        text,
        Table(
            ("training rows", "", "arc length", figure, "90 % interval"),
            tuple(
                (
                    words.count(p["rows"]),
                    source,
                    words.number(p.get("arc_length")),
                    words.number(p[name]),
                    words.MISSING if p is curve[-1] else words.between(p[keys[2]], p[keys[3]]),
                )
                for p, source in points
            ),
            names=(0, 1),
        ),
        Data(
            ("training_rows", "source", *keys),
            tuple((p["rows"], source, *(p.get(key) for key in keys)) for p, source in points),
        ),
        folded=True,
    )
