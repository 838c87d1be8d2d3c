"""Figures with axes: ROC curves, the angles of both groups, and the learning curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from rocstar.report import svg, words
from rocstar.report.drawing import NARROW, WIDE, Figure, Key, both, domain, frame, score_style
from rocstar.report.parts import Curve, Summary, curves, expected_points, followed, sides
from rocstar.report.svg import Scale

ZOOM = 0.1
"""Largest false-positive rate of the close-up: where most alarms are actually run."""


def roc(summary: Summary) -> Figure:
    """ROC curves, whole and close up at few false alarms."""
    found = curves(summary)
    n_own = sum(curve.role != "score" for curve in found)
    styles = [
        score_style(i - n_own) if curve.role == "score" else curve.role
        for i, curve in enumerate(found)
    ]
    views = [
        ("all", "Whole curve", 1.0),
        ("zoom", f"Up to {words.percent(ZOOM)} false alarms", ZOOM),
    ]
    return Figure(
        tuple(
            both(partial(_roc_plot, found, styles, most), id, label) for id, label, most in views
        ),
        tuple(Key(f"k{i}", curve.label, styles[i]) for i, curve in enumerate(found)),
        {
            "mode": "line",
            "x": "false-positive rate",
            "digits": 3,
            "series": [
                {"key": f"k{i}", "label": curve.label, "style": styles[i]} | _to_read_off(curve)
                for i, curve in enumerate(found)
            ],
        },
        aside=True,
    )


def _roc_plot(found: list[Curve], styles: list[str], most: float, width: float) -> Element:
    size = 540.0 if width == WIDE else NARROW
    plot = svg.canvas(size, size, "ROC curves; the table below holds the same numbers.", "curves")
    x, y = Scale(0, most, 46, size - 12), Scale(0, 1, size - 46, 12)
    frame(plot, x, y, "false-positive rate", "true-positive rate")
    if most == 1:
        svg.line(plot, x(0), y(0), x(1), y(1), "diagonal")
    # The estimate is drawn last, over everything it is compared with.
    for i, curve in reversed(list(enumerate(found))):
        fpr, tpr = svg.thinned(curve.fpr, curve.tpr)
        if curve.role == "band":
            fpr, tpr = _staircase(fpr, tpr)
        points = [(x(a), y(b)) for a, b in _within(fpr, tpr, most)]
        drawn = svg.group(plot, f"curve {styles[i]}", series=f"k{i}")
        if curve.role == "band":
            floor = [(points[-1][0], y.start), (points[0][0], y.start)]
            svg.path(drawn, [*points, *floor], "area", close=True)
        svg.path(drawn, points, "stroke")
    return plot


def _to_read_off(curve: Curve) -> dict[str, Any]:
    """Points for the page's script, at the three decimals it shows; a bound is rounded down."""
    fpr, tpr = svg.thinned(curve.fpr, curve.tpr)
    band = curve.role == "band"
    heights = np.floor(np.round(1e3 * tpr, 6)) / 1e3 if band else np.round(tpr, 4)
    return {"step": band, "x": np.round(fpr, 4).tolist(), "y": heights.tolist()}


def _staircase(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the steps that hold each value until the next one begins."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def _within(x: np.ndarray, y: np.ndarray, most: float) -> list[tuple[float, float]]:
    """Curve up to ``most``, with its end interpolated there."""
    inside = x <= most
    points = list(zip(x[inside].tolist(), y[inside].tolist(), strict=True))
    if not inside.all():
        points.append((most, float(np.interp(most, x, y))))
    return points


def angles(summary: Summary) -> Figure:
    """Share of each group by angle, as two outlines over each other."""
    angles = summary["figures"]["angles"]
    edges = np.degrees(np.asarray(angles["edges"], float))
    positive, negative = sides(summary)
    series = [
        ("negative", negative, angles["negative"]),
        ("positive", positive, angles["positive"]),
    ]
    return Figure(
        (both(partial(_angle_plot, edges, series)),),
        tuple(Key(key, label, key, "area") for key, label, _ in reversed(series)),
        {
            "mode": "step",
            "x": "angle",
            "unit": "°",
            "digits": 1,
            "percent": True,
            "edges": [round(float(e), 3) for e in edges],
            "series": [
                {
                    "key": key,
                    "label": label,
                    "style": key,
                    "y": [round(float(s), 5) for s in shares],
                }
                for key, label, shares in reversed(series)
            ],
        },
    )


def _angle_plot(edges: np.ndarray, series: list[tuple[str, str, Any]], width: float) -> Element:
    (_, negative, _), (_, positive, _) = series
    top = max(1e-9, *(max(shares) for _, _, shares in series)) * 1.08
    height = 300.0 if width == WIDE else 260.0
    label = "Share of each group by angle; the table below holds the same numbers."
    plot = svg.canvas(width, height, label, "curves")
    x, y = Scale(0, 90, 12, width - 12), Scale(0, top, height - 52, 12)
    axes = svg.group(plot, "axes")
    svg.line(axes, x.start, y.start, x.end, y.start, "axis")
    svg.line(axes, x(45), y.start, x(45), y.end, "grid")
    for tick in (0, 15, 30, 45, 60, 75, 90):
        anchor = {0: "start", 90: "end"}.get(tick, "middle")
        svg.text(axes, x(tick), y.start + 18, f"{tick}°", "tick", anchor)
    room = width / 3 - 8
    svg.text(axes, x.start, y.start + 38, svg.shortened(f"← {negative}", room), "title")
    svg.text(axes, x(45), y.start + 38, "equally likely", "title", "middle")
    end = svg.shortened(positive, room - 14)
    svg.text(axes, x.end, y.start + 38, f"{end} →", "title", "end")
    for key, _, shares in series:
        drawn = svg.group(plot, f"curve {key}", series=key)
        outline = [(x(0.0), y.start)]
        for left, right, share in zip(edges[:-1], edges[1:], shares, strict=True):
            outline += [(x(left), y(share)), (x(right), y(share))]
        outline.append((x(90.0), y.start))
        svg.path(drawn, outline, "area", close=True)
        svg.path(drawn, outline, "stroke")
    domain(plot, x, y)
    return plot


def learning(summary: Summary) -> Figure | None:
    """A figure by the number of training rows, and what twice as many are expected to reach."""
    curve, name = summary["learning_curve"], followed(summary)
    if len(curve) < 2 or any(point.get(name) is None for point in curve):
        return None
    ahead = expected_points(summary)
    keys = [Key("", f"held-out {words.FIGURE_NAMES[name]}", "optimal", "dot")]
    if ahead:
        keys.append(Key("", "expected of more rows", "hull", "dot"))
    return Figure((both(partial(_learning_plot, name, curve, ahead)),), tuple(keys))


def _learning_plot(
    name: str, curve: Sequence[Mapping[str, Any]], ahead: Sequence[Mapping[str, Any]], width: float
) -> Element:
    figure, low, high = words.FIGURE_NAMES[name], f"{name}_low", f"{name}_high"
    height = 280.0 if width == WIDE else 240.0
    plot = svg.canvas(width, height, "Learning curve; the table below holds the same numbers.")
    points = [*curve, *ahead]
    ends = [p.get(key, p[name]) for p in points for key in (name, low, high)]
    logs = [math.log(p["rows"]) for p in points]
    pad = 0.1 * (max(ends) - min(ends)) + 2e-3
    x = Scale(logs[0], logs[-1], 70, width - 36)
    y = Scale(min(ends) - pad, min(max(ends) + pad, 1.0), height - 46, 30)
    axes = svg.group(plot, "axes")
    svg.text(axes, 46, 16, figure, "name")
    for tick, said in svg.ticks(y.low, y.high, 4):
        svg.line(axes, x.start - 12, y(tick), x.end + 12, y(tick), "grid")
        svg.text(axes, x.start - 18, y(tick) + 4, said, "tick", "end")
    for log, point in zip(logs, points, strict=True):
        svg.text(axes, x(log), y.start + 18, words.count(point["rows"]), "tick", "middle")
    svg.text(axes, (x.start + x.end) / 2, y.start + 38, "training rows", "title", "middle")
    places = [(x(log), y(p[name])) for log, p in zip(logs, points, strict=True)]
    guess = svg.group(plot, "curve hull")
    svg.path(guess, places[len(curve) - 1 :], "stroke")
    drawn = svg.group(plot, "curve optimal")
    svg.path(drawn, places[: len(curve)], "stroke")
    for i, (point, (left, top)) in enumerate(zip(points, places, strict=True)):
        measured = i < len(curve)
        what = figure if measured else f"expected {figure}"
        tip = f"{words.count(point['rows'])} rows: {what} {words.number(point[name])}"
        mark = svg.group(drawn if measured else guess, "mark", tip=tip)
        if low in point:
            svg.line(mark, left, y(point[low]), left, y(point[high]), "whisker")
        svg.dot(mark, left, top, "point", 4.5)
        svg.dot(mark, left, top, "hit", 16)
    return plot
