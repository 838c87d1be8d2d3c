"""Lazy columns of Dask collections: one number, or a few, per row, made partition by partition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rocstar.checks import is_collection
from rocstar.scale.partition_checks import finite_matrix, float_matrix
from rocstar.scale.partitions import frame_pieces, not_a_collection


def store_features(estimator: Any, X: Any, n_features: int) -> None:
    """What scikit-learn's validation would have stored."""
    estimator.n_features_in_ = n_features
    names = list(getattr(X, "columns", []))
    if names and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def mapped_rows(
    estimator: Any,
    X: Any,
    function: Callable[[Any], Any],
    width: int | None = None,
    *,
    finite: bool = True,
) -> Any:
    """A lazy Dask array of one number per row, or of as many as ``width`` says."""
    # A missing or infinite value is an error when it is computed, unless ``finite`` is False.
    names = list(getattr(X, "columns", []))
    expected = list(getattr(estimator, "feature_names_in_", names))
    if names and names != expected:
        raise ValueError(
            f"`X` must have the columns of the training data in their order; got {names[:3]}… "
            f"for {expected[:3]}…: select them with X[model.feature_names_in_.tolist()]."
        )
    array = dask_array(X)
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
    read = finite_matrix if finite else float_matrix
    return array.map_blocks(lambda x: function(read(x)), dtype=np.float64, **shape)


def dask_array(column: Any, name: str = "X") -> Any:
    """A Dask array of any Dask collection."""
    if not is_collection(column):
        raise not_a_collection(column, name)
    if hasattr(column, "chunks"):
        return column
    import dask
    import dask.array

    wide = column.ndim == 2
    shape = (np.nan, len(column.columns)) if wide else (np.nan,)
    dtype = np.dtype(np.float64) if wide else np.asarray(column._meta).dtype
    array = dask.delayed(float_matrix if wide else np.asarray, pure=False)
    # Dask's own conversion merges the files of narrow columns when it is computed.
    pieces = [array(piece) for piece in frame_pieces(column)]
    return dask.array.concatenate(
        [dask.array.from_delayed(piece, shape, dtype) for piece in pieces]
    )


def aligned(first: Any, *others: Any) -> list[Any]:
    """Arrays cut where the first one is cut, as far as their lengths are known."""
    # Pieces of unknown lengths, as many as the others', are taken to have the others' lengths.
    arrays = [first, *others]
    cuts = [array.chunks[0] for array in arrays]
    known = next((cut for cut in cuts if not np.isnan(cut).any()), None)
    if known is not None:
        return [_recut(array, known) for array in arrays]
    if len(set(map(len, cuts))) > 1:
        raise _different_partitions(*map(len, cuts[:2]))
    return arrays


def _recut(array: Any, cut: tuple[int, ...]) -> Any:
    if array.chunks[0] == cut:
        return array
    if not np.isnan(array.chunks[0]).any():
        return array.rechunk({0: cut})
    if len(array.chunks[0]) != len(cut):
        raise _different_partitions(len(array.chunks[0]), len(cut))
    array = array.copy()
    array._chunks = (cut, *array.chunks[1:])
    return array


def _different_partitions(n: int, m: int) -> ValueError:
    return ValueError(
        f"Collections must come in the same partitions; got {n} and {m}: repartition one of them."
    )
