"""Masses of whole groups of rows, where rows of a group are dependent (theory §8).

Every group gets one mass, and one unseen group is bad in the way that costs most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rocstar.checks import BoolArray, FloatArray, IntArray, group_units
from rocstar.inference.draws import Draws, spans

UNSEEN_CASES = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
"""How bad an unseen group may be among positives and negatives: in one class, or half in both."""


def dependent(groups: npt.ArrayLike | None, n: int) -> IntArray | None:
    """Groups as whole numbers; None where every group is a single row, which is independent."""
    if groups is None:
        return None
    units = group_units(groups, n)
    return None if units.max(initial=-1) == n - 1 else units


class GroupDraws(NamedTuple):
    """Class means under masses of whole groups, and the mass of one unseen group in each class."""

    # Rows of shape (2, n_draws): positives, then negatives. The unseen group is bad in one class,
    # or half as heavy and bad in both, whichever costs most. To be bad in both at full weight its
    # score would have to be reversed; a group whose scores are all too high or all too low is bad
    # in one.

    mean: FloatArray
    mass: FloatArray
    atom: FloatArray

    def seen_shares(self) -> FloatArray:
        """Share of each class that was seen, in each of the three cases: shape (3, 2, n_draws)."""
        return np.asarray(self.mass / (self.mass + UNSEEN_CASES[:, :, None] * self.atom))

    def sums(self) -> Draws:
        """Draws of the sum of the class means."""
        seen = self.seen_shares()
        return Draws((seen * self.mean).sum(axis=1), (1 - seen).sum(axis=1))

    def pairs(self, total: float) -> Draws:
        """Draws of an AUC or a difference of two, from the means of its linear form."""
        seen = self.seen_shares().prod(axis=1)
        return Draws(seen * (self.mean.sum(axis=0) - total), 1 - seen)


def group_draws(
    positive: BoolArray,
    values: FloatArray,
    weights: FloatArray,
    groups: IntArray,
    rng: np.random.Generator,
    n_draws: int,
) -> GroupDraws:
    """Unit exponentials for each group of rows and for one unseen group."""
    keep = weights > 0
    unit = np.unique(groups[keep], return_inverse=True)[1]
    positive, values, weights = positive[keep], values[keep], weights[keep]
    classes = (positive, ~positive)
    size = np.array([np.bincount(unit, weights * rows) for rows in classes], dtype=np.float64)
    sums = np.stack([np.bincount(unit, weights * rows * values) for rows in classes])
    n_groups = size.shape[1]
    totals, mass = np.empty((2, n_draws)), np.empty((2, n_draws))
    for part in spans(n_draws, n_groups):
        drawn = rng.standard_exponential((n_groups, part.stop - part.start))
        totals[:, part], mass[:, part] = sums @ drawn, size @ drawn
    atom = unseen_group(size)[:, None] * rng.standard_exponential(n_draws)
    return GroupDraws(totals / mass, mass, atom)


def unseen_group(size: FloatArray) -> FloatArray:
    """Weight of an unseen group in each class, given those of the seen ones in each class."""
    # It is as heavy as the heaviest, and of a class it holds the share that the group of a typical
    # row of that class holds: all of it, where groups are of one class.
    whole = size.sum(axis=0)
    return np.asarray(whole.max() * (size**2 / whole).sum(axis=1) / size.sum(axis=1))
