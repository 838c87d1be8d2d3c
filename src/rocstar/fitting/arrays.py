"""Arrays of NumPy, SciPy and the array API: the only file that knows their libraries apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rocstar.checks import FloatArray, is_collection, require

Array = Any  # an array of any array-API library


def namespace(x: Array) -> Any:
    """Return the array-API namespace of an array."""
    # Dask's arrays answer to NumPy's functions.
    if isinstance(x, np.ndarray | np.generic) or is_collection(x):
        return np
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    require("torch", "array_api_compat")  # torch and CuPy speak the standard through this
    from array_api_compat import array_namespace

    return array_namespace(x)


def is_sparse(x: Array) -> bool:
    return bool(sparse.issparse(x))


def is_numpy(x: Array) -> bool:
    """Whether an array is NumPy's, or a sparse one of SciPy."""
    return isinstance(x, np.ndarray | np.generic) or is_sparse(x)


def is_foreign(x: Array) -> bool:
    """Whether this is an array of another library that scikit-learn was told to dispatch on."""
    return not is_numpy(x) and hasattr(x, "device") and hasattr(x, "dtype")


def on_host(x: Array) -> bool:
    """Whether arithmetic on this array runs on the processor."""
    return is_numpy(x) or "cpu" in str(x.device).lower()


def spare_bytes(x: Array) -> int:
    """A quarter of the memory that is free on the device of ``x``; nothing on the processor."""
    if on_host(x):
        return 0
    if hasattr(x.device, "mem_info"):  # CuPy
        return int(x.device.mem_info[0]) // 4
    import torch

    return int(torch.cuda.mem_get_info(x.device)[0]) // 4 if x.device.type == "cuda" else 0


def host_copy(x: Array) -> NDArray[Any]:
    """An array of any library as NumPy, in its own precision."""
    if isinstance(x, np.ndarray | np.generic):
        return np.asarray(x)
    if hasattr(x, "detach"):  # PyTorch
        x = x.detach().cpu()
    if hasattr(x, "get"):  # CuPy copies to the host only when asked
        x = x.get()
    return np.asarray(x)


def to_host(x: Array) -> FloatArray:
    """Copy a small array to NumPy float64."""
    return np.asarray(host_copy(x), dtype=np.float64)


def like(values: Any, x: Array) -> Array:
    """Host numbers as an array where ``x`` lives, in the precision of ``x``."""
    if is_numpy(x) or is_collection(x):
        return np.asarray(values, dtype=x.dtype)
    # A copy: libraries refuse, or warn of, memory that they may not write.
    return namespace(x).asarray(np.array(values), dtype=x.dtype, device=x.device)


def take_rows(x: Array, rows: NDArray[np.intp]) -> Array:
    """Some rows of an array, where it lives."""
    if not is_foreign(x):
        return x[rows]
    xp = namespace(x)
    return xp.take(x, xp.asarray(rows, device=x.device), axis=0)


def distinct_values(x: Array) -> Array:
    """The distinct values of an array, ascending; two of them are found without sorting."""
    xp = namespace(x)
    low, high = xp.min(x), xp.max(x)
    if bool(xp.all((x == low) | (x == high))) and bool(low != high):
        return xp.stack([low, high])
    return xp.unique_values(x)


def cast(x: Array, dtype: Any) -> Array:
    return x if x.dtype == dtype else namespace(x).astype(x, dtype)


def double(x: Array) -> Array:
    """The array in float64."""
    if is_sparse(x):
        return x.astype(np.float64)
    return cast(x, namespace(x).float64)


def dot(a: Array, b: Array) -> Array:
    """Σ a b, added up in float64."""
    if isinstance(a, np.ndarray):
        return np.vecdot(a, b)
    return double_sum(a * b)


def double_sum(x: Array) -> Array:
    """Σ x, added up in float64."""
    xp = namespace(x)
    return xp.sum(x, dtype=xp.float64)


def into(out: FloatArray | None, function: Callable[..., Array], *args: Any) -> Array:
    """``function(*args)``, in memory that is there already if there is some."""
    return function(*args) if out is None else function(*args, out=out)
