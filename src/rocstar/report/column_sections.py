"""Sections on columns: which of them carry the answer, and how their values changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report import words
from rocstar.report.parts import Data, Section, Summary, Table, followed, sides


def importance(summary: Summary) -> Section | None:
    """Columns that the model found relies on."""
    columns = summary["columns_importance"]
    if not columns:
        return None
    alone = "divergence" in columns[0]
    lost = words.FIGURE_NAMES["arc_length" if alone else followed(summary)]
    level = words.percent(summary["level"])
    header = ("columns", "importance", f"{level} interval", "divergence alone")
    rows = (
        (
            words.visible(c["name"]),
            words.number(c["importance"], 4),
            words.between(c["low"], c["high"], 4),
            words.number(c.get("divergence")),
        )
        for c in columns
    )
    shown = len(header) if alone else len(header) - 1
    keys = ("importance", "low", "high", "divergence")[: 4 if alone else 3]
    return Section(
        "importance",
        "Which columns carry the difference" if alone else "Which columns the model relies on",
        _importance_text(lost, level, alone),
        Table(header[:shown], tuple(row[:shown] for row in rows)),
        Data(
            ("columns", *keys),
            tuple(("; ".join(c["columns"]), *(c[k] for k in keys)) for c in columns),
        ),
        folded=True,
    )


def _importance_text(lost: str, level: str, alone: bool) -> tuple[str, ...]:
    text = [
        f"Importance is the {lost} that the best model found loses when a column is shuffled "
        f"among rows it had not seen, with a {level} confidence interval for each. Columns that "
        "stand in for each other (rank correlation of at least 0.7) are shuffled together.",
        "This describes the model that was found. It bounds nothing about the best possible "
        "model, which may do without the column.",
    ]
    if alone:
        text.append(
            "The second number compares the samples on these columns alone. The two can disagree: "
            "some differences show only in a combination of columns."
        )
    return tuple(text)


def changes(summary: Summary) -> Section:
    """How the values of changed columns are distributed in both samples."""
    changed, (second, first) = summary["changes"], sides(summary)
    text = (
        "Each column is compared by itself. It is listed if a chi-squared test of its values, "
        f"gaps included, rejects at {words.percent(1 - summary['level'])} over all "
        "columns together. Columns of free text are not compared here."
    )
    if not changed:
        return Section("changes", "How columns changed", (text, "No column is listed."))
    return Section(
        "changes",
        "How columns changed",
        (f"{text} Numbers beside bars are changes in percentage points.",),
        Table(
            ("column", "value", first, second),
            tuple(row for c in changed for row in _shares(c)),
            names=(0, 1),
        ),
        Data(
            ("column", "value", f"share_{first}", f"share_{second}"),
            tuple(
                (c["name"], label, a, b)
                for c in changed
                for label, a, b in zip(
                    (*c["labels"], "missing"),
                    (*c["first"], c["missing"][0]),
                    (*c["second"], c["missing"][1]),
                    strict=True,
                )
            ),
        ),
        items=tuple(sentence for c in changed if (sentence := change_sentence(c))),
        folded=True,
    )


def _shares(change: Mapping[str, Any]) -> list[tuple[str, ...]]:
    labels = [*change["labels"], "missing"]
    first, second = ([*change[key], gap] for key, gap in zip(
        ("first", "second"), change["missing"], strict=True
    ))  # fmt: skip
    return [
        (words.visible(change["name"]), words.visible(label), *map(_share, (a, b)))
        for label, a, b in zip(labels, first, second, strict=True)
        if label != "missing" or a or b
    ]


def _share(value: float) -> str:
    return words.percent(value, 1)


def change_sentence(change: Mapping[str, Any]) -> str:
    """New and vanished values and a changed share of gaps; nothing if there is none of them."""
    said = [
        f"{what} {words.listed([f'`{name}`' for name in named])}"
        for what, key in (("new:", "new"), ("vanished:", "vanished"))
        if (named := _named(change, key))
    ]
    before, after = (_share(share) for share in change["missing"])
    if before != after:
        said.append(f"missing: {before}, then {after}")
    return f"`{change['name']}`: {'; '.join(said)}." if said else ""


def _named(change: Mapping[str, Any], key: str) -> list[str]:
    more = change[f"n_{key}"] - len(change[key])
    return [*change[key], *([f"{more} more"] if more else [])]
