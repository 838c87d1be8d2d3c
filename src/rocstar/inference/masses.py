"""Random masses of the rows of each class, and the means of classes under them (theory §8).

Rows that cannot be told apart are drawn as one: a sum of k unit exponentials is Gamma(k). That
makes the cost depend on how often the classes alternate along the score, not on the sample size.
Rows are sorted before masses are drawn, so that their order changes nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.draws import N_DRAWS, Draws, spans
from rocstar.inference.group_masses import group_draws

MAX_CELLS = 256
"""Cells per class; drawing more rows as one loses a share of about 1/256² of the variance."""


class Masses(NamedTuple):
    """Gamma laws of the masses of some cells; exact where the rows of a cell weigh the same."""

    shape: FloatArray
    scale: FloatArray

    @classmethod
    def of_sums(cls, weights: FloatArray, squares: FloatArray) -> Masses:
        """Match mean and variance of a weighted sum of unit exponentials."""
        return cls(weights**2 / squares, squares / weights)

    def sample(self, rng: np.random.Generator, n_draws: int) -> FloatArray:
        """One row per cell, one column per draw."""
        out = np.empty((self.shape.size, n_draws))
        single = self.shape == 1.0
        out[single] = rng.standard_exponential((int(single.sum()), n_draws))
        sums = self.shape[~single, None]
        out[~single] = rng.standard_gamma(sums, size=(sums.size, n_draws))
        if (self.scale != 1.0).any():
            out *= self.scale[:, None]
        return out


def mean_draws(
    values: FloatArray, weights: FloatArray, rng: np.random.Generator, n_draws: int = N_DRAWS
) -> Draws:
    """Draws of the weighted mean of one sample."""
    # The atom weighs as much as the heaviest row: an unseen row might.
    values, weights = values[weights > 0], weights[weights > 0]
    cells, masses = _value_cells(values, weights)
    seen, unseen = np.empty(n_draws), np.empty(n_draws)
    for part in spans(n_draws, cells.size):
        size = part.stop - part.start
        mass = masses.sample(rng, size)
        atom = weights.max() * rng.standard_exponential(size)
        total = mass.sum(axis=0) + atom
        seen[part] = cells @ mass / total
        unseen[part] = atom / total
    return Draws(seen, unseen)


def sum_draws(
    positive: BoolArray,
    values: FloatArray,
    weights: FloatArray,
    rng: np.random.Generator,
    n_draws: int = N_DRAWS,
    groups: IntArray | None = None,
) -> Draws:
    """Draws of the mean over the positives plus the mean over the negatives."""
    # Rows are independent unless `groups` says which of them are not; then whole groups are.
    if groups is not None:
        return group_draws(positive, values, weights, groups, rng, n_draws).sums()
    first = mean_draws(values[positive], weights[positive], rng, n_draws)
    second = mean_draws(values[~positive], weights[~positive], rng, n_draws)
    return Draws(first.seen + second.seen, first.unseen + second.unseen)


def _value_cells(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, Masses]:
    """Equal values of equal weight, or neighbours when there are many, drawn as one."""
    order = np.lexsort((weights, values))
    values, weights = values[order], weights[order]
    fresh = (values[1:] != values[:-1]) | (weights[1:] != weights[:-1])
    starts = np.flatnonzero(np.concatenate([[True], fresh]))
    if starts.size > MAX_CELLS:
        starts = merged_starts([np.arange(values.size), values - values[0]], MAX_CELLS)
    sums = np.add.reduceat(weights, starts)
    cells = np.add.reduceat(weights * values, starts) / sums
    return cells, Masses.of_sums(sums, np.add.reduceat(weights**2, starts))


def merged_starts(rulers: list[npt.NDArray[Any]], limit: int) -> IntArray:
    """Starts of at most ``limit`` groups of neighbours, none of them long on any ruler."""
    # Rulers are non-decreasing. Equal counts alone would hide a few stragglers in a crowd, which
    # can carry most of the variance; equal widths alone would lump the crowd together.
    n = rulers[0].size
    if n <= limit:
        return np.arange(n)
    # All values may be equal, if their weights differ.
    place = np.mean([(r - r[0]) / ((r[-1] - r[0]) or 1) for r in rulers], axis=0)
    group = np.minimum((place * limit).astype(np.intp), limit - 1)
    return np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
