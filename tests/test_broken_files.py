"""Files as they are: the right answer, a visible warning, or one sentence; by the command line."""

from __future__ import annotations

import json

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
    return found.auc.value


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
    told = [remark["text"] for remark in summary["data"]["warnings"]]
    assert any(case.warning in text for text in told) if case.warning else not told
