"""Tests of more than two samples: exact under the null, powerful beside it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from rocstar import laws, two_sample_test
from rocstar.inference.k_sample import class_score_test, permuted_directions

NULL = laws.GaussianFamily(np.zeros((3, 2)))
APART = laws.GaussianFamily([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def test_the_level_is_held():
    found = []
    for seed in range(120):
        X, y = NULL.sample([12, 8, 10], random_state=seed)
        found.append(two_sample_test(X, y, n_permutations=19, random_state=seed).pvalue <= 0.1)
    assert binomtest(sum(found), len(found), 0.1).pvalue > 0.001


def test_differences_are_found():
    X, y = APART.sample(60, random_state=0)
    assert two_sample_test(X, y, random_state=0).pvalue == 0.002
    names = np.array(["a", "b", "c"])[y]
    model = LogisticRegression()
    found = two_sample_test(X, names, estimator=model, random_state=0)
    assert found.pvalue <= 0.01
    assert 0 < found.statistic < APART.divergence + 0.2
    several = two_sample_test(X, names, n_splits=2, random_state=0, n_permutations=99)
    assert several.pvalue <= 0.05
    assert len(several.pvalues) == 2


def test_a_difference_of_one_class_in_scale_is_found():
    rng = np.random.default_rng(0)
    X = np.concatenate(
        [rng.normal(size=(80, 2)), rng.normal(size=(80, 2)), 3 * rng.normal(size=(80, 2))]
    )
    assert two_sample_test(X, np.repeat([0, 1, 2], 80), random_state=0).pvalue <= 0.01


def test_two_classes_gain_half_of_what_a_pair_gains():
    """So that both tests rank labels alike."""
    X, y = laws.GaussianPair([1.0], [0.0]).sample(30, 30, random_state=0)
    rng = np.random.default_rng(0)
    statistic, pvalue = class_score_test(X, y.astype(np.intp), 99, rng)
    pair = two_sample_test(X, y, n_permutations=99, random_state=0)
    assert statistic == pytest.approx(pair.statistic, rel=0.2)
    assert pvalue == pair.pvalue


def test_permuted_directions():
    X, y = APART.sample(40, random_state=1)
    rng = np.random.default_rng(0)
    divergence, pvalue = permuted_directions(y, APART.direction(X), 99, rng)
    assert pvalue == 0.01
    assert divergence == pytest.approx(APART.divergence, abs=0.1)
    flat = np.full((120, 3), 3**-0.5)
    assert permuted_directions(y, flat, 9, rng) == (pytest.approx(0.0, abs=1e-12), 1.0)


def test_few_rows_are_counted_in_the_error():
    X, y = APART.sample([5, 3, 9], random_state=0)
    with pytest.raises(ValueError, match=r"at least 4 rows of each label.*got 5, 3 and 9"):
        two_sample_test(X, y, n_splits=2)


def test_labels_that_all_differ_show_nothing():
    """Every order of them has the same gain, so that only rounding could rank it."""
    rows = np.random.default_rng(0).normal(size=(60, 3))
    for seed in range(3):
        found = two_sample_test(rows, np.arange(60), n_permutations=99, random_state=seed)
        assert found.pvalue == 1.0


def test_the_card_counts_the_samples():
    X, y = APART.sample(20, random_state=0)
    card = two_sample_test(X, y, n_permutations=9, random_state=0)._repr_html_()
    assert "3-sample test" in card
    assert "that the 3 samples come from" in card
    card = two_sample_test(X, y > 0, n_permutations=9, random_state=0)._repr_html_()
    assert "Two-sample test" in card
    assert "that the two samples come from" in card
