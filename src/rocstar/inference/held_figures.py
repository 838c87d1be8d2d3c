"""A held-out figure with its draws: the one place where its lower limit and estimate are made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from rocstar.checks import FloatArray, IntArray
from rocstar.inference.draws import N_DRAWS, Draws
from rocstar.inference.estimate import Estimate
from rocstar.inference.group_masses import dependent
from rocstar.inference.held_out import HeldOut
from rocstar.inference.masses import sum_draws
from rocstar.inference.pair_masses import MAX_ROWS, LinearAUC, auc_draws, gain_draws, repeated_draws

SEED = 0  # the same draws for the same data, whatever else is random


def _units(held: HeldOut) -> IntArray | None:
    return dependent(held.groups, held.y.size)


def held_sum_draws(held: HeldOut, values: FloatArray) -> Draws:
    """Draws of the sum of class means of one value per judged row."""
    rng, once = np.random.default_rng(SEED), held.once
    return sum_draws(once.y, values, once.weights, rng, N_DRAWS, _units(once))


def held_pair_draws(held: HeldOut, values: FloatArray, baseline: FloatArray | None = None) -> Draws:
    """Draws of the AUC within folds, or of its gain over given scores; ``values`` per row."""
    rng, once = np.random.default_rng(SEED), held.once
    units = _units(once)
    if units is not None or (held.y.size > MAX_ROWS and held.n_repeats > 1):
        return LinearAUC(once.y, values).draws(once.weights, rng, N_DRAWS, units)
    if held.n_repeats > 1:
        scores, folds = held.by_repeat(held.score), held.by_repeat(held.fold)
        theirs = None if baseline is None else held.by_repeat(baseline)[:, 0]
        return repeated_draws(once.y, scores, once.weights, folds, rng, N_DRAWS, theirs)
    if baseline is None:
        return auc_draws(held.y, held.score, held.weights, held.fold, rng, N_DRAWS)
    return gain_draws(held.y, held.score, baseline, held.weights, held.fold, rng, N_DRAWS)


class Bounded(NamedTuple):
    """Draws of a held-out figure, the figure itself, and how many folds it comes from."""

    draws: Draws
    figure: float
    atom: float  # share of the figure that one atom's row would have on average
    folds: int

    def low(self, error: float, floor: float, worst: float = 0.0) -> float:
        """Lower limit, at least the ``floor`` that holds for identical laws."""
        # At identical laws every model is the best one, so no slack protects the bound, and the
        # variance of a cross-fitted figure is up to twice what its rows show: fold j's noise times
        # the model that learnt fold k's noise comes back as fold k's noise times the model that
        # learnt fold j's. So several folds must beat the floor with doubled variance before they
        # may claim anything above it.
        low = self.draws.low(error, worst)
        inflated = self.figure - np.sqrt(2) * (self.figure - low)
        return floor if self.folds > 1 and inflated <= floor else max(low, floor)

    def estimate(
        self, value: float, low: float, error: float, limits: tuple[float, float]
    ) -> Estimate:
        """A guaranteed lower end beside an estimated upper end, value between them."""
        se = self.draws.spread(self.atom * self.figure)
        value = max(float(np.clip(value, *limits)), low)
        high = min(value + float(norm.isf(error)) * se, limits[1])
        return Estimate(value, low, high, 1 - error, "lower")
