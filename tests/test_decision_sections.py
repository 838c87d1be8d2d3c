"""Sections at a prevalence: bounds are rounded down, costs up; nothing without a decision."""

from __future__ import annotations

from data_summary import audit_summary

from rocstar.report import decision_sections


def test_operating_points_of_all_curves() -> None:
    section = decision_sections.operating_points(audit_summary())
    assert section is not None
    assert section.table.header[-1] == "cost per 1,000"
    certified, found, score, *_ = section.table.rows
    assert certified[:3] == ("10 % false alarms", "certified", "10.0 %")
    assert (found[1], score[1]) == ("best model found", "model_score")
    # 0.36 · 0.05 / (0.36 · 0.05 + 0.095) = 0.15929, rounded down.
    assert certified[4] == "0.159"
    assert section.data.header[:3] == ("operating_point", "of", "fpr")
    assert section.text[1].startswith("“score ≥ 0.091” reads a score as a probability")
    summary = audit_summary()
    summary["decision"]["cost_fn"] = None
    plain = decision_sections.operating_points(summary)
    assert plain is not None
    assert plain.table.header[-1] == "lift"
    assert [row[0] for row in section.table.rows[3:]] == [*["lowest cost"] * 3, "score ≥ 0.091"]
    assert plain.table.rows[3][0] == "highest net benefit"
    assert {row[0] for row in section.data.rows} == {row[0] for row in section.table.rows}


def test_curves_read_off_and_in_full() -> None:
    for build in (decision_sections.precision_recall, decision_sections.net_benefit):
        section = build(audit_summary())
        assert section is not None
        assert len(section.data.rows) == 20
        assert len(section.data.rows[0]) == len(section.table.header)
        assert "model_score" in section.table.header
    assert section.text[1].startswith("`model_score`: read as a probability and cut")


def test_without_a_decision_there_is_no_section() -> None:
    for build in (
        decision_sections.operating_points,
        decision_sections.precision_recall,
        decision_sections.net_benefit,
    ):
        assert build(audit_summary() | {"decision": None}) is None
