"""Small drawing vocabulary: scales, ticks, paths and text as SVG elements.

Elements are built with ElementTree, which escapes every name and label. Colours live in the style
sheet (classes, not attributes), so one drawing serves light, dark and print.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

MAX_POINTS = 300
"""Vertices kept of one drawn curve; more cannot be seen at this size."""

_CHARACTER = 8.0
"""Pixels that one character of a label takes on average, bold, at 13 pixels."""


# Steps between ticks with the decimals each needs beyond those of its power of ten.
_STEPS = ((1.0, 0), (2.0, 0), (2.5, 1), (5.0, 0))


class Scale(NamedTuple):
    """Linear map from data (``low`` to ``high``) to pixels (``start`` to ``end``)."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Pixel of one value, rounded to a tenth: smaller differences cannot be seen."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + share * (self.end - self.start), 1)


def canvas(width: float, height: float, label: str, kind: str = "") -> Element:
    """Empty drawing that scales with its column; ``label`` is what a screen reader says."""
    return Element(
        "svg",
        {
            "viewBox": f"0 0 {width:g} {height:g}",
            "width": f"{width:g}",
            "height": f"{height:g}",
            "role": "img",
            "aria-label": label,
            "class": f"plot {kind}".strip(),
        },
    )


def markup(drawing: Element) -> str:
    """Drawing as text that an HTML parser reads."""
    return tostring(drawing, encoding="unicode", short_empty_elements=False)


def group(
    parent: Element, kind: str, *, series: str | None = None, tip: str | None = None
) -> Element:
    """Group that a legend can hide (``series``) or that answers the pointer (``tip``)."""
    attributes = {"class": kind}
    if series is not None:
        attributes["data-series"] = series
    if tip is not None:
        attributes["data-tip"] = tip
    return SubElement(parent, "g", attributes)


def text(
    parent: Element, x: float, y: float, content: str, kind: str = "", anchor: str = "start"
) -> Element:
    """Text whose baseline starts, ends or centres at (x, y)."""
    attributes = {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor}
    if kind:
        attributes["class"] = kind
    element = SubElement(parent, "text", attributes)
    element.text = content
    return element


def line(parent: Element, x1: float, y1: float, x2: float, y2: float, kind: str) -> Element:
    """Straight line between two pixels."""
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return SubElement(parent, "line", {k: f"{v:g}" for k, v in ends.items()} | {"class": kind})


def rectangle(
    parent: Element, x: float, y: float, width: float, height: float, kind: str, radius: float = 0
) -> Element:
    """Axis-parallel box; a negative width counts as none."""
    sides = {"x": x, "y": y, "width": max(width, 0), "height": height, "rx": radius}
    return SubElement(parent, "rect", {k: f"{v:g}" for k, v in sides.items()} | {"class": kind})


def dot(parent: Element, x: float, y: float, kind: str, radius: float = 5) -> Element:
    """Filled circle."""
    circle = {"cx": f"{x:g}", "cy": f"{y:g}", "r": f"{radius:g}", "class": kind}
    return SubElement(parent, "circle", circle)


def path(
    parent: Element, points: Sequence[tuple[float, float]], kind: str, *, close: bool = False
) -> Element:
    """Polyline through pixels, closed into an area on request."""
    d = "M" + "L".join(f"{x:g} {y:g}" for x, y in points) + ("Z" if close else "")
    return SubElement(parent, "path", {"d": d, "class": kind})


def ticks(low: float, high: float, about: int) -> list[tuple[float, str]]:
    """Round numbers within [low, high], roughly ``about`` of them, each with its label."""
    rough = ((high - low) or 1.0) / max(about, 1)
    power = math.floor(math.log10(rough))
    steps = [(m * 10.0**p, -p + extra) for p in (power, power + 1) for m, extra in _STEPS]
    step, decimals = min(steps, key=lambda s: abs(math.log(s[0] / rough)))
    first = math.ceil(round(low / step, 9))
    last = math.floor(round(high / step, 9))
    values = [round(k * step, 10) for k in range(first, last + 1)]
    return [(v, f"{v:.{max(decimals, 0)}f}") for v in values]


def thinned(x: np.ndarray, y: np.ndarray, most: int = MAX_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Vertices evenly spread along the curve; both ends are kept."""
    if len(x) <= most:
        return x, y
    travelled = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    goals = np.linspace(0, travelled[-1], most)
    kept = np.unique(np.searchsorted(travelled, goals, side="left").clip(0, len(x) - 1))
    return x[kept], y[kept]


def shortened(label: str, width: float) -> str:
    """Label cut to what fits in ``width`` pixels; tables and tips carry it whole."""
    most = max(int(width / _CHARACTER), 4)
    return label if len(label) <= most else label[: most - 1] + "…"
