"""Shares of log ratios: derivatives, and the best of several starts."""

from __future__ import annotations

import numpy as np
from scipy.optimize import check_grad

from rocstar import laws
from rocstar.estimators.shares import MixedLogRatios
from rocstar.fitting.directions import unit_directions

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample(100, random_state=0)
WEIGHTS = np.full(300, 0.01)


def members():
    noise = np.random.default_rng(0).normal(size=(3, 300, 3))
    return [
        unit_directions(np.log(LAW.direction(X)) + size * z)
        for size, z in zip((0.5, 1, 3), noise, strict=True)
    ]


def test_gradient():
    mixture = MixedLogRatios(members(), Y, WEIGHTS)
    start = np.array([0.5, 0.3, 0.2])
    assert check_grad(mixture.arc_length, mixture.gradient, start) < 1e-6


def test_no_mixture_on_a_grid_is_better():
    mixture = MixedLogRatios(members(), Y, WEIGHTS)
    best = mixture.best_shares()
    grid = [
        np.array([a, b, 1 - a - b])
        for a in np.linspace(0, 1, 21)
        for b in np.linspace(0, 1 - a, 21)
    ]
    assert mixture.arc_length(best) >= max(map(mixture.arc_length, grid)) - 1e-6
    assert best[0] > best[2]
    assert MixedLogRatios(members()[:1], Y, WEIGHTS).best_shares().tolist() == [1.0]
