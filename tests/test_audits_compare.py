"""Comparisons: which columns moved, and what happens to those that do not match."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from data_audit import LAW

from rocstar import compare, laws
from rocstar.checks import InputError


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


def test_groups_weights_and_time_are_those_of_an_audit():
    """Copies in groups add nothing to what is certified; weights reach the answer."""
    X, y = laws.GaussianPair([0.6], [0.0]).sample(150, 150, random_state=0)
    A, B = X[y == 0], X[y == 1]
    quick = {"model": "linear", "random_state": 0, "cv": 2}
    once = compare(A, B, **quick)
    names = (np.repeat(np.arange(150), 4), np.repeat(np.arange(150, 300), 4))
    many = compare(np.repeat(A, 4, 0), np.repeat(B, 4, 0), groups=names, **quick)
    assert many.divergence.low < once.divergence.low + 0.01
    assert many.summary()["data"]["groups"] == 300
    rare = (np.where(A[:, 0] > 0.3, 1e-3, 1.0), np.where(B[:, 0] < 0.3, 1e-3, 1.0))
    weighted = compare(A, B, sample_weight=rare, **quick)
    assert weighted.auc.value > once.auc.value + 0.1
    assert any("weighted" in caveat for caveat in weighted.summary()["caveats"])
    days = (np.arange(150), np.arange(150))
    ordered = compare(A, B, time=days, model="linear", random_state=0)
    assert "earlier rows" in ordered.summary()["method"]["splits"]


def test_a_pair_that_does_not_fit_the_samples_is_refused():
    with pytest.raises(InputError, match=r"^`groups` must be a pair of arrays, one value for each"):
        compare(np.zeros((5, 1)), np.ones((6, 1)), groups=(np.arange(6), np.arange(6)))
