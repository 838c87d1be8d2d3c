"""The summary in a terminal: the answer first, at 80 columns, with or without colour."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rocstar.geometry.bounds import LONGEST, SHORTEST
from rocstar.report import words
from rocstar.report.parts import Document, Fact, followed
from rocstar.report.sections import document

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_WIDEST = 100
"""Columns beyond which a line of prose becomes tiring to read."""

_MOST_COLUMNS = 3
_MOST_READINGS = 10
_READING_COLUMNS = (0, 1, 2, 3, 5, 6)
"""Of the table of readings: what there is room for."""


def terminal(summary: Mapping[str, Any], *, width: int = 80, color: bool = False) -> str:
    """Short report of an audit, a comparison or a watched stream for a terminal."""
    try:
        from rich.console import Console
    except ImportError as error:
        raise ImportError(
            "The terminal summary needs rich: install it with pip install 'rocstar[cli]'."
        ) from error
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=max(min(width, _WIDEST), 40),
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
    )
    for i, block in enumerate(_blocks(summary, console.width)):
        if i:
            console.print()
        console.print(block)
    lines = (line.rstrip() for line in buffer.getvalue().splitlines())
    return "\n".join(lines) + "\n"


def _blocks(summary: Mapping[str, Any], width: int) -> Iterator[RenderableType]:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    shown = document(summary)
    subtitle, held_out = Text(shown.subtitle, style="dim"), _prose(shown.held_out, "dim")
    head = [Text(shown.title, style="bold"), subtitle]
    yield Group(*head, held_out) if shown.held_out else Group(*head)
    yield _prose(shown.verdict, "bold")
    yield Padding(_tiles(shown.facts), (0, 2))
    if summary["kind"] == "watch":
        yield from _readings(shown)
        return
    if summary["kind"] != "multiclass":
        yield Padding(_scale(summary["arc_length"], width - 4), (0, 2))
    yield from _listed("Scores", [_prose(s["sentence"], "") for s in summary["scores"]])
    lost = [s["sentence"] for s in summary.get("segments", ()) if s["headroom"]["low"] > 0]
    yield from _listed("Where your score loses", [_prose(sentence, "") for sentence in lost])
    decided = (summary.get("decision") or {}).get("sentences") or ()
    yield from _listed("At your prevalence", [_prose(sentence, "") for sentence in decided])
    carried = f"Columns the model relies on (loss of {words.FIGURE_NAMES[followed(summary)]})"
    if any("divergence" in column for column in summary["columns_importance"]):
        carried = "Columns that carry the difference"
    yield from _listed(carried, _carriers(summary))
    yield _prose(summary["method"]["guarantee_sentence"], "dim")
    yield from _listed("Before you rely on this", [_prose(w, "yellow") for w in shown.warnings])


def _readings(shown: Document) -> Iterator[RenderableType]:
    """The latest readings of a watched stream, the newest first, and the notes about them."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    sections = {section.id: section for section in shown.sections}
    readings = sections["timeline"].table if "timeline" in sections else None
    if readings is not None:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for k in _READING_COLUMNS:
            name = k in readings.names
            table.add_column(readings.header[k], justify="left" if name else "right")
        for row in readings.rows[:_MOST_READINGS]:
            cells = (Text(row[k], overflow="fold") for k in _READING_COLUMNS)
            table.add_row(*cells, style="red" if row[-1] else None)
        yield Padding(table, (0, 2))
    if "notes" in sections:
        yield from _listed("Notes", [_prose(note, "") for note in sections["notes"].items])


def _scale(estimate: Mapping[str, Any], width: int) -> Text:
    """Arc length between √2 and 2: ━ up to the certified end, ● the estimate."""
    from rich.text import Text

    head = Text("Arc length  ").append(words.at_least(estimate))
    room = width - 7
    certified = _cell(estimate["low"], room) + 1
    line = ["━"] * certified + ["─"] * (room - certified)
    line[_cell(estimate["value"], room)] = "●"
    bar = Text("\n√2 ├").append("".join(line), style="cyan").append("┤ 2")
    ends = "indistinguishable", "separable"
    gap = room - len(ends[0]) - len(ends[1])
    return head.append(bar).append(f"\n    {ends[0]}{' ' * gap}{ends[1]}", style="dim")


def _cell(length: float, room: int) -> int:
    share = (length - SHORTEST) / (LONGEST - SHORTEST)
    return round(min(max(share, 0.0), 1.0) * (room - 1))


def _tiles(facts: Sequence[Fact]) -> Table:
    """The numbers of the first screen, one per line."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold", max_width=28)
    table.add_column(no_wrap=True)
    table.add_column()
    for fact in facts:
        table.add_row(Text(fact.label), Text(fact.value, style="bold"), _prose(fact.note, ""))
    return table


def _carriers(summary: Mapping[str, Any]) -> list[Text]:
    from rich.text import Text

    columns = summary["columns_importance"]
    lines = []
    for column in columns[:_MOST_COLUMNS]:
        line = Text(words.visible(column["name"]), style="bold")
        line.append(f": importance {words.number(column['importance'])}", style="not bold")
        if "divergence" in column:
            alone = words.number(column["divergence"])
            line.append(f", divergence alone {alone}", style="not bold")
        lines.append(line)
    left = len(columns) - _MOST_COLUMNS
    if left > 0:
        lines.append(Text(f"… and {left} more"))
    return lines


def _listed(title: str, items: list[Text], mark: str = "·") -> Iterator[RenderableType]:
    """Heading and a list whose lines hang under their first word; nothing when empty."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    if not items:
        return
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=1)
    table.add_column(overflow="fold")
    for item in items:
        table.add_row(mark, item)
    yield Group(Text(title, style="bold"), Padding(table, (0, 2)))


def _prose(sentence: str, style: str) -> Text:
    from rich.text import Text

    text = Text(style=style)
    for is_name, piece in words.code_spans(sentence):
        text.append(f"`{piece}`" if is_name else piece)
    return text
