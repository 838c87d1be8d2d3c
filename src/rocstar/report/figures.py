"""Figures of the report: each is drawn for a wide column and for a phone, from the summary alone.

A figure is plain SVG, so it is there without JavaScript and in print; the page's script only adds
the read-out under the pointer and the switches of the legend.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from rocstar.report import sections, svg, words
from rocstar.report.svg import Scale

WIDE, NARROW = 680.0, 340.0
"""Pixels of the reading column on a desk and of a small phone."""

ZOOM = 0.1
"""Largest false-positive rate of the close-up: where most alarms are actually run."""

MOST_BARS = 20

_SCORE_COLOURS = 6


@dataclass(frozen=True)
class View:
    """One drawing in its two widths."""

    id: str
    label: str
    wide: str
    narrow: str


@dataclass(frozen=True)
class Key:
    """One entry of the legend; ``mark`` says how its sample looks."""

    series: str
    label: str
    style: str
    mark: str = "line"


@dataclass(frozen=True)
class Figure:
    """Views to choose from, a legend, and the curves to read off under the pointer."""

    views: tuple[View, ...]
    legend: tuple[Key, ...] = ()
    readout: Mapping[str, Any] | None = None
    aside: bool = False


def figure(section: str, summary: sections.Summary) -> Figure | None:
    """Figure that goes with a section of the report, if it has one.

    Examples
    --------
    >>> figure("method", {}) is None
    True
    """
    draw = _FIGURES.get(section)
    return draw(summary) if draw else None


def _both(draw: Callable[[float], Element], id: str = "all", label: str = "") -> View:
    return View(id, label, svg.markup(draw(WIDE)), svg.markup(draw(NARROW)))


def _style(role: str, index: int) -> str:
    return f"s{index % _SCORE_COLOURS}" if role == "score" else role


def _roc(summary: sections.Summary) -> Figure:
    curves = [
        (_style(role, i - sum(r != "score" for r, *_ in found)), role, label, *svg.thinned(x, y))
        for found in [sections.curves(summary)]
        for i, (role, label, x, y) in enumerate(found)
    ]
    views = [
        ("all", "Whole curve", 1.0),
        ("zoom", f"Up to {words.percent(ZOOM)} false alarms", ZOOM),
    ]

    def draw(most: float, width: float) -> Element:
        size = 470.0 if width == WIDE else NARROW
        plot = svg.canvas(
            size, size, "ROC curves; the table below holds the same numbers.", "curves"
        )
        x, y = Scale(0, most, 46, size - 12), Scale(0, 1, size - 46, 12)
        _frame(plot, x, y, "false-positive rate", "true-positive rate")
        clip = svg.group(plot, "marks")
        if most == 1:
            svg.line(clip, x(0), y(0), x(1), y(1), "diagonal")
        # The estimate is drawn last, over everything it is compared with.
        for i, (style, role, _, fpr, tpr) in reversed(list(enumerate(curves))):
            points = _within(fpr, tpr, most)
            drawn = svg.group(clip, f"curve {style}", series=f"k{i}")
            if role == "band":
                floor = [(points[-1][0], 0.0), (points[0][0], 0.0)]
                svg.path(drawn, [(x(a), y(b)) for a, b in [*points, *floor]], "area", close=True)
            svg.path(drawn, [(x(a), y(b)) for a, b in points], "stroke")
        return plot

    return Figure(
        tuple(_both(partial(draw, most), id, label) for id, label, most in views),
        tuple(Key(f"k{i}", label, style) for i, (style, _, label, *_) in enumerate(curves)),
        {
            "mode": "line",
            "x": "false-positive rate",
            "digits": 3,
            "series": [
                {"key": f"k{i}", "label": label, "style": style, "x": _list(fpr), "y": _list(tpr)}
                for i, (style, _, label, fpr, tpr) in enumerate(curves)
            ],
        },
        aside=True,
    )


def _within(x: np.ndarray, y: np.ndarray, most: float) -> list[tuple[float, float]]:
    """Curve up to ``most``, with its end interpolated there."""
    inside = x <= most
    points = list(zip(x[inside].tolist(), y[inside].tolist(), strict=True))
    if not inside.all():
        points.append((most, float(np.interp(most, x, y))))
    return points


def _list(values: np.ndarray) -> list[float]:
    return [round(float(v), 4) for v in values]


def _frame(plot: Element, x: Scale, y: Scale, x_label: str, y_label: str) -> None:
    """Grid, tick labels and titles; the data area is told to the script in attributes."""
    axes = svg.group(plot, "axes")
    for tick, said in svg.ticks(x.low, x.high, 5):
        svg.line(axes, x(tick), y.start, x(tick), y.end, "grid")
        svg.text(axes, x(tick), y.start + 18, said, "tick", "middle")
    for tick, said in svg.ticks(y.low, y.high, 5):
        svg.line(axes, x.start, y(tick), x.end, y(tick), "grid")
        svg.text(axes, x.start - 8, y(tick) + 4, said, "tick", "end")
    svg.text(axes, (x.start + x.end) / 2, y.start + 38, x_label, "title", "middle")
    side = svg.text(axes, 0, 0, y_label, "title", "middle")
    side.set("transform", f"translate(12 {(y.start + y.end) / 2:g}) rotate(-90)")
    _domain(plot, x, y)


def _domain(plot: Element, x: Scale, y: Scale) -> None:
    plot.set("data-x", " ".join(f"{v:g}" for v in x))
    plot.set("data-y", " ".join(f"{v:g}" for v in y))


def _angles(summary: sections.Summary) -> Figure:
    angles = summary["figures"]["angles"]
    edges = np.degrees(np.asarray(angles["edges"], float))
    positive, negative = sections.sides(summary)
    series = [
        ("negative", negative, angles["negative"]),
        ("positive", positive, angles["positive"]),
    ]
    top = max(max(angles["positive"]), max(angles["negative"]), 1e-9) * 1.08

    def draw(width: float) -> Element:
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
        svg.text(axes, x(45), y.start + 38, "equally at home", "title", "middle")
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
        _domain(plot, x, y)
        return plot

    return Figure(
        (_both(draw),),
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


def _scale(summary: sections.Summary) -> Figure:
    sharp = summary.get("sharp") or {}
    rows = [
        (
            "arc_length",
            "Arc length",
            words.INDISTINGUISHABLE,
            words.SEPARABLE,
            "√2 · no difference",
            "2 · separable",
        ),
        ("tv", "Total variation", 0.0, 1.0, "0", "1"),
        ("auc", "Maximal AUC", 0.5, 1.0, "0.5", "1"),
        ("balanced_accuracy", "Best balanced accuracy", 0.5, 1.0, "0.5", "1"),
    ]
    rows = [row for row in rows if summary.get(row[0])]
    row_height = 78.0

    def draw(width: float) -> Element:
        label = "Each measure on its scale; the table below holds the same numbers."
        plot = svg.canvas(width, row_height * len(rows), label)
        for i, (key, name, low, high, low_label, high_label) in enumerate(rows):
            estimate, top = summary[key], i * row_height
            x, middle = Scale(low, high, 8, width - 8), top + 38
            text = f"{name}: {words.at_least(estimate)}"
            row = svg.group(plot, "scale-row", tip=text)
            svg.text(row, x.start, top + 18, name, "name")
            told = f"estimate {words.number(estimate['value'])}"
            if estimate.get("low") is not None:
                told = f"≥ {words.rounded_down(estimate['low'])}  ·  {told}"
            svg.text(row, x.end, top + 18, told, "tick", "end")
            svg.rectangle(row, x.start, middle - 2, x.end - x.start, 4, "track", 2)
            if sharp.get(key):
                a, b = (x(min(max(v, low), high)) for v in sharp[key])
                svg.rectangle(row, a, middle - 7, b - a, 14, "implied", 3)
            if estimate.get("low") is not None:
                at = x(min(max(estimate["low"], low), high))
                svg.rectangle(row, x.start, middle - 2, at - x.start, 4, "reached", 2)
                svg.line(row, at, middle - 11, at, middle + 11, "certified")
            svg.dot(row, x(min(max(estimate["value"], low), high)), middle, "estimate", 5.5)
            svg.text(row, x.start, top + 62, low_label, "end-label")
            svg.text(row, x.end, top + 62, high_label, "end-label", "end")
        return plot

    keys = [
        Key("", "certified: at least this", "certified", "tick"),
        Key("", "estimate", "estimate", "dot"),
    ]
    if sharp:
        keys.append(Key("", "range that the arc length implies", "implied", "bar"))
    return Figure((_both(draw),), tuple(keys))


def _headroom(summary: sections.Summary) -> Figure | None:
    scores = [s for s in summary["scores"] if (s.get("auc") or {}).get("value") is not None]
    best = summary.get("auc") or {}
    if not scores:
        return None
    seen = [s["auc"].get(k) for s in scores for k in ("low", "value", "high")]
    seen += [best.get("low"), best.get("value")]
    known = [v for v in seen if v is not None]
    pad = 0.08 * (max(known) - min(known)) + 1e-3
    row_height, head = 54.0, 26.0

    def draw(width: float) -> Element:
        bottom = head + row_height * len(scores)
        label = "AUC of each score against the best AUC; the table below holds the same numbers."
        plot = svg.canvas(width, bottom + 44, label)
        x = Scale(min(known) - pad, min(max(known) + pad, 1.0), 12, width - 12)
        axes = svg.group(plot, "axes")
        for tick, said in svg.ticks(x.low, x.high, 6 if width == WIDE else 4):
            svg.line(axes, x(tick), head, x(tick), bottom, "grid")
            svg.text(axes, x(tick), bottom + 18, said, "tick", "middle")
        svg.text(axes, (x.start + x.end) / 2, bottom + 38, "AUC", "title", "middle")
        for key, kind in (("low", "certified"), ("value", "guess")):
            if best.get(key) is not None:
                svg.line(plot, x(best[key]), head - 6, x(best[key]), bottom, kind)
        if best.get("low") is not None:
            svg.text(plot, x(best["low"]) - 6, head - 10, "maximal AUC, at least", "tick", "end")
        for i, score in enumerate(scores):
            auc, y = score["auc"], head + row_height * (i + 0.66)
            name = words.visible(score.get("name"))
            style = _style("score", i)
            tip = f"{name}: AUC {words.interval(auc)}; {words.headroom(score.get('headroom'))}"
            row = svg.group(plot, f"range {style}", tip=tip)
            svg.rectangle(row, 0, y - 30, width, row_height, "hit")
            svg.text(row, x.start, y - 17, svg.shortened(name, width * 0.9), "name halo")
            if auc.get("low") is not None and auc.get("high") is not None:
                svg.line(row, x(auc["low"]), y, x(auc["high"]), y, "whisker")
            svg.dot(row, x(auc["value"]), y, "point", 5.5)
        return plot

    legend = (
        Key("", "AUC of the score and its interval", "s0", "dot"),
        Key("", "maximal AUC: at least this", "certified", "tick"),
        Key("", "maximal AUC: estimate", "guess", "tick"),
    )
    return Figure((_both(draw),), legend)


def _learning(summary: sections.Summary) -> Figure | None:
    curve = summary["learning_curve"]
    panels = [
        (key, title, style)
        for key, title, style in (
            ("arc_length", "Arc length", "optimal"),
            ("auc", "AUC", "optimal"),
        )
        if all(p.get(key) is not None for p in curve)
    ]
    if len(curve) < 2 or not panels:
        return None

    def draw(width: float) -> Element:
        side_by_side = width == WIDE
        panel = width / len(panels) if side_by_side else width
        height = 230.0
        tall = height if side_by_side else height * len(panels)
        plot = svg.canvas(width, tall, "Learning curves; the table below holds the same numbers.")
        for i, (key, title, style) in enumerate(panels):
            left, top = (i * panel, 0.0) if side_by_side else (0.0, i * height)
            _learning_panel(plot, curve, key, title, style, (left, top, panel, height))
        return plot

    return Figure((_both(draw),))


def _learning_panel(
    plot: Element,
    curve: list[Mapping[str, Any]],
    key: str,
    title: str,
    style: str,
    box: tuple[float, float, float, float],
) -> None:
    left, top, width, height = box
    values = [p[key] for p in curve]
    logs = [math.log(p["rows"]) for p in curve]
    pad = 0.25 * (max(values) - min(values)) + 2e-3
    x = Scale(min(logs), max(logs), left + 58, left + width - 24)
    y = Scale(min(values) - pad, max(values) + pad, top + height - 46, top + 30)
    axes = svg.group(plot, "axes")
    svg.text(axes, left + 46, top + 16, title, "name")
    for tick, said in svg.ticks(y.low, y.high, 4):
        svg.line(axes, x.start - 12, y(tick), x.end + 12, y(tick), "grid")
        svg.text(axes, x.start - 18, y(tick) + 4, said, "tick", "end")
    taken = -math.inf
    for log, point in zip(logs, curve, strict=True):
        if x(log) - taken >= 48:
            svg.text(axes, x(log), y.start + 18, words.count(point["rows"]), "tick", "middle")
            taken = x(log)
    svg.text(axes, (x.start + x.end) / 2, y.start + 38, "training rows", "title", "middle")
    drawn = svg.group(plot, f"curve {style}")
    svg.path(drawn, [(x(a), y(b)) for a, b in zip(logs, values, strict=True)], "stroke")
    for log, point in zip(logs, curve, strict=True):
        tip = f"{words.count(point['rows'])} rows: {title} {words.number(point[key])}"
        mark = svg.group(drawn, "mark", tip=tip)
        svg.dot(mark, x(log), y(point[key]), "point", 4.5)
        svg.dot(mark, x(log), y(point[key]), "hit", 16)


def _bars(
    rows: list[tuple[str, str, list[tuple[str, float, str]]]], width: float, label: str
) -> Element:
    """Rows of (name, tip, bars); each bar is (style, value, text) and all share one scale."""
    top = max((value for _, _, bars in rows for _, value, _ in bars), default=1.0) or 1.0
    thickness = 12.0
    row_height = 26.0 + (thickness + 4) * max(len(bars) for _, _, bars in rows)
    plot = svg.canvas(width, row_height * len(rows), label)
    x = Scale(0, top, 4, width - 70)
    for i, (name, tip, bars) in enumerate(rows):
        y = i * row_height + 16
        row = svg.group(plot, "bar-row", tip=tip)
        svg.rectangle(row, 0, y - 14, width, row_height - 4, "hit")
        svg.text(row, x.start, y, svg.shortened(name, width - 12), "name")
        for j, (style, value, text) in enumerate(bars):
            base = y + 8 + j * (thickness + 4)
            bar = svg.group(row, f"bar {style}", series=style)
            svg.rectangle(
                bar, x.start, base, max(x(max(value, 0)) - x.start, 1.5), thickness, "fill", 2
            )
            svg.text(bar, x(max(value, 0)) + 8, base + 10.5, text, "tick")
    return plot


def _members(summary: sections.Summary) -> Figure | None:
    members = [m for m in summary["members"] if m.get("weight") is not None]
    if not members:
        return None
    rows = []
    for member in sorted(members, key=lambda m: -m["weight"]):
        name, weight = words.visible(member.get("name")), words.percent(member["weight"])
        tip = f"{name}: weight {weight}, J alone {words.number(member.get('arc_length'))}"
        rows.append((name, tip, [("optimal", float(member["weight"]), weight)]))
    label = "Weight of each model; the table below holds the same numbers."
    return Figure((_both(lambda width: _bars(rows, width, label)),))


def _importance(summary: sections.Summary) -> Figure:
    columns = summary["columns_importance"][:MOST_BARS]
    rows = []
    for column in columns:
        name = words.visible(column.get("name"))
        bars = [
            (style, float(column[key]), words.number(column[key]))
            for style, key in (("positive", "importance"), ("negative", "divergence"))
            if column.get(key) is not None
        ]
        tip = f"{name}: importance {words.number(column.get('importance'), 4)}, "
        rows.append((name, tip + f"divergence {words.number(column.get('divergence'), 4)}", bars))
    label = "Columns by importance; the table below holds the same numbers."
    return Figure(
        (_both(lambda width: _bars(rows, width, label)),),
        (
            Key("positive", "importance", "positive", "bar"),
            Key("negative", "divergence on this column alone", "negative", "bar"),
        ),
    )


_FIGURES: dict[str, Callable[[sections.Summary], Figure | None]] = {
    "roc": _roc,
    "angles": _angles,
    "scale": _scale,
    "headroom": _headroom,
    "learning": _learning,
    "members": _members,
    "importance": _importance,
}
