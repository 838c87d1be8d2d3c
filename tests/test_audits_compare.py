"""Comparisons: which columns moved, and what happens to those that do not match."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_audit import LAW

from rocstar import compare, laws
from rocstar.audits.compare import columns_importance
from rocstar.checks import InputError
from rocstar.tables.model import table_model
from rocstar.tables.table import table_of


def test_comparison_finds_the_column_that_moved(comparison):
    assert comparison.pvalue <= 0.01
    first = comparison.columns_importance[0]
    assert first["name"] == "moved"
    assert first["importance"] > 0.05
    law = laws.GaussianPair(1.5, 0.0)
    assert first["divergence"] == pytest.approx(law.arc_length - np.sqrt(2), abs=0.07)
    others = comparison.columns_importance[1:]
    assert all(abs(other["importance"]) < 0.02 for other in others)
    assert "Most of it shows in `moved`" in comparison.verdict
    assert comparison.divergence.low < law.arc_length - np.sqrt(2)
    assert 0.2 < comparison.share_different < 0.8


def test_columns_that_do_not_match_are_named(comparison):
    (seen,) = comparison.summary()["data"]["warnings"]
    assert seen == {"severity": "warning", "text": "`added` is only in new and was left out."}
    assert comparison.summary()["data"]["names"] == ["old", "new"]


def test_samples_of_one_law_do_not_differ():
    X, _ = LAW.sample(1, 400, random_state=3)
    found = compare(X[:200], X[200:], model="linear", random_state=0)
    assert found.verdict.startswith("No difference between the two samples was found")


def test_swapping_the_samples_changes_little(comparison):
    X, y = laws.GaussianPair([1.0], [0.0]).sample(200, 200, random_state=0)
    one = compare(X[y == 0], X[y == 1], model="linear", random_state=0)
    other = compare(X[y == 1], X[y == 0], model="linear", random_state=0)
    assert one.arc_length.value == pytest.approx(other.arc_length.value, abs=0.01)


def test_nothing_in_common():
    with pytest.raises(InputError, match="no column in common"):
        compare(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]}))


def test_importance_shuffles_all_columns_of_a_date_together():
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 400), unit="D")
    y = (day.day_of_year + rng.normal(0, 30, 400) > 150).astype(int)
    table = table_of(pd.DataFrame({"day": day, "noise": rng.normal(size=400)}), y)
    model = table_model("trees", rows=400).fit(table.X[:200], table.y[:200])
    entries = columns_importance(table, model, (np.arange(200), np.arange(200, 400)))
    assert entries[0]["name"] == "day"
    assert entries[0]["importance"] > 0.3
