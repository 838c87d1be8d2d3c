"""Sections on columns: importance with its intervals, changes by name."""

from __future__ import annotations

from data_summary import audit_summary, comparison_summary

from rocstar.report import column_sections


def test_importance_says_what_it_does_not_bound() -> None:
    section = column_sections.importance(audit_summary())
    assert section is not None
    assert "bounds nothing about the best possible" in section.text[1]
    assert section.text[0].startswith("Importance is the AUC ")
    assert section.table.header == ("columns", "importance", "95 % interval")
    assert section.table.rows[0] == ("age", "0.0611", "0.0480 to 0.0742")
    assert section.data.rows[1][0] == "plan; city"


def test_a_comparison_also_compares_columns_alone() -> None:
    section = column_sections.importance(comparison_summary())
    assert section is not None
    assert section.text[0].startswith("Importance is the arc length ")
    assert section.table.header[-1] == "divergence alone"
    assert section.data.rows[0] == ("age", 0.0911, 0.0790, 0.1032, 0.1102)


def test_new_vanished_and_missing_values_are_named() -> None:
    section = column_sections.changes(comparison_summary())
    assert section is not None
    age, plan = section.items
    assert age == "`age`: missing: 2.0 %, then 5.0 %."
    assert plan.startswith("`plan`: new: `trial`; vanished: ")
    assert "2 more" in plan
    none = column_sections.changes(comparison_summary() | {"changes": []})
    assert none is not None
    assert none.text[1] == "No column is listed."
