"""What a report is made of: tables, sections, and the names and curves that several share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rocstar.report import words

Summary = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """Text cells under a header; ``names`` are the columns that hold words rather than numbers.

    A ``sortable`` table is long: the page lets its reader sort and search it.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: tuple[int, ...] = (0,)
    sortable: bool = False


@dataclass(frozen=True)
class Data:
    """The unrounded numbers behind a figure, as they go into its CSV file."""

    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Fact:
    """One headline number: what it is, the number, and what it rests on."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Section:
    """One heading of the report; ``id`` also names the figure that goes with it, if any."""

    id: str
    title: str
    text: tuple[str, ...]
    table: Table | None = None
    data: Data | None = None
    items: tuple[str, ...] = ()
    folded: bool = False


@dataclass(frozen=True)
class Document:
    """Everything the report says, in reading order."""

    title: str
    kind: str
    subtitle: str
    held_out: str
    verdict: str
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...] = field(repr=False)


class Curve(NamedTuple):
    """One ROC curve to draw and to tabulate; its ``role`` decides how it looks."""

    role: str
    label: str
    fpr: np.ndarray
    tpr: np.ndarray

    def at(self, fpr: float) -> float:
        """Height of the curve at one false-positive rate."""
        # A band certifies its points and, since the curve increases, whatever lies to the right of
        # each: a staircase. A straight line between two points would claim more.
        if self.role == "band":
            return float(self.tpr[max(int(np.searchsorted(self.fpr, fpr, side="right")) - 1, 0)])
        return float(np.interp(fpr, self.fpr, self.tpr))


def sides(summary: Summary) -> tuple[str, str]:
    """What the positive and the negative rows are called, for legends and sentences."""
    data = summary["data"]
    if summary["kind"] == "comparison":
        first, second = data["names"]
        return words.visible(second), words.visible(first)
    target, positive = data["target"], data["positive"]
    return words.visible(f"{target} = {positive}"), words.visible(f"{target} ≠ {positive}")


def curves(summary: Summary) -> list[Curve]:
    """ROC curves of a summary: estimate first, given scores last."""
    roc = summary["figures"]["roc"]
    certified = f"at least this ({words.confidence(summary['level'])})"
    named = [
        ("optimal", "best curve found", roc),
        ("band", certified, roc | {"tpr": roc["low"]}),
        ("hull", "its convex hull", roc["hull"]),
        *(("score", words.visible(s["name"]), s) for s in roc["scores"]),
    ]
    return [
        Curve(role, label, np.asarray(c["fpr"], float), np.asarray(c["tpr"], float))
        for role, label, c in named
    ]


def followed(summary: Summary) -> str:
    """The figure that the learning curve follows, by its key."""
    return "balanced_accuracy" if summary.get("kind") == "multiclass" else "auc"


def expected_points(summary: Summary) -> list[dict[str, Any]]:
    """The point of the learning curve that more rows are expected to reach, if one is known."""
    more = summary["more_rows"]
    if more is None:
        return []
    last, name = summary["learning_curve"][-1], followed(summary)
    ends = {"": "gain", "_low": "low", "_high": "high"}
    reached = {f"{name}{end}": min(last[name] + more[key], 1.0) for end, key in ends.items()}
    return [{"rows": more["factor"] * last["rows"], **reached}]
