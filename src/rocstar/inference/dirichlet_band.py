"""A lower band of an ROC curve by random masses: it held its level in every simulation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.draws import CHUNK, N_DRAWS
from rocstar.inference.group_masses import UNSEEN_CASES, unseen_group
from rocstar.inference.masses import MAX_CELLS

MAX_RATES = 96
"""False positive rates the band rests on; between them it is a staircase at little cost."""


def dirichlet_steps(
    positive: BoolArray,
    score: FloatArray,
    weights: FloatArray,
    units: IntArray | None,
    level: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Pointwise quantiles of random ROC curves, at the level that holds for whole curves."""
    half = np.geomspace(0.25 / (~positive).sum(), 0.5, MAX_RATES // 2)
    fpr = np.unique(np.concatenate([half, 1 - half]))
    kept = weights > 0
    run = _descending_runs(positive[kept], score[kept])
    group = None if units is None else units[kept]
    masses = _RunMasses.of(positive[kept], weights[kept], run, group)
    curves = np.empty((N_DRAWS, fpr.size))
    step = max(1, CHUNK // masses.width)
    for start in range(0, N_DRAWS, step):
        part = slice(start, min(start + step, N_DRAWS))
        curves[part] = masses.curves(fpr, part.stop - start, rng)
    ordered = np.sort(curves, axis=0)
    ranks = [np.searchsorted(o, c, side="right") for o, c in zip(ordered.T, curves.T, strict=True)]
    lowest = np.min(ranks, axis=0)  # each curve's rank where it is worst
    local = int(np.quantile(lowest, 1 - level, method="lower"))
    return fpr, ordered[max(local - 1, 0)]


class _RunMasses(NamedTuple):
    """Laws of the masses of runs of rows, scores descending: positives, then negatives."""

    # Of independent rows, Gamma laws by `shape` and `scale`; of groups, each group's weight in
    # every run, and one exponential per group. `heaviest` is what an unseen row or group weighs.

    shape: FloatArray
    scale: FloatArray
    by_group: tuple[Any, Any] | None
    heaviest: FloatArray

    @classmethod
    def of(
        cls, positive: BoolArray, weights: FloatArray, run: IntArray, units: IntArray | None
    ) -> _RunMasses:
        n, sides = int(run.max()) + 1, (positive, ~positive)
        sums, squares = (
            np.array([np.bincount(run, w * side, n) for side in sides], dtype=np.float64)
            for w in (weights, weights**2)
        )
        shape, scale = (
            sums**2 / np.where(sums > 0, squares, 1.0),
            squares / np.maximum(sums, 1e-300),
        )
        if units is None:
            heaviest = np.array([weights[side].max() for side in sides])
            return cls(shape, scale, None, heaviest)
        group = np.unique(units, return_inverse=True)[1]
        size = (int(group.max()) + 1, n)
        cells = [coo_array((weights[s], (group[s], run[s])), size).tocsr() for s in sides]
        return cls(
            shape,
            scale,
            (cells[0], cells[1]),
            unseen_group(np.array([cell.sum(axis=1) for cell in cells], dtype=np.float64)),
        )

    @property
    def width(self) -> int:
        """Random numbers per draw and class."""
        groups = 0 if self.by_group is None else int(self.by_group[0].shape[0])
        return max(int(self.shape.shape[1]), groups)

    def curves(self, fpr: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
        """Reweighted ROC curves at some rates, one row per draw; a tie counts against us."""
        if self.by_group is None:
            unseen = self.heaviest[:, None, None] * rng.standard_exponential((2, size, 1))
            drawn = [
                scale * rng.standard_gamma(shape, (size, shape.size))
                for shape, scale in zip(self.shape, self.scale, strict=True)
            ]
            return _heights(drawn, unseen, fpr)
        unseen = self.heaviest[:, None, None] * rng.standard_exponential((size, 1))
        groups = rng.standard_exponential((size, self.by_group[0].shape[0]))
        drawn = [groups @ cells for cells in self.by_group]
        cases = UNSEEN_CASES[:, :, None, None]
        low: FloatArray = np.min([_heights(drawn, case * unseen, fpr) for case in cases], axis=0)
        return low


def _heights(drawn: list[FloatArray], unseen: FloatArray, fpr: FloatArray) -> FloatArray:
    """True positive rates at some false positive rates, given masses of runs in both classes."""
    tops, rates = (np.cumsum(masses, axis=1) for masses in drawn)
    row = np.arange(len(tops))[:, None]
    tpr = np.concatenate([np.zeros_like(tops[:, :1]), tops], axis=1)
    shares = (rates + unseen[1]) / (rates[:, -1:] + unseen[1])
    # Rates lie in [0, 1], so rows moved two apart make one sorted list to search at once.
    reached = np.searchsorted((shares + 2 * row).ravel(), fpr + 2 * row, side="right")
    below = np.take_along_axis(tpr, reached - row * rates.shape[1], axis=1)
    return np.asarray(below / (tpr[:, -1:] + unseen[0]))


def _descending_runs(positive: BoolArray, score: FloatArray) -> IntArray:
    """The run of one class, or of ties, that each row belongs to, scores descending."""
    levels, where = np.unique(-score, return_inverse=True)
    counts = np.stack([np.bincount(where, rows, levels.size) for rows in (positive, ~positive)])
    kind = (counts > 0).T @ [1, 2]
    fresh = np.append(True, (kind[1:] != kind[:-1]) | (kind[1:] == 3))
    run = np.cumsum(fresh) - 1
    n = int(run[-1]) + 1
    return np.asarray((run * min(n, 4 * MAX_CELLS) // n)[where])
