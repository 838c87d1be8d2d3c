"""Limits of draws, with the unseen where it costs most."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.inference.draws import CHUNK, Draws, spans


def test_the_unseen_takes_the_worst_and_the_best_value():
    draws = Draws(np.array([0.7, 0.8]), np.array([0.2, 0.1]))
    assert draws.low(0.05, worst=0.0) == 0.7
    assert draws.high(0.05, best=1.0) == pytest.approx(0.9)
    assert draws.minus(1.0).low(0.05, worst=0.0) == pytest.approx(-0.3)


def test_the_worst_of_several_places_counts_in_every_draw():
    draws = Draws(np.array([[0.7, 0.9], [0.8, 0.6]]), np.zeros((2, 2)))
    assert draws.low(0.9, worst=0.0) == 0.6
    assert draws.high(1.0, best=1.0) == 0.8


def test_spans_cover_all_draws_once_whatever_their_size():
    for cells in (0, 3, CHUNK // 7, 2 * CHUNK):
        covered = np.concatenate([np.arange(s.start, s.stop) for s in spans(50, cells)])
        assert covered.tolist() == list(range(50))
