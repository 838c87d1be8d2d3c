"""Rows held by the workers of a Dask cluster, or read from disk in turn.

A partition is a few delayed objects: features, labels and weights of the same rows. Every pass is
one task per partition and a tree of sums of what they return. Partitions stay where they are: what
travels is the coefficients one way and sums of the size of a Hessian the other way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.fitting.rows import DOUBLE_ROUNDING, Block, MemoryRows, Summable, T, least_rows
from rocstar.scale.overview import Overview
from rocstar.scale.partition_checks import float_matrix, partition_weights
from rocstar.scale.partitions import Partition
from rocstar.scale.sampling import StartRows, start_is_enough, start_problem
from rocstar.scale.tasks import task_per_partition, tree_sum

# A thinned problem reads at least so many partitions, if need be a part of each.
MIN_PARTITIONS = 8
# Coefficients of so many columns travel with every task rather than to every worker.
LIGHT_COLUMNS = 500


@dataclass(frozen=True)
class ClassColumn:
    """A number for each positive and one for each negative, times weights; made block by block."""

    # Whole columns would be written and read again in every pass, at half the cost of a gradient.

    up: BoolArray
    values: tuple[float, float]
    factors: list[FloatArray] = field(default_factory=list)

    dtype = np.dtype(np.float64)

    def written(self, rows: slice, out: FloatArray | None = None) -> FloatArray:
        """The numbers of some rows, in ``out`` if that is given."""
        up = self.up[rows]
        numbers = np.empty(len(up)) if out is None else out
        numbers[:] = self.values[1]
        np.copyto(numbers, self.values[0], where=up)
        for factor in self.factors:
            numbers *= factor[rows]
        return numbers


@dataclass(frozen=True)
class Recipe:
    """How a worker turns a partition into the rows of a problem."""

    positive: Any  # the label
    totals: tuple[float, float]
    features: Callable[[Any], Any] | None
    shift: FloatArray | None
    block_step: int = 1
    class_scale: tuple[float, float] = (1.0, 1.0)

    def rows(self, x: Any, y: Any, *given: Any) -> MemoryRows | None:
        x, y = float_matrix(x), np.asarray(y)
        if not len(y):
            return None
        up = y == self.positive
        weights, factor = (partition_weights(w, len(y)) for w in given)
        scales = np.array(self.class_scale) / self.totals
        if self.block_step > 1:
            kept = self._rows_of_some_blocks(*x.shape)
            ours, whole = _class_sums(up, weights, kept), _class_sums(up, weights, slice(None))
            # Rows of a class that is missing from the thinned blocks must not be lost.
            if np.array_equal(ours > 0, whole > 0):
                scales = scales * whole / np.where(ours > 0, ours, 1.0)
                x, up = x[kept], up[kept]
                weights, factor = (None if w is None else w[kept] for w in (weights, factor))
        factors = [w for w in (weights, factor) if w is not None]
        shares = ClassColumn(up, (scales[0], scales[1]), factors)
        return MemoryRows(x, ClassColumn(up, (1.0, -1.0)), shares, self.features, self.shift)

    def _rows_of_some_blocks(self, n_rows: int, width: int) -> IntArray:
        """Rows of one block in every few: other rows are not even looked at."""
        size = least_rows(width)
        starts = range(0, n_rows, size * self.block_step)
        return np.concatenate([np.arange(a, min(a + size, n_rows)) for a in starts])


def _class_sums(up: BoolArray, weights: FloatArray | None, rows: Any) -> FloatArray:
    """Weight of the positives and of the negatives among some rows."""
    up = up[rows]
    if weights is None:
        positives = float(np.count_nonzero(up))
        return np.array([positives, len(up) - positives])
    weights = weights[rows]
    return np.array([weights.sum(where=up), weights.sum(where=~up)])


@dataclass(frozen=True)
class ClusterRows:
    """The rows of one problem, in the partitions of Dask collections."""

    parts: list[Partition]
    recipe: Recipe
    n_rows: int
    width: int
    part_totals: list[FloatArray]  # weight of the positives and the negatives of each partition
    start: list[list[StartRows]] | None = None  # of positives, of negatives
    step: int = 1

    rounding = DOUBLE_ROUNDING

    @classmethod
    def of(
        cls, parts: list[Partition], seen: Overview, features: Any, shift: FloatArray | None
    ) -> ClusterRows:
        labels = seen.positive_and_negative()
        recipe = Recipe(labels[0], seen.totals(), features, shift)
        start = [seen.start[label] for label in labels]
        totals = seen.partition_totals(len(parts))
        return cls(
            parts, recipe, seen.n_rows, seen.n_features, totals, start if all(start) else None
        )

    def plain(self) -> ClusterRows:
        """The same rows without their objective weights."""
        parts = [p._replace(objective_weight=None) for p in self.parts]
        return replace(self, parts=parts, start=None)

    @property
    def n_blocks(self) -> int:
        return self.n_rows // least_rows(self.width) // self.step

    def total(self, function: Callable[[Block], T]) -> T:
        """Sum ``function(block)`` over all blocks of all partitions, on the workers."""
        constants: dict[str, Any] = {"recipe": self.recipe, "function": function}
        if self.recipe.features is None and self.width <= LIGHT_COLUMNS:
            tasks = task_per_partition(self.parts, partial(_partition_sum, **constants))
        else:
            tasks = task_per_partition(self.parts, _partition_sum, **constants)
        total: T = tree_sum(tasks)
        return total

    def thinned(self, step: int) -> Summable | None:
        """A part of the rows with class totals restored, or None if a class is missing there."""
        # For a start on a small table the rows that came with the overview are enough: solving a
        # larger part on the workers would be waiting for messages, not computing.
        features, shift = self.recipe.features, self.recipe.shift
        width = max(self.width, getattr(features, "width", 0))
        if not start_is_enough(8 * self.n_rows * width // self.step):
            return self._thinned(step // self.step)
        return None if self.start is None else start_problem(self.start, width, features, shift)

    def _thinned(self, more: int) -> ClusterRows | None:
        """Some of the partitions, so that the others are not read, and some blocks of each."""
        by_parts = max(1, min(more, len(self.parts) // MIN_PARTITIONS))
        kept = self.part_totals[::by_parts]
        ours, theirs = np.sum(kept, axis=0), np.sum(self.part_totals, axis=0)
        if ours.min() <= 0:
            return None
        up, down = np.array(self.recipe.class_scale) * theirs / ours
        recipe = replace(
            self.recipe,
            class_scale=(float(up), float(down)),
            block_step=self.recipe.block_step * -(-more // by_parts),
        )
        return replace(
            self,
            parts=self.parts[::by_parts],
            recipe=recipe,
            part_totals=kept,
            step=self.step * more,
        )


def _partition_sum(*part: Any, recipe: Recipe, function: Callable[[Block], T]) -> T | None:
    rows = recipe.rows(*part)
    # One after another: the scheduler already runs as many tasks as there are cores.
    return None if rows is None else rows.total(function)
