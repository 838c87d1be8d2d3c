"""The report in a terminal."""

from __future__ import annotations

import re
from typing import Any

import pytest
from data_summary import ATTACKS, audit_summary, with_every_string
from data_watch import SUMMARY as WATCH
from data_watch import batch

from rocstar import report
from rocstar.geometry.bounds import SHORTEST


@pytest.mark.parametrize("width", [40, 80, 200])
def test_terminal_fits_and_is_plain(summary: dict[str, Any], width: int) -> None:
    text = report.terminal(summary, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert "indistinguishable" in text
    assert "separable" in text


def test_terminal_scale_marks_both_ends() -> None:
    summary = audit_summary()
    for value, low, expected in ((2.0, 2.0, "━●┤ 2"), (SHORTEST, 1.2, "√2 ├●─")):
        summary["arc_length"] |= {"value": value, "low": low}
        assert expected in report.terminal(summary)


def test_colour_adds_codes_and_nothing_else(summary: dict[str, Any]) -> None:
    coloured = report.terminal(summary, color=True)
    stripped = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert coloured != stripped
    lines = [line.rstrip() for line in stripped.splitlines()]
    assert lines == report.terminal(summary).splitlines()


def test_a_watched_stream_shows_its_latest_readings() -> None:
    many = [batch(k % 28 + 1) for k in range(20)]
    alarm = batch(30, alarm=True, column="age", column_pvalue=0.01, notes=["New column."])
    text = report.terminal({**WATCH, "batches": [*many, alarm]})
    lines = text.splitlines()
    assert lines[0] == "Churn <1>"
    assert "  Single columns" in text
    assert re.search(r"2026-01-30 +100 +0\.600 +0\.100 +> 1,000,000 +alarm: age", text)
    assert sum(line.startswith("  2026-01-") for line in lines) == 10
    assert "2026-01-30: New column." in text
    assert max(map(len, lines)) <= 80
    assert "No batch" in report.terminal({"kind": "watch", "verdict": "No batch yet."})


@pytest.mark.parametrize("attack", ATTACKS)
def test_terminal_obeys_no_name(summary: dict[str, Any], attack: str) -> None:
    text = report.terminal(with_every_string(summary, attack))
    text.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_long_names_are_folded_not_cut() -> None:
    summary = audit_summary()
    name = "score_" * 30
    summary["scores"][0]["sentence"] = f"`{name}` has an AUC of 0.7."
    assert name in re.sub(r"\s+", "", report.terminal(summary))


def test_square_brackets_are_not_markup() -> None:
    summary = audit_summary()
    summary["scores"][0]["sentence"] = "`[bold]score[/bold]` has an AUC of 0.7."
    assert "[bold]score[/bold]" in report.terminal(summary)
