"""Sections on scores: segments, pairs and calibration, and their absence."""

from __future__ import annotations

from data_summary import audit_summary

from rocstar.report import score_sections


def test_segments_are_listed_and_told_in_plain_words() -> None:
    section = score_sections.segments(audit_summary())
    assert section is not None
    assert section.table.rows[0] == (
        "plan = basic and age ≤ 30",
        "model_score",
        "18 %",
        "60 %",
        "0.031",
        "0.090",
    )
    assert section.items[0].startswith("`plan` = basic and `age` ≤ 30: 18 % of rows, 60 % of what")
    summary = audit_summary()
    summary["segments"][0]["headroom"]["low"] = 0.0
    uncertain = score_sections.segments(summary)
    assert uncertain is not None
    assert uncertain.items == ()


def test_pairs_and_calibration() -> None:
    gains = score_sections.gains(audit_summary())
    assert gains is not None
    assert gains.table.rows == (("new_score", "model_score", "0.048", "0.029 to 0.067"),)
    calibration = score_sections.calibration(audit_summary())
    assert calibration is not None
    assert calibration.folded
    assert len(calibration.data.rows) == 5
    assert "Brier score of 0.1712" in calibration.items[0]


def test_without_scores_there_are_no_sections() -> None:
    for build in (score_sections.segments, score_sections.gains, score_sections.calibration):
        assert build({"segments": [], "gains": [], "calibration": []}) is None
