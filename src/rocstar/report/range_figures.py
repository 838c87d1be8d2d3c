"""Figures made of rows: measures on their scales, scores against the best, and bars."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from rocstar.geometry.bounds import LONGEST, SHORTEST
from rocstar.report import svg, words
from rocstar.report.drawing import WIDE, Figure, Key, both, score_style
from rocstar.report.parts import Summary
from rocstar.report.svg import Scale

MOST_BARS = 12
"""Columns drawn in one bar chart; its table holds them all."""


# Both ends of each measure that is drawn, and what they mean.
ENDS = {
    "arc_length": (SHORTEST, LONGEST, "√2 · no difference", "2 · separable"),
    "tv": (0.0, 1.0, "0", "1"),
    "auc": (0.5, 1.0, "0.5", "1"),
    "balanced_accuracy": (0.5, 1.0, "0.5", "1"),
}
ROW_HEIGHT = 78.0


def scale(summary: Summary) -> Figure:
    """Each measure between its two ends, with its certified end and its estimate."""

    def draw(width: float) -> Element:
        label = "Each measure on its scale; the table below holds the same numbers."
        plot = svg.canvas(width, ROW_HEIGHT * len(ENDS), label)
        for i, key in enumerate(ENDS):
            implied = summary["sharp"].get(key)
            _measure_row(plot, key, summary[key], implied, i * ROW_HEIGHT, width)
        return plot

    keys = (
        Key("", "certified: at least this", "certified", "tick"),
        Key("", "estimate", "estimate", "dot"),
        Key("", "range implied by the arc length", "implied", "bar"),
    )
    return Figure((both(draw),), keys)


def _measure_row(
    plot: Element, key: str, estimate: Summary, implied: Any, top: float, width: float
) -> None:
    low, high, low_label, high_label = ENDS[key]
    x, middle = Scale(low, high, 8, width - 8), top + 38
    name = words.MEASURES[key][0].upper() + words.MEASURES[key][1:]
    row = svg.group(plot, "scale-row", tip=f"{name}: {words.at_least(estimate)}")
    svg.text(row, x.start, top + 18, name, "name")
    what = "best model found" if key == "auc" else "estimate"
    text = f"≥ {words.rounded_down(estimate['low'])}  ·  {what} {words.number(estimate['value'])}"
    svg.text(row, x.end, top + 18, text, "tick", "end")
    svg.rectangle(row, x.start, middle - 2, x.end - x.start, 4, "track", 2)
    if implied:
        a, b = (x(min(max(v, low), high)) for v in implied)
        svg.rectangle(row, a, middle - 7, b - a, 14, "implied", 3)
    at = x(min(max(estimate["low"], low), high))
    svg.rectangle(row, x.start, middle - 2, at - x.start, 4, "reached", 2)
    svg.line(row, at, middle - 11, at, middle + 11, "certified")
    svg.dot(row, x(min(max(estimate["value"], low), high)), middle, "estimate", 5.5)
    svg.text(row, x.start, top + 62, low_label, "end-label")
    svg.text(row, x.end, top + 62, high_label, "end-label", "end")


def headroom(summary: Summary) -> Figure:
    """AUC of each given score beside what is known of the best AUC."""
    scores, best = summary["scores"], summary["auc"]
    known = [s["auc"][k] for s in scores for k in ("low", "value", "high")]
    known += [best["low"], best["value"]]
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
            svg.line(plot, x(best[key]), head - 6, x(best[key]), bottom, kind)
        at, side = x(best["low"]), -1 if x(best["low"]) > width / 2 else 1
        anchor = "end" if side < 0 else "start"
        svg.text(plot, at + 6 * side, head - 10, "best AUC, at least", "tick", anchor)
        for i, score in enumerate(scores):
            auc, y = score["auc"], head + row_height * (i + 0.66)
            name = svg.shortened(words.visible(score["name"]), width * 0.9)
            tip = words.visible(score["sentence"])
            row = svg.group(plot, f"range {score_style(i)}", tip=tip)
            svg.rectangle(row, 0, y - 30, width, row_height, "hit")
            svg.text(row, x.start, y - 17, name, "name halo")
            svg.line(row, x(auc["low"]), y, x(auc["high"]), y, "whisker")
            svg.dot(row, x(auc["value"]), y, "point", 5.5)
        return plot

    legend = (
        *(
            Key("", words.visible(score["name"]), score_style(i), "dot")
            for i, score in enumerate(scores)
        ),
        Key("", "best AUC: at least this", "certified", "tick"),
        Key("", "best model found", "guess", "tick"),
    )
    return Figure((both(draw),), legend)


class Bar(NamedTuple):
    """One bar of a row, with the ends of its interval where it has one."""

    style: str
    value: float
    text: str
    low: float | None = None
    high: float | None = None


def bars(rows: list[tuple[str, str, list[Bar]]], width: float, label: str) -> Element:
    """Rows of (name, tip, bars); all bars share one scale."""
    ends = [bar.value if bar.high is None else bar.high for _, _, row in rows for bar in row]
    top = max(ends, default=1.0)
    top = top if top > 0 else 1.0
    thickness = 12.0
    row_height = 26.0 + (thickness + 4) * max(len(drawn) for _, _, drawn in rows)
    plot = svg.canvas(width, row_height * len(rows), label)
    x = Scale(0, top, 4, width - 70)
    for i, (name, tip, drawn) in enumerate(rows):
        y = i * row_height + 16
        row = svg.group(plot, "bar-row", tip=tip)
        svg.rectangle(row, 0, y - 14, width, row_height - 4, "hit")
        svg.text(row, x.start, y, svg.shortened(name, width - 12), "name")
        for j, (style, value, text, low, high) in enumerate(drawn):
            base = y + 8 + j * (thickness + 4)
            bar = svg.group(row, f"bar {style}", series=style)
            end = x(max(value, 0))
            svg.rectangle(bar, x.start, base, max(end - x.start, 1.5), thickness, "fill", 2)
            if low is not None and high is not None:
                middle, end = base + thickness / 2, max(x(max(high, 0)), end)
                svg.line(bar, x(max(low, 0)), middle, end, middle, "error")
            svg.text(bar, end + 8, base + 10.5, text, "tick")
    return plot


def members(summary: Summary) -> Figure:
    """Weight of each model in the mixture, heaviest first."""
    rows = []
    for member in sorted(summary["members"], key=lambda m: -m["weight"]):
        name, weight = words.visible(member["name"]), words.percent(member["weight"])
        tip = f"{name}: weight {weight}, arc length alone {words.number(member['arc_length'])}"
        rows.append((name, tip, [Bar("optimal", float(member["weight"]), weight)]))
    label = "Weight of each model; the table below holds the same numbers."
    return Figure((both(lambda width: bars(rows, width, label)),))
