"""Bundles of rows: their shape, and tests that stay exact and powerful when labels are tied."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rocstar import two_sample_test
from rocstar.inference import bundles as module
from rocstar.inference.bundles import bundles
from rocstar.inference.two_sample import permuted_angles


@pytest.fixture
def small_bundles(monkeypatch):
    """Bundles of three rows where a large table would have bundles of many."""
    monkeypatch.setattr(module, "MOST", 30)
    monkeypatch.setattr(module, "LEAST", 8)


def labels(n_up: int, n_down: int) -> np.ndarray:
    return np.random.default_rng(0).permutation(np.repeat([True, False], [n_up, n_down]))


def test_few_rows_stand_alone():
    positive = labels(200, 7000)
    tied = bundles(positive, np.random.default_rng(0))
    assert tied.size == 1
    assert tied.loose.size == 0
    assert_array_equal(tied.rows, np.arange(7200))
    assert_array_equal(tied.positive, positive)


@pytest.mark.parametrize(("n_up", "n_down", "size"), [(5000, 15000, 4), (300, 20000, 2)])
def test_bundles_are_of_one_class_and_one_size(n_up, n_down, size):
    positive = labels(n_up, n_down)
    tied = bundles(positive, np.random.default_rng(0))
    assert tied.size == size
    members = positive[tied.rows].reshape(-1, size)
    assert np.all(members == tied.positive[:, None])
    assert_array_equal(np.sort(np.append(tied.rows, tied.loose)), np.arange(n_up + n_down))
    assert tied.loose.size < 2 * size
    assert tied.positive.sum() >= module.LEAST


def test_sums_of_bundles():
    positive = labels(5000, 15000)
    tied = bundles(positive, np.random.default_rng(0))
    values = np.random.default_rng(1).normal(size=positive.size)
    assert_allclose(tied.sums(values)[7], values[tied.rows[28:32]].sum())


@pytest.mark.usefixtures("small_bundles")
def test_level_is_exact_with_tied_labels():
    rng, y = np.random.default_rng(1), labels(32, 69)
    assert bundles(y, rng).size == 3
    score, angles = np.empty(300), np.empty(300)
    for run in range(300):
        X = rng.standard_cauchy(size=(y.size, 2))
        score[run] = two_sample_test(X, y, n_permutations=19, random_state=run).pvalue
        angles[run] = permuted_angles(y, np.arctan(np.abs(X[:, 0])), 19, rng)[1]
    for pvalues in (score, angles):
        # 300 runs at 10 %: the standard error is 1.7 %.
        assert 0.05 <= (pvalues <= 0.1).mean() <= 0.15


def test_pvalues_hardly_change_when_labels_are_tied(monkeypatch):
    tied, alone = [], []
    for run in range(25):
        rng = np.random.default_rng(run)
        y = labels(200, 200)
        X = rng.normal(size=(400, 2))
        X[y, 0] += 0.25
        alone.append(two_sample_test(X, y, random_state=run).pvalue)
        with monkeypatch.context() as patch:
            patch.setattr(module, "MOST", 130)
            patch.setattr(module, "LEAST", 64)
            assert bundles(y, rng).size == 3
            tied.append(two_sample_test(X, y, random_state=run).pvalue)
    difference = np.array(tied) - alone
    assert np.any(difference != 0)
    assert np.abs(difference).mean() < 0.03
    assert np.corrcoef(np.sqrt(tied), np.sqrt(alone))[0, 1] > 0.97
