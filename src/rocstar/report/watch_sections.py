"""What the page of a watched stream says: facts, sentences and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report import words
from rocstar.report.parts import Data, Document, Fact, Section, Summary, Table
from rocstar.report.watch_figures import known_shifts, ranked_columns

MOST_ROWS = 60
"""Readings in a table; the CSV file holds all of them."""


def watch_document(summary: Summary) -> Document:
    """Facts, sentences and tables of a watched stream, in reading order."""
    batches = summary.get("batches") or ()
    sections = (timeline(summary), moved(summary), columns(summary), auc(summary), notes(summary))
    rows = words.count(sum(batch["rows"] for batch in batches))
    return Document(
        title=words.visible(summary.get("title") or "Watch"),
        kind="watch",
        subtitle=f"{words.plural(len(batches), 'reading')} · {rows} rows",
        verdict=str(summary.get("verdict") or ""),
        held_out="",
        facts=tuple(facts(summary)),
        warnings=(),
        sections=(*(s for s in sections if s is not None), method(summary)),
    )


def facts(summary: Summary) -> list[Fact]:
    """The first screen: alarm or not, and how large the difference is."""
    batches = summary.get("batches") or ()
    if not batches:
        return [Fact("State", "Quiet", "no batch yet")]
    if summary.get("awaits_batch"):
        return [Fact("State", "Quiet", "no batch since the last reset")]
    last = batches[-1]
    state = "Alarm" if last["alarm"] or last.get("auc_alarm") else "Quiet"
    confident = words.confidence(summary.get("level"))
    needed = last.get("e_value_limit")
    limit = "" if needed is None else f"; alarm at {e_value(needed)}"
    found = [
        Fact("State", state, f"after {words.visible(last['time'])}"),
        Fact(
            "Difference (TV)",
            f"≥ {words.rounded_down(last['tv_low'])}",
            f"largest so far; {confident}, for all readings at once; last estimate: "
            f"{words.number(last['tv'])}",
        ),
        Fact(
            "Evidence (e-value)",
            e_value(last["e_value"]),
            f"of the models' bets{limit}; chance makes it reach k with probability at most 1/k, "
            "ever",
        ),
    ]
    if last.get("column_pvalue") is not None:
        note = f"smallest so far, corrected for all tests; alarm at {1 - summary['level']:.3g}"
        found.append(Fact("Single columns", words.pvalue(last["column_pvalue"]), note))
    if last.get("auc") is not None:
        note = f"and ≤ {words.rounded_up(last['auc_high'])}: average since the last reset; "
        limit = f"≥ {words.rounded_down(last['auc_low'])}"
        found.append(Fact("AUC of the score", limit, note + confident))
    return found


def timeline(summary: Summary) -> Section | None:
    """Every reading."""
    batches = summary.get("batches") or ()
    if not batches:
        return None
    tolerance = summary.get("tolerance_tv")
    above = f" above the tolerance of {words.number(tolerance)}" if tolerance else ""
    tested = batches[-1].get("column_pvalue") is not None
    or_column = ", or when a single column is shown to have changed" if tested else ""
    text = (
        "The bound says that at some time since the last reset the total variation distance from "
        f"the reference was at least that large. All bounds hold at once "
        f"({words.confidence(summary.get('level'))}), however often one looks. An alarm is raised "
        f"when the bound shows a difference{above}{or_column}, and "
        "lasts until the monitor is reset.",
    )
    header = ("batch", "rows", "estimate", "at least", "average at least", "e-value", "alarm")
    rows = tuple(
        (
            words.visible(b["time"]),
            words.count(b["rows"]),
            words.number(b["tv"]),
            words.rounded_down(b["tv_low"]),
            words.rounded_down(b["tv_average_low"]),
            e_value(b["e_value"]),
            alarm(b),
        )
        for b in reversed(batches[-MOST_ROWS:])
    )
    return Section(
        "timeline",
        "Difference from the reference over time",
        text,
        Table(header, rows, names=(0, 6)),
        _data(batches),
        folded=True,
    )


def moved(summary: Summary) -> Section | None:
    """Which columns moved when."""
    batches = [b for b in summary.get("batches") or () if b["moved"]]
    if not batches:
        return None
    text = (
        "Columns in which a batch alone differs from the reference and, with an alarm, those that "
        "the evidence rests on. The list describes each batch; it carries no guarantee over "
        "time, and single entries without an alarm may be chance.",
    )
    rows = tuple(
        (
            words.visible(b["time"]),
            words.listed([words.visible(name) for name in b["moved"]]),
            "alarm" if b["alarm"] else "",
        )
        for b in reversed(batches[-MOST_ROWS:])
    )
    table = Table(("batch", "columns", "alarm"), rows, names=(0, 1, 2))
    return Section("moved", "What moved when", text, table)


def columns(summary: Summary) -> Section | None:
    """Shift of every column over time."""
    ranked = ranked_columns(summary)
    if not ranked:
        return None
    text = (
        "Total variation distance between each batch and the reference in one column alone, in "
        "ten bins. Small batches show some shift by chance.",
    )
    rows = tuple(
        (
            words.visible(column["name"]),
            words.number(known_shifts(column)[-1]),
            words.number(max(known_shifts(column))),
        )
        for column in ranked
    )
    data = Data(
        ("column", *(f"batch {k + 1}" for k in range(max(len(c["shifts"]) for c in ranked)))),
        tuple((column["name"], *column["shifts"]) for column in ranked),
    )
    return Section(
        "sparklines",
        "Shift of each column over time",
        text,
        Table(("column", "latest", "largest"), rows),
        data,
        folded=True,
    )


def auc(summary: Summary) -> Section | None:
    """AUC of the watched score."""
    batches = [b for b in summary.get("batches") or () if b.get("auc") is not None]
    if not batches:
        return None
    reference = summary.get("reference_auc") or {}
    text = (
        "Average AUC of the score since the last reset, with limits that hold at all times. On "
        f"the reference it is {words.number(reference.get('value'))}, and at least "
        f"{words.rounded_down(reference.get('low'))}. An alarm is about some stretch since the "
        "last reset, and may come before the average falls.",
    )
    rows = tuple(
        (
            words.visible(b["time"]),
            words.number(b["auc"]),
            words.rounded_down(b["auc_low"]),
            words.rounded_up(b["auc_high"]),
            "alarm" if b.get("auc_alarm") else "",
        )
        for b in reversed(batches[-MOST_ROWS:])
    )
    header = ("batch", "average", "at least", "at most", "alarm")
    return Section(
        "auc_timeline", "AUC of the score over time", text, Table(header, rows, (0, 4)), folded=True
    )


def notes(summary: Summary) -> Section | None:
    """What was unusual about batches, each note once."""
    times: dict[str, list[Any]] = {}
    for batch in summary.get("batches") or ():
        for note in batch["notes"]:
            times.setdefault(note, []).append(batch["time"])
    found = []
    for note, seen in times.items():
        more = f" and {words.plural(len(seen) - 1, 'later batch')}" if len(seen) > 1 else ""
        found.append(f"{words.visible(seen[0])}{more}: {words.visible(note)}")
    return Section("notes", "Notes", (), items=tuple(found[-MOST_ROWS:])) if found else None


def method(summary: Summary) -> Section:
    """Settings of the monitor and what its promise rests on."""
    facts = summary.get("method") or {}
    rows = tuple((name, words.visible(value)) for name, value in facts.items())
    return Section(
        "method",
        "Method",
        tuple(summary.get("caveats") or ()),
        Table(("what", "how"), rows, names=(0, 1)),
    )


def alarm(batch: Mapping[str, Any]) -> str:
    """Whether there is an alarm, and what it is about if it is one thing."""
    about = [words.visible(batch["column"])] if batch.get("column") is not None else []
    if batch.get("auc_alarm"):
        about.append("AUC")
    if not (batch["alarm"] or about):
        return ""
    return f"alarm: {words.listed(about)}" if about else "alarm"


def e_value(value: float | None) -> str:
    """Evidence as text: whole numbers where they are large."""
    if value is None:
        return words.MISSING
    if value >= 1e6:
        return "> 1,000,000"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def _data(batches: Any) -> Data:
    keys = [key for key in batches[-1] if key not in ("moved", "notes")]

    def cell(batch: Mapping[str, Any], key: str) -> Any:
        return batch.get(key)

    return Data(tuple(keys), tuple(tuple(cell(b, key) for key in keys) for b in batches))
