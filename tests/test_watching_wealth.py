"""Wealth of bets: fair without a change, monotone in the tolerance, quick after a late change."""

from __future__ import annotations

import numpy as np

from rocstar.watching.wealth import SHARES, Evidence, log_factors, trial_share

LEVELS = np.array([0.0, 0.5, 1.0])


def counted(rng, mean, n, size):
    """Rows at the three levels whose mean is as given."""
    return rng.multinomial(n, [1 - mean - 0.2, 0.4, mean - 0.2], size=size).astype(float)


def after(counts, means, at=0, joins=()):
    evidence = Evidence(1, len(means), at)
    evidence.join()
    table = log_factors(LEVELS, np.asarray(means))
    for t, row in enumerate(counts):
        if t in joins:
            evidence.join()
        factors = np.tensordot(row, table, axes=1)[None]
        evidence.update([factors] * len(evidence.bettors), t, 0.05)
    return evidence


def test_shares_of_trials_sum_to_one():
    k = np.arange(1, 1_000_001)
    assert 0.99 < trial_share(k).sum() < 1


def test_no_row_can_ruin_a_bet():
    factors = np.exp(log_factors(LEVELS, np.array([0.3, 0.9])))
    assert factors.min() >= 1 - SHARES.max() - 1e-12


def test_fair_bets_seldom_reach_their_goal():
    """Rows whose mean is exactly the one bet against; 20 % bound, 2.6 standard errors above."""
    rng = np.random.default_rng(0)
    alarms = [after(counted(rng, 0.5, 10, 60), [0.5]).rejected(0.2) for _ in range(150)]
    assert 0 < np.mean(alarms) <= 0.2 + 2.6 * np.sqrt(0.2 * 0.8 / 150)


def test_bets_against_too_small_a_mean_do_reach_it():
    """The negative control of the test above."""
    rng = np.random.default_rng(0)
    alarms = [after(counted(rng, 0.5, 10, 60), [0.42]).rejected(0.2) for _ in range(30)]
    assert np.mean(alarms) > 0.8


def test_expected_wealth_is_one():
    rng = np.random.default_rng(1)
    found = [np.exp(after(counted(rng, 0.5, 3, 6), [0.5], joins={2, 4}).log_e) for _ in range(1500)]
    assert abs(np.mean(found) - 1) < 4 * np.std(found) / np.sqrt(len(found))


def test_a_larger_tolerance_is_never_excluded_first():
    rng = np.random.default_rng(2)
    evidence = after(counted(rng, 0.55, 50, 40), 0.45 + np.linspace(0, 0.3, 20), at=3)
    assert (np.diff(evidence.highest) <= 1e-9).all()
    assert 0 < evidence.rejected(0.05) < 20


def test_a_late_change_is_found_and_dated():
    rng = np.random.default_rng(3)
    quiet, changed = counted(rng, 0.4, 100, 200), counted(rng, 0.75, 100, 3)
    evidence = after(np.concatenate([quiet, changed]), [0.5])
    assert evidence.rejected(0.05) == 1
    assert evidence.since == 200


def test_the_date_of_the_evidence_stays_that_of_the_alarm():
    rng = np.random.default_rng(3)
    changed, back = counted(rng, 0.75, 100, 3), counted(rng, 0.25, 100, 60)
    days = np.concatenate([changed, back, counted(rng, 0.78, 100, 30)])
    assert after(days, [0.5]).since == after(changed, [0.5]).since == 0


def test_a_single_start_would_have_lost_too_much():
    """The same stream, in which bets are begun only once: what restarts are for."""
    rng = np.random.default_rng(3)
    counts = np.concatenate([counted(rng, 0.4, 100, 200), counted(rng, 0.75, 100, 3)])
    logs = np.tensordot(counts.sum(axis=0), log_factors(LEVELS, np.array([0.5])), axes=1)
    assert logs.max() < np.log(20)


def test_a_bettor_that_retires_leaves_its_wealth():
    rng = np.random.default_rng(4)
    evidence = after(counted(rng, 0.6, 100, 5), [0.5])
    before = evidence.log_e
    evidence.join()
    evidence.retire(0)
    evidence.update([np.zeros((1, SHARES.size, 1))], 9, 0.05)
    assert abs(evidence.log_e - before) < 1e-9
    evidence.join()
    assert evidence.shares == trial_share(np.array([2, 3])).tolist()
