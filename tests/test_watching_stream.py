"""Streams: false alarms, delays, bounds below the truth, periods, resets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rocstar.watching.columns import Plan
from rocstar.watching.payoffs import Judge
from rocstar.watching.resets import epoch_share
from rocstar.watching.search import Search
from rocstar.watching.stream import Stream
from rocstar.watching.wealth import trial_share


def stream(rng, n=800, d=2, kind="linear", **settings):
    X = rng.normal(size=(n, d))
    a = n // 4
    search = Search(kind, None, (X[:a], X[a : 2 * a]), np.zeros(0, dtype=int))
    settings = {"tolerance": 0.0, "error": 0.05, **settings}
    return Stream(search, X[2 * a :], **settings)


def test_false_alarms_are_rare():
    """20 streams of 50 looks; more than 4 alarms have probability 0.003 at 5 %."""
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng([seed, 1])
        watched = stream(rng)
        for _ in range(50):
            watched.take(rng.normal(size=(50, 2)))
        alarms += watched.alarm
    assert alarms <= 4


def test_looking_at_the_second_part_would_raise_false_alarms():
    """The negative control: the second part given to training as if it were of the stream."""
    alarms = 0
    for seed in range(4):
        rng = np.random.default_rng([seed, 2])
        watched = stream(rng, n=200, d=30)
        watched.search.halves = (watched.second, watched.second)
        watched.search._prepare()
        for _ in range(40):
            watched.take(rng.normal(size=(100, 30)))
        alarms += watched.alarm
    assert alarms >= 3


def test_a_change_is_found_within_days_and_bounded_by_the_truth():
    rng = np.random.default_rng(3)
    watched = stream(rng, n=2000)
    for _ in range(30):
        watched.take(rng.normal(size=(200, 2)))
    assert not watched.alarm
    assert watched.average_low == 0
    for _ in range(3):
        estimate = watched.take(rng.normal(size=(200, 2)) + np.array([1, 0]))
    assert watched.alarm
    assert watched.epoch.evidence.since >= 31
    truth = 2 * norm.cdf(0.5) - 1
    assert 0.1 < watched.low < truth
    assert abs(estimate[0] - truth) < 0.1
    for _ in range(60):
        watched.take(rng.normal(size=(200, 2)) + np.array([1, 0]))
    assert 0.1 < watched.average_low < truth * 63 / 93


def test_a_single_column_shows_a_small_change_before_any_model_does():
    """A tolerance of almost nothing leaves the bets, with the whole error, alone."""

    def days_until_alarm(seed, tolerance):
        rng = np.random.default_rng([seed, 10])
        plan = Plan(np.ones(20, dtype=bool), np.full(20, 1 / 20))
        watched = stream(rng, n=1000, d=20, tolerance=tolerance, plan=plan)
        for day in range(-4, 13):
            shift = 0.5 * (day > 0) * np.eye(20)[3]
            watched.take(rng.normal(size=(100, 20)) + shift, estimate=False)
            if watched.alarm:
                break
        return day

    together, bets = ([days_until_alarm(seed, t) for seed in range(6)] for t in (0.0, 1e-9))
    assert min(together) > 0
    assert np.mean(together) < 3
    assert np.mean(together) < np.mean(bets) - 1


def test_a_column_that_alarms_later_does_not_move_the_date():
    rng = np.random.default_rng(11)
    watched = stream(rng, n=2000)
    for _ in range(3):
        watched.take(rng.normal(size=(400, 2)))
    watched.epoch.evidence.dated = 2
    watched.epoch.evidence.highest[:] = 100.0  # an alarm of the bets
    watched.take(rng.normal(size=(400, 2)))
    assert (watched.alarm, watched.column_alarm, watched.since) == (True, False, 2)
    watched.take(rng.normal(size=(400, 2)) + 1)
    assert (watched.column_alarm, watched.columns.since, watched.since) == (True, 5, 2)


@pytest.mark.parametrize("settings", [{"tolerance": 0.02}, {"period": 7}, {}])
def test_errors_of_bets_and_columns_sum_to_the_whole(settings):
    watched = stream(np.random.default_rng(0), **settings)
    assert (watched.columns is None) == bool(settings)
    columns = 0 if watched.columns is None else watched.columns.error
    assert watched.bets_error + columns == pytest.approx(0.05)


def test_a_difference_within_the_tolerance_is_no_alarm():
    rng = np.random.default_rng(4)
    watched = stream(rng, n=2000, tolerance=0.25)
    for _ in range(60):
        watched.take(rng.normal(size=(200, 2)) + np.array([0.5, 0]))  # total variation 0.197
    assert not watched.alarm
    assert 0.05 < watched.low < 0.2


def test_a_reset_begins_anew_at_a_price():
    rng = np.random.default_rng(5)
    watched = stream(rng)
    for _ in range(4):
        watched.take(rng.normal(size=(200, 2)) + np.array([1, 0]))
    assert watched.alarm
    before = watched.epoch_error
    assert watched.column_alarm
    watched.reset()
    assert not watched.alarm
    assert not watched.column_alarm
    assert watched.low == 0
    assert watched.epoch_error < before / 4


def test_models_found_after_a_reset_have_its_share_of_the_error(monkeypatch):
    rng, errors = np.random.default_rng(5), []
    judged = Judge.of
    monkeypatch.setattr(Judge, "of", lambda *args: errors.append(args[-1]) or judged(*args))
    watched = stream(rng, n=2000)
    for _ in range(3):
        watched.take(rng.normal(size=(200, 2)) + np.array([1, 0]))
    assert errors[0] == pytest.approx(watched.bets_error / 2 * epoch_share(0) * trial_share(1))
    bounds = [judge.bounds for judge in watched.judges]
    watched.reset()
    errors.clear()
    watched.take(rng.normal(size=(200, 2)) - np.array([0, 2]))
    share = epoch_share(1) * trial_share(3)
    assert errors[0] == pytest.approx(watched.bets_error / 2 * share * trial_share(1))
    np.testing.assert_array_equal([j.bounds for j in watched.judges[: len(bounds)]], bounds)


def test_days_of_a_week_alarm_unless_the_period_is_given():
    effects = np.array([0, 0, 0, 0, 0, 0, 1.5])
    alarms = {}
    for period in (1, 7):
        rng = np.random.default_rng(6)
        days = np.repeat(np.arange(7), 200)
        X = rng.permutation(rng.normal(size=(1400, 1)) + effects[days, None])
        search = Search("linear", None, (X[:350], X[350:700]), np.zeros(0, dtype=int))
        watched = Stream(search, X[700:], 0.0, 0.05, period)
        for day in range(140):
            watched.take(rng.normal(size=(50, 1)) + effects[day % 7])
        alarms[period] = watched.alarm
    assert alarms == {1: True, 7: False}


def test_a_reset_begins_a_new_period():
    rng = np.random.default_rng(6)
    watched = stream(rng, period=3)
    for _ in range(2):
        watched.take(rng.normal(size=(50, 2)))
    watched.reset()
    counted = []
    for _ in range(3):
        watched.take(rng.normal(size=(40, 2)))
        counted.append(watched.epoch.average.n)
    assert counted == [0, 0, 120]


def test_a_change_is_found_at_the_end_of_a_period():
    rng = np.random.default_rng(7)
    watched = stream(rng, period=7)
    days = iter(range(28))
    while not watched.alarm:
        day = next(days)
        watched.take(rng.normal(size=(50, 2)) + np.array([day >= 7, 0]))
    assert day > 7
    assert day % 7 == 6
    assert watched.since % 7 == 1  # the first batch of a period, counted from one
    since = watched.since
    for _ in range(14):
        watched.take(rng.normal(size=(50, 2)) + np.array([3, 0]))
    assert watched.since == since
    watched.reset()
    assert watched.epoch.evidence.dated is None


def test_small_batches_wait_until_they_can_be_learnt_from():
    rng = np.random.default_rng(8)
    watched = stream(rng)
    for _ in range(30):
        watched.take(rng.normal(size=(5, 2)) + np.array([1.5, 0]))
    assert watched.alarm
    assert watched.parts == 3


def test_judges_are_few_and_each_is_clearly_better_than_the_others():
    rng = np.random.default_rng(9)
    watched = stream(rng, n=2000, d=6)
    for day in range(40):
        shift = np.zeros(6)
        shift[day // 5 % 6] = 1.0
        watched.take(rng.normal(size=(200, 6)) + shift)
    assert watched.spending.promoted > len(watched.judges) == 5
    assert len(watched.epoch.evidence.retired) == watched.spending.promoted - 5
    assert watched.alarm
