"""Checks of one partition on its worker: features, weights and labels."""

from __future__ import annotations

import weakref
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import MORE_IN_MEMORY, FloatArray, binary_labels, nonnegative_weights
from rocstar.fitting.arrays import distinct_values

# Aligned copies of arrays that arrived unaligned, by the object that the worker holds.
_ALIGNED: dict[int, NDArray[Any]] = {}


def aligned(array: NDArray[Any], held: Any) -> NDArray[Any]:
    """The array; an aligned copy, kept for as long as the worker holds its object, if it is not."""
    # What came in a message may start between two numbers, where arithmetic is ten times slower.
    if array.flags.aligned:
        return array
    if id(held) not in _ALIGNED:
        _ALIGNED[id(held)] = array.copy()
        weakref.finalize(held, _ALIGNED.pop, id(held), None)
    return _ALIGNED[id(held)]


def float_matrix(x: Any, index: int | None = None) -> NDArray[Any]:
    """A partition's features as an array of floats, in its own precision where it has one."""
    array = x.to_numpy() if hasattr(x, "to_numpy") else x
    what = type(array).__name__
    if isinstance(array, np.ndarray):
        if array.dtype in (np.float32, np.float64):
            return aligned(array, x)
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
    array = float_matrix(x, index)
    # The terms of a finite sum are finite, and a sum takes half the time.
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(array.sum()) or np.isfinite(array).all()
    if not finite:
        where = _where(index)
        raise ValueError(f"`X` must be finite; {where} has missing or infinite values: fill them.")
    return array


def _where(index: int | None) -> str:
    return "a partition" if index is None else f"partition {index}"


def partition_weights(weight: Any, n_rows: int, name: str = "sample_weight") -> FloatArray | None:
    if weight is None:
        return None
    return nonnegative_weights(aligned(np.asarray(weight), weight), n_rows, name)


def distinct_labels(y: NDArray[Any]) -> list[Any]:
    """The one or two labels of a partition, in order; a third is an error already."""
    if y.dtype.kind == "O":
        return label_scalars(label_array(dict.fromkeys(y.tolist())))
    labels = distinct_values(y) if y.dtype.kind in "biuf" else np.unique(y)
    return label_scalars(labels if len(labels) == 1 else binary_labels(labels, MORE_IN_MEMORY)[1])


def label_array(labels: Collection[Any]) -> NDArray[Any]:
    """Distinct labels as an array, which would silently make strings of numbers beside strings."""
    if mixes_text_and_others(labels):
        found = ", ".join(sorted(map(repr, labels))[:4])
        raise ValueError(
            f"`y` must hold labels of one kind, none missing, in all partitions; got {found}: "
            "convert them, for example with astype(str)."
        )
    array = np.array(list(labels))
    if array.dtype.kind == "O":
        raise ValueError(f"`y` must hold numbers or strings, none missing; got {array[0]!r}.")
    return binary_labels(array, MORE_IN_MEMORY)[1] if len(array) > 1 else array


def mixes_text_and_others(labels: Collection[Any]) -> bool:
    return len({isinstance(label, str) for label in labels}) > 1


def label_scalars(labels: NDArray[Any]) -> list[Any]:
    """Labels as Python's values, which travel well; of times, NumPy's, which stay times."""
    return list(labels) if labels.dtype.kind in "mM" else list(labels.tolist())
