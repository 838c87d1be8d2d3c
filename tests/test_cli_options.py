"""Options that commands share, checked before any work."""

from __future__ import annotations


def test_an_output_that_is_a_folder(rocstar, churn, tmp_path):
    (tmp_path / "a.html").mkdir()
    code, _, err = rocstar("audit", churn, "-t", "churned", "-o", tmp_path / "a.html")
    assert (code, err.count("\n")) == (2, 1)


def test_options_are_checked_before_the_table_is_read(rocstar, monkeypatch):
    monkeypatch.setattr("rocstar.tables.reading.read_table", None)
    for option in (("--level", "1"), ("--max-memory", "nan"), ("--model", "x"), ("-o", "a.pdf")):
        code, _, err = rocstar("audit", "data.csv", "-t", "y", *option)
        assert (code, err.count("\n")) == (2, 1)
