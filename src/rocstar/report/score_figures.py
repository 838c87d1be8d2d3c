"""Figures on given scores: the reliability diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from rocstar.report import svg, words
from rocstar.report.drawing import NARROW, WIDE, Figure, Key, both, frame, score_style
from rocstar.report.parts import Summary
from rocstar.report.svg import Scale


def calibration(summary: Summary) -> Figure:
    """Observed frequency by predicted probability, with intervals, for each probability."""
    found = summary["calibration"]
    # A score keeps the colour it has elsewhere, where scores that are no probabilities count too.
    place = {s["name"]: i for i, s in enumerate(summary["scores"])}
    styles = [score_style(place[c["name"]]) for c in found]
    keys = [
        Key(f"k{i}", words.visible(c["name"]), style, "dot")
        for i, (c, style) in enumerate(zip(found, styles, strict=True))
    ]
    keys.append(Key("", "perfect calibration", "diagonal"))
    return Figure((both(partial(_plot, found, styles)),), tuple(keys), aside=True)


def _plot(found: Sequence[Mapping[str, Any]], styles: Sequence[str], width: float) -> Element:
    size = 540.0 if width == WIDE else NARROW
    label = "Observed frequency by predicted probability; the table below holds the same numbers."
    most = max(b[key] for c in found for b in c["bins"] for key in ("predicted", "high"))
    top = min(1.0, 1.06 * most)
    plot = svg.canvas(size, size, label)
    x, y = Scale(0, top, 46, size - 12), Scale(0, top, size - 46, 12)
    frame(plot, x, y, "predicted probability", "observed frequency")
    svg.line(plot, x(0), y(0), x(top), y(top), "diagonal")
    for i, (score, style) in enumerate(zip(found, styles, strict=True)):
        drawn = svg.group(plot, f"curve {style}", series=f"k{i}")
        places = [(x(b["predicted"]), y(b["observed"])) for b in score["bins"]]
        svg.path(drawn, places, "stroke")
        for b, (left, at) in zip(score["bins"], places, strict=True):
            said, seen = words.number(b["predicted"]), words.number(b["observed"])
            tip = f"{words.visible(score['name'])}: {said} predicted, {seen} observed "
            tip += f"({words.between(b['low'], b['high'])}) in {words.plural(b['rows'], 'row')}"
            mark = svg.group(drawn, "mark", tip=tip)
            svg.line(mark, left, y(b["low"]), left, y(b["high"]), "whisker")
            svg.dot(mark, left, at, "point", 4.5)
            svg.dot(mark, left, at, "hit", 14)
    return plot
