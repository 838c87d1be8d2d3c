"""Figures at the reader's prevalence: precision by recall, and net benefit by threshold."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from rocstar.report import svg, words
from rocstar.report.drawing import NARROW, WIDE, Figure, Key, both, frame, score_style
from rocstar.report.parts import Summary
from rocstar.report.svg import Scale


class Line(NamedTuple):
    """One curve over a shared axis; ``area`` shades what lies under it."""

    style: str
    label: str
    y: list[float]
    area: bool = False


def precision_recall(summary: Summary) -> Figure:
    """Certified and found precision by recall, and that of each score."""
    curve = summary["decision"]["precision_recall"]
    lines = [
        Line("optimal", "best model found", curve["found"]),
        Line("band", _certified(summary), curve["low"], area=True),
        *(
            Line(score_style(i), words.visible(s["name"]), s["precision"])
            for i, s in enumerate(curve["scores"])
        ),
    ]
    return _lines(curve["recall"], lines, ("recall", "precision"), (0.0, 1.0), (0.0, 1.0))


def net_benefit(summary: Summary) -> Figure:
    """Certified and found net benefit by threshold, each score, and acting on all or on none."""
    decision = summary["decision"]
    curve = decision["curve"]
    lines = [
        Line("optimal", "best model found", curve["found"]),
        Line("band", _certified(summary), curve["low"], area=True),
        *(
            Line(score_style(i), words.visible(s["name"]), s["net_benefit"])
            for i, s in enumerate(curve["scores"])
        ),
        Line("hull", "act on all", curve["all"]),
    ]
    top = 1.08 * max(max(curve["found"]), max(curve["low"]), 1e-6)
    x, y = (0.0, curve["threshold"][-1]), (-0.25 * top, top)
    return _lines(
        curve["threshold"], lines, ("threshold", "net benefit"), x, y, mark=decision["threshold"]
    )


def _certified(summary: Summary) -> str:
    return f"at least this ({words.confidence(summary['decision']['level'])})"


def _lines(
    x: list[float],
    lines: list[Line],
    axes: tuple[str, str],
    across: tuple[float, float],
    up: tuple[float, float],
    mark: float | None = None,
) -> Figure:
    """Curves over a shared axis, with a legend that switches them and a read-out."""
    keys = [Key(f"k{i}", line.label, line.style) for i, line in enumerate(lines)]
    if up[0] < 0:
        keys.append(Key("", "act on none", "diagonal", "line"))
    if mark is not None:
        keys.append(Key("", f"your threshold, {words.number(mark)}", "guess", "tick"))
    readout: dict[str, Any] = {
        "mode": "line",
        "x": axes[0],
        "digits": 3,
        "series": [
            {
                "key": f"k{i}",
                "label": line.label,
                "style": line.style,
                "step": False,
                "x": np.round(x, 4).tolist(),
                "y": _printed(line).tolist(),
            }
            for i, line in enumerate(lines)
        ],
    }
    draw = partial(_plot, x, lines, axes, across, up, mark)
    return Figure((both(draw),), tuple(keys), readout, aside=True)


def _printed(line: Line) -> np.ndarray:
    """Heights as the read-out shows them; a bound is rounded down."""
    y = np.asarray(line.y, float)
    return np.asarray(np.floor(np.round(1e3 * y, 6)) / 1e3 if line.area else np.round(y, 4))


def _plot(
    x: list[float],
    lines: list[Line],
    axes: tuple[str, str],
    across: tuple[float, float],
    up: tuple[float, float],
    mark: float | None,
    width: float,
) -> Element:
    size, height = (540.0, 420.0) if width == WIDE else (NARROW, 300.0)
    label = f"{axes[1].capitalize()} by {axes[0]}; the table below holds the same numbers."
    plot = svg.canvas(size, height, label, "curves")
    sx, sy = Scale(*across, 58, size - 12), Scale(*up, height - 46, 12)
    frame(plot, sx, sy, *axes)
    if up[0] < 0:
        svg.line(plot, sx.start, sy(0), sx.end, sy(0), "diagonal")
    if mark is not None and across[0] <= mark <= across[1]:
        svg.line(plot, sx(mark), sy.start, sx(mark), sy.end, "guess")
    for i, line in reversed(list(enumerate(lines))):
        drawn = svg.group(plot, f"curve {line.style}", series=f"k{i}")
        for points in _runs(x, line.y, sx, sy):
            if line.area:
                base = sy(max(0.0, up[0]))
                floor = [(points[-1][0], base), (points[0][0], base)]
                svg.path(drawn, [*points, *floor], "area", close=True)
            svg.path(drawn, points, "stroke")
    return plot


def _runs(x: list[float], y: list[float], sx: Scale, sy: Scale) -> list[list[tuple[float, float]]]:
    """Stretches of a curve that lie within the plot."""
    runs: list[list[tuple[float, float]]] = [[]]
    for a, b in zip(x, y, strict=True):
        if sy.low <= b <= sy.high:
            runs[-1].append((sx(a), sy(b)))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if len(run) > 1]
