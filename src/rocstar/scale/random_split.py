"""A random split of Dask collections: training rows stay, held-out rows come to the client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rocstar.checks import FloatArray, WeightlessClass
from rocstar.scale.columns import aligned, dask_array

# So many rows are held out at most, since they come to the client.
MOST_HELD_OUT_ROWS = 2**20


class FetchedRows(NamedTuple):
    """Some rows of a collection, brought to the client."""

    angle: FloatArray
    score: FloatArray
    y: NDArray[Any]
    weights: FloatArray


@dataclass(frozen=True)
class RandomSplit:
    """Rows of Dask collections, split at random into held-out and training rows."""

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
    ) -> RandomSplit:
        y = dask_array(y, "y")
        weights = (y == y) * 1.0
        if sample_weight is not None:
            y, weights = aligned(y, dask_array(sample_weight, "sample_weight"))
        seed = int(check_random_state(random_state).randint(2**31))
        keys = y.map_blocks(_row_keys, seed, dtype=np.float64)
        n_rows = int(y.map_blocks(_size, dtype=np.int64).sum().compute())
        most_rows = MOST_HELD_OUT_ROWS if most_rows is None else most_rows
        share = min(most_share, most_rows / max(1, n_rows))
        return cls(y, weights, keys, share, sample_weight is not None)

    @contextmanager
    def both_classes_on_both_sides(self) -> Iterator[None]:
        """Explain a class without weight if chance put all its rows on one side."""
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
        """The weights, zero where a row is held out."""
        return self.weights * (self.keys >= self.share)

    def fewer(self, share: float) -> Any:
        """The weights of a share of the training rows, zero elsewhere."""
        training = self.keys >= self.share
        return self.weights * (training & (self.keys < self.share + share * (1 - self.share)))

    def samples(self, angle: Any, score: Any) -> tuple[FetchedRows, FetchedRows]:
        """The held-out rows, and about as many training rows."""
        held, seen = self._fetched([angle, score, self.y, self.weights])
        return FetchedRows(*held), FetchedRows(*seen)

    def held(self, *columns: Any) -> list[NDArray[Any]]:
        """Some columns of the held-out rows."""
        return self._fetched(list(columns))[0]

    def _fetched(self, columns: list[Any]) -> list[list[NDArray[Any]]]:
        import dask

        pick = dask.delayed(_held_and_training, pure=False)
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


def _held_and_training(
    share: float, keys: FloatArray, weights: Any, *columns: Any
) -> list[tuple[Any, ...]]:
    """The held-out rows of one partition, and about as many others."""
    counted = np.asarray(weights) > 0
    sides = [(keys < share) & counted, (keys >= share) & (keys < 2 * share) & counted]
    arrays = [np.asarray(column) for column in columns]
    doubles = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
    return [tuple(column[side] for column in doubles) for side in sides]
