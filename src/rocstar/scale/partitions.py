"""Dask collections cut into partitions: delayed pieces of the same rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rocstar.checks import is_collection


class Partition(NamedTuple):
    """Delayed pieces of the same rows; None for weights that were not given."""

    x: Any
    y: Any
    sample_weight: Any
    objective_weight: Any


def partitions(
    X: Any, y: Any, sample_weight: Any = None, objective_weight: Any = None
) -> list[Any]:
    """The collections' pieces, row by row together."""
    # Arrays are cut where X is cut; dataframes must come in the same partitions.
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
    return frame_pieces(collection)


def frame_pieces(frame: Any) -> list[Any]:
    """Delayed pieces of a dataframe or series, one for each partition it says it has."""
    # Dask's full optimisation would merge the files of a narrow column, but not those of a wide
    # table, and so part the labels from their rows.
    if hasattr(frame, "simplify"):
        # In a table cut by size, a column read alone would be cut where the others are not.
        by_size = any(getattr(step, "partition_size", None) for step in frame.expr.walk())
        frame = frame if by_size else frame.simplify()  # which reads no other columns
    return list(frame.to_delayed(optimize_graph=False))


def not_a_collection(given: Any, name: str) -> ValueError:
    return ValueError(
        f"`{name}` must be a Dask array, dataframe or series since X is one; got "
        f"{type(given).__name__}: use dask.array.from_array or dask.dataframe.from_pandas, in the "
        "partitions of X."
    )
