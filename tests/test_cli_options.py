"""Options that commands share, checked before any work."""

from __future__ import annotations

import sys

import pytest
import typer

from rocstar.cli.options import share


def test_an_output_that_is_a_folder(rocstar, churn, tmp_path):
    (tmp_path / "a.html").mkdir()
    code, _, err = rocstar("audit", churn, "-t", "churned", "-o", tmp_path / "a.html")
    assert (code, err.count("\n")) == (2, 1)


def test_options_are_checked_before_the_table_is_read(rocstar, monkeypatch):
    monkeypatch.setattr("rocstar.tables.reading.read_table", None)
    for option in (("--level", "1"), ("--max-memory", "nan"), ("--model", "x"), ("-o", "a.pdf")):
        code, _, err = rocstar("audit", "data.csv", "-t", "y", *option)
        assert (code, err.count("\n")) == (2, 1)


@pytest.mark.parametrize(("text", "expected"), [("0.05", 0.05), ("5%", 0.05), ("2.5 %", 0.025)])
def test_a_share_may_be_a_percentage(text, expected):
    assert share(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5", "must be a share between 0 and 1; got 5: write 5% or 0.05."),
        ("0", "must be a share between 0 and 1; got 0."),
        ("150%", "must be a share between 0 and 1; got 150%."),
        ("half", "must be a share between 0 and 1; got half."),
    ],
)
def test_anything_else_is_no_share(text, message):
    with pytest.raises(typer.BadParameter) as error:
        share(text)
    assert error.value.message == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("--prevalence", "5"), "--prevalence must be a share between 0 and 1; got 5: write 5% or"),
        (("--threshold", "2"), "--threshold must be a share between 0 and 1; got 2: write 2% or"),
        (("--cost-fn", "-1", "--cost-fp", "1"), "--cost-fn must be a positive number; got -1."),
        (("--cost-fp", "1"), "--cost-fp must come with --cost-fn."),
        (("--fail-headroom", "0.1"), "--fail-headroom must come with --score"),
    ],
)
def test_options_are_checked_before_anything_is_loaded(rocstar, churn, monkeypatch, call, message):
    monkeypatch.setattr("rocstar.cli.audit.session", None)
    code, _, err = rocstar("audit", churn, "-t", "churned", *call)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(message)


@pytest.mark.parametrize(
    "call",
    [
        ("audit", "no.csv", "-t", "y"),
        ("compare", "no.csv", "-"),
        ("fit", "no.csv", "-t", "y", "-o", "m.skops"),
        ("score", "no.csv", "-"),
        ("watch", "no.csv"),
    ],
)
def test_missing_files_are_named_before_anything_is_loaded(rocstar, monkeypatch, call):
    monkeypatch.setattr(f"rocstar.cli.{call[0]}.session", None)
    code, _, err = rocstar(*call)
    assert (code, err) == (2, "There is no file `no.csv`.\n")


@pytest.mark.parametrize("call", [("audit", "-t", "chruned"), ("compare", "-", "--drop", "nope")])
def test_unknown_columns_are_named_before_models_are_loaded(rocstar, churn, monkeypatch, call):
    command, *rest = call
    for heavy in (f"rocstar.audits.{command}", "rocstar.audits.judge", "rocstar.estimators.stack"):
        monkeypatch.setitem(sys.modules, heavy, None)  # importing it fails
    rest = [str(churn) if part == "-" else part for part in rest]
    code, _, err = rocstar(command, churn, *rest)
    assert code == 2
    assert "churn.csv` has no column `" in err
