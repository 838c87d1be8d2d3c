"""Shifts of single columns: which moved, how far, and how seldom by chance."""

from __future__ import annotations

import numpy as np

from rocstar.watching.shifts import Profile, moved

NAMES, OWNER = ["number", "code", "text"], np.array([0, 1, 2, 2])


def rows(rng, n, share=0.5, missing=0.0):
    X = rng.normal(size=(n, 4))
    X[:, 1] = rng.random(n) < share
    X[rng.random(n) < missing, 0] = np.nan
    return X


def profile(rng):
    return Profile.learn(rows(rng, 5000), NAMES, OWNER, np.array([1]))


def test_only_the_column_that_moved_is_named():
    rng = np.random.default_rng(0)
    seen = profile(rng)
    found = moved(seen.shifts(rows(rng, 2000, share=0.7)), 0.05)
    assert [each.name for each in found] == ["code"]
    assert abs(found[0].shift - 0.2) < 0.05


def test_missing_values_are_a_shift():
    rng = np.random.default_rng(1)
    found = moved(profile(rng).shifts(rows(rng, 1000, missing=0.3)), 0.05)
    assert found[0].name == "number"
    assert abs(found[0].shift - 0.3) < 0.05


def test_the_part_of_a_text_that_moved_stands_for_it():
    rng = np.random.default_rng(2)
    X = rows(rng, 1000)
    X[:, 3] += 1
    assert [each.name for each in moved(profile(rng).shifts(X), 0.05)] == ["text"]


def test_chance_moves_a_column_in_one_batch_of_twenty_at_most():
    rng = np.random.default_rng(3)
    seen = profile(rng)
    found = [bool(moved(seen.shifts(rows(rng, 500)), 0.05)) for _ in range(200)]
    # The part of a text that moved most is tested, hence the allowance for two parts.
    assert np.mean(found) <= 0.05 * 4 / 3 + 2.6 * np.sqrt(0.05 * 0.95 / 200)


def test_a_column_without_values_does_not_move():
    X = np.full((30, 1), np.nan)
    seen = Profile.learn(X, ["empty"], np.array([0]), np.zeros(0, dtype=int))
    assert seen.shifts(X)[0].pvalue == 1.0
