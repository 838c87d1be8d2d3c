"""Sections that answer: curves, headroom, columns that moved, and more rows."""

from __future__ import annotations

from data_summary import audit_summary

from rocstar.report import findings
from rocstar.report.sections import document


def test_the_band_is_a_staircase_rounded_down() -> None:
    summary = audit_summary()
    summary["figures"]["roc"] |= {"fpr": [0.0, 0.5, 1.0], "tpr": [0.0, 1.0, 1.0]}
    summary["figures"]["roc"]["low"] = [0.0, 0.7999, 0.9]
    (section,) = [s for s in document(summary).sections if s.id == "roc"]
    assert section.table is not None
    column = [h.startswith("at least") for h in section.table.header].index(True)
    read = {row[0]: row[column] for row in section.table.rows}
    assert (read["0.45"], read["0.50"], read["0.95"], read["1.00"]) == (
        "0.000",
        "0.799",
        "0.799",
        "0.900",
    )


def test_measured_and_expected_points_are_told_apart() -> None:
    section = findings.learning(audit_summary())
    assert section is not None
    assert [row[:2] for row in section.data.rows[-2:]] == [(4000, "measured"), (8000, "expected")]
    few = findings.learning(audit_summary() | {"more_rows": None})
    assert few is not None
    assert few.text[0] == "There are too few rows to tell whether more would help."
    assert few.table.rows[-1][1] == "measured"
