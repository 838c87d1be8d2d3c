"""`rocstar fit`."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest


@pytest.mark.parametrize("suffix", ["parquet", "csv", "CSV", "feather"])
def test_fit_then_score(rocstar, churn, tmp_path, suffix):
    model, scored = tmp_path / "model.skops", tmp_path / f"scored.{suffix}"
    code, out, err = rocstar(
        "fit", churn, "-t", "churned", "-o", model, "--model", "linear", "--drop", "model_score"
    )
    assert (code, out) == (0, "")
    assert err == f"Fitted to 240 rows; wrote {model}.\n"
    code, out, err = rocstar("score", model, churn, "-o", scored)
    assert (code, out) == (0, "")
    result = getattr(pd, f"read_{suffix.lower()}")(scored)
    assert list(result.columns) == [
        *("age", "income", "churned", "model_score"),
        *("rocstar_angle", "rocstar_ratio", "rocstar_probability"),
    ]
    yes = result["churned"] == "yes"
    assert result["rocstar_angle"][yes].mean() > result["rocstar_angle"][~yes].mean()


def test_fit_names_its_own_options_only(rocstar, tmp_path):
    y = np.arange(60) < 30
    x = np.random.default_rng(0).normal(size=60) + y
    table = pd.DataFrame({"x": x, "y": y.astype(int), "id": [f"u{k:03}" for k in range(60)]})
    pd.concat([table, table[:1]]).to_csv(tmp_path / "data.csv", index=False)
    options = ["-t", "y", "--model", "linear", "-o", tmp_path / "model.skops"]
    _, _, err = rocstar("fit", tmp_path / "data.csv", *options)
    assert "leave it out with --drop if it names rows.\n" in err
    assert "rather than coincidences, remove the copies.\n" in err
    assert "--group" not in err


@pytest.mark.parametrize("kind", ["linear", "auto"])
def test_more_than_two_classes(rocstar, tmp_path, kind):
    """One probability per class, and the likeliest one; a class of one row is left out."""
    rng = np.random.default_rng(0)
    colour = np.array(["amber", "blue", "cyan"])[np.arange(120) % 3]
    table = pd.DataFrame({"x": rng.normal(size=120) + 6 * (colour == "blue")})
    table = table.assign(z=rng.normal(size=120) + 6 * (colour == "cyan"), colour=colour)
    table.loc[120] = [0.0, 0.0, "rare"]
    file, model = tmp_path / "data.csv", tmp_path / "model.skops"
    table.to_csv(file, index=False)
    code, _, err = rocstar("fit", file, "-t", "colour", "-o", model, "--model", kind)
    assert code == 0
    assert "with fewer than 5 rows were left out: `rare` (1 row)" in err
    assert f"Fitted to 120 rows; wrote {model}." in err
    code, out, _ = rocstar("score", model, file)
    assert code == 0
    scored = pd.read_csv(io.StringIO(out))
    names = [f"rocstar_probability_{name}" for name in ("amber", "blue", "cyan")]
    assert list(scored.columns) == [*("x", "z", "colour"), *names, "rocstar_class"]
    np.testing.assert_allclose(scored[names].sum(axis=1), 1.0)
    assert (scored["rocstar_class"] == scored["colour"]).mean() > 0.95
    scored.to_csv(file, index=False)
    code, _, err = rocstar("score", model, file)
    assert code == 2
    assert "already has `rocstar_probability_amber`" in err
