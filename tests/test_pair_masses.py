"""AUCs under random masses against a slow plain construction."""

from __future__ import annotations

import numpy as np
import pytest
from data_scores import sample
from numpy.testing import assert_allclose

from rocstar.inference import pair_masses as engine
from rocstar.inference.draws import spans


def plain_auc_draws(y, score, fold, n_draws, seed=1):
    """The construction of theory §8 in a double loop, one positive at a time."""
    rng = np.random.default_rng(seed)
    n_pos, n_neg = y.sum(), (~y).sum()
    out = np.empty(n_draws)
    for b in range(n_draws):
        g, h = rng.dirichlet(np.ones(n_pos + 1)), rng.dirichlet(np.ones(n_neg + 1))
        total = 0.0
        for mass, s, k in zip(g[1:], score[y], fold[y], strict=True):
            own = fold[~y] == k
            placed = ((s > score[~y][own]) + 0.5 * (s == score[~y][own])) @ h[1:][own]
            total += mass * placed / h[1:][own].sum() * (1 - h[0])
        out[b] = total
    return out


@pytest.mark.parametrize("decimals", [None, 0])
@pytest.mark.parametrize("n_folds", [1, 3])
def test_auc_draws_match_the_plain_construction(decimals, n_folds):
    y, score = sample(12, 40, decimals=decimals)
    fold = np.arange(y.size) % n_folds
    fast = engine.auc_draws(y, score, np.ones(y.size), fold, np.random.default_rng(0), 20_000)
    slow = plain_auc_draws(y, score, fold, 2500)
    assert_allclose(fast.seen.mean(), slow.mean(), atol=0.006)
    for q in (0.05, 0.25, 0.5, 0.95):
        assert_allclose(np.quantile(fast.seen, q), np.quantile(slow, q), atol=0.015)


@pytest.mark.parametrize("weighted", [False, True])
def test_repeats_give_a_row_one_mass(weighted):
    """The mean over repeats of the plain construction, with the same masses in each."""
    rng = np.random.default_rng(3)
    y, score = sample(12, 40)
    scores = np.stack([score + rng.normal(0, 0.7, y.size) for _ in range(3)], axis=1).round(1)
    folds = np.stack([rng.permutation(np.arange(y.size)) % 2 for _ in range(3)], axis=1)
    weights = rng.uniform(0.5, 2.0, y.size) if weighted else np.ones(y.size)
    base = np.where(y, 0.5, rng.normal(size=y.size))
    slow = np.empty((2, 1200))
    for b in range(1200):
        mass = rng.exponential(weights)
        seen = 1.0
        for side in (y, ~y):
            atom = weights[side].max() * rng.exponential()
            seen *= mass[side].sum() / (mass[side].sum() + atom)
        areas = np.array(
            [
                [own_fold_auc(y, s, mass, f), own_fold_auc(y, base, mass, f)]
                for s, f in zip(scores.T, folds.T, strict=True)
            ]
        ).mean(axis=0)
        slow[:, b] = seen * areas[0], seen * (areas[0] - areas[1])
    given = (y, scores, weights, folds)
    for expected, against in zip(slow, (None, base), strict=True):
        draws = engine.repeated_draws(*given, np.random.default_rng(0), 20_000, against)
        for q in (0.05, 0.5, 0.95):
            assert_allclose(np.quantile(draws.seen, q), np.quantile(expected, q), atol=0.02)


def own_fold_auc(y, score, mass, fold):
    """AUC of weighted rows, each positive placed among the negatives of its own fold."""
    total = 0.0
    for i in np.flatnonzero(y):
        own = ~y & (fold == fold[i])
        below = (score[i] > score[own]) + 0.5 * (score[i] == score[own])
        total += mass[i] * (below @ mass[own]) / mass[own].sum()
    return total / mass[y].sum()


def test_merging_many_runs_keeps_the_law_of_the_draws():
    y, score = sample(1500, 1500)
    one = np.zeros(y.size, dtype=int)
    merged = engine.auc_draws(y, score, np.ones(y.size), one, np.random.default_rng(0), 4000)
    placed = engine._by_row(y, score, np.ones(y.size))
    sums = engine._PairSums(4000)
    rng = np.random.default_rng(1)
    for span in spans(4000, y.size):
        size = span.stop - span.start
        g, h = placed.positives.sample(rng, size), placed.negatives.sample(rng, size)
        sums.add(span, g, h, placed.places(h))
    exact = sums.draws((1.0, 1.0), rng)
    assert_allclose(merged.seen.std(), exact.seen.std(), rtol=0.06)
    assert_allclose(np.quantile(merged.seen, 0.05), np.quantile(exact.seen, 0.05), atol=1.5e-3)


def test_linear_form_agrees_with_the_exact_one_on_many_rows():
    y, score = sample(400, 600)
    _, other = sample(400, 600, shift=0.8, seed=2)
    other = other + score
    fold, ones = np.arange(y.size) % 4, np.ones(y.size)
    exact = engine.gain_draws(y, score, other, ones, fold, np.random.default_rng(0), 4000)
    form = engine.linear_gain(y, score, other, ones, fold)
    linear = form.draws(ones, np.random.default_rng(1), 4000)
    assert_allclose(linear.low(0.05, -1), exact.low(0.05, -1), atol=4e-3)
    assert_allclose(linear.seen.std(), exact.seen.std(), rtol=0.08)
    means = [form.values[y].mean(), form.values[~y].mean()]
    assert_allclose(means[0], means[1], atol=1e-12)  # either class average is the gain


def test_a_gain_of_equal_scores_is_zero_but_for_the_unseen():
    y, score = sample(10, 500)
    fold, ones = np.zeros(510, dtype=np.intp), np.ones(510)
    draws = engine.gain_draws(y, score, score, ones, fold, np.random.default_rng(0))
    assert abs(draws.seen).max() == 0
    assert draws.low(0.05, worst=-1.0) < -0.2


def test_linear_values_are_mean_comparisons_with_ties_one_half():
    y, fold = np.array([True, False, False]), np.zeros(3, dtype=np.intp)
    values = engine.linear_auc(y, np.array([1.0, 0.0, 2.0]), np.ones(3), fold).values
    assert values.tolist() == [0.5, 1.0, 0.0]
    tied = engine.linear_auc(y, np.zeros(3), np.ones(3), fold).values
    assert tied.tolist() == [0.5, 0.5, 0.5]
    gain = engine.linear_gain(y, np.array([1.0, 0.0, 0.0]), np.zeros(3), np.ones(3), fold)
    assert gain.values.tolist() == [0.5, 0.5, 0.5]
