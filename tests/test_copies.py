"""Near-copies and interpolated rows: found where they were made, and hardly ever elsewhere."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.neighbors import NearestNeighbors
from typer.testing import CliRunner

from rocstar import audit, cli, laws, near_copies
from rocstar.tables import copies
from rocstar.tables.copies import DistinctRows, copy_groups, copy_remarks
from rocstar.tables.table import prepare

NONE = np.array([], dtype=np.intp)


def mixed_rows(n: int, d: int, rng: np.random.Generator) -> pd.DataFrame:
    """Numbers on several scales, whole numbers, categories, and gaps."""
    numbers = rng.normal(size=(n, d - 2)) * 10.0 ** np.arange(d - 2) + rng.normal(size=(n, 1))
    frame = pd.DataFrame(numbers, columns=[f"x{k}" for k in range(d - 2)])
    frame["age"] = rng.integers(18, 90, n).astype(float)
    frame["plan"] = rng.choice(["basic", "plus", "pro"], n)
    frame.loc[rng.random(n) < 0.1, "x0"] = np.nan
    return frame


def jittered(frame: pd.DataFrame, rows: np.ndarray, size: float, rng: np.random.Generator):
    """Copies whose numbers were moved by a share of their standard deviations."""
    copies = frame.iloc[rows].reset_index(drop=True)
    for name, values in copies.select_dtypes("number").items():
        copies[name] = values + size * frame[name].std() * rng.normal(size=len(copies))
    return copies


@pytest.mark.parametrize("columns", [5, 12, 30])
@pytest.mark.parametrize("share", [0.1, 0.5, 3.0])
@pytest.mark.parametrize("size", [1e-3, 1e-2])
def test_jittered_copies_of_positives_are_found_and_grouped(columns, share, size):
    rng = np.random.default_rng(0)
    frame = mixed_rows(300, columns, rng)
    source = rng.choice(150, int(share * 150), replace=share > 1)
    whole = pd.concat([frame, jittered(frame, source, size, rng)], ignore_index=True)
    positive = np.r_[np.arange(300) < 150, np.ones(len(source), bool)]
    table = prepare(whole.assign(churn=np.where(positive, "yes", "no")), target="churn")
    (found,) = [seen for seen in table.warnings if "copies" in seen.text]
    assert found.severity == "invalid"
    assert f"of {150 + len(source)} different rows with churn = yes" in found.text
    assert int(found.text.split()[0]) == pytest.approx(len(set(source)) + len(source), rel=0.2)
    groups = copy_groups(table.X, table.encoder.categorical_)
    assert (groups[300:] == groups[source]).mean() > 0.8
    # Groups hold copies of one row only.
    sources = pd.Series(np.r_[np.arange(300), source]).groupby(groups).nunique()
    assert (sources > 1).mean() < 0.01


def test_thirty_copies_of_each_row_are_found():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 6))
    many = np.vstack([X, np.repeat(X, 30, axis=0) + 0.01 * rng.normal(size=(1500, 6))])
    assert DistinctRows.of(many, NONE).shares()[0] > 0.95
    assert len(np.unique(near_copies(many))) == 50


@pytest.mark.parametrize("share", [0.2, 1.0, 4.0])
def test_interpolated_rows_are_counted(share):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 6))
    X[:, 5] = np.round(X[:, 5])
    near = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X, return_distance=False)
    one = rng.integers(300, size=int(300 * share))
    other = near[one, rng.integers(1, 6, len(one))]
    made = X[one] + rng.random((len(one), 1)) * (X[other] - X[one])
    rows = np.vstack([X, rng.normal(size=(500, 6)), np.round(made, 6)])
    positive = np.r_[np.ones(300, bool), np.zeros(500, bool), np.ones(len(made), bool)]
    (found,) = copy_remarks(rows, positive, NONE, "churn", ("no", "yes"))
    assert found.severity == "invalid"
    assert "SMOTE" in found.text
    n = 300 + len(made)
    count = int(found.text.removeprefix("About ").split()[0].replace(",", ""))
    assert count == pytest.approx(len(made), rel=0.15)
    assert f"of {n:,} different rows with churn = yes" in found.text


def lattice(rng):
    return rng.integers(0, 10, size=(3000, 12)).astype(float)


def few_whole_numbers(rng):
    return rng.integers(0, 10, size=(3000, 4)).astype(float)


def whole_numbers_and_two_others(rng):
    return np.column_stack([rng.integers(0, 5, size=(3000, 3)), rng.normal(size=(3000, 2))])


def heavy_tails(rng):
    return rng.standard_t(1, size=(3000, 6))


def one_continuous_column(rng):
    return np.column_stack([rng.integers(0, 4, size=(3000, 5)), rng.normal(size=3000)])


def zeros_mostly(rng):
    return rng.exponential(size=(3000, 8)) * (rng.random((3000, 8)) < 0.2)


def clusters(rng):
    return rng.normal(size=(40, 5))[rng.integers(0, 40, 3000)] + 0.3 * rng.normal(size=(3000, 5))


def rounded(rng):
    return np.round(rng.normal(size=(3000, 5)), 1)


def two_columns(rng):
    return rng.normal(size=(3000, 2))


@pytest.mark.parametrize(
    "kind",
    [
        lattice,
        few_whole_numbers,
        whole_numbers_and_two_others,
        heavy_tails,
        one_continuous_column,
        zeros_mostly,
        clusters,
        rounded,
        two_columns,
    ],
)
def test_tables_without_copies_raise_no_alarm(kind):
    rng = np.random.default_rng(3)
    X = kind(rng)
    assert copy_remarks(X, rng.random(len(X)) < 0.3, NONE, "y", (0, 1)) == []


@pytest.mark.parametrize("load", [load_breast_cancer, load_diabetes, load_wine])
def test_real_tables_raise_no_alarm(load):
    X, y = load(return_X_y=True)
    assert copy_remarks(X, y > np.median(y), NONE, "y", (0, 1)) == []
    assert len(np.unique(near_copies(X))) == len(np.unique(X, axis=0))


def test_exact_copies_share_a_group_and_others_do_not():
    X = np.random.default_rng(4).normal(size=(60, 4))
    rows = np.r_[np.arange(60), 3, 3, 59]
    groups = near_copies(X[rows])
    assert_array_equal(groups[60:], groups[[3, 3, 59]])
    assert len(np.unique(groups)) == 60


def test_a_copy_of_another_category_is_none():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(size=(200, 5)), rng.integers(0, 3, 200)])
    moved = X[:50] + np.r_[0.001 * np.ones(5), 0]
    other = moved.copy()
    other[:, 5] = (other[:, 5] + 1) % 3
    cut = [DistinctRows.of(np.vstack([X, m]), np.array([5])).shares()[0] for m in (moved, other)]
    assert cut[0] == pytest.approx(100 / 250)
    assert cut[1] == 0


@pytest.mark.parametrize("value", [np.inf, 1e308, 5e-324, np.nan])
def test_extreme_values_are_no_error(value):
    X = np.random.default_rng(6).normal(size=(40, 4))
    X[3, 1] = value
    X[:, 2] *= 1e-200
    assert len(np.unique(near_copies(X))) == 40


def test_large_tables_are_sampled(monkeypatch):
    monkeypatch.setattr(copies, "MOST_NUMBERS", 5 * 600)
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1000, 5))
    rows = np.vstack([X, X + 0.001 * rng.normal(size=X.shape)])
    (found,) = copy_remarks(rows, np.arange(2000) % 1000 < 400, NONE, "y", (0, 1))[:1]
    assert int(found.text.split(" of ")[1].split()[0]) < 400


def test_groups_make_the_bound_of_copied_rows_honest_again():
    """Without them it exceeds the best AUC that any score has; with them, fresh rows confirm it."""
    law = laws.GaussianPair(np.full(6, 0.35), np.zeros(6))
    best = norm.cdf(0.35 * np.sqrt(3))
    rng = np.random.default_rng(0)
    X, y = law.sample(300, 400, random_state=0)
    source = rng.choice(np.flatnonzero(y == 1), 900)
    rows = np.vstack([X, X[source] + 0.01 * rng.normal(size=(900, 6))])
    labels = np.r_[y, np.ones(900, int)]
    how = {"model": "trees", "cv": 2, "random_state": 0}
    alone = audit(rows, labels, **how)
    assert alone.auc.low > best
    assert [w["severity"] for w in alone.summary()["data"]["warnings"]] == ["invalid"]
    grouped = audit(rows, labels, groups=near_copies(rows), **how)
    assert grouped.auc.low < best
    assert grouped.summary()["data"]["warnings"] == []
    fresh, truth = law.sample(2000, 2000, random_state=1)
    scores = grouped.model.decision_function(fresh)
    assert np.mean(scores[truth == 1][:, None] > scores[truth == 0]) > grouped.auc.low


def test_the_command_line_groups_copies(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 5))
    rows = np.vstack([X, X[:60] + 0.001 * rng.normal(size=(60, 5))])
    frame = pd.DataFrame(rows).assign(y=np.r_[np.arange(160) < 80, np.ones(60, bool)].astype(int))
    path = tmp_path / "copied.csv"
    frame.to_csv(path, index=False)
    command = ["audit", str(path), "--target", "y", "--model", "linear", "--json", "--quiet"]
    (seen,) = json.loads(CliRunner().invoke(cli.app, command).stdout)["data"]["warnings"]
    assert seen["severity"] == "invalid"
    assert "remove the copies or keep them together with --group-copies, which" in seen["text"]
    grouped = json.loads(CliRunner().invoke(cli.app, [*command, "--group-copies"]).stdout)
    assert grouped["data"]["warnings"] == []
    assert "group" in grouped["method"]["splits"]
    frame[:160].to_csv(path, index=False)
    none = json.loads(CliRunner().invoke(cli.app, [*command, "--group-copies"]).stdout)
    assert [seen["text"] for seen in none["data"]["warnings"]] == [
        "No near-copies of rows were found; every row counts by itself."
    ]
    assert none["data"]["groups"] is None
    refused = CliRunner().invoke(cli.app, [*command, "--group-copies", "--group", "0"])
    assert "--group and --group-copies cannot be used together" in str(refused.exception)
