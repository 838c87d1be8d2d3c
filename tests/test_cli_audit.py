"""`rocstar audit`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data_cli import QUICK, command

DATA = Path(os.environ.get("ROCSTAR_DATA", "/nonexistent")) / "tabular"


def test_audit_prints_the_summary(rocstar, churn):
    code, out, err = rocstar("audit", churn, "-t", "churned", "--score", "model_score", *QUICK)
    assert code == 0
    assert "Audit of churn.csv" in out
    assert "Best AUC" in out
    assert "model_score" in out
    assert err == ""


def test_the_seed_decides(rocstar, churn):
    def lows(seed: int) -> float:
        _, out, _ = rocstar("audit", churn, "-t", "churned", "--json", "--seed", seed, *QUICK)
        return json.loads(out)["auc"]["low"]

    assert lows(0) == lows(0)
    assert lows(0) != lows(1)


def test_roles_are_passed_on(rocstar, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    frame = pd.DataFrame({"x": rng.normal(y), "id": range(240), "w": 1.0, "g": np.arange(240) // 2})
    frame["y"] = np.array(["a", "b", "c"])[y]
    frame.to_parquet(tmp_path / "d.parquet")
    code, out, _ = rocstar(
        *("audit", tmp_path / "d.parquet", "-t", "y", "--positive", "c", "--drop", "id"),
        *("--weight", "w", "--group", "g", "--json", *QUICK),
    )
    assert code == 0
    data = json.loads(out)["data"]
    assert {column["name"]: column["type"] for column in data["columns"]} == {
        "x": "number",
        "id": "dropped",
        "w": "weight",
        "g": "group",
    }
    assert data["positive"] == "c"


def test_time_orders_the_rows(rocstar, churn, tmp_path):
    frame = pd.read_csv(churn).sample(frac=1, random_state=0)
    frame["day"] = pd.date_range("2024-01-01", periods=len(frame))
    frame.to_csv(tmp_path / "d.csv", index=False)
    code, out, _ = rocstar(
        "audit", tmp_path / "d.csv", "-t", "churned", "--time", "day", "--json", *QUICK
    )
    assert code == 0
    assert "later half held out" in json.loads(out)["method"]["splits"]


def test_warnings_are_told(rocstar, churn, tmp_path):
    frame = pd.read_csv(churn)
    frame["leak"] = (frame["churned"] == "yes") * 1.0
    frame.to_csv(tmp_path / "d.csv", index=False)
    _, out, _ = rocstar("audit", tmp_path / "d.csv", "-t", "churned", *QUICK)
    assert "check whether it leaks the target" in " ".join(out.split())


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="ROCSTAR_DATA names no folder with tabular data")
@pytest.mark.parametrize("path", sorted(DATA.glob("*.parquet")), ids=lambda path: path.stem)
def test_every_real_table_runs_end_to_end(path, tmp_path):
    output = tmp_path / "a.html"
    done = command("audit", path, "-t", "target", "--fast", "--json", "-o", output)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert 0.5 < summary["auc"]["low"] <= summary["auc"]["value"] <= 1
    assert output.stat().st_size < 6e6
