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
    X = rows(rng, 5000)
    return Profile.learn((X[:2500], X[2500:]), NAMES, OWNER, np.array([1]), OWNER < 2)


def shifts(seen, X):
    return seen.shifts(seen.counted(X))


def test_only_the_column_that_moved_is_named():
    rng = np.random.default_rng(0)
    seen = profile(rng)
    found = moved(shifts(seen, rows(rng, 2000, share=0.7)), 0.05)
    assert [each.name for each in found] == ["code"]
    assert abs(found[0].shift - 0.2) < 0.05


def test_missing_values_are_a_shift():
    rng = np.random.default_rng(1)
    found = moved(shifts(profile(rng), rows(rng, 1000, missing=0.3)), 0.05)
    assert found[0].name == "number"
    assert abs(found[0].shift - 0.3) < 0.05


def test_the_part_of_a_text_that_moved_stands_for_it():
    rng = np.random.default_rng(2)
    X = rows(rng, 1000)
    X[:, 3] += 1
    assert [each.name for each in moved(shifts(profile(rng), X), 0.05)] == ["text"]


def test_chance_moves_a_column_in_one_batch_of_twenty_at_most():
    rng = np.random.default_rng(3)
    seen = profile(rng)
    found = [bool(moved(shifts(seen, rows(rng, 500)), 0.05)) for _ in range(200)]
    assert np.mean(found) <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 200)


def test_a_column_without_values_does_not_move():
    X = np.full((30, 1), np.nan)
    nothing, one = np.zeros(0, dtype=int), np.array([0])
    seen = Profile.learn((X, X), ["empty"], one, nothing, one == 0)
    assert shifts(seen, X)[0].pvalue == 1.0


def test_rows_that_an_encoder_was_fitted_to_describe_only_columns_that_are_passed_on():
    rng = np.random.default_rng(4)
    first, second, batch = (rows(rng, 1000) for _ in range(3))
    first[:, [0, 3]] += 1
    seen = Profile.learn((first, second), NAMES, OWNER, np.array([1]), OWNER < 2)
    assert [each.name for each in moved(shifts(seen, batch), 0.05)] == ["number"]


def test_the_pvalue_of_a_text_is_corrected_for_its_parts():
    rng = np.random.default_rng(5)
    owner, nothing = np.zeros(30, dtype=int), np.zeros(0, dtype=int)
    parts = rng.normal(size=(100, 30)), rng.normal(size=(2000, 30))
    seen = Profile.learn(parts, ["text"], owner, nothing, owner > 0)
    named = [bool(moved(shifts(seen, rng.normal(size=(400, 30))), 0.05)) for _ in range(40)]
    assert sum(named) <= 6
