"""Figures of a watched stream: its distance from the reference, its columns, its AUC over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element

from rocstar.report import svg, words
from rocstar.report.drawing import WIDE, Figure, Key, both
from rocstar.report.parts import Summary
from rocstar.report.svg import Scale

Batch = dict[str, Any]
MOST_COLUMNS = 30
"""Columns with a line of their own."""
MOST_POINTS = 400
"""Batches drawn at most: the last ones."""
_LEFT = 66.0  # room for the name of the axis beside numbers of three decimals


def shown_batches(summary: Summary) -> list[Batch]:
    """The readings that a figure has room for."""
    return list(summary.get("batches") or ())[-MOST_POINTS:]


def timeline(summary: Summary) -> Figure | None:
    """Estimate and lower bound of every batch, the tolerance, alarms and resets."""
    batches = shown_batches(summary)
    if not batches:
        return None
    tolerance = float(summary.get("tolerance_tv") or 0.0)
    keys = [
        Key("estimate", "estimate for the batch", "hull"),
        Key("low", f"at least this ({words.confidence(summary.get('level'))})", "band", "area"),
        *([Key("", "tolerance", "guess")] if tolerance else []),
        *_event_keys(batches, "alarm"),
    ]
    return Figure((both(partial(_timeline, batches, tolerance)),), tuple(keys))


def _timeline(batches: Sequence[Batch], tolerance: float, width: float) -> Element:
    height = 300.0 if width == WIDE else 260.0
    plot = svg.canvas(
        width, height, "Distance over time; the table below holds the same numbers.", "curves"
    )
    values = [b["tv"] for b in batches if b["tv"] is not None]
    top = min(1.05 * max([0.05, tolerance, *values, *(b["tv_low"] for b in batches)]), 1.0)
    x, y = Scale(0, len(batches), _LEFT, width - 12), Scale(0, top, height - 46, 14)
    _axes(plot, x, y, batches, "total variation")
    if tolerance:
        svg.line(plot, x.start, y(tolerance), x.end, y(tolerance), "guess")
    low = svg.group(plot, "curve band", series="low")
    steps = _steps(x, y, batches, "tv_low")
    svg.path(low, [*steps, (x.end, y.start), (x.start, y.start)], "area", close=True)
    svg.path(low, steps, "stroke")
    _line(plot, x, y, batches, "tv", "curve hull", "estimate")
    _events(plot, x, y, batches, "alarm", _tip)
    return plot


def auc_timeline(summary: Summary) -> Figure | None:
    """Average AUC since the last reset between its limits, that of the reference, and alarms."""
    batches = [b for b in shown_batches(summary) if b.get("auc") is not None]
    if not batches:
        return None
    lines = [
        Key("auc", "average AUC since the last reset", "optimal"),
        Key("limits", f"limits ({words.confidence(summary.get('level'))})", "band", "area"),
    ]
    if batches[-1].get("auc_limit") is not None:
        lines += [
            Key("reference", "AUC of the reference", "hull"),
            Key("", "an alarm once the AUC is shown to be below this", "guess"),
        ]
    keys = (*lines, *_event_keys(batches, "auc_alarm"))
    return Figure((both(partial(_auc_timeline, batches)),), keys)


def _auc_timeline(batches: Sequence[Batch], width: float) -> Element:
    height = 260.0
    plot = svg.canvas(width, height, "AUC over time; the table below holds the same numbers.")
    drawn = ("auc_low", "auc_high", "auc_reference", "auc_limit")
    values = [b[key] for b in batches for key in drawn if b.get(key) is not None]
    x = Scale(0, len(batches), _LEFT, width - 12)
    y = Scale(min(values), max(values), height - 46, 14)
    _axes(plot, x, y, batches, "AUC")
    limits = svg.group(plot, "curve band", series="limits")
    reference = svg.group(plot, "curve hull", series="reference")
    average = svg.group(plot, "curve optimal", series="auc")
    # A reset begins a new average: nothing leads from the old one to it.
    for first, last in _between_resets(batches):
        part, own = batches[first:last], x._replace(low=-first, high=len(batches) - first)
        upper, lower = (_steps(own, y, part, key) for key in ("auc_high", "auc_low"))
        svg.path(limits, [*upper, *reversed(lower)], "area", close=True)
        svg.path(average, _steps(own, y, part, "auc"), "stroke")
        if part[0].get("auc_limit") is not None:
            svg.path(reference, _steps(own, y, part, "auc_reference"), "stroke")
            limit = y(part[0]["auc_limit"])
            svg.line(plot, own(0), limit, own(len(part)), limit, "guess")
    _events(plot, x, y, batches, "auc_alarm", _auc_tip)
    return plot


def sparklines(summary: Summary) -> Figure | None:
    """A line per column: its shift in every batch, all on one scale, the largest first."""
    columns = ranked_columns(summary)[:MOST_COLUMNS]
    if not columns:
        return None
    top = max(0.05, *(max(known_shifts(column)) for column in columns))

    def draw(width: float) -> Element:
        row_height = 44.0
        label = "Shift of each column over time; the table below holds the latest numbers."
        plot = svg.canvas(width, row_height * len(columns), label)
        for k, column in enumerate(columns):
            base = row_height * (k + 1) - 6
            shifts = column["shifts"][-MOST_POINTS:]
            x, y = (
                Scale(0, max(len(shifts) - 1, 1), width * 0.45, width - 64),
                Scale(0, top, base, base - 32),
            )
            known = known_shifts(column)
            name, last = words.visible(column["name"]), words.number(known[-1])
            tip = f"{name}: latest shift {last}, largest {words.number(max(known))}"
            row = svg.group(plot, "curve positive", tip=tip)
            svg.rectangle(row, 0, base - 36, width, row_height, "hit")
            svg.text(row, 4, base - 8, svg.shortened(name, width * 0.43), "name")
            svg.line(row, x.start, base, x.end, base, "grid")
            points = [(x(i), y(shift)) for i, shift in enumerate(shifts) if shift is not None]
            svg.path(row, points, "stroke")
            svg.text(row, width - 58, base - 8, last, "tick")
        return plot

    return Figure((both(draw),))


def ranked_columns(summary: Summary) -> list[dict[str, Any]]:
    """Columns with shifts, that of the largest shift first."""
    columns = [column for column in summary.get("columns") or () if known_shifts(column)]
    return sorted(columns, key=lambda column: -max(known_shifts(column)))


def known_shifts(column: dict[str, Any]) -> list[float]:
    """Shifts of a column in the batches that have one: references may have other columns."""
    return [shift for shift in column.get("shifts") or () if shift is not None]


def _axes(plot: Element, x: Scale, y: Scale, batches: Sequence[Batch], title: str) -> None:
    axes = svg.group(plot, "axes")
    for tick, said in svg.ticks(y.low, y.high, 5):
        svg.line(axes, x.start, y(tick), x.end, y(tick), "grid")
        svg.text(axes, x.start - 8, y(tick) + 4, said, "tick", "end")
    room = (x.end - x.start) / 2 - 10
    first, last = (svg.shortened(words.visible(batches[k]["time"]), room) for k in (0, -1))
    svg.text(axes, x.start, y.start + 18, first, "tick")
    if len(batches) > 1:
        svg.text(axes, x.end, y.start + 18, last, "tick", "end")
    side = svg.text(axes, 0, 0, title, "title", "middle")
    side.set("transform", f"translate(12 {(y.start + y.end) / 2:g}) rotate(-90)")


def _line(
    plot: Element,
    x: Scale,
    y: Scale,
    batches: Sequence[Batch],
    key: str,
    kind: str,
    series: str,
) -> None:
    drawn = svg.group(plot, kind, series=series)
    points = [(x(i + 0.5), y(b[key])) for i, b in enumerate(batches) if b[key] is not None]
    if len(points) > 1:
        svg.path(drawn, points, "stroke")
    elif points:
        svg.dot(drawn, *points[0], "point", 4)


def _steps(x: Scale, y: Scale, batches: Sequence[Batch], key: str) -> list[tuple[float, float]]:
    return [(x(i + side), y(b[key])) for i, b in enumerate(batches) for side in (0, 1)]


def _resets(batches: Sequence[Batch]) -> list[int]:
    """Places of batches that come first after a reset."""
    numbers = [b.get("resets", 0) for b in batches]
    return [i for i in range(1, len(numbers)) if numbers[i] > numbers[i - 1]]


def _between_resets(batches: Sequence[Batch]) -> list[tuple[int, int]]:
    return list(pairwise([0, *_resets(batches), len(batches)]))


def _event_keys(batches: Sequence[Batch], alarm: str) -> list[Key]:
    """Legend of what happened, and of nothing else."""
    found = [Key("alarm", "alarm", "negative", "dot")] if any(b.get(alarm) for b in batches) else []
    return [*found, *([Key("", "reset", "diagonal", "tick")] if _resets(batches) else [])]


def _events(
    plot: Element,
    x: Scale,
    y: Scale,
    batches: Sequence[Batch],
    alarm: str,
    tip: Callable[[Batch], str],
) -> None:
    """Resets, alarms, and what the pointer is told about each batch."""
    for i in _resets(batches):
        svg.line(plot, x(i), y.start, x(i), y.end, "diagonal")
    marks = svg.group(plot, "curve negative", series="alarm")
    for i, batch in enumerate(batches):
        if batch.get(alarm):
            svg.dot(svg.group(marks, "mark", tip=tip(batch)), x(i + 0.5), y.end, "point", 3.5)
        spot = svg.group(plot, "mark", tip=tip(batch))
        svg.rectangle(spot, x(i), y.end, x(i + 1) - x(i), y.start - y.end, "hit")


def _auc_tip(batch: Batch) -> str:
    low, high = words.rounded_down(batch["auc_low"]), words.rounded_up(batch["auc_high"])
    average = f"{words.visible(batch['time'])}: AUC {words.number(batch['auc'])}, {low} to {high}"
    return average + (", alarm" if batch.get("auc_alarm") else "")


def _tip(batch: Batch) -> str:
    parts = [
        f"{words.visible(batch['time'])}: {words.plural(batch['rows'], 'row')}",
        f"estimate {words.number(batch['tv'])}",
        f"at least {words.rounded_down(batch['tv_low'])}",
    ]
    moved = words.listed([words.visible(name) for name in batch["moved"][:3]])
    return ", ".join([*parts, *(["alarm"] if batch["alarm"] else [])]) + (
        f"; moved: {moved}" if moved else ""
    )
