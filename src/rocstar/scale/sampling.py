"""Rows drawn from partitions and brought to the client: of each class, and to start a solver from.

Both are drawn where the rows are, and those of several partitions go together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.fitting.rows import MemoryRows
from rocstar.weights import MOST_REPETITIONS

# The size of the sample to start from, at most a tenth of the rows. For a table up to so many times
# as large, no larger sample is worth its passes: the messages would take longer than the
# computation.
START_BYTES, START_IS_ENOUGH = 32 * 1024**2, 128


@dataclass(frozen=True)
class ClassSample:
    """The rows of one label with the smallest random keys: a uniform sample that can be merged."""

    weight: float  # of all rows of the label, as the next two
    effective: float  # (Σw)²/Σw²
    values: FloatArray | None  # the distinct weights, unless there are too many for repetitions
    keys: FloatArray
    rows: FloatArray
    weights: FloatArray
    size: int

    @classmethod
    def drawn(
        cls,
        x: Any,
        weights: FloatArray | None,
        counted: IntArray,
        size: int,
        rng: np.random.Generator,
    ) -> ClassSample:
        """At most ``size`` of the rows of a partition that are ``counted``."""
        n = len(counted)
        few = min(size, n)
        # The smallest of n uniform keys are partial sums of exponentials, divided by the sum of
        # n + 1; so the keys of the other rows need not be drawn.
        steps = rng.standard_exponential(few).cumsum()
        keys = steps / (steps[-1:].sum() + rng.standard_gamma(n + 1 - few))
        chosen = counted[rng.choice(n, few, replace=False)] if n else counted
        rows = np.asarray(x[chosen], dtype=np.float64)
        if weights is None:
            return cls(float(n), float(n), np.ones(1), keys, rows, np.ones(few), size)
        ours = weights[counted]
        total = float(ours.sum())
        effective = 1 / float(np.sum((ours / total) ** 2)) if n else 0.0
        return cls(total, effective, _few_values(ours), keys, rows, weights[chosen], size)

    def __add__(self, other: ClassSample) -> ClassSample:
        keys = np.append(self.keys, other.keys)
        weights = np.append(self.weights, other.weights)
        rows = np.concatenate([self.rows, other.rows])
        kept = _smallest(keys, self.size)
        total = self.weight + other.weight
        shares = [(s.weight / total) ** 2 / s.effective for s in (self, other) if s.weight > 0]
        effective = 1 / sum(shares) if shares else 0.0
        values = None
        if self.values is not None and other.values is not None:
            values = _few_values(np.append(self.values, other.values))
        return ClassSample(
            total, effective, values, keys[kept], rows[kept], weights[kept], self.size
        )


def _few_values(weights: FloatArray) -> FloatArray | None:
    """The distinct weights; None if there are more than repetitions may have."""
    if len(np.unique(weights[: 10 * MOST_REPETITIONS])) > MOST_REPETITIONS:
        return None  # found without sorting all of them
    values = np.unique(weights)
    return values if len(values) <= MOST_REPETITIONS else None


def _smallest(keys: FloatArray, size: int) -> IntArray:
    """Where the smallest keys are, ascending, without sorting all of them."""
    few = np.argpartition(keys, size)[:size] if size < len(keys) else np.arange(len(keys))
    return few[np.argsort(keys[few])]


class StartRows(NamedTuple):
    """Rows of one label in one partition; ``weights`` sum to those of all such rows there."""

    rows: FloatArray
    weights: FloatArray
    factor: FloatArray  # the objective's weights


def start_size(n_rows: int, n_features: int, width: int, n_parts: int) -> float:
    """How many rows of each class a partition sends for ``width`` features; nothing if 0."""
    if not width:
        return 0.0
    return min(START_BYTES / (8 * max(width, n_features)) / n_parts, 0.1 * n_rows) / 2


def start_rows(
    x: Any,
    weights: FloatArray | None,
    factor: FloatArray | None,
    counted: IntArray,
    size: float,
    rng: np.random.Generator,
) -> list[StartRows]:
    """About so many of the rows; exactly so many on average, as there may be many partitions."""
    few = min(int(size + rng.random()), len(counted))
    if not few:
        return []
    # One of every few neighbours: read in order, which is several times as fast.
    spots = ((np.arange(few) + rng.random(few)) * (len(counted) / few)).astype(np.intp)
    chosen = counted[np.minimum(spots, len(counted) - 1)]  # which rounding might exceed
    ones = np.ones(few)
    ours = ones if weights is None else weights[chosen]
    whole = len(counted) if weights is None else weights[counted].sum()
    rows = np.asarray(x[chosen], dtype=np.float64)
    return [StartRows(rows, ours / ours.sum() * whole, ones if factor is None else factor[chosen])]


def start_is_enough(n_bytes: int) -> bool:
    return n_bytes <= START_IS_ENOUGH * START_BYTES


def start_problem(
    start: list[list[StartRows]], width: int, features: Any, shift: FloatArray | None
) -> MemoryRows:
    """The problem of the rows of positives and negatives that came to the client."""
    classes = [StartRows(*map(np.concatenate, zip(*parts, strict=True))) for parts in start]
    # A warm start may bring more landmarks than the overview knew of. A few rows more than meant,
    # as each partition rounds its share, must not halve the sample.
    most = 1.1 * START_BYTES / (8 * width)
    step = int(np.ceil(sum(len(c.rows) for c in classes) / most))
    classes = [StartRows(*(column[::step] for column in c)) for c in classes]
    sign = np.repeat([1.0, -1.0], [len(c.rows) for c in classes])
    weights = np.concatenate([c.weights / c.weights.sum() * c.factor for c in classes])
    phi = np.concatenate([c.rows for c in classes])
    return MemoryRows(phi if features is None else features(phi), sign, weights, shift=shift)
