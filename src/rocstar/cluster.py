"""Rows held by the workers of a Dask cluster, or read from disk by turns.

A partition is a few delayed objects: features, labels and weights of the same rows. Every pass is
one map over partitions and a tree of sums of what they give; it runs on whatever Dask client is
active, or in threads when there is none. Partitions stay where they are: what travels is the
coefficients one way and sums of the size of a Hessian the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocstar.blocks import (
    BLOCK_BYTES,
    DOUBLE_ROUNDING,
    Block,
    Floats,
    Rows,
    T,
    distinct_values,
)
from rocstar.checks import binary_labels, class_totals, is_collection, nonnegative_weights, require

# Partial sums that one task adds up: wide trees are shallow, and a Hessian is small.
FAN_IN = 16
# With fewer partitions than this, a thinned problem reads a part of each instead of some of them.
MIN_PARTITIONS = 8
# Seconds in which a scheduler must answer.
PATIENCE = 10.0


class Partition(NamedTuple):
    """Delayed pieces of the same rows; None for weights that were not given."""

    x: Any
    y: Any
    sample_weight: Any
    objective_weight: Any


def partitions(
    X: Any, y: Any, sample_weight: Any = None, objective_weight: Any = None
) -> list[Any]:
    """The collections' pieces, row by row together.

    Arrays are cut where X is cut; dataframes must come in the same partitions.
    """
    pieces = _pieces(X, None, "X")
    columns = {"y": y, "sample_weight": sample_weight, "objective_weight": objective_weight}
    cut = X.chunks[0] if hasattr(X, "chunks") else None
    others = []
    for name, column in columns.items():
        if column is None:
            others.append([None] * len(pieces))
            continue
        others.append(_pieces(column, cut, name))
        if len(others[-1]) != len(pieces):
            raise ValueError(
                f"`{name}` must have the partitions of X; got {len(others[-1])} for X's "
                f"{len(pieces)}: repartition one of them."
            )
    return [Partition(*rows) for rows in zip(pieces, *others, strict=True)]


def _pieces(collection: Any, cut: Any, name: str) -> list[Any]:
    if not is_collection(collection):
        raise ValueError(
            f"`{name}` must be a Dask collection since X is one; got "
            f"{type(collection).__name__}: use dask.array.from_array(..., chunks=X.chunks[0])."
        )
    if hasattr(collection, "chunks"):  # an array
        if collection.ndim == 2 and len(collection.chunks[1]) > 1:
            collection = collection.rechunk({1: -1})
        if cut is not None and not np.isnan(cut).any() and collection.chunks[0] != cut:
            collection = collection.rechunk({0: cut})
        return list(np.ravel(collection.to_delayed()))
    return list(unmerged(collection).to_delayed(optimize_graph=False))


def unmerged(frame: Any) -> Any:
    """A dataframe or series that reads only its own columns, in the partitions it says it has.

    Dask's full optimisation would merge the files of a narrow column, but not those of a wide
    table, and so part the labels from their rows.
    """
    return frame.simplify() if hasattr(frame, "simplify") else frame


@contextmanager
def connected(address: str, memory: float | None = None) -> Iterator[Any]:
    """A client of the scheduler at an address, or of workers on this machine.

    Parameters
    ----------
    address : str
        ``tcp://host:port``, or ``local`` or ``local:N`` for N processes of one thread each; by
        default as many as there are cores.
    memory : float, optional
        Bytes for all processes on this machine together; by default what the machine has.

    Examples
    --------
    >>> with connected("local:many"):
    ...     pass
    Traceback (most recent call last):
    ValueError: `--cluster` must be local, local:WORKERS or an address such as tcp://host:8786; ...
    """
    require("dask", "dask", "distributed")
    import logging

    import distributed

    kind, _, count = address.partition(":")
    if kind == "local" and (not count or (count.isdigit() and int(count) > 0)):
        workers = int(count) if count else distributed.system.CPU_COUNT
        limit = "auto" if memory is None else int(memory / workers)
        with (
            distributed.LocalCluster(
                workers,
                threads_per_worker=1,
                memory_limit=limit,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    if "://" not in address:
        raise ValueError(
            "`--cluster` must be local, local:WORKERS or an address such as tcp://host:8786; got "
            f"{address}."
        )
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except OSError:
        raise ValueError(f"No scheduler answers at {address}: start one, or use local.") from None
    with client:
        yield client


def worker_memory() -> float | None:
    """Bytes that the workers of the active client may use together; None without a client."""
    try:
        from distributed import default_client

        workers = default_client().scheduler_info(n_workers=-1)["workers"]
    except (ImportError, ValueError):
        return None
    return float(sum(worker["memory_limit"] or 0 for worker in workers.values()))


def tree_sum(tasks: list[Any]) -> Any:
    """Compute delayed summands and add them up on the workers; None counts nothing."""
    import dask

    gather = dask.delayed(_added, pure=False)
    while len(tasks) > 1:
        tasks = [gather(tasks[i : i + FAN_IN]) for i in range(0, len(tasks), FAN_IN)]
    return dask.compute(tasks[0])[0]


def _added(parts: list[Any]) -> Any:
    present = [part for part in parts if part is not None]
    return reduce(add, present) if present else None


@dataclass(frozen=True)
class Drawn:
    """The rows of one label with the smallest random keys: a uniform sample that can be merged."""

    weight: float
    keys: Floats
    rows: Floats
    weights: Floats
    size: int

    def __add__(self, other: Drawn) -> Drawn:
        keys, weights = (
            np.append(a, b) for a, b in ((self.keys, other.keys), (self.weights, other.weights))
        )
        rows = np.concatenate([self.rows, other.rows])
        kept = smallest(keys, self.size)
        total = self.weight + other.weight
        return Drawn(total, keys[kept], rows[kept], weights[kept], self.size)


@dataclass(frozen=True)
class Overview:
    """What one pass tells of labelled rows; overviews of partitions add up."""

    n_rows: int
    n_features: int
    labels: dict[Any, Drawn]
    weights: dict[int, dict[Any, float]]  # of each label in each partition

    def __add__(self, other: Overview) -> Overview:
        if self.n_features != other.n_features:
            raise ValueError(
                f"`X` must have the same columns in every partition; got {self.n_features} and "
                f"{other.n_features} columns."
            )
        labels = dict(self.labels)
        for label, drawn in other.labels.items():
            labels[label] = labels[label] + drawn if label in labels else drawn
        binary_or_fewer(np.array(list(labels)))
        weights = self.weights | other.weights
        return Overview(self.n_rows + other.n_rows, self.n_features, labels, weights)

    def classes(self) -> NDArray[Any]:
        return binary_labels(np.array(list(self.labels)))[1]

    def totals(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        weights = np.array([self.labels[label].weight for label in self.ordered()])
        return class_totals(np.array([True, False]), weights)

    def ordered(self) -> list[Any]:
        """The positive label, then the negative one."""
        negative, positive = self.classes().tolist()
        return [positive, negative]

    def sample(self) -> tuple[Floats, NDArray[np.bool_], Floats]:
        """Rows drawn from each class, which of them are positive, and their weights."""
        up, down = (self.labels[label] for label in self.ordered())
        rows, weights = (
            np.concatenate(both) for both in ((up.rows, down.rows), (up.weights, down.weights))
        )
        return rows, np.arange(len(rows)) < len(up.rows), weights


def overview(parts: list[Partition], n_sampled: int, seed: int) -> Overview:
    """One pass: check every row, count the labels, draw a sample of each."""
    import dask

    look = dask.delayed(_overview, pure=False)
    tasks = [look(p.x, p.y, p.sample_weight, i, n_sampled, seed) for i, p in enumerate(parts)]
    seen = tree_sum(tasks)
    if seen is None:
        raise ValueError("`X` must have at least one row; every partition is empty.")
    assert isinstance(seen, Overview)
    return seen


def _overview(x: Any, y: Any, sample_weight: Any, index: int, size: int, seed: int) -> Any:
    x, y, weights = matrix(x, index), np.asarray(y), column_weights(sample_weight, y)
    if len(x) != len(y):
        raise ValueError(f"`y` must have X's rows; partition {index} has {len(y)} for {len(x)}.")
    if not len(y):
        return None
    if not np.isfinite(x).all():
        raise ValueError(
            f"`X` must be finite; partition {index} has missing or infinite values: fill them."
        )
    labels = binary_or_fewer(y)
    # Another generator for every partition; the same one whenever this task is run again.
    rng = np.random.default_rng([seed, index])
    drawn = {label: _drawn(x, weights, y == label, size, rng) for label in labels.tolist()}
    totals = {index: {label: d.weight for label, d in drawn.items()}}
    return Overview(len(y), x.shape[1], drawn, totals)


def _drawn(x: Any, weights: Floats, member: Any, size: int, rng: np.random.Generator) -> Drawn:
    counted = np.flatnonzero(member & (weights > 0))
    keys = rng.random(len(counted))
    kept = smallest(keys, size)
    rows = np.asarray(x[counted[kept]], dtype=np.float64)
    chosen = weights[counted[kept]]
    return Drawn(float(weights[member].sum()), keys[kept], rows, chosen, size)


def smallest(keys: Floats, size: int) -> NDArray[np.intp]:
    """Where the smallest keys are, ascending, without sorting all of them."""
    few = np.argpartition(keys, size)[:size] if size < len(keys) else np.arange(len(keys))
    return few[np.argsort(keys[few])]


def binary_or_fewer(y: NDArray[Any]) -> NDArray[Any]:
    """The distinct labels of some rows, at most two; a third is an error already."""
    labels = distinct_values(y) if y.dtype.kind in "biuf" else np.unique(y)
    return labels if len(labels) == 1 else binary_labels(labels)[1]


def matrix(x: Any, index: int | None = None) -> NDArray[Any]:
    """A partition's features as an array of floats, in its own precision where it has one."""
    array = x if isinstance(x, np.ndarray) else np.asarray(x.to_numpy())
    if array.dtype in (np.float32, np.float64):
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        where = "a partition" if index is None else f"partition {index}"
        raise ValueError(
            f"`X` must hold numbers; {where} has dtype {array.dtype}: encode its columns first."
        ) from None


def column_weights(weight: Any, y: NDArray[Any]) -> Floats:
    return nonnegative_weights(None if weight is None else np.asarray(weight), len(y))


@dataclass(frozen=True)
class Recipe:
    """How a worker makes the rows of a problem of a partition."""

    positive: Any  # the label
    totals: tuple[float, float]
    features: Callable[[Any], Any] | None
    shift: Floats | None
    block_step: int = 1
    class_scale: tuple[float, float] = (1.0, 1.0)

    def rows(self, part: list[Any]) -> Rows | None:
        x, y, sample_weight, objective_weight = part
        x, y = matrix(x), np.asarray(y)
        if not len(y):
            return None
        up = y == self.positive
        scales = [scale / total for scale, total in zip(self.class_scale, self.totals, strict=True)]
        weights = column_weights(sample_weight, y) * np.where(up, *scales)
        if objective_weight is not None:
            weights *= column_weights(objective_weight, y)
        rows = Rows(x, np.where(up, 1.0, -1.0), weights, self.features, self.shift)
        # Rows of a class that is missing from the thinned blocks must not be lost.
        return rows if self.block_step == 1 else rows.thinned(self.block_step) or rows


@dataclass(frozen=True)
class ClusterRows:
    """The rows of one problem, in the partitions of Dask collections."""

    parts: list[Partition]
    recipe: Recipe
    n_rows: int
    width: int
    part_totals: list[Floats]  # weight of the positives and the negatives of each partition
    step: int = 1

    rounding = DOUBLE_ROUNDING

    @classmethod
    def of(cls, parts: list[Partition], seen: Overview, features: Any, shift: Floats | None) -> Any:
        labels = seen.ordered()
        totals = [
            np.array([seen.weights.get(i, {}).get(label, 0.0) for label in labels])
            for i in range(len(parts))
        ]
        recipe = Recipe(labels[0], seen.totals(), features, shift)
        return cls(parts, recipe, seen.n_rows, seen.n_features, totals)

    def plain(self) -> ClusterRows:
        """The same rows without their objective weights."""
        return replace(self, parts=[p._replace(objective_weight=None) for p in self.parts])

    @property
    def n_blocks(self) -> int:
        return self.n_rows * self.width * 8 // BLOCK_BYTES // self.step

    def total(self, function: Callable[[Block], T]) -> T:
        """Sum ``function(block)`` over all blocks of all partitions, on the workers."""
        import dask

        # One node each: every task would otherwise carry its own copy of landmarks and w.
        recipe, mapped = (dask.delayed(item, pure=False) for item in (self.recipe, function))
        share = dask.delayed(_share, pure=False)
        total: T = tree_sum([share(list(part), recipe, mapped) for part in self.parts])
        return total

    def thinned(self, step: int) -> ClusterRows | None:
        """A part of the partitions, or a part of each when there are few, totals restored."""
        more = step // self.step
        if len(self.parts) < MIN_PARTITIONS * more:
            recipe = replace(self.recipe, block_step=self.recipe.block_step * more)
            return replace(self, recipe=recipe, step=step)
        kept = self.part_totals[::more]
        ours, theirs = np.sum(kept, axis=0), np.sum(self.part_totals, axis=0)
        if ours.min() <= 0:
            return None
        up, down = np.array(self.recipe.class_scale) * theirs / ours
        recipe = replace(self.recipe, class_scale=(float(up), float(down)))
        return replace(self, parts=self.parts[::more], recipe=recipe, part_totals=kept, step=step)


def _share(part: list[Any], recipe: Recipe, function: Callable[[Block], T]) -> T | None:
    rows = recipe.rows(part)
    # One after another: the scheduler already runs as many tasks as there are cores.
    return None if rows is None else rows.total(function)
