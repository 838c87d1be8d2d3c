"""Results as small cards of HTML for notebooks: no script, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

# Inherited colours and a translucent rule suit any theme; styles are inline, since a notebook may
# strip style sheets.
_CARD = "font-family:system-ui,sans-serif;max-width:44rem;line-height:1.45"
_CELL = (
    "text-align:left;padding:.25em .9em .25em 0;background:transparent;"
    "border-bottom:1px solid rgba(128,128,128,.35)"
)
_NOTE = "opacity:.75;font-size:.9em;margin:.4em 0 0"


def card(
    title: str,
    rows: Sequence[Sequence[object]],
    *,
    head: Sequence[str] = (),
    lead: str = "",
    notes: Sequence[str] = (),
) -> str:
    """A title, a sentence, a table and notes; every text is escaped."""
    parts = [f'<div style="{_CARD}"><b>{escape(title)}</b>']
    if lead:
        parts.append(f'<p style="margin:.3em 0">{escape(lead)}</p>')
    lines = [_line("th", head)] if head else []
    lines += [_line("td", row) for row in rows]
    parts.append(f'<table style="border-collapse:collapse">{"".join(lines)}</table>')
    parts += [f'<p style="{_NOTE}">{escape(note)}</p>' for note in notes]
    return "".join(parts) + "</div>"


def _line(tag: str, cells: Sequence[object]) -> str:
    shown = (f'<{tag} style="{_CELL}">{escape(str(cell))}</{tag}>' for cell in cells)
    return f"<tr>{''.join(shown)}</tr>"
