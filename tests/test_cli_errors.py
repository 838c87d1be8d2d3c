"""Failures: one sentence on standard error, and the exit code that goes with it."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest


def bad(path: Path, name: str) -> list[str]:
    """Arguments of an audit that must be refused."""
    rows = pd.DataFrame({"age": range(40), "y": [0, 1] * 20})
    options = ["-t", "y"]
    file = path / "data.csv"
    if name == "missing file":
        file = path / "dota.csv"
        rows.to_csv(path / "data.csv")
    elif name == "empty file":
        file.write_bytes(b"")
    elif name == "no such column":
        rows.to_csv(file)
        options = ["-t", "Y "]
    elif name == "one class":
        rows.assign(y=1).to_csv(file, index=False)
    elif name == "a class per row":
        rows.assign(y=[f"name {k}" for k in range(40)]).to_csv(file, index=False)
    elif name == "duplicate names":
        file.write_text("age,age,y\n1,2,0\n2,3,1\n")
    elif name == "truncated Parquet":
        file = path / "data.parquet"
        rows.to_parquet(file)
        file.write_bytes(file.read_bytes()[:-50])
    elif name == "binary named csv":
        file.write_bytes(os.urandom(64) + b"\x00" * 64)
    elif name == "unwritable output":
        rows.to_csv(file, index=False)
        options += ["-o", str(path / "no" / "folder.html")]
    elif name == "odd output":
        rows.to_csv(file, index=False)
        options += ["-o", str(path / "report.pdf")]
    elif name == "too large":
        rows.to_csv(file, index=False)
        options += ["--max-memory", "1MB"]
    elif name == "odd size":
        rows.to_csv(file, index=False)
        options += ["--max-memory", "much"]
    elif name == "odd level":
        rows.to_csv(file, index=False)
        options += ["--level", "95"]
    elif name == "odd model":
        rows.to_csv(file, index=False)
        options += ["--model", "forest"]
    elif name == "odd seed":
        rows.to_csv(file, index=False)
        options += ["--seed", "-1"]
    elif name == "odd option":
        options += ["--colour", "red"]
    elif name == "no target":
        rows.to_csv(file, index=False)
        options = []
    elif name == "too few rows":
        rows.iloc[:5].assign(y=[0, 0, 0, 0, 1]).to_csv(file, index=False)
    return [str(file), *options]


TOLD = {
    "missing file": "did you mean `",
    "empty file": "`data.csv` is empty.",
    "no such column": "did you mean `y`?",
    "one class": "has one class only, 1.",
    "a class per row": "or join classes, or say which is positive with --positive.",
    "duplicate names": "has two columns named `age`",
    "truncated Parquet": "is not a complete Parquet file",
    "binary named csv": "is binary data, not CSV text.",
    "unwritable output": "cannot be written: there is no folder",
    "odd output": "must end in .html or .md or .json.",
    "too large": "of memory, but 1.0 MB may be used (--max-memory): "
    "take fewer rows or columns, or audit it as Parquet with --cluster local.",
    "odd size": "--max-memory must be a size such as 8GB; got much.",
    "odd level": "--level must be a share between 0 and 1; got 95: write 95% or 0.95.",
    "odd model": "'--model': 'forest' is not one of 'auto', 'linear', 'rbf', 'trees'.",
    "odd seed": "'--seed': ",
    "odd option": "No such option: --colour",
    "no target": "Name the column with the classes with --target",
    "too few rows": "Only 1 row has y = 1; at least 2 are needed.",
}


@pytest.mark.parametrize("name", TOLD)
def test_bad_input_is_one_sentence_and_exit_code_2(rocstar, tmp_path, name):
    code, out, err = rocstar("audit", *bad(tmp_path, name))
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert TOLD[name] in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.html"))


def test_an_unexpected_failure_is_exit_code_1(rocstar, churn, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("rocstar.audits.audit.audit_table", broken)
    code, _, err = rocstar("audit", churn, "-t", "churned")
    assert code == 1
    assert err.startswith("Unexpected failure: RuntimeError: boom")
    assert err.count("\n") == 1


def test_a_missing_extra_is_one_sentence(rocstar, churn, monkeypatch):
    def missing(*_, **__):
        raise ModuleNotFoundError("No module named 'skrub'", name="skrub")

    monkeypatch.setattr("rocstar.tables.reading.read_table", missing)
    code, _, err = rocstar("audit", churn, "-t", "churned")
    assert (code, err) == (1, "skrub is missing: pip install 'rocstar[cli]'.\n")
