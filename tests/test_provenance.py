"""Sections that account for the answer."""

from __future__ import annotations

from data_summary import audit_summary, column

from rocstar.report import provenance


def test_the_method_is_stated_in_full() -> None:
    section = provenance.method(audit_summary())
    assert section is not None
    facts = dict(section.table.rows)
    assert facts["test"] == "999 permutations, statistic 1.539, p = 0.001"
    assert facts["confidence level"] == "95 %"
    assert facts["seed"] == "0"
    assert facts["versions"] == "rocstar 0.1.0, scikit-learn 1.9.1, python 3.11.2"
    assert facts["time"].startswith("16.6 s in all: read 0.20 s, columns 0.40 s, certify 12.1 s")


def test_a_column_of_notes_appears_with_the_first_note() -> None:
    plain = {"data": {"columns": [column("age", "number", "used as it is")], "features": 3}}
    section = provenance.columns(plain)
    assert section is not None
    assert section.table.header[-1] == "distinct"
    plain["data"]["columns"].append(column("id", "text", "dropped", notes=["names rows", "odd"]))
    noted = provenance.columns(plain)
    assert noted is not None
    assert noted.table.header[-1] == "notes"
    assert [row[-1] for row in noted.table.rows] == ["", "names rows; odd"]


def test_without_members_or_columns_there_are_no_such_sections() -> None:
    alone = {"name": "linear", "weight": 1.0, "arc_length": 1.6}
    assert provenance.members({"members": [alone]}) is None
    assert provenance.columns({"data": {"columns": [], "features": 0}}) is None
