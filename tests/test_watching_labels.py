"""The AUC of a stream: limits that cover at all times, alarms that are rare or quick."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from rocstar.watching.labels import AucWatch, block_rates

AUC = norm.cdf(1 / np.sqrt(2))


def labelled(rng, n, shift=1.0, share=0.5):
    positive = rng.random(n) < share
    return positive, rng.normal(size=n) + shift * positive


def watch(rng, n=2000, drop=0.0):
    errors = {"error": 0.05, "limits_error": 0.05, "share": 0.8}
    return AucWatch.of_reference(*labelled(rng, n), drop=drop, level=0.95, seed=0, **errors)


def test_blocks_share_no_row_and_have_the_right_mean():
    rng = np.random.default_rng(0)
    rates = block_rates(rng.normal(1, 1, 3000), rng.normal(0, 1, 9000))
    assert rates.size == 1000
    assert abs(rates.mean() - AUC) < 4 * rates.std() / np.sqrt(rates.size)


def test_ties_count_half():
    np.testing.assert_array_equal(block_rates(np.zeros(2), np.zeros(5)), [0.5, 0.5])


def test_limits_are_a_few_standard_errors_wide():
    """One delivery of labels; DeLong's standard errors are 0.026 and 0.015."""
    for rows, error in ((400, 0.026), (1200, 0.015)):
        rng = np.random.default_rng(rows)
        watched = watch(rng, 1000)
        watched.take(*labelled(rng, rows), 0)
        found = watched.estimate
        assert found.low < AUC < found.high
        assert found.high - found.low < 9 * error


def test_limits_cover_at_all_times_and_alarms_are_rare():
    missed = alarms = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 1])
        watched = watch(rng, 500)
        failed = False
        for t in range(20):
            watched.take(*labelled(rng, 60), t)
            failed |= not watched.estimate.low <= AUC <= watched.estimate.high
        missed += failed
        alarms += watched.alarm
    assert missed <= 6  # of 40 at 5 %: more have probability 0.003
    assert alarms <= 6


def test_a_fall_of_the_auc_is_found():
    rng = np.random.default_rng(2)
    watched = watch(rng)
    for t in range(40):
        watched.take(*labelled(rng, 200, shift=1.0 if t < 20 else 0.3), t)
        if t == 19:
            assert not watched.alarm
    assert watched.alarm
    assert watched.evidence.since >= 20


def test_a_fall_that_is_allowed_is_no_alarm():
    rng = np.random.default_rng(3)
    watched = watch(rng, drop=0.2)
    for t in range(40):
        watched.take(*labelled(rng, 200, shift=0.5), t)
    assert not watched.alarm
    assert watched.estimate.high < AUC


def test_rows_of_one_class_wait_for_the_other():
    rng = np.random.default_rng(4)
    watched = watch(rng)
    watched.take(np.ones(5, dtype=bool), rng.normal(size=5), 0)
    assert watched.estimate is None
    watched.take(np.zeros(5, dtype=bool), rng.normal(size=5), 1)
    assert watched.average.n == 5


def test_a_reset_begins_anew():
    rng = np.random.default_rng(5)
    watched = watch(rng)
    watched.take(*labelled(rng, 100), 0)
    watched.reset(0.1)
    assert watched.estimate is None
    assert not watched.alarm


def test_rows_that_wait_are_forgotten_by_a_reset():
    rng = np.random.default_rng(6)
    watched = watch(rng)
    watched.take(np.ones(5, dtype=bool), rng.normal(size=5), 0)
    watched.reset(0.1)
    watched.take(np.zeros(5, dtype=bool), rng.normal(size=5), 1)
    assert watched.estimate is None
    assert np.isnan(watched.latest)
