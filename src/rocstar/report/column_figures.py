"""Figures on columns: bars of their importance, and small pictures of how their values changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from rocstar.report import svg, words
from rocstar.report.drawing import WIDE, Figure, Key, both
from rocstar.report.parts import Summary, sides
from rocstar.report.range_figures import MOST_BARS, Bar, bars
from rocstar.report.svg import Scale

MOST_PANELS = 12
PANEL_HEIGHT, GAP = 190.0, 28.0


def importance(summary: Summary) -> Figure:
    """What the model found loses without each group of columns, the most important first."""
    rows = []
    alone = False
    for column in summary["columns_importance"][:MOST_BARS]:
        name, value = words.visible(column["name"]), column["importance"]
        low, high = column["low"], column["high"]
        tip = f"{name}: importance {words.number(value, 4)} ({words.between(low, high, 4)})"
        drawn = [Bar("positive", float(value), words.number(value), low, high)]
        if "divergence" in column:
            alone = True
            text = words.number(column["divergence"])
            drawn.append(Bar("negative", float(column["divergence"]), text))
            tip += f", divergence alone {text}"
        rows.append((name, tip, drawn))
    label = "Columns by importance; the table below holds the same numbers."
    keys = [Key("positive", "importance and its interval", "positive", "bar")]
    if alone:
        keys.append(Key("negative", "divergence on these columns alone", "negative", "bar"))
    return Figure((both(lambda width: bars(rows, width, label)),), tuple(keys))


def changes(summary: Summary) -> Figure | None:
    """One small picture per changed column: outlines of numbers and dates, bars of values."""
    changed = summary["changes"][:MOST_PANELS]
    if not changed:
        return None

    def draw(width: float) -> Element:
        across = 2 if width == WIDE else 1
        panel = (width - GAP * (across - 1)) / across
        down = -(-len(changed) // across)
        label = "Values of changed columns; the table below holds the same numbers."
        plot = svg.canvas(width, down * PANEL_HEIGHT, label)
        for i, change in enumerate(changed):
            left, top = (i % across) * (panel + GAP), (i // across) * PANEL_HEIGHT
            tip = f"{words.visible(change['name'])}: total variation of its values "
            drawn = svg.group(plot, "panel", tip=tip + words.number(change["distance"]))
            svg.rectangle(drawn, left, top, panel, PANEL_HEIGHT - 6, "hit")
            name = svg.shortened(words.visible(change["name"]), panel)
            svg.text(drawn, left, top + 16, name, "name")
            paint = _values if change["edges"] is None else _outlines
            paint(drawn, change, left, top + 26, panel)
        return plot

    second, first = sides(summary)
    keys = (Key("negative", first, "negative", "area"), Key("positive", second, "positive", "area"))
    return Figure((both(draw),), keys)


_SAMPLES = (("negative", "first"), ("positive", "second"))


def _outlines(
    drawn: Element, change: Mapping[str, Any], left: float, top: float, width: float
) -> None:
    """Two outlines over each other, with the ends of their range under them."""
    most = max(1e-9, *change["first"], *change["second"])
    n = len(change["labels"])
    x, y = Scale(0, n, left, left + width), Scale(0, most, top + 122, top + 4)
    svg.line(drawn, x.start, y.start, x.end, y.start, "axis")
    for style, key in _SAMPLES:
        curve = svg.group(drawn, f"curve {style}", series=style)
        outline = [(x(0), y.start)]
        for k, share in enumerate(change[key]):
            outline += [(x(k), y(share)), (x(k + 1), y(share))]
        outline.append((x(n), y.start))
        svg.path(curve, outline, "area", close=True)
        svg.path(curve, outline, "stroke")
    start, end = (change["labels"][i].split(" to ")[i] for i in (0, -1))
    svg.text(drawn, x.start, y.start + 16, words.visible(start), "tick")
    svg.text(drawn, x.end, y.start + 16, words.visible(end), "tick", "end")
    if max(change["missing"]) > 0:
        gaps = " → ".join(words.percent(share) for share in change["missing"])
        svg.text(drawn, left + width / 2, y.start + 16, f"missing {gaps}", "tick", "middle")


def _values(
    drawn: Element, change: Mapping[str, Any], left: float, top: float, width: float
) -> None:
    """A pair of bars for each value."""
    names = width * 0.36
    rows = list(zip(change["labels"], change["first"], change["second"], strict=True))
    if max(change["missing"]) > 0:
        rows.append(("missing", *change["missing"]))
    most = max(1e-9, *(share for _, *shares in rows for share in shares))
    step = min(30.0, 146.0 / len(rows))
    x = Scale(0, most, left + names, left + width - 44)
    for k, (label, *shares) in enumerate(rows):
        y = top + 4 + k * step
        text = svg.shortened(words.visible(label), names - 8)
        svg.text(drawn, left + names - 8, y + step / 2 + 2, text, "tick", "end")
        thick = (step - 4) / 2
        for j, ((style, _), share) in enumerate(zip(_SAMPLES, shares, strict=True)):
            bar = svg.group(drawn, f"bar {style}", series=style)
            base, length = y + j * thick, max(x(share) - x.start, 1.0)
            svg.rectangle(bar, x.start, base, length, thick, "fill", 1)
        svg.text(drawn, left + width, y + step / 2 + 2, _moved(*shares), "tick", "end")


def _moved(first: float, second: float) -> str:
    """Change of a share in percentage points."""
    points = 100 * (second - first)
    text = f"{points:+.0f}".replace("-", "−")
    return "" if text in ("+0", "−0") else text
