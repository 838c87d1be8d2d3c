"""Assertions for the tests of others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from rocstar.laws import GaussianPair
from rocstar.testing import assert_certified_auc, assert_no_drift

LAW = GaussianPair([0, 0], [2, 0])


@pytest.fixture(scope="module")
def rows():
    return LAW.sample(300, 300, random_state=0)


def test_two_halves_of_one_sample_pass(rows):
    X, _ = rows
    result = assert_no_drift(X[:150], X[150:300], model="linear")
    assert result.divergence.low <= 0.02
    assert result.summary()["method"]["seed"] == 0


def test_a_certified_difference_fails_with_the_report(rows):
    X, y = rows
    with pytest.raises(AssertionError, match=r"at least 0.2.* at most 0.02 is accepted") as failure:
        assert_no_drift(X[y == 0], X[y == 1], model="linear")
    assert "Comparison of before and after" in str(failure.value)
    assert_no_drift(X[y == 0], X[y == 1], model="linear", at_most=0.5)


def test_columns_that_differ_by_nature_can_be_left_out(rows):
    X, y = rows
    before, after = (pd.DataFrame(X[y == k], columns=["when", "what"]) for k in (0, 1))
    assert_no_drift(before, after, drop=["when"], model="linear")
    with pytest.raises(ValueError, match=r"`drop` must name columns .* there is no `whom`"):
        assert_no_drift(before, after, drop=["whom"], model="linear")


def test_what_is_certified_passes_and_comes_back(rows):
    certificate = assert_certified_auc(LogisticRegression(), *rows, at_least=0.85)
    assert 0.85 <= certificate.auc.low < LAW.auc


def test_what_is_not_certified_fails(rows):
    with pytest.raises(AssertionError, match=r"at least 0.9.* confidence.; 0.95 is required"):
        assert_certified_auc(LogisticRegression(), *rows, at_least=0.95)


def test_noise_is_never_certified_to_be_good(rows):
    X, y = rows
    noise = np.random.default_rng(0).standard_normal(X.shape)
    with pytest.raises(AssertionError, match=r"at least 0\.5"):
        assert_certified_auc(LogisticRegression(), noise, y, at_least=0.6)


@pytest.mark.parametrize("wrong", [-0.1, 0.6])
def test_limits_of_a_divergence_are_checked(rows, wrong):
    with pytest.raises(ValueError, match="`at_most` must be in"):
        assert_no_drift(rows[0], rows[0], at_most=wrong)


@pytest.mark.parametrize("wrong", [0.4, 1.0])
def test_limits_of_an_auc_are_checked(rows, wrong):
    with pytest.raises(ValueError, match="`at_least` must be in"):
        assert_certified_auc(LogisticRegression(), *rows, at_least=wrong)
