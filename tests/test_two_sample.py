"""`two_sample_test`: it finds differences, keeps its definition, and refuses bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from rocstar import ArctanRatio, two_sample_test
from rocstar.inference.two_sample import combined_pvalue, permuted_angles
from rocstar.laws import GaussianPair

X, Y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
FEW = np.repeat([1, 0], [3, 37])


@pytest.fixture(scope="module")
def data():
    return GaussianPair.shifted(2.0, 3).sample(150, 150, random_state=0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"estimator": ArctanRatio(alpha=1e-2)},
        {"estimator": LogisticRegression(), "n_splits": 3},
    ],
)
def test_two_sample_test_finds_a_difference(options, data):
    result = two_sample_test(*data, n_permutations=99, random_state=0, **options)
    assert result.pvalue <= 0.02
    assert all(p >= 1 / 100 for p in result.pvalues)
    assert result.statistic > 0


def test_two_sample_test_sees_what_means_hide():
    X, y = GaussianPair(np.zeros(4), 0.0, 1.0, 2.0).sample(150, 150, random_state=0)
    assert two_sample_test(X, y, random_state=0).pvalue == 1 / 500


def test_two_sample_test_with_nothing_to_see():
    same = two_sample_test(np.zeros((20, 2)), np.arange(20) % 2, random_state=0)
    assert same.pvalue == 1
    flat = two_sample_test(
        np.zeros((20, 2)), np.arange(20) % 2, estimator=LogisticRegression(), random_state=0
    )
    assert flat.pvalue == 1
    assert_allclose(flat.statistic, 0, atol=1e-9)


def test_score_test_ignores_which_label_is_positive(data):
    X, y = data
    first, second = (two_sample_test(X, labels, random_state=0) for labels in (y, 1 - y))
    assert first.pvalue == second.pvalue


def slow_combination(p):
    """The smallest level at which some running mean of (2 − 2p/α)₊ reaches one."""
    for level in np.linspace(0.0005, 1, 2000):
        running = np.cumsum(np.maximum(2 - 2 * p / level, 0)) / np.arange(1, p.size + 1)
        if (running >= 1 - 1e-12).any():
            return level
    return 1.0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=8))
def test_combined_pvalue_matches_its_definition(values):
    p = np.array(values)
    combined = combined_pvalue(p)
    assert_allclose(combined, slow_combination(p), atol=6e-4)
    assert combined <= min(1, 2 * p.mean() + 1e-12, 2 * p[0] + 1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_permutations": 0}, "`n_permutations` must be a whole number of at least 1; got 0"),
        ({"n_splits": 1.5}, "`n_splits` must be a whole number"),
        ({"y": FEW, "estimator": ArctanRatio()}, "at least 4 rows of each label"),
        ({"y": np.ones(40)}, "must hold at least two classes"),
        ({"X": np.full((40, 2), np.nan)}, "NaN"),
    ],
)
def test_two_sample_test_refuses_bad_input(options, message):
    arguments = {"X": X, "y": Y} | options
    with pytest.raises(ValueError, match=message):
        two_sample_test(**arguments)


def test_permuted_angles_count_the_observed_labels():
    up = np.repeat([True, False], 20)
    divergence, pvalue = permuted_angles(up, np.where(up, 1.5, 0.1), 99, np.random.default_rng(0))
    assert pvalue == 0.01
    assert_allclose(divergence, np.sin(1.5) + np.cos(0.1) - np.sqrt(2))
