"""Rows held by the workers of a Dask cluster, or read from disk by turns.

A partition is a few delayed objects: features, labels and weights of the same rows. Every pass is
one map over partitions and a tree of sums of what they give; it runs on whatever Dask client is
active, or in threads when there is none. Partitions stay where they are: what travels is the
coefficients one way and sums of the size of a Hessian the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import (
    binary_labels,
    class_totals,
    is_collection,
    nonnegative_weights,
    require,
)
from rocstar.fitting.rows import (
    DOUBLE_ROUNDING,
    Block,
    Floats,
    Rows,
    Summable,
    T,
    distinct_values,
    least_rows,
)
from rocstar.weights import MOST_REPETITIONS, repeated_unit

# Partial sums that one task adds up: wide trees are shallow, and a Hessian is small.
FAN_IN = 16
# A thinned problem reads at least so many partitions, if need be a part of each.
MIN_PARTITIONS = 8
# The size of the sample that comes to the client for a start, at most a tenth of the rows. Of a
# table up to so many times as large, no larger sample is worth its passes: they take longer to ask
# for than to compute.
SAMPLE_BYTES, WORTH_NO_MORE = 32 * 1024**2, 128
# Coefficients of so many columns travel with every task rather than to every worker.
LIGHT_COLUMNS = 500
# Seconds in which a scheduler must answer, and have a worker.
PATIENCE = 10.0
# A worker with less, Python and its libraries included, is killed and started again for ever.
LEAST_WORKER_BYTES = 150_000_000
# What Dask measures of itself fifty times a second, for a dashboard that a cluster of our own does
# not have: two workers take as much for it as a tenth of a core.
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
}


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
    for name, collection, ndim in (("X", X, 2), ("y", y, 1)):
        if is_collection(collection) and getattr(collection, "ndim", ndim) != ndim:
            hint = "a table, such as X[['a']]" if ndim == 2 else "one column, such as table['y']"
            raise ValueError(
                f"`{name}` must have {ndim} dimension{'s' * (ndim > 1)}; got {collection.ndim}: "
                f"pass {hint}."
            )
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
    if not is_collection(collection) or not hasattr(collection, "to_delayed"):
        raise not_a_collection(collection, name)
    if hasattr(collection, "chunks"):  # an array
        if collection.ndim == 2 and len(collection.chunks[1]) > 1:
            collection = collection.rechunk({1: -1})
        # Pieces of unknown lengths are taken to have X's.
        known = cut is not None and not np.isnan([*cut, *collection.chunks[0]]).any()
        if known and collection.chunks[0] != cut:
            collection = collection.rechunk({0: cut})
        return list(np.ravel(collection.to_delayed()))
    return list(unmerged(collection).to_delayed(optimize_graph=False))


def not_a_collection(given: Any, name: str) -> ValueError:
    return ValueError(
        f"`{name}` must be a Dask array, dataframe or series since X is one; got "
        f"{type(given).__name__}: use dask.array.from_array or dask.dataframe.from_pandas, in the "
        "partitions of X."
    )


def unmerged(frame: Any) -> Any:
    """A dataframe or series that reads only its own columns, in the partitions it says it has.

    Dask's full optimisation would merge the files of a narrow column, but not those of a wide
    table, and so part the labels from their rows.
    """
    if not hasattr(frame, "simplify"):
        return frame
    # In a table cut by size, a column that is read alone would be cut where the others are not.
    by_size = any(getattr(step, "partition_size", None) for step in frame.expr.walk())
    return frame if by_size else frame.simplify()


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
    kind, _, count = address.partition(":")
    local = kind == "local" and (not count or (count.isdecimal() and int(count) > 0))
    if not local and "://" not in address:
        raise ValueError(
            "`--cluster` must be local, local:WORKERS or an address such as tcp://host:8786; got "
            f"{address}."
        )
    require("dask", "dask", "distributed")
    import logging

    import dask
    import distributed

    if local:
        workers = int(count) if count else distributed.system.CPU_COUNT
        limit = "auto" if memory is None else int(memory / workers)
        if memory is not None and memory < workers * LEAST_WORKER_BYTES:
            raise ValueError(
                f"`--max-memory` must give each of {workers} workers "
                f"{LEAST_WORKER_BYTES / 1e6:.0f} MB at least; got {memory / 1e6:.0f} MB for all: "
                "give more, or use fewer workers with --cluster local:1."
            )
        with dask.config.set(UNWATCHED):  # workers take it along
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=limit,
                dashboard_address=None,
                # Any free port: the usual one may be another cluster's.
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                silence_logs=logging.CRITICAL,
            )
        with cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        # Of an address that Dask does not understand, a client would be left behind half made.
        distributed.comm.resolve_address(address)
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError):
        raise ValueError(f"No scheduler answers at {address}: start one, or use local.") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ValueError(
                f"The scheduler at {address} has no workers: start one with `dask worker "
                f"{address}`."
            ) from None
        yield client


def active_client() -> Any | None:
    """The client that Dask would use, if there is one."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def worker_memory() -> float | None:
    """Bytes that the workers of the active client may use together.

    None without a client, or if one of the workers has no limit.
    """
    client = active_client()
    if client is None:
        return None
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] for worker in workers]
    return float(sum(limits)) if all(limits) else None


def over(parts: Sequence[tuple[Any, ...]], work: Callable[..., Any], /, **large: Any) -> list[Any]:
    """A delayed ``work(*part, **large)`` for each part.

    What the work brings along travels with every task, which is the fastest way for a few
    kilobytes; what is ``large`` is sent to each worker once.
    """
    import dask

    # Dask need not look for collections inside these.
    task = dask.delayed(work, pure=False, traverse=False)
    nodes = {k: dask.delayed(v, pure=False, traverse=False) for k, v in large.items()}
    return [task(*part, **nodes) for part in parts]


def tree_sum(tasks: list[Any]) -> Any:
    """Compute delayed summands and add them up on the workers, the last few here.

    None counts nothing.
    """
    import dask

    gather = dask.delayed(_added, pure=False)
    while len(tasks) > FAN_IN:
        tasks = [gather(tasks[i : i + FAN_IN]) for i in range(0, len(tasks), FAN_IN)]
    return _added(list(dask.compute(*tasks, **_way_back())))


def _way_back() -> dict[str, bool]:
    """Workers on this machine are asked directly: by way of the scheduler all is copied again."""
    client = active_client()
    if client is None:
        return {}
    from distributed import LocalCluster

    return {"direct": True} if isinstance(client.cluster, LocalCluster) else {}


def _added(parts: list[Any]) -> Any:
    present = [part for part in parts if part is not None]
    return reduce(add, present) if present else None


@dataclass(frozen=True)
class Drawn:
    """The rows of one label with the smallest random keys: a uniform sample that can be merged."""

    weight: float
    effective: float  # (Σw)²/Σw²
    values: Floats | None  # the distinct weights, unless there are too many for repetitions
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
        shares = [(d.weight / total) ** 2 / d.effective for d in (self, other) if d.weight > 0]
        effective = 1 / sum(shares) if shares else 0.0
        values = None
        if self.values is not None and other.values is not None:
            values = few_values(np.append(self.values, other.values))
        return Drawn(total, effective, values, keys[kept], rows[kept], weights[kept], self.size)


class Some(NamedTuple):
    """Rows of one label in one partition; ``weights`` sum to those of all such rows there."""

    rows: Floats
    weights: Floats
    factor: Floats  # the objective's weights


@dataclass(frozen=True)
class Overview:
    """What one pass tells of labelled rows; overviews of partitions add up."""

    n_rows: int
    n_features: int
    columns: tuple[Any, ...]  # their names, if they have any
    labels: dict[Any, Drawn]
    weights: dict[int, dict[Any, float]]  # of each label in each partition
    start: dict[Any, list[Some]]  # of each label: rows of a smaller problem to start from

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
        for label, drawn in other.labels.items():
            labels[label] = labels[label] + drawn if label in labels else drawn
        label_array(labels)
        weights = self.weights | other.weights
        start = {k: self.start.get(k, []) + other.start.get(k, []) for k in labels}
        n_rows = self.n_rows + other.n_rows
        return Overview(n_rows, self.n_features, self.columns, labels, weights, start)

    def classes(self) -> NDArray[Any]:
        return binary_labels(label_array(self.labels))[1]

    def totals(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        weights = np.array([self.labels[label].weight for label in self.ordered()])
        return class_totals(np.array([True, False]), weights)

    def effective_counts(self) -> Floats:
        """As `weights.effective_counts` of all rows."""
        sides = [self.labels[label] for label in self.ordered()[::-1]]
        values = [side.values for side in sides if side.values is not None]
        unit = repeated_unit(values) if len(values) == 2 else None
        return np.array([s.effective if unit is None else s.weight / unit for s in sides])

    def ordered(self) -> list[Any]:
        """The positive label, then the negative one."""
        negative, positive = scalars(self.classes())
        return [positive, negative]

    def sample(self) -> tuple[Floats, NDArray[np.bool_], Floats]:
        """Rows drawn from each class, which of them are positive, and their weights."""
        up, down = (self.labels[label] for label in self.ordered())
        rows, weights = (
            np.concatenate(both) for both in ((up.rows, down.rows), (up.weights, down.weights))
        )
        return rows, np.arange(len(rows)) < len(up.rows), weights


def overview(parts: list[Partition], n_sampled: int, seed: int, width: int = 0) -> Overview:
    """One pass: check every row, count the labels, draw a sample of each.

    Rows of a smaller problem to start from come along where its ``width`` is given: how many
    features a row will have, or 1 if that many are in X.
    """
    look = partial(_overview, size=n_sampled, seed=seed, width=width, n_parts=len(parts))
    seen = tree_sum(over([(*p, i) for i, p in enumerate(parts)], look))
    if seen is None:
        raise ValueError("`X` must have at least one row; every partition is empty.")
    assert isinstance(seen, Overview)
    return seen


def _overview(
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
) -> Any:
    columns = tuple(getattr(x, "columns", ()))
    x, y = finite_matrix(x, index), np.asarray(y)
    given = {"sample_weight": sample_weight, "objective_weight": objective_weight}
    weights, factor = (None if w is None else column_weights(w, y, k) for k, w in given.items())
    if len(x) != len(y):
        raise ValueError(f"`y` must have X's rows; partition {index} has {len(y)} for {len(x)}.")
    if not len(y):
        return None
    labels = scalars(binary_or_fewer(y))
    # Another generator for every partition; the same one whenever this task is run again.
    rng = np.random.default_rng([seed, index])
    counted = {label: _counted(y == label, weights) for label in labels}
    drawn = {label: _drawn(x, weights, rows, size, rng) for label, rows in counted.items()}
    totals = {index: {label: d.weight for label, d in drawn.items()}}
    some = 0.0
    if width:
        some = min(SAMPLE_BYTES / (8 * max(width, x.shape[1])) / n_parts, 0.1 * len(y)) / 2
    start = {label: _some(x, weights, factor, counted[label], some, rng) for label in labels}
    return Overview(len(y), x.shape[1], columns, drawn, totals, start)


def _some(
    x: Any,
    weights: Floats | None,
    factor: Floats | None,
    counted: NDArray[np.intp],
    size: float,
    rng: np.random.Generator,
) -> list[Some]:
    """About so many of the rows; in the mean exactly so many, as there may be many partitions."""
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
    return [Some(rows, ours / ours.sum() * whole, ones if factor is None else factor[chosen])]


def _counted(member: NDArray[np.bool_], weights: Floats | None) -> NDArray[np.intp]:
    return np.flatnonzero(member if weights is None else member & (weights > 0))


def _drawn(
    x: Any,
    weights: Floats | None,
    counted: NDArray[np.intp],
    size: int,
    rng: np.random.Generator,
) -> Drawn:
    n = len(counted)
    few = min(size, n)
    # The smallest of n uniform keys are partial sums of exponentials, divided by the sum of n + 1;
    # so the keys of the other rows need not be drawn.
    steps = rng.standard_exponential(few).cumsum()
    keys = steps / (steps[-1:].sum() + rng.standard_gamma(n + 1 - few))
    chosen = counted[rng.choice(n, few, replace=False)] if n else counted
    rows = np.asarray(x[chosen], dtype=np.float64)
    if weights is None:
        return Drawn(float(n), float(n), np.ones(1), keys, rows, np.ones(few), size)
    ours = weights[counted]
    total = float(ours.sum())
    effective = 1 / float(np.sum((ours / total) ** 2)) if n else 0.0
    return Drawn(total, effective, few_values(ours), keys, rows, weights[chosen], size)


def few_values(weights: Floats) -> Floats | None:
    """The distinct weights; None if there are more than repetitions may have."""
    if len(np.unique(weights[: 10 * MOST_REPETITIONS])) > MOST_REPETITIONS:
        return None  # found without sorting all of them
    values = np.unique(weights)
    return values if len(values) <= MOST_REPETITIONS else None


def smallest(keys: Floats, size: int) -> NDArray[np.intp]:
    """Where the smallest keys are, ascending, without sorting all of them."""
    few = np.argpartition(keys, size)[:size] if size < len(keys) else np.arange(len(keys))
    return few[np.argsort(keys[few])]


def binary_or_fewer(y: NDArray[Any]) -> NDArray[Any]:
    """The distinct labels of some rows, at most two; a third is an error already."""
    if y.dtype.kind == "O":
        return label_array(dict.fromkeys(y.tolist()))
    labels = distinct_values(y) if y.dtype.kind in "biuf" else np.unique(y)
    return labels if len(labels) == 1 else binary_labels(labels)[1]


def of_one_kind(labels: Collection[Any]) -> bool:
    """Whether labels are all text, or none of them is."""
    return len({isinstance(label, str) for label in labels}) == 1


def label_array(labels: Collection[Any]) -> NDArray[Any]:
    """Distinct labels as an array, which would silently make strings of numbers beside strings."""
    if not of_one_kind(labels):
        found = ", ".join(sorted(map(repr, labels))[:4])
        raise ValueError(
            f"`y` must hold labels of one kind, none missing, in all partitions; got {found}: "
            "convert them, for example with astype(str)."
        )
    array = np.array(list(labels))
    if array.dtype.kind == "O":
        raise ValueError(f"`y` must hold numbers or strings, none missing; got {array[0]!r}.")
    return binary_labels(array)[1] if len(array) > 1 else array


def scalars(labels: NDArray[Any]) -> list[Any]:
    """Labels as Python's values, which travel well; of times, NumPy's, which stay times."""
    return list(labels) if labels.dtype.kind in "mM" else list(labels.tolist())


def matrix(x: Any, index: int | None = None) -> NDArray[Any]:
    """A partition's features as an array of floats, in its own precision where it has one."""
    array = x.to_numpy() if hasattr(x, "to_numpy") else x
    what = type(array).__name__
    if isinstance(array, np.ndarray):
        if array.dtype in (np.float32, np.float64):
            return array
        what = f"dtype {array.dtype}"
        try:
            if array.dtype.kind == "O" and hasattr(x, "to_numpy"):  # pandas' own missing values
                return np.asarray(x.to_numpy(dtype=np.float64, na_value=np.nan))
            if array.dtype.kind != "c":
                return array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    where = _where(index)
    raise ValueError(f"`X` must hold numbers; {where} has {what}: encode its columns first.")


def finite_matrix(x: Any, index: int | None = None) -> NDArray[Any]:
    """The same, if no value is missing or infinite."""
    array = matrix(x, index)
    # The terms of a finite sum are finite, and a sum takes half the time.
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(array.sum()) or np.isfinite(array).all()
    if not finite:
        where = _where(index)
        raise ValueError(f"`X` must be finite; {where} has missing or infinite values: fill them.")
    return array


def _where(index: int | None) -> str:
    return "a partition" if index is None else f"partition {index}"


def column_weights(weight: Any, y: NDArray[Any], name: str = "sample_weight") -> Floats:
    return nonnegative_weights(None if weight is None else np.asarray(weight), len(y), name)


@dataclass(frozen=True)
class OfClass:
    """A number for each positive and one for each negative, times weights; made block by block.

    Whole columns would be written and read again in every pass, at half the cost of a gradient.
    """

    up: NDArray[np.bool_]
    values: tuple[float, float]
    factors: list[Floats] = field(default_factory=list)

    dtype = np.dtype(np.float64)

    def written(self, rows: slice, out: Floats | None = None) -> Floats:
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
    """How a worker makes the rows of a problem of a partition."""

    positive: Any  # the label
    totals: tuple[float, float]
    features: Callable[[Any], Any] | None
    shift: Floats | None
    block_step: int = 1
    class_scale: tuple[float, float] = (1.0, 1.0)

    def rows(self, x: Any, y: Any, *given: Any) -> Rows | None:
        x, y = matrix(x), np.asarray(y)
        if not len(y):
            return None
        up = y == self.positive
        weights, factor = (None if w is None else column_weights(w, y) for w in given)
        scales = np.array(self.class_scale) / self.totals
        if self.block_step > 1:
            kept = self._rows_of_some_blocks(*x.shape)
            ours, whole = class_sums(up, weights, kept), class_sums(up, weights, slice(None))
            # Rows of a class that is missing from the thinned blocks must not be lost.
            if np.array_equal(ours > 0, whole > 0):
                scales = scales * whole / np.where(ours > 0, ours, 1.0)
                x, up = x[kept], up[kept]
                weights, factor = (None if w is None else w[kept] for w in (weights, factor))
        factors = [w for w in (weights, factor) if w is not None]
        sign, shares = OfClass(up, (1.0, -1.0)), OfClass(up, (scales[0], scales[1]), factors)
        return Rows(x, sign, shares, self.features, self.shift)

    def _rows_of_some_blocks(self, n_rows: int, width: int) -> NDArray[np.intp]:
        """Rows of every so manieth block: other rows are not even looked at."""
        size = least_rows(width)
        starts = range(0, n_rows, size * self.block_step)
        return np.concatenate([np.arange(a, min(a + size, n_rows)) for a in starts])


def class_sums(up: NDArray[np.bool_], weights: Floats | None, rows: Any) -> Floats:
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
    part_totals: list[Floats]  # weight of the positives and the negatives of each partition
    start: list[list[Some]] | None = None  # rows of a smaller problem: of positives, of negatives
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
        start = [seen.start[label] for label in labels]
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
            tasks = over(self.parts, partial(_share, **constants))
        else:
            tasks = over(self.parts, _share, **constants)
        total: T = tree_sum(tasks)
        return total

    def thinned(self, step: int) -> Summable | None:
        """A part of the rows with class totals restored, or None if a class is missing there.

        For a start on a small table the rows that came with the overview are enough: solving a
        larger part on the workers would be waiting for messages, not computing.
        """
        width = max(self.width, getattr(self.recipe.features, "width", 0))
        if 8 * self.n_rows * width // self.step <= WORTH_NO_MORE * SAMPLE_BYTES:
            return None if self.start is None else self._started(self.start, width)
        return self._thinned(step // self.step)

    def _started(self, start: list[list[Some]], width: int) -> Rows:
        """The problem of the rows that came with the overview, in memory."""
        classes = [Some(*map(np.concatenate, zip(*parts, strict=True))) for parts in start]
        # A warm start may bring more landmarks than the overview was told of. A few rows more than
        # meant, as each partition rounds its share, must not halve the sample.
        most = 1.1 * SAMPLE_BYTES / (8 * width)
        step = int(np.ceil(sum(len(c.rows) for c in classes) / most))
        classes = [Some(*(column[::step] for column in c)) for c in classes]
        sign = np.repeat([1.0, -1.0], [len(c.rows) for c in classes])
        weights = np.concatenate([c.weights / c.weights.sum() * c.factor for c in classes])
        phi = np.concatenate([c.rows for c in classes])
        features = self.recipe.features
        return Rows(
            phi if features is None else features(phi), sign, weights, shift=self.recipe.shift
        )

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


def _share(*part: Any, recipe: Recipe, function: Callable[[Block], T]) -> T | None:
    rows = recipe.rows(*part)
    # One after another: the scheduler already runs as many tasks as there are cores.
    return None if rows is None else rows.total(function)
