"""`rocstar compare`."""

from __future__ import annotations

import json

import pandas as pd
from data_cli import QUICK


def test_compare_has_an_exit_code_of_its_own_for_drift(rocstar, churn, tmp_path):
    frame = pd.read_csv(churn).drop(columns="churned")
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    frame[:120].assign(only=1).to_parquet(old)
    frame[120:].assign(age=lambda f: f["age"] + 3).to_parquet(new)
    code, out, err = rocstar("compare", old, new, *QUICK, "--fail-above", "0.05")
    assert code == 3
    assert "`only` is only in old.parquet" in " ".join(out.split()).replace("only is", "`only` is")
    assert "The ROC divergence is at least 0." in err
    assert rocstar("compare", old, new, *QUICK, "--fail-above", "0.58")[0] == 0
    code, out, _ = rocstar("compare", old, old, *QUICK, "--json", "--fail-above", "0.05")
    assert code == 0
    assert json.loads(out)["test"]["pvalue"] > 0.05


def test_compare_refuses_to_drop_what_is_not_there(rocstar, churn):
    code, _, err = rocstar("compare", churn, churn, "--drop", "aeg")
    assert code == 2
    assert err == f"`{churn}` has no column `aeg`; did you mean `age`?\n"


def test_roles_are_columns_of_both_tables(rocstar, churn, tmp_path):
    frame = pd.read_csv(churn).drop(columns="churned")
    frame["customer"], frame["w"] = frame.index // 2, 1.0 + frame.index % 2
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    frame[:120].to_parquet(old)
    frame[120:].to_parquet(new)
    roles = ("--group", "customer", "--weight", "w")
    code, out, _ = rocstar("compare", old, new, *QUICK, *roles, "--json")
    assert code == 0
    data = json.loads(out)["data"]
    assert (data["groups"], data["weighted"], data["ordered"]) == (120, True, False)
    assert {"customer", "w"}.isdisjoint(column["name"] for column in data["columns"])
    code, _, err = rocstar("compare", old, new, "--time", "dya")
    assert code == 2
    assert err.startswith("`old.parquet` has no column `dya`")
