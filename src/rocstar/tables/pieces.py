"""What a worker does with one partition of a table: count, check, draw rows, encode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import InputError
from rocstar.tables.columns import TableEncoder
from rocstar.tables.dense import DenseColumns
from rocstar.tables.frames import as_frame
from rocstar.tables.roles import column_numbers, column_weights, complete

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# A target of more distinct values is a number, and counting them would fill the client's memory.
MOST_CLASSES = 1000


@dataclass(frozen=True)
class LabelCounts:
    """Rows of each partition and of each label; counts of partitions add up."""

    sizes: dict[int, int]
    labels: dict[Any, int]

    def __add__(self, other: LabelCounts) -> LabelCounts:
        labels = dict(self.labels)
        for label, count in other.labels.items():
            labels[label] = labels.get(label, 0) + count
        if len(labels) > MOST_CLASSES:
            raise InputError(f"The target has more than {MOST_CLASSES:,} classes; name another.")
        return LabelCounts(self.sizes | other.sizes, labels)


def checked_counts(
    index: int, target: str, y: Any, weight: Any, scores: dict[str, Any]
) -> LabelCounts:
    """Count the labels of one partition and check its other columns."""
    try:
        labels = complete(_series(y, target), "target")
        if weight is not None:
            column_weights(_series(weight, "weight"))
        for name, score in scores.items():
            column_numbers(_series(score, name), "score")
    except InputError as error:
        raise InputError(f"In partition {index + 1}: {error}") from None
    counts = labels.value_counts()
    found = dict(zip(counts.index.tolist(), counts.tolist(), strict=True))
    return LabelCounts({index: len(labels)}, {label: n for label, n in found.items() if n})


def drawn_rows(
    index: int, piece: Any, y: Any, share: float, chosen: Any
) -> tuple[DataFrame, NDArray[np.bool_]]:
    """A random share of the rows of one partition, and which of them are positive."""
    frame = as_frame(piece)
    rows = np.flatnonzero(np.random.default_rng([0, index]).random(len(frame)) < share)
    return frame.iloc[rows], is_label(y, chosen)[rows]


@dataclass(frozen=True)
class DenseEncoder:
    """From the features of a partition to a dense matrix, as a sample of rows has taught."""

    encoder: TableEncoder
    dense: DenseColumns

    @classmethod
    def learn(cls, encoder: TableEncoder, X: NDArray[np.float64]) -> DenseEncoder:
        """Scales, medians and categories of a sample of encoded rows."""
        return cls(encoder, DenseColumns(encoder.categorical_).fit(X))

    @property
    def width(self) -> int:
        """Columns of the dense matrix."""
        return self.dense.width

    def __call__(self, piece: Any) -> NDArray[np.float32]:
        if not len(piece):  # which transformers refuse
            return np.empty((0, self.width), dtype=np.float32)
        matrix = self.encoder.transform(piece)
        return np.asarray(self.dense.transform(matrix), dtype=np.float32)


def is_label(piece: Any, chosen: Any) -> NDArray[np.bool_]:
    """Which rows of a partition have the chosen label."""
    return np.asarray(np.asarray(piece) == chosen, dtype=np.bool_)


def doubles(piece: Any) -> NDArray[np.float64]:
    """A column of a partition in double precision."""
    return np.asarray(piece, dtype=np.float64)


def _series(piece: Any, name: str) -> Series:
    import pandas as pd

    if isinstance(piece, pd.Series):
        return piece.reset_index(drop=True)
    return pd.Series(np.asarray(piece), name=name)
