"""The sample of the past: bounded, reproducible, even over its stretch."""

from __future__ import annotations

import numpy as np

from rocstar.watching.memory import MOST_LEVELS, MOST_ROWS, Memory


def filled(n_parts, rows, seed=0):
    memory, seen = Memory(seed), []
    for t in range(1, n_parts + 1):
        X = np.full((rows, 1), float(t))
        seen.append([(s.first, s.stands_for) for s in memory.add(X, t, t)])
    return memory, seen


def test_stretches_are_those_whose_length_divides_the_time():
    _, seen = filled(8, 10)
    assert seen[6] == [(7, 10)]
    assert seen[7] == [(8, 10), (7, 20), (5, 40), (1, 80)]


def test_memory_is_bounded():
    memory, _ = filled(300, 3000)
    assert len(memory.kept) <= np.log2(300) + 1
    assert max(len(s.X) for s in memory.kept) <= MOST_ROWS
    assert sum(s.stands_for for s in memory.kept) == 300 * 3000


def test_the_longest_stretch_is_not_doubled_for_ever(monkeypatch):
    monkeypatch.setattr("rocstar.watching.memory.MOST_LEVELS", 3)
    memory, _ = filled(64, 2)
    assert MOST_LEVELS == 12
    assert [s.level for s in memory.kept] == [3]


def test_every_part_of_a_stretch_is_kept_alike():
    memory, _ = filled(16, 2000)
    (whole,) = memory.kept
    counts = np.unique(whole.X, return_counts=True)[1]
    assert len(whole.X) == MOST_ROWS
    assert abs(counts - MOST_ROWS / 16).max() < 5 * np.sqrt(MOST_ROWS / 16)


def test_small_stretches_are_kept_whole():
    memory, _ = filled(4, 10)
    assert len(memory.kept[0].X) == 40


def test_the_sample_is_reproducible():
    one, other = filled(20, 3000)[0], filled(20, 3000)[0]
    for a, b in zip(one.kept, other.kept, strict=True):
        np.testing.assert_array_equal(a.X, b.X)
