"""The shares of a stack: the best mixture of angles or of log ratios, to the last digits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.model_selection import StratifiedKFold

from rocstar import laws
from rocstar.estimators import shares as module
from rocstar.estimators.shares import (
    ENOUGH_ROWS,
    ENOUGH_ROWS_PER_CLASS,
    MixedLogRatios,
    MixtureArcLength,
    stacking_folds,
)
from rocstar.fitting.directions import unit_directions

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample(100, random_state=0)
WEIGHTS = np.full(300, 0.01)


def test_shares_are_the_optimum_to_the_last_digits():
    """Shares that stop early would differ with the rounding of their angles."""
    rng = np.random.default_rng(0)
    positive = rng.random(500) < 0.5
    truth = np.where(positive, 1.1, 0.4)
    angles = np.clip(truth + rng.normal(scale=[[0.3], [0.35], [0.4]], size=(3, 500)), 0, np.pi / 2)
    terms = MixtureArcLength(angles, positive, np.ones(500))
    shares = terms.best_shares()
    used = terms.gradient(shares)[shares > 0]
    assert np.ptp(used) < 1e-14
    nudged = MixtureArcLength(
        angles + 1e-13 * rng.normal(size=angles.shape), positive, np.ones(500)
    )
    np.testing.assert_allclose(nudged.best_shares(), shares, atol=1e-11)


H = np.pi / 2


def test_stack_shares_match_a_grid_search():
    rng = np.random.default_rng(0)
    positive = np.arange(200) < 80
    truth = np.where(positive, 1.0, 0.5)
    angles = np.clip(truth + rng.normal(0, [[0.2], [0.4], [0.8]], (3, 200)), 0, H)
    terms = MixtureArcLength(angles, positive, np.ones(200))
    grid = [(a, b, 1 - a - b) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1 - a, 101)]
    best = max(terms.arc_length(np.array(shares)) for shares in grid)
    assert terms.arc_length(terms.best_shares()) >= best - 1e-9


def test_one_tenth_of_many_rows_chooses_the_shares():
    positive = np.arange(3 * ENOUGH_ROWS_PER_CLASS) % 3 == 0
    weights = np.ones(positive.size)
    folds, kept = stacking_folds(3, positive, None, weights, 0)
    ((train, test),) = folds
    assert kept == test.size == positive.size // 10
    assert np.array_equal(np.sort(np.r_[train, test]), np.arange(positive.size))
    assert positive[test].mean() == pytest.approx(1 / 3, abs=1e-3)
    # One row of the rarer class less, or a splitter: folds, and nothing is kept.
    fewer = positive.copy()
    fewer[0] = False
    assert [len(stacking_folds(3, fewer, None, weights, 0)[0])] == [3]
    assert stacking_folds(3, fewer, None, weights, 0)[1] == 0
    assert len(stacking_folds(StratifiedKFold(4), positive, None, weights, 0)[0]) == 4


def test_kept_rows_are_whole_groups_and_of_bounded_number(monkeypatch):
    monkeypatch.setattr(module, "ENOUGH_ROWS_PER_CLASS", 100)
    positive = np.arange(2_000) % 2 == 0
    groups = np.arange(2_000) // 8
    ((train, test),), kept = stacking_folds(3, positive, groups, np.ones(2_000), 0)
    assert not np.isin(groups[test], groups[train]).any()
    assert kept == 200
    monkeypatch.setattr(module, "MOST_STACKING_ROWS", 50)
    assert stacking_folds(3, positive, None, np.ones(2_000), 0)[1] == 50


def members():
    noise = np.random.default_rng(0).normal(size=(3, 300, 3))
    return [
        unit_directions(np.log(LAW.direction(X)) + size * z)
        for size, z in zip((0.5, 1, 3), noise, strict=True)
    ]


def test_gradient_of_mixed_log_ratios():
    mixture = MixedLogRatios(members(), Y, WEIGHTS)
    start = np.array([0.5, 0.3, 0.2])
    assert check_grad(mixture.arc_length, mixture.gradient, start) < 1e-6


def test_no_mixture_on_a_grid_is_better():
    mixture = MixedLogRatios(members(), Y, WEIGHTS)
    best = mixture.best_shares()
    grid = [
        np.array([a, b, 1 - a - b])
        for a in np.linspace(0, 1, 21)
        for b in np.linspace(0, 1 - a, 21)
    ]
    assert mixture.arc_length(best) >= max(map(mixture.arc_length, grid)) - 1e-6
    assert best[0] > best[2]
    assert MixedLogRatios(members()[:1], Y, WEIGHTS).best_shares().tolist() == [1.0]


def test_rows_of_weight_zero_do_not_count_as_many():
    positive = np.arange(2 * ENOUGH_ROWS_PER_CLASS) % 2 == 0
    weights = np.ones(positive.size)
    assert stacking_folds(3, positive, None, weights, 0)[1] > 0
    weights[0] = 0.0
    assert stacking_folds(3, positive, None, weights, 0)[1] == 0


@pytest.mark.parametrize(("rows", "kept"), [(ENOUGH_ROWS, ENOUGH_ROWS // 10), (ENOUGH_ROWS - 1, 0)])
def test_of_more_classes_all_rows_count_together(rows, kept):
    codes = np.minimum(np.arange(rows) % 10, 2)
    found = stacking_folds(3, codes, None, np.ones(rows), 0, classes=["a", "b", "c"])
    assert found[1] == kept
