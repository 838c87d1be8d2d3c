"""Which sections a report has."""

from __future__ import annotations

from data_summary import audit_summary, comparison_summary

from rocstar.report.sections import document


def test_sections_of_both_kinds() -> None:
    audit = {section.id for section in document(audit_summary()).sections}
    shared = {"roc", "scale", "angles", "members", "columns", "caveats", "method"}
    assert audit == shared | {"headroom", "importance", "learning"} | {
        "prevalence",
        "precision-recall",
        "decision",
        "gains",
        "segments",
        "calibration",
    }
    comparison = {section.id for section in document(comparison_summary()).sections}
    assert comparison == shared | {"importance", "changes"}
