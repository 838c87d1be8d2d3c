"""Sections of the page of a watched stream."""

from __future__ import annotations

from data_watch import SUMMARY, batch

from rocstar import report
from rocstar.report.watch_sections import e_value, facts, watch_document


def test_the_first_screen_says_alarm_and_rounds_outwards():
    tiles = {fact.label: fact.value for fact in facts(SUMMARY)}
    assert tiles == {
        "State": "Alarm",
        "Difference (TV)": "≥ 0.100",
        "Evidence (e-value)": "> 1,000,000",
        "AUC of the score": "≥ 0.600",
    }


def test_the_evidence_has_its_limit_beside_it():
    (note,) = [
        fact.note
        for fact in facts({**SUMMARY, "batches": [batch(1, e_value_limit=83.3)]})
        if fact.label == "Evidence (e-value)"
    ]
    assert note.startswith("of the models' bets; alarm at 83; chance")


def test_sections_come_in_reading_order():
    ids = [section.id for section in watch_document(SUMMARY).sections]
    assert ids == ["timeline", "moved", "sparklines", "auc_timeline", "notes", "method"]


def test_the_newest_reading_comes_first_and_bounds_are_rounded_outwards():
    sections = {section.id: section for section in watch_document(SUMMARY).sections}
    assert sections["timeline"].table.rows[0][0] == "2026-01-04"
    assert sections["auc_timeline"].table.rows[1][2:4] == ("0.712", "0.888")
    assert sections["moved"].table.rows == (("2026-01-04", "<b>age</b> and plan", "alarm"),)
    assert sections["notes"].items == ("2026-01-02: The batch has no rows.",)


def test_single_columns_have_a_tile_and_are_named():
    tested = [batch(1, column_pvalue=1.0), batch(2, alarm=True, column="age", column_pvalue=0.012)]
    summary = {**SUMMARY, "batches": tested, "tolerance_tv": 0.0}
    tiles = {fact.label: fact for fact in facts(summary)}
    assert tiles["Single columns"].value == "p = 0.012"
    assert tiles["Single columns"].note.endswith("alarm at 0.05")
    timeline = watch_document(summary).sections[0]
    assert timeline.table.rows[0][-1] == "alarm: age"
    assert "shows a difference, or when a single column is shown to have" in timeline.text[0]
    usual = watch_document(SUMMARY).sections[0].text[0]
    assert "shows a difference above the tolerance of 0.050, and lasts" in usual


def test_a_note_that_repeats_is_said_once():
    noted = [batch(k, notes=["New column."]) for k in (1, 3, 4)]
    sections = watch_document({**SUMMARY, "batches": noted}).sections
    (notes,) = [section for section in sections if section.id == "notes"]
    assert notes.items == ("2026-01-01 and 2 later batches: New column.",)


def test_a_stream_without_batches_has_a_page():
    empty = {"kind": "watch", "verdict": "No batch has been judged yet."}
    assert "No batch has been judged yet." in report.html(empty)


def test_html_and_markdown_say_the_same_and_escape():
    page, text = report.html(SUMMARY), report.markdown(SUMMARY)
    assert "<b>age" not in page
    assert "&lt;b&gt;age" in page
    assert "Difference from the reference over time" in page
    assert "Difference from the reference over time" in text


def test_evidence_as_text():
    assert [e_value(v) for v in (None, 0.123, 1.0, 12.34, 123.4, 2e6)] == [
        "–", "0.12", "1", "12", "123", "> 1,000,000",
    ]  # fmt: skip
