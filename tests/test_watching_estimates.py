"""Estimates of a batch: near the truth on the day of a change, and of a second one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rocstar.watching import stream as streams
from rocstar.watching.estimates import UNKNOWN, crossed, distances
from rocstar.watching.payoffs import Judge, Payoffs
from rocstar.watching.search import Search
from rocstar.watching.stream import Stream

EFFECT = np.array([1.5, 0, 0])


def stream(rng, n=2000):
    X = rng.normal(size=(n, 3))
    a = n // 4
    search = Search("linear", None, (X[:a], X[a : 2 * a]), np.zeros(0, dtype=int))
    return Stream(search, X[2 * a :], 0.0, 0.05)


def tv(shift):
    return 2 * norm.cdf(shift / 2) - 1


@pytest.mark.parametrize("rows", [400, 60])  # four parts, or one that no later part can judge
def test_the_day_of_a_change_is_estimated_by_the_model_it_brought(rows):
    found = []
    for seed in range(10):
        rng = np.random.default_rng([seed, rows])
        watched = stream(rng)
        for _ in range(2):
            watched.take(rng.normal(size=(rows, 3)))
        found.append(watched.take(rng.normal(size=(rows, 3)) + EFFECT)[0])
    assert abs(np.mean(found) - tv(1.5)) < 0.06


def test_a_second_change_is_estimated_while_the_first_alarm_stands():
    rng = np.random.default_rng(0)
    watched = stream(rng)
    for _ in range(5):
        watched.take(rng.normal(size=(400, 3)) + EFFECT)
    found = [watched.take(rng.normal(size=(400, 3)) + EFFECT[[1, 0, 2]])[0] for _ in range(3)]
    assert watched.epoch.evidence.leader == 0  # which has learnt the first change only
    assert np.abs(np.array(found) - tv(1.5)).max() < 0.1
    assert watched.take(rng.normal(size=(400, 3)))[0] < 0.1


def test_an_estimate_is_not_below_the_bound_that_its_batch_has_raised(monkeypatch):
    rng = np.random.default_rng(1)
    watched = stream(rng)
    for estimate in ("distances", "crossed"):
        monkeypatch.setattr(streams, estimate, lambda *_: np.zeros(2))
    found = watched.take(rng.normal(size=(400, 3)) + EFFECT)
    assert found[0] == watched.low > 0.1
    assert 0 < found[1] < found[0]
    low, quiet = watched.low, watched.take(rng.normal(size=(400, 3)))
    assert (watched.low, *quiet) == (low, 0.0, 0.0)


def test_each_half_is_judged_by_the_other_halfs_choice():
    rng = np.random.default_rng(2)
    payoffs = Payoffs.of_scores(rng.normal(1, 1, 2000), rng.normal(size=2000))
    judge = Judge.of(None, payoffs, rng.normal(size=2000), 0.05)
    far, near = (
        np.stack([payoffs.counts(rng.normal(shift, 1, 500)) for _ in (0, 1)]) for shift in (1, 0)
    )
    assert distances([judge, judge], [near, far])[0] == pytest.approx(tv(1.0), abs=0.06)
    # One row is a half of its own, which nobody was chosen for.
    one = np.stack([payoffs.counts(np.array([3.0])), payoffs.counts(np.zeros(0))])
    assert distances([judge], [one])[0] > 0.5
    assert np.isnan(distances([judge], [0 * one])).all()


def test_too_few_rows_to_cross_are_unknown():
    search = stream(np.random.default_rng(3)).search
    np.testing.assert_array_equal(crossed(search, np.zeros((5, 3))), UNKNOWN)
