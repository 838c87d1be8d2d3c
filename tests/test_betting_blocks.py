"""Rows as blocks: every row once, shares that sum to one, pairs within chunks and across groups."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rocstar import roc_auc
from rocstar.inference import betting_blocks
from rocstar.inference.betting_blocks import mean_payoffs, pair_payoffs, sum_payoffs


def rng():
    return np.random.default_rng(0)


def data(n_pos, n_neg, seed=0):
    draws = np.random.default_rng(seed)
    positive = draws.permutation(np.arange(n_pos + n_neg) < n_pos)
    return positive, draws.random(positive.size)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(7, 300), (40, 40), (5000, 9000)])
def test_blocks_hold_every_row_once(n_pos, n_neg):
    positive, values = data(n_pos, n_neg)
    chunk = np.arange(positive.size) * 3 // positive.size
    found = sum_payoffs(positive, values, chunk, None, rng())
    assert_allclose(found.plus.sum(axis=1), 1.0)
    assert_allclose(found.minus.sum(axis=1), 1.0)
    assert len(found.paid) <= betting_blocks.MOST_BLOCKS + 2
    assert found.plus.shape[1] <= 2 * betting_blocks.MOST_UNITS
    assert_allclose(found.paid[:, 0].sum(axis=1), found.means.sum(axis=1))
    assert found.paid.min() >= 0
    assert (found.paid <= (found.plus + found.minus)[:, None] + 1e-12).all()


def test_one_sample_has_no_negatives():
    values = np.random.default_rng(0).random(1000)
    found = mean_payoffs(values, rng())
    assert not found.minus.any()
    assert_allclose(found.paid.sum() / len(found.paid), values.mean(), atol=0.02)


def test_mirrored_payoffs_are_those_of_one_minus_the_values():
    positive, values = data(12, 30)
    one = np.zeros(42, dtype=np.intp)
    mirrored = sum_payoffs(positive, values, one, None, rng()).mirrored()
    again = sum_payoffs(positive, 1 - values, one, None, rng())
    for first, second in zip(mirrored, again, strict=True):
        assert_allclose(first, second, atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_pairs_of_one_block_are_its_auc(ties, monkeypatch):
    positive, score = data(9, 23)
    score = np.round(score, 1) if ties else score
    monkeypatch.setattr(betting_blocks, "MOST_BLOCKS", 1)
    found = pair_payoffs(positive, score, np.zeros(32, dtype=np.intp), None, rng())
    assert_allclose(found.paid.sum(), roc_auc(positive, score))


def test_pairs_are_within_chunks():
    # Scores of the chunks do not overlap: pairs of different chunks would be won or lost for sure.
    positive, score = data(200, 200)
    chunk = np.arange(400) // 200
    moved = score + 10 * chunk
    same = [pair_payoffs(positive, s, chunk, None, rng()).paid for s in (score, moved)]
    assert_allclose(same[0], same[1], atol=1e-12)


def test_gain_is_paid_by_the_same_pairs():
    positive, score = data(60, 60)
    one = np.zeros(120, dtype=np.intp)
    found = pair_payoffs(positive, score, one, None, rng(), score)
    assert_allclose(found.paid.sum(axis=2), 0.5)
    first, second = (pair_payoffs(positive, s, one, None, rng()).paid for s in (score, -score))
    both = pair_payoffs(positive, score, one, None, rng(), -score).paid
    assert_allclose(both.sum(axis=2), (1 + first.sum(axis=2) - second.sum(axis=2)) / 2)


def test_groups_are_units_and_stand_for_one_class_in_pairs():
    positive, values = data(60, 60)
    one, groups = np.zeros(120, dtype=np.intp), np.arange(120) // 4
    found = sum_payoffs(positive, values, one, groups, rng())
    assert np.count_nonzero(found.plus + found.minus) == 30
    # A group whose rows beat only rows of the same group never wins.
    score = groups + 0.5 * positive
    wins = [pair_payoffs(positive, s, one, groups, rng()).paid for s in (score, groups)]
    assert_allclose(wins[0], wins[1])


def test_dependent_rows_of_a_group_do_not_let_wealth_grow():
    from rocstar.inference.betting import AIM, wealth

    # Each group is a positive and a negative that are both right or both wrong.
    positive, groups = np.arange(8) % 2 == 0, np.arange(8) // 2
    total = 0.0
    for number in range(16):
        right = (number >> np.arange(4)) & 1
        payoffs = sum_payoffs(
            positive, right[groups].astype(float), np.zeros(8, dtype=np.intp), groups, rng()
        )
        chance = 0.7 ** right.sum() * 0.3 ** (4 - right.sum())
        total += chance * wealth(payoffs, np.array([1.4]), 0.05, AIM, 1.0)[0]
    assert total <= 1 + 1e-12


def test_one_group_has_nothing_to_compare():
    positive = np.arange(6) % 2 == 0
    nothing = np.zeros(6, dtype=np.intp)
    with pytest.raises(ValueError, match="`groups` must leave positives and negatives of differ"):
        pair_payoffs(positive, np.arange(6.0), nothing, nothing, rng())
