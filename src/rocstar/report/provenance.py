"""Sections that account for the answer: its models, its columns, its caveats and its method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report import method_words, words
from rocstar.report.parts import Data, Section, Summary, Table


def members(summary: Summary) -> Section | None:
    """Models that the answer mixes."""
    members = [[m[key] for key in ("name", "weight", "arc_length")] for m in summary["members"]]
    if len(members) < 2:
        return None
    return Section(
        "members",
        "The models behind the answer",
        (
            "The best model found is a mixture of these. Weight is the share of each; the arc "
            "length is the one it reaches by itself on rows it had not seen (higher is better).",
        ),
        Table(
            ("model", "weight", "arc length alone"),
            tuple(
                (words.visible(name), words.percent(weight), words.number(length))
                for name, weight, length in members
            ),
        ),
        Data(("model", "weight", "arc_length"), tuple(map(tuple, members))),
        folded=True,
    )


def columns(summary: Summary) -> Section | None:
    """Every column with what was done to it."""
    columns, features = summary["data"]["columns"], summary["data"]["features"]
    if not columns:
        return None
    used = words.plural(sum(column["used"] for column in columns), "column")
    noted = any(column["notes"] for column in columns)
    header = ("column", "type", "treatment", "missing", "distinct", "notes")
    shown = len(header) if noted else len(header) - 1
    return Section(
        "columns",
        "Columns and what was done to them",
        (f"{used} became {words.plural(features, 'number')} per row.",),
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
                    *(c[k] for k in ("name", "type", "treatment", "missing", "distinct")),
                    "; ".join(c["notes"]),
                )
                for c in columns
            ),
        ),
    )


def _column(column: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        *(words.visible(column[key]) for key in ("name", "type", "treatment")),
        words.count(column["missing"]),
        words.count(column["distinct"]),
        words.visible("; ".join(column["notes"])),
    )


def caveats(summary: Summary) -> Section:
    """What the reader must not conclude."""
    return Section("caveats", "Caveats", (), items=tuple(summary["caveats"]))


def method(summary: Summary) -> Section:
    """Model, folds, seed, versions and timing."""
    method, test = summary["method"], summary["test"]
    facts = {
        "model": method["model"],
        "cross-validation": method["splits"],
        "lower bounds": method["method"],
        "guarantee of lower bounds": method_words.guarantee_phrase(method["guarantee"]),
        "confidence level": words.percent(summary["level"]),
        "test": f"{_permutations(test)}, statistic {words.number(test['statistic'])}, "
        f"{words.pvalue(test['pvalue'])}",
        "seed": method["seed"],
        "versions": ", ".join(f"{k} {v}" for k, v in method["versions"].items()),
        "time": _timing(method["seconds"]),
    }
    rows = tuple((k, words.visible(v)) for k, v in facts.items())
    return Section("method", "Method", (), Table(("what", "how"), rows, names=(0, 1)))


def _timing(stages: Mapping[str, float]) -> str:
    parts = ", ".join(f"{stage} {words.seconds(s)}" for stage, s in stages.items())
    return f"{words.seconds(sum(stages.values()))} in all: {parts}"


def _permutations(test: Mapping[str, Any]) -> str:
    n = test["n_permutations"]
    return f"{words.count(n)} permutations" if n else "permutation test"
