"""Bounds by betting for more than two classes: valid at the least favourable laws, and close."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from rocstar import laws
from rocstar.inference.class_betting import (
    betting_bounds,
    block_auc,
    class_blocks,
    dealt_blocks,
    sum_bound,
    wealth,
    win_rate,
)
from rocstar.inference.class_held_out import ClassHeldOut

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])


def judged(law, sizes, seed):
    X, y = law.sample(sizes, random_state=seed)
    none = np.zeros(y.size, dtype=np.intp)
    k = law.n_classes
    return ClassHeldOut(
        np.arange(y.size), y, law.direction(X), none, none, np.ones(y.size), None, (None,), y.size,
        np.arange(k),
    )  # fmt: skip


def test_wealth_is_expected_not_to_grow_at_the_truth():
    """The true direction of rows, at the true arc length: no slack protects the bound."""
    missed = sum(
        sum_bound(held, held.terms, 0.1, np.sqrt(3)) > LAW.arc_length
        for held in (judged(LAW, [30, 40, 12], seed) for seed in range(150))
    )
    assert binomtest(missed, 150, 0.1, "greater").pvalue > 0.01


def test_bounds_are_close_and_below():
    lows = [betting_bounds(judged(LAW, 150, seed), 0.05 / 3) for seed in range(5)]
    truth = np.array([LAW.arc_length, LAW.balanced_accuracy, LAW.mean_pairwise_auc])
    assert np.all(np.mean(lows, axis=0) < truth)
    assert np.all(np.mean(lows, axis=0) > truth - [0.2, 0.12, 0.08])


def test_every_block_holds_every_class_and_every_row_once():
    held = judged(LAW, [30, 40, 12], 0)
    blocks = dealt_blocks(held)
    assert len(blocks) == 12
    assert all(rows.size for block in blocks for rows in block)
    assert sorted(np.concatenate([rows for block in blocks for rows in block])) == list(range(82))
    made = class_blocks(held, held.terms)
    assert made.paid.shape[:2] == (12, 3)
    assert made.used.sum() == 82


def test_candidates_below_the_sample_are_rejected_first():
    held = judged(LAW, 100, 0)
    grown = wealth(class_blocks(held, held.terms), np.array([1.75, 2.2, 2.9]), 0.05)
    assert grown[0] >= 20
    assert grown[2] < 1


def test_win_rates():
    assert win_rate(np.array([1.0, 2.0]), np.array([1.0, 0.0])) == pytest.approx(0.875)
    logs = np.log(np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]))
    assert block_auc(logs, [np.array([0]), np.array([1]), np.array([2])]) == 1.0
