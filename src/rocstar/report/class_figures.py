"""Figures of a report on more than two classes: a heat map of pairs, and recalls."""

from __future__ import annotations

from math import ceil
from xml.etree.ElementTree import Element

from rocstar.report import svg, words
from rocstar.report.drawing import WIDE, Figure, Key, both
from rocstar.report.parts import Summary
from rocstar.report.svg import Scale

MOST_NUMBERED = 12
"""Classes up to which a cell of the heat map shows its number; the table holds all."""
LINE = 13.0
"""Height of a line of labels."""
FAINTEST = 0.04
"""Opacity of a pair that cannot be told apart, so that its cell can still be seen."""
SAMPLES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Values that the colour scale shows."""


def pairs(summary: Summary) -> Figure:
    """Best AUC of every pair: found above the diagonal, certified below it."""
    table = summary["pairwise_auc"]
    labels = [words.visible(label) for label in table["labels"]]
    k = len(labels)

    def draw(width: float) -> Element:
        margin = min(130.0, width * 0.24)
        size = min((width - margin - 8) / k, 56.0)
        top = 14.0 + min(max(len(label) for label in labels) * 7.2, margin)
        label = "Best AUC of every pair of classes; the table below holds the same numbers."
        bottom = top + size * k
        plot = svg.canvas(width, bottom + 54, label)
        numbered = k <= MOST_NUMBERED and size >= 30
        every = ceil(LINE / size)  # labels of narrow cells would overlap
        for i in range(k):
            y = top + i * size
            if i % every == 0:
                name = svg.shortened(labels[i], margin - 14)
                svg.text(plot, margin - 8, y + size / 2 + 4, name, "tick", "end")
                head = svg.text(plot, 0, 0, svg.shortened(labels[i], top - 8), "tick")
                x = margin + i * size + size / 2 + 4
                head.set("transform", f"translate({x:g} {top - 6:g}) rotate(-90)")
            for j in range(k):
                if i != j:
                    _cell(plot, table, labels, i, j, margin + j * size, y, size, numbered)
        _colour_scale(plot, margin, bottom + 16, min(56.0, (width - margin - 8) / len(SAMPLES)))
        return plot

    return Figure((both(draw),))


def _colour_scale(plot: Element, x: float, y: float, width: float) -> None:
    """Which AUC a colour stands for."""
    scale = svg.group(plot, "heat scale")
    svg.text(scale, x - 8, y + 11, "AUC", "tick", "end")
    for k, auc in enumerate(SAMPLES):
        box = svg.rectangle(scale, x + k * width + 1, y, width - 2, 14, "cell", 2)
        box.set("fill-opacity", _opacity(auc))
        svg.text(scale, x + (k + 0.5) * width, y + 30, f"{auc:.1f}", "tick", "middle")


def _opacity(auc: float) -> str:
    return f"{FAINTEST + (1 - FAINTEST) * _share(auc) ** 1.5:.3f}"


def _share(auc: float) -> float:
    """From 0 of guessing to 1."""
    return min(max((auc - 0.5) / 0.5, 0.0), 1.0)


def _cell(
    plot: Element,
    table: Summary,
    labels: list[str],
    i: int,
    j: int,
    x: float,
    y: float,
    size: float,
    numbered: bool,
) -> None:
    found, low = table["value"][i][j], table["low"][i][j]
    shown = found if i < j else low
    tip = (
        f"{labels[i]} against {labels[j]}: best AUC found {words.number(found)}, at least "
        f"{words.rounded_down(low)}"
    )
    cell = svg.group(plot, "heat", tip=tip)
    box = svg.rectangle(cell, x + 1, y + 1, size - 2, size - 2, "cell", 2)
    box.set("fill-opacity", _opacity(shown))
    if numbered:
        text = words.number(shown, 2) if i < j else words.rounded_down(shown, 2)
        kind = "inverse" if _share(shown) > 0.72 else ""
        svg.text(cell, x + size / 2, y + size / 2 + 4, text, kind, "middle")


def recalls(summary: Summary) -> Figure:
    """Recall of every class with its interval, and that of guessing."""
    recall = summary["recall"]
    labels = [words.visible(label) for label in recall["labels"]]
    row_height, head = 40.0, 12.0

    def draw(width: float) -> Element:
        bottom = head + row_height * len(labels)
        label = "Recall of each class; the table below holds the same numbers."
        plot = svg.canvas(width, bottom + 44, label)
        x = Scale(0.0, 1.0, 12, width - 12)
        axes = svg.group(plot, "axes")
        for tick, said in svg.ticks(0.0, 1.0, 6 if width == WIDE else 4):
            svg.line(axes, x(tick), head, x(tick), bottom, "grid")
            svg.text(axes, x(tick), bottom + 18, said, "tick", "middle")
        svg.text(axes, (x.start + x.end) / 2, bottom + 38, "recall", "title", "middle")
        svg.line(plot, x(1 / len(labels)), head - 4, x(1 / len(labels)), bottom, "guess")
        for k, name in enumerate(labels):
            ends = {key: recall[key][k] for key in ("value", "low", "high")}
            y = head + row_height * (k + 0.72)
            row = svg.group(plot, "range s0", tip=f"{name}: recall {words.interval(ends)}")
            svg.rectangle(row, 0, y - 26, width, row_height, "hit")
            svg.text(row, x.start, y - 12, svg.shortened(name, width * 0.9), "name halo")
            svg.line(row, x(ends["low"]), y, x(ends["high"]), y, "whisker")
            svg.dot(row, x(ends["value"]), y, "point", 5)
        return plot

    legend = (
        Key("", "recall and its interval", "s0", "dot"),
        Key("", "guessing", "guess", "tick"),
    )
    return Figure((both(draw),), legend)
