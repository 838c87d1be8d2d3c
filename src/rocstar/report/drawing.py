"""What the figures share: their parts, their two widths, and axes with a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from rocstar.report import svg
from rocstar.report.svg import Scale

WIDE, NARROW = 860.0, 340.0
"""Pixels of the reading column on a desk and of a small phone."""

_SCORE_COLOURS = 10


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


def both(draw: Callable[[float], Element], id: str = "all", label: str = "") -> View:
    """One view, drawn for a desk and for a phone."""
    return View(id, label, svg.markup(draw(WIDE)), svg.markup(draw(NARROW)))


def score_style(index: int) -> str:
    """Class of the n-th given score: its colour and its dashes."""
    return f"s{index % _SCORE_COLOURS}"


def frame(plot: Element, x: Scale, y: Scale, x_label: str, y_label: str) -> None:
    """Grid, tick labels and titles of a plot with two axes."""
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
    domain(plot, x, y)


def domain(plot: Element, x: Scale, y: Scale) -> None:
    """Tell the page's script where the data lie in the drawing."""
    plot.set("data-x", " ".join(f"{v:g}" for v in x))
    plot.set("data-y", " ".join(f"{v:g}" for v in y))
