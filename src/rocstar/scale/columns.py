"""Lazy columns of Dask collections: predictions, and what estimators ask about labels and scores.

Columns of one number a row stay on the workers; what is computed of them is a few numbers, or a
histogram.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rocstar.checks import FloatArray, WeightlessClass, class_totals, is_collection
from rocstar.scale.cluster import finite_matrix, matrix, not_a_collection, over, tree_sum, unmerged

# Scores of so many rows are ranked exactly on the client; of more, in bins on the workers.
EXACT_ROWS, N_BINS = 2**20, 2**16


def store_features(estimator: Any, X: Any, n_features: int) -> None:
    """What scikit-learn's validation would have stored."""
    estimator.n_features_in_ = n_features
    names = list(getattr(X, "columns", []))
    if names and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def mapped(
    estimator: Any,
    X: Any,
    function: Callable[[Any], Any],
    width: int | None = None,
    *,
    finite: bool = True,
) -> Any:
    """A lazy Dask array of one number a row, or of as many as ``width`` says.

    A missing or infinite value is an error when it is computed, unless ``finite`` is False.
    """
    names = list(getattr(X, "columns", []))
    expected = list(getattr(estimator, "feature_names_in_", names))
    if names and names != expected:
        raise ValueError(
            f"`X` must have the columns of the training data in their order; got {names[:3]}… "
            f"for {expected[:3]}…: select them with X[model.feature_names_in_.tolist()]."
        )
    array = flat(X)
    if array.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {array.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    if len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    shape: dict[str, Any] = {"drop_axis": 1}
    if width is not None:
        shape = {"chunks": (array.chunks[0], (width,))}
    read = finite_matrix if finite else matrix
    return array.map_blocks(lambda x: function(read(x)), dtype=np.float64, **shape)


def flat(column: Any, name: str = "X") -> Any:
    """A Dask array of any Dask collection."""
    if not is_collection(column):
        raise not_a_collection(column, name)
    if hasattr(column, "chunks"):
        return column
    import dask
    import dask.array

    # Dask's own conversion merges the files of narrow columns when it is computed.
    pieces = unmerged(column).to_delayed(optimize_graph=False)
    wide = column.ndim == 2
    shape = (np.nan, len(column.columns)) if wide else (np.nan,)
    dtype = np.dtype(np.float64) if wide else np.asarray(column._meta).dtype
    array = dask.delayed(matrix if wide else np.asarray, pure=False)
    return dask.array.concatenate(
        [dask.array.from_delayed(array(piece), shape, dtype) for piece in pieces]
    )


@dataclass(frozen=True)
class Ranks:
    """|F₊ − F₋| of a score as a step function, and how far off its steps can be."""

    edges: FloatArray
    gap: FloatArray
    error: float

    @classmethod
    def of(cls, edges: FloatArray, counts: FloatArray) -> Ranks:
        shares = counts / counts.sum(axis=1, keepdims=True)
        middle = np.cumsum(shares, axis=1) - shares / 2  # mid-distribution functions
        # Inside a bin each function lies within half the bin's share of its middle.
        error = 0.0 if np.isfinite(edges[0]) else float(shares.sum(axis=0).max() / 2)
        return cls(edges, np.abs(middle[0] - middle[1]), error)

    def __call__(self, score: FloatArray) -> FloatArray:
        return self.gap[_bins(self.edges, score)]


@dataclass(frozen=True)
class Labelled:
    """Labels and weights of the rows of Dask collections."""

    up: Any
    weights: Any

    @classmethod
    def of(cls, y: Any, sample_weight: Any, positive: Any) -> Labelled:
        up = flat(y, "y") == positive
        if sample_weight is None:
            return cls(up, up * 0.0 + 1.0)
        return cls(*aligned(up, flat(sample_weight, "sample_weight")))

    def terms(self, angle: Any) -> Any:
        """The sine of a positive's angle, the cosine of a negative's."""
        angle, up = aligned(angle, self.up)
        return np.where(up, np.sin(angle), np.cos(angle))

    def mean_sum(self, values: Any) -> float:
        """Mean over the positives plus mean over the negatives, in one pass."""
        import dask

        values, up, weights = aligned(values, self.up, self.weights)
        classes = (up * weights, ~up * weights)
        tops, totals, least = dask.compute(
            [(values * w).sum() for w in classes], [w.sum() for w in classes], weights.min()
        )
        if least < 0:
            raise ValueError(f"`sample_weight` must be non-negative; got {float(least)}.")
        class_totals(np.array([True, False]), np.array(totals, dtype=np.float64))
        return float(sum(top / total for top, total in zip(tops, totals, strict=True)))

    def ranks(self, score: Any) -> Ranks:
        """Distribution functions of both classes: exact for few rows, else from histograms."""
        import dask

        n_rows = int(dask.compute((score == score).sum())[0])  # chunks may be of unknown length
        edges = np.unique(score.compute()) if n_rows <= EXACT_ROWS else histogram_edges()
        pieces = (np.ravel(a.to_delayed()) for a in aligned(score, self.up, self.weights))
        parts = list(zip(*pieces, strict=True))
        return Ranks.of(edges, tree_sum(over(parts, _counts, edges=edges)))


class Judged(NamedTuple):
    """Some rows of a collection, brought to the client."""

    angle: FloatArray
    score: FloatArray
    y: NDArray[Any]
    weights: FloatArray


@dataclass(frozen=True)
class Parted:
    """Rows of Dask collections parted at random into those to judge and those to learn from."""

    y: Any
    weights: Any
    keys: Any
    share: float
    weighted: bool  # by the user

    @classmethod
    def of(
        cls,
        y: Any,
        sample_weight: Any,
        random_state: Any,
        *,
        most_rows: int | None = None,
        most_share: float = 0.5,
    ) -> Parted:
        y = flat(y, "y")
        weights = (y == y) * 1.0
        if sample_weight is not None:
            y, weights = aligned(y, flat(sample_weight, "sample_weight"))
        seed = int(check_random_state(random_state).randint(2**31))
        keys = y.map_blocks(_row_keys, seed, dtype=np.float64)
        n_rows = int(y.map_blocks(_size, dtype=np.int64).sum().compute())
        most_rows = EXACT_ROWS if most_rows is None else most_rows
        share = min(most_share, most_rows / max(1, n_rows))
        return cls(y, weights, keys, share, sample_weight is not None)

    @contextmanager
    def both_classes_on_both_sides(self) -> Iterator[None]:
        """Where a class weighs nothing because chance put all its rows on one side, say so."""
        try:
            yield
        except WeightlessClass:
            if self.weighted:
                raise
            raise ValueError(
                "`y` must have enough rows of each class to judge some and learn from others; here "
                "all rows of one class fell on one side: add rows, or pass X.compute() for folds "
                "that share them out."
            ) from None

    def training_weights(self) -> Any:
        """The weights, zero where a row is to be judged."""
        return self.weights * (self.keys >= self.share)

    def fewer(self, share: float) -> Any:
        """The training weights of a part of the rows to learn from, zero elsewhere."""
        learn = self.keys >= self.share
        return self.weights * (learn & (self.keys < self.share + share * (1 - self.share)))

    def samples(self, angle: Any, score: Any) -> tuple[Judged, Judged]:
        """The rows to be judged, and about as many of those that were learnt from."""
        held, seen = self._picked([angle, score, self.y, self.weights])
        return Judged(*held), Judged(*seen)

    def held(self, *columns: Any) -> list[NDArray[Any]]:
        """Some columns of the rows to be judged."""
        return self._picked(list(columns))[0]

    def _picked(self, columns: list[Any]) -> list[list[NDArray[Any]]]:
        import dask

        pick = dask.delayed(_picked, pure=False)
        arrays = aligned(self.keys, self.weights, *columns)
        pieces = [np.ravel(array.to_delayed()) for array in arrays]
        tasks = [pick(self.share, *part) for part in zip(*pieces, strict=True)]
        sides = zip(*dask.compute(*tasks), strict=True)
        return [[np.concatenate(c) for c in zip(*side, strict=True)] for side in sides]


def _row_keys(y: NDArray[Any], seed: int, block_id: tuple[int, ...] | None = None) -> FloatArray:
    # The same keys whenever a partition is read again, and others in every partition.
    block = block_id[0] if block_id else 0
    return np.random.default_rng([seed, block]).random(len(y))


def _size(y: NDArray[Any]) -> NDArray[np.int64]:
    return np.array([len(y)], dtype=np.int64)


def _picked(share: float, keys: FloatArray, weights: Any, *columns: Any) -> list[tuple[Any, ...]]:
    """Of one partition: the rows to be judged, and as many others."""
    counted = np.asarray(weights) > 0
    sides = [(keys < share) & counted, (keys >= share) & (keys < 2 * share) & counted]
    arrays = [np.asarray(column) for column in columns]
    doubles = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
    return [tuple(column[side] for column in doubles) for side in sides]


def histogram_edges() -> FloatArray:
    """Left ends of 2¹⁶ bins of a decision score, finest near 0, the first one open."""
    inner = np.tan(np.pi * (np.arange(1, N_BINS) / N_BINS - 0.5)) / 4
    return np.concatenate([[-np.inf], inner])


def aligned(first: Any, *others: Any) -> list[Any]:
    """Arrays cut where the first one is cut, as far as their lengths are known.

    Pieces of unknown lengths, as many as the others', are taken to have the others' lengths.
    """
    arrays = [first, *others]
    cuts = [array.chunks[0] for array in arrays]
    known = next((cut for cut in cuts if not np.isnan(cut).any()), None)
    if known is not None:
        return [_cut(array, known) for array in arrays]
    if len(set(map(len, cuts))) > 1:
        raise _cut_otherwise(*map(len, cuts[:2]))
    return arrays


def _cut(array: Any, cut: tuple[int, ...]) -> Any:
    if array.chunks[0] == cut:
        return array
    if not np.isnan(array.chunks[0]).any():
        return array.rechunk({0: cut})
    if len(array.chunks[0]) != len(cut):
        raise _cut_otherwise(len(array.chunks[0]), len(cut))
    array = array.copy()
    array._chunks = (cut, *array.chunks[1:])
    return array


def _cut_otherwise(n: int, m: int) -> ValueError:
    return ValueError(
        f"Collections must come in the same partitions; got {n} and {m}: repartition one of them."
    )


def _bins(edges: FloatArray, score: FloatArray) -> NDArray[np.intp]:
    # Read again by another processor, the least score may come out a little less.
    return np.maximum(np.searchsorted(edges, score, side="right") - 1, 0)


def _counts(score: FloatArray, up: Any, weights: Any, edges: FloatArray) -> FloatArray:
    bins = _bins(edges, score)
    sides = (weights * up, weights * ~up)
    return np.stack([np.bincount(bins, side, len(edges)) for side in sides])
