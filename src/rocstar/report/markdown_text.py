"""The report as Markdown, for pull requests, wikis and notebooks that show no HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rocstar.report import words
from rocstar.report.parts import Section, Table
from rocstar.report.sections import document

# Characters that would start markup; "<" and "&" also keep names from becoming HTML.
_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")
_LONGEST = 50
"""Rows of a table that Markdown shows; a longer one ends with a line saying how many were left."""


def markdown(summary: Mapping[str, Any]) -> str:
    """Report of an audit or a comparison as GitHub-flavoured Markdown."""
    return "\n\n".join(_blocks(summary)) + "\n"


def _blocks(summary: Mapping[str, Any]) -> Iterator[str]:
    shown = document(summary)
    yield f"# {_escaped(shown.title)}"
    if shown.subtitle:
        yield _escaped(shown.subtitle)
    if shown.held_out:
        yield _prose(shown.held_out)
    if shown.verdict:
        yield f"**{_prose(shown.verdict)}**"
    if shown.facts:
        rows = tuple((fact.label, fact.value, fact.note) for fact in shown.facts)
        yield _table(Table(("", "", ""), rows, names=(0, 2)))
    if shown.warnings:
        yield "## Before you rely on this"
        yield _items(shown.warnings)
    for section in shown.sections:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"## {_escaped(section.title)}"
    for sentence in section.text:
        yield _prose(sentence)
    if section.items:
        yield _items(section.items)
    if section.table:
        yield _table(section.table)


def _items(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {_prose(item)}" for item in items)


def _table(table: Table) -> str:
    rule = [":--" if i in table.names else "--:" for i in range(len(table.header))]
    shown = [[_escaped(cell) for cell in row] for row in table.rows[:_LONGEST]]
    lines = [[_escaped(cell) for cell in table.header], rule, *shown]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    left = len(table.rows) - _LONGEST
    return text if left <= 0 else f"{text}\n\n… and {words.count(left)} more rows."


def _escaped(text: object) -> str:
    plain = words.visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", plain)


def _prose(sentence: object) -> str:
    """Sentence with its backquoted names kept as code and everything else escaped."""
    return "".join(
        f"`{text}`" if is_name else _escaped(text) for is_name, text in words.code_spans(sentence)
    )
