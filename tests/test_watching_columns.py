"""Tests of single columns: level, shares of the error, resets, what an encoder has learnt."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar.tables.columns import TableEncoder
from rocstar.watching.columns import Columns, Plan, Ranks

NO_CODES = np.zeros(0, dtype=int)


def columns(X, codes=NO_CODES, plan=None):
    n = len(X) // 4
    plan = plan or Plan(np.ones(X.shape[1], dtype=bool), np.full(X.shape[1], 1 / X.shape[1]))
    return Columns((X[:n], X[n : 2 * n]), X[2 * n :], np.asarray(codes), plan, 0.02)


def discrete(rng, n):
    return np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.poisson(1, n)])


def test_chance_seldom_makes_the_pvalue_small():
    """400 streams: more than 54 below 0.1 have probability 0.01 if one in ten may be."""
    small = 0
    for seed in range(400):
        rng = np.random.default_rng([seed, 3])
        watched = columns(discrete(rng, 120), [1])
        for _ in range(8):
            watched.take(discrete(rng, 30))
        small += watched.pvalue <= 0.1
    assert small <= 54


def test_a_changed_column_is_found_in_the_stretch_where_it_changed():
    rng = np.random.default_rng(4)
    watched = columns(rng.normal(size=(2000, 5)))
    for _ in range(20):
        watched.take(rng.normal(size=(200, 5)))
    assert watched.pvalue > 0.05
    for _ in range(4):
        watched.take(rng.normal(size=(200, 5)) + np.array([0, 0, 0.3, 0, 0]))
    assert watched.pvalue < 0.001
    assert watched.alarm
    assert (watched.column, watched.since) == (2, 21)
    for _ in range(8):  # a later and longer stretch of more evidence dates nothing
        watched.take(rng.normal(size=(200, 5)) + np.array([0, 0, 0.3, 0, 0]))
    assert watched.pvalue < 1e-9
    assert watched.since == 21


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_column_is_tested_at_its_share(share):
    rng = np.random.default_rng(5)
    X, batch = rng.normal(size=(400, 2)), rng.normal(size=(100, 2)) + np.array([1, 0])
    whole = np.ones(2, dtype=bool)
    watched = columns(X, plan=Plan(whole, np.array([share, 1 - share])))
    alone = columns(X, plan=Plan(whole, np.array([1.0, 0.0])))
    for each in (watched, alone):
        each.take(batch)
    assert alone.pvalue < 1e-6
    assert watched.pvalue == (1.0 if share == 0 else pytest.approx(alone.pvalue / share))


def test_a_reset_forgets_stretches_that_began_before_and_costs_nothing():
    rng = np.random.default_rng(6)
    X, shift = rng.normal(size=(400, 2)), np.array([1, 0])
    reset, other = columns(X), columns(X)
    for day in range(16):
        batch = rng.normal(size=(100, 2)) + shift * (day < 2 or day == 15)
        reset.take(batch)
        if day != 1:
            other.take(batch)
        else:
            other.take(rng.normal(size=(100, 2)))
        if day == 1:
            assert reset.pvalue < 1e-6
            reset.reset()
            assert reset.pvalue == 1
    assert reset.since >= 15
    assert reset.looks == other.looks == 31


def test_categories_that_the_first_part_taught_are_tested_against_the_second():
    """A rare category is known in the rows that taught it and missing elsewhere."""
    rng = np.random.default_rng(7)

    def table(n):
        who = [f"c{k}" for k in rng.integers(0, 150, n)]
        return pd.DataFrame({"x": rng.normal(size=n), "who": who})

    reference = table(240)
    encoder = TableEncoder().fit(reference[:120])
    assert encoder.categorical_.tolist() == [1]
    X, plan = encoder.transform(reference), Plan.of_encoder(encoder, reference.dtypes)
    assert plan.whole.tolist() == [True, False]
    naive = Plan(np.ones(2, dtype=bool), plan.share)
    right, wrong = (columns(X, encoder.categorical_, each) for each in (plan, naive))
    for _ in range(4):
        batch = encoder.transform(table(100))
        right.take(batch)
        wrong.take(batch)
    assert wrong.pvalue < 0.01
    assert right.pvalue > 0.05


def test_columns_of_a_table_share_the_error_equally():
    rng = np.random.default_rng(8)
    table = pd.DataFrame(
        {
            "number": rng.normal(size=60),
            "date": pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(60), "D"),
            "same": np.ones(60),
            "now and then": np.where(np.arange(60) % 2, np.nan, 1.0),
        }
    )
    encoder = TableEncoder().fit(table)
    plan = Plan.of_encoder(encoder, table.dtypes)
    share = np.bincount(encoder.owner_, weights=plan.share, minlength=4)
    # What numbers of one value are was learnt from rows; bets alone watch them.
    assert share.tolist() == pytest.approx([0.25, 0.25, 0, 0])
    assert plan.whole.sum() == 1


def test_a_quick_look_leaves_out_columns_that_have_not_moved():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(1000, 4))
    ranks, batch = Ranks(list(X.T)), rng.normal(size=(200, 4))
    assert ranks.unlike(ranks.sums(batch)).size == 0
    batch[:, 1] += 0.5
    batch[:, 2] *= 1.8
    batch[:30, 3] = np.nan
    assert ranks.unlike(ranks.sums(batch)).tolist() == [1, 2, 3]
    halves = ranks.sums(batch[:100]) + ranks.sums(batch[100:])
    np.testing.assert_allclose(halves, ranks.sums(batch))
