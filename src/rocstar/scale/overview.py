"""The first pass over Dask collections: every row checked, labels counted, samples drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import (
    MORE_IN_MEMORY,
    BoolArray,
    FloatArray,
    IntArray,
    binary_labels,
    class_totals,
)
from rocstar.scale.partition_checks import (
    distinct_labels,
    finite_matrix,
    label_array,
    label_scalars,
    partition_weights,
)
from rocstar.scale.partitions import Partition
from rocstar.scale.sampling import ClassSample, StartRows, start_rows, start_size
from rocstar.scale.tasks import task_per_partition, tree_sum
from rocstar.weights import repeated_unit


@dataclass(frozen=True)
class Overview:
    """What one pass finds in labelled rows; overviews of partitions add up."""

    n_rows: int
    n_features: int
    columns: tuple[Any, ...]  # their names, if they have any
    labels: dict[Any, ClassSample]
    weights: dict[int, dict[Any, float]]  # of each label in each partition
    start: dict[Any, list[StartRows]]  # of each label

    def __add__(self, other: Overview) -> Overview:
        if self.n_features != other.n_features:
            raise ValueError(
                f"`X` must have the same columns in every partition; got {self.n_features} and "
                f"{other.n_features} columns."
            )
        if self.columns != other.columns:
            raise ValueError(
                "`X` must have its columns in the same order in every partition; got "
                f"{list(self.columns[:3])}… and {list(other.columns[:3])}…: select them with "
                "map_partitions."
            )
        labels = dict(self.labels)
        for label, sample in other.labels.items():
            labels[label] = labels[label] + sample if label in labels else sample
        label_array(labels)
        weights = self.weights | other.weights
        start = {k: self.start.get(k, []) + other.start.get(k, []) for k in labels}
        n_rows = self.n_rows + other.n_rows
        return Overview(n_rows, self.n_features, self.columns, labels, weights, start)

    def classes(self) -> NDArray[Any]:
        return binary_labels(label_array(self.labels), MORE_IN_MEMORY)[1]

    def positive_and_negative(self) -> list[Any]:
        """The two labels, the positive one first."""
        return label_scalars(self.classes())[::-1]

    def totals(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        weights = [self.labels[label].weight for label in self.positive_and_negative()]
        return class_totals(np.array([True, False]), np.array(weights))

    def partition_totals(self, n_parts: int) -> list[FloatArray]:
        """The same of each partition, zero where it has no such rows."""
        labels = self.positive_and_negative()
        parts = [self.weights.get(i, {}) for i in range(n_parts)]
        return [np.array([part.get(label, 0.0) for label in labels]) for part in parts]

    def effective_counts(self) -> FloatArray:
        """As `checks.effective_counts` of all rows."""
        sides = [self.labels[label] for label in self.positive_and_negative()[::-1]]
        values = [side.values for side in sides if side.values is not None]
        unit = repeated_unit(values) if len(values) == 2 else None
        return np.array([s.effective if unit is None else s.weight / unit for s in sides])

    def sample(self) -> tuple[FloatArray, BoolArray, FloatArray]:
        """Rows drawn from each class, which of them are positive, and their weights."""
        up, down = (self.labels[label] for label in self.positive_and_negative())
        rows = np.concatenate([up.rows, down.rows])
        weights = np.concatenate([up.weights, down.weights])
        return rows, np.arange(len(rows)) < len(up.rows), weights


def overview(parts: list[Partition], n_sampled: int, seed: int, width: int = 0) -> Overview:
    """One pass: check every row, count the labels, draw a sample of each."""
    # Rows of a smaller problem to start from come along where its ``width`` is given: how many
    # features a row will have, or 1 if that many are in X.
    look = partial(_partition_overview, size=n_sampled, seed=seed, width=width, n_parts=len(parts))
    seen = tree_sum(task_per_partition([(*p, i) for i, p in enumerate(parts)], look))
    if seen is None:
        raise ValueError("`X` must have at least one row; every partition is empty.")
    assert isinstance(seen, Overview)
    return seen


def _partition_overview(
    x: Any,
    y: Any,
    sample_weight: Any,
    objective_weight: Any,
    index: int,
    *,
    size: int,
    seed: int,
    width: int,
    n_parts: int,
) -> Overview | None:
    columns = tuple(getattr(x, "columns", ()))
    x, y = finite_matrix(x, index), np.asarray(y)
    weights = partition_weights(sample_weight, len(y), "sample_weight")
    factor = partition_weights(objective_weight, len(y), "objective_weight")
    if len(x) != len(y):
        raise ValueError(f"`y` must have X's rows; partition {index} has {len(y)} for {len(x)}.")
    if not len(y):
        return None
    labels = distinct_labels(y)
    # Another generator for every partition; the same one whenever this task is run again.
    rng = np.random.default_rng([seed, index])
    counted = {label: _counted(y == label, weights) for label in labels}
    samples = {k: ClassSample.drawn(x, weights, rows, size, rng) for k, rows in counted.items()}
    totals = {index: {label: sample.weight for label, sample in samples.items()}}
    few = start_size(len(y), x.shape[1], width, n_parts)
    start = {label: start_rows(x, weights, factor, counted[label], few, rng) for label in labels}
    return Overview(len(y), x.shape[1], columns, samples, totals, start)


def _counted(member: BoolArray, weights: FloatArray | None) -> IntArray:
    """Where the members of a class are that have some weight."""
    return np.flatnonzero(member if weights is None else member & (weights > 0))
