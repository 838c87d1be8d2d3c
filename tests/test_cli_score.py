"""`rocstar score`."""

from __future__ import annotations

import pandas as pd


def test_score_prints_csv_without_an_output(rocstar, churn, tmp_path):
    model = tmp_path / "model.skops"
    rocstar("fit", churn, "-t", "churned", "-o", model, "--model", "linear")
    code, out, err = rocstar("score", model, churn)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 241


def test_score_refuses_other_files(rocstar, churn, tmp_path):
    (tmp_path / "model.skops").write_bytes(b"no")
    code, _, err = rocstar("score", tmp_path / "model.skops", churn)
    assert (code, err) == (2, "`model.skops` is not a model file of rocstar.\n")


def test_score_warns_of_values_it_cannot_read(rocstar, churn, tmp_path):
    model, table = tmp_path / "model.skops", tmp_path / "new.csv"
    frame = pd.read_csv(churn).assign(plan=["basic", "plus"] * 120)
    frame.to_csv(table, index=False)
    rocstar("fit", table, "-t", "churned", "-o", model, "--model", "linear")
    frame.assign(age="abc", plan=["gold"] + ["plus"] * 239).to_csv(table, index=False)
    code, out, err = rocstar("score", model, table)
    assert code == 0
    assert len(out.splitlines()) == 241
    assert err.splitlines() == [
        "Warning: Column `age`: 240 of 240 values are not numbers; treated as missing.",
        "Warning: Column `plan`: 1 value not seen in training ('gold') in 1 row; "
        "treated as missing.",
    ]
    assert rocstar("score", model, table, "--quiet")[2] == ""


def test_score_replaces_columns_only_if_asked(rocstar, churn, tmp_path):
    model, scored = tmp_path / "model.skops", tmp_path / "scored.csv"
    rocstar("fit", churn, "-t", "churned", "-o", model, "--model", "linear")
    frame = pd.read_csv(churn).assign(rocstar_angle=-1.0)
    frame.to_csv(scored, index=False)
    code, out, err = rocstar("score", model, scored, "-o", scored)
    assert (code, out) == (2, "")
    assert err == (
        "`scored.csv` already has `rocstar_angle`; use --overwrite to replace what is there, or "
        "rename the columns.\n"
    )
    assert rocstar("score", model, scored, "-o", scored, "--overwrite")[0] == 0
    assert (pd.read_csv(scored)["rocstar_angle"] >= 0).all()
