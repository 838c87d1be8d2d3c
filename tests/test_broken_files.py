"""Files as they are: the right answer, a visible warning, or one sentence; by the command line."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from broken_files import CASES, TARGET, Case, clean
from data_cli import QUICK, run


def audited(capsys, monkeypatch, path, *options: str):
    arguments = ("audit", path, "-t", TARGET, *options, *QUICK, "--json", "--quiet")
    return run(capsys, monkeypatch, *arguments)


@pytest.fixture(scope="module")
def right_answer(tmp_path_factory) -> float:
    from rocstar.audits.audit import audit_table
    from rocstar.tables.table import prepare

    found = audit_table(prepare(clean(), target=TARGET), model="linear", fast=True, random_state=0)
    assert 0.7 < found.auc.value < 0.9
    return found.summary()["auc"]["value"]


@pytest.mark.parametrize("name", CASES)
def test_a_file_as_it_is(name, tmp_path, capsys, monkeypatch, right_answer):
    case: Case = CASES[name]
    if case.needs:
        pytest.importorskip(case.needs)
    path = tmp_path / case.file
    case.write(path)
    code, out, err = audited(capsys, monkeypatch, path, *case.options)
    if case.sentence:
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert case.sentence in err
        return
    assert (code, err) == (0, "")
    summary = json.loads(out)
    if case.same:
        assert summary["auc"]["value"] == pytest.approx(right_answer, abs=1e-9)
    columns = {column["name"]: column for column in summary["data"]["columns"]}
    for column, kind in case.types.items():
        assert columns[column]["type"] == kind
    assert case.note in " ".join(columns["amount"]["notes"])
    remarks = summary["data"]["warnings"]
    told = [remark["text"] for remark in remarks if remark["severity"] == "warning"]
    assert any(case.warning in text for text in told) if case.warning else not told
    # A column that was not taken as it came is remarked on, be it only in a note.
    notes = [remark["text"] for remark in remarks if remark["severity"] == "note"]
    assert notes == [f"`amount`: {note}." for note in columns["amount"]["notes"]]


def test_numbers_written_for_people_are_scored_like_plain_ones(tmp_path, capsys, monkeypatch):
    clean().to_csv(tmp_path / "plain.csv", index=False)
    CASES["euros"].write(tmp_path / "euros.csv")
    scores = {}
    for name in ("plain", "euros"):
        table, model = tmp_path / f"{name}.csv", tmp_path / f"{name}.skops"
        options = ("-t", TARGET, "--model", "linear", "-o", model, "--quiet")
        assert run(capsys, monkeypatch, "fit", table, *options)[0] == 0
        code, out, err = run(capsys, monkeypatch, "score", model, table)
        assert (code, err) == (0, "")
        scores[name] = pd.read_csv(io.StringIO(out))["rocstar_probability"]
    pd.testing.assert_series_equal(scores["plain"], scores["euros"])
    assert scores["plain"].nunique() > 100
