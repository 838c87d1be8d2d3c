"""Sections that account for the answer: its models, its columns, its caveats and its method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report import method_words, words
from rocstar.report.parts import Data, Section, Summary, Table


def members(summary: Summary) -> Section | None:
    """Models that the answer mixes."""
    members = summary.get("members") or ()
    if not members:
        return None
    return Section(
        "members",
        "The models behind the answer",
        (
            "The answer mixes these models. Weight is the share each one has in the mixture; J is "
            "the arc length it reaches by itself on rows it had not seen (higher is better).",
        ),
        Table(
            ("model", "weight", "J alone"),
            tuple(
                (
                    words.visible(m.get("name")),
                    words.percent(m.get("weight")),
                    words.number(m.get("arc_length")),
                )
                for m in members
            ),
        ),
        Data(
            ("model", "weight", "arc_length"),
            tuple((m.get("name"), m.get("weight"), m.get("arc_length")) for m in members),
        ),
        folded=True,
    )


def columns(summary: Summary) -> Section | None:
    """Every column with what was done to it."""
    data = summary.get("data") or {}
    columns = data.get("columns") or ()
    if not columns:
        return None
    features = data.get("features")
    used = sum(column.get("used", True) for column in columns)
    numbers = words.plural(features or 0, "number")
    text = [f"{words.plural(used, 'column')} became {numbers} per row."] if features else []
    noted = any(_notes(column) for column in columns)
    header = ("column", "type", "treatment", "missing", "distinct", "notes")
    shown = len(header) if noted else len(header) - 1
    return Section(
        "columns",
        "Columns and what was done to them",
        tuple(text),
        Table(
            header[:shown],
            tuple(_column(c)[:shown] for c in columns),
            names=(0, 1, 2, 5),
            sortable=True,
        ),
        Data(
            header,
            tuple(
                (
                    *(c.get(k) for k in ("name", "type", "treatment", "missing", "distinct")),
                    "; ".join(_notes(c)),
                )
                for c in columns
            ),
        ),
    )


def _column(column: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        *(words.visible(column.get(key) or "") for key in ("name", "type", "treatment")),
        words.count(column.get("missing")),
        words.count(column.get("distinct")),
        words.visible("; ".join(_notes(column))),
    )


def _notes(column: Mapping[str, Any]) -> list[str]:
    notes = column.get("notes") or []
    return [notes] if isinstance(notes, str) else list(notes)


def caveats(summary: Summary) -> Section | None:
    """What the reader must not conclude."""
    caveats = summary.get("caveats") or ()
    return Section("caveats", "Caveats", (), items=tuple(caveats)) if caveats else None


def method(summary: Summary) -> Section | None:
    """Model, folds, seed, versions and timing."""
    method = summary.get("method") or {}
    if not method:
        return None
    test = summary.get("test") or {}
    facts = {
        "model": method.get("model"),
        "cross-validation": method.get("splits") or method.get("cv"),
        "lower bounds": method.get("method"),
        "guarantee of lower bounds": method_words.guarantee_phrase(method.get("guarantee")),
        "confidence level": words.percent(summary.get("level")) if summary.get("level") else None,
        "test": f"{_permutations(test)}, statistic {words.number(test.get('statistic'))}, "
        f"{words.pvalue(test.get('pvalue'))}"
        if test.get("pvalue") is not None
        else None,
        "seed": method.get("seed"),
        "versions": ", ".join(f"{k} {v}" for k, v in (method.get("versions") or {}).items()),
        "time": _timing(method.get("seconds") or {}),
    }
    rows = tuple((k, words.visible(v)) for k, v in facts.items() if v not in (None, ""))
    return Section("method", "Method", (), Table(("what", "how"), rows, names=(0, 1)))


def _timing(stages: Mapping[str, float]) -> str:
    if not stages:
        return ""
    parts = ", ".join(f"{stage} {words.seconds(s)}" for stage, s in stages.items())
    return f"{words.seconds(sum(stages.values()))} in all: {parts}"


def _permutations(test: Mapping[str, Any]) -> str:
    n = test.get("n_permutations")
    return f"{words.count(n)} permutations" if n else "permutation test"
