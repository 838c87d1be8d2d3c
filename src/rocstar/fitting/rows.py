"""Where arrays live: the only file that knows array libraries other than NumPy.

A problem is a sum over blocks of rows. `Rows` holds the rows of one problem in memory, on whatever
device, and maps a pure function over blocks of them; `rocstar.scale` has rows that are held by the
workers of a Dask cluster. Both are `Summable`, which is all that a problem asks for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dsyrk
from threadpoolctl import ThreadpoolController

from rocstar.checks import is_collection, require

Array = Any  # an array of any array-API library
Floats = NDArray[np.float64]

# A block of features of this size, its weighted copy beside it, stays in a 2 MB second-level cache.
BLOCK_BYTES = 768 * 1024
# A block's dozens of small operations take a tenth of a millisecond however few its rows are, so a
# long pass has about two dozen blocks, or more of this size.
PASS_BLOCKS, LARGEST_BLOCK_BYTES = 24, 8 * 1024**2
# Passes over more than this are shared among threads.
LONG_PASS_BYTES = 64 * 1024**2
# PyTorch shares each operation among its threads, which pays from a few megabytes on.
LIBRARY_BLOCK_BYTES = 16 * 1024**2
# On an accelerator a block's arithmetic must outlast the launches of its dozen kernels.
DEVICE_BLOCK_BYTES = 1024**3
# Relative noise of a sum over rows that was computed in float64, and in float32 row by row.
DOUBLE_ROUNDING, SINGLE_ROUNDING = 1e-14, 1e-6


class Sum(Protocol):
    def __add__(self, other: Any, /) -> Any: ...


T = TypeVar("T", bound=Sum)


class Block(NamedTuple):
    """Some rows: features, class as ±1, and weights that sum to one over all rows of a class."""

    phi: Array
    sign: Array
    weights: Array


class Summable(Protocol):
    """The rows of a problem, wherever they live."""

    @property
    def n_blocks(self) -> int: ...

    @property
    def step(self) -> int: ...

    @property
    def rounding(self) -> float: ...

    def total(self, function: Callable[[Block], T]) -> T: ...

    def thinned(self, step: int) -> Summable | None: ...


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


def host_copy(x: Array) -> NDArray[Any]:
    """An array of any library as NumPy, in its own precision."""
    if isinstance(x, np.ndarray | np.generic):
        return np.asarray(x)
    if hasattr(x, "detach"):  # PyTorch
        x = x.detach().cpu()
    if hasattr(x, "get"):  # CuPy copies to the host only when asked
        x = x.get()
    return np.asarray(x)


def to_host(x: Array) -> Floats:
    """Copy a small array to NumPy float64."""
    return np.asarray(host_copy(x), dtype=np.float64)


def like(values: Any, x: Array) -> Array:
    """Host numbers as an array where ``x`` lives, in the precision of ``x``."""
    if is_numpy(x) or is_collection(x):
        return np.asarray(values, dtype=x.dtype)
    # A copy: libraries refuse, or warn of, memory that they may not write.
    return namespace(x).asarray(np.array(values), dtype=x.dtype, device=x.device)


def taken(x: Array, rows: NDArray[np.intp]) -> Array:
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


def least_rows(width: int) -> int:
    """Rows of a block that fits the cache; its sums of width² must not be what takes the time."""
    return max(64, 4 * width, BLOCK_BYTES // (8 * max(1, width)))


_local = threading.local()


def scratch(shape: tuple[int, int]) -> Floats:
    """A float64 array this thread may overwrite: fresh pages cost more than what fills them."""
    size = shape[0] * shape[1]
    if getattr(_local, "buffer", np.empty(0)).size < size:
        _local.buffer = np.empty(size)
    return np.asarray(_local.buffer[:size].reshape(shape))


# Vectors that a block needs at once: its signs and weights, and what is made of them.
_VECTORS = 7


def spare_vectors(like_this: Array, rows: int) -> list[Floats | None]:
    """Vectors of so many rows that this thread may overwrite, for NumPy's doubles; else None each.

    Workers give freed memory back to the system at once, and fresh pages cost more than what
    fills them.
    """
    if not isinstance(like_this, np.ndarray) or like_this.dtype != np.float64:
        return [None] * _VECTORS
    if getattr(_local, "vectors", np.empty((0, 0))).shape[1] < rows:
        _local.vectors = np.empty((_VECTORS, rows))
    return [vector[:rows] for vector in _local.vectors]


def into(out: Floats | None, function: Callable[..., Array], *args: Any) -> Array:
    """``function(*args)``, in memory that is there already if there is some."""
    return function(*args) if out is None else function(*args, out=out)


def weighted_gram(phi: Array, weights: Array) -> Array:
    """Return ``phi.T @ diag(weights) @ phi``, by a symmetric rank-k update where possible."""
    if is_sparse(phi):
        return (phi.T @ phi.multiply(weights[:, None])).toarray()
    if not isinstance(phi, np.ndarray):
        return double(phi.T @ (phi * weights[:, None]))
    if phi.shape[1] == 0 or weights.min(initial=0.0) < 0.0:  # a non-convex loss
        return np.asarray(phi.T @ (phi * weights[:, None]))
    upper = gram_triangle(phi, weights)
    return upper + np.triu(upper, 1).T


def gram_triangle(phi: Floats, weights: Floats) -> Floats:
    """The upper triangle of ``phi.T @ diag(weights) @ phi``, in an order that LAPACK takes."""
    root = np.sqrt(weights)[:, None]
    step = least_rows(phi.shape[1])
    upper = np.zeros((phi.shape[1], phi.shape[1]), order="F")
    for a in range(0, len(phi), step):
        some = phi[a : a + step]
        scaled = np.multiply(some, root[a : a + step], out=scratch(some.shape))
        upper = dsyrk(1.0, scaled.T, beta=1.0, c=upper, overwrite_c=True)
    return upper


@cache
def blas() -> ThreadpoolController:
    """The BLAS libraries of this process."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS by one thread for a while, if this is the main thread.

    The limit is one for the whole process: threads that set it and put it back in turns would
    leave the process with one thread for good.
    """
    if threading.current_thread() is threading.main_thread():
        with blas().limit(limits=1):
            yield
    else:
        yield


@dataclass(frozen=True)
class Rows:
    """The rows of one problem, in memory.

    ``phi`` may be a feature map's input: then ``features`` turns each block into features when it
    is read, so that no array of all rows by all features exists.
    """

    phi: Array
    sign: Array
    weights: Array
    features: Callable[[Array], Array] | None = None
    shift: Floats | None = None  # subtracted from each block: columns far from zero lose digits
    step: int = 1  # read every step-th block only
    class_scale: tuple[float, float] | None = None  # factors of the two classes' weights

    @property
    def n_rows(self) -> int:
        return int(self.phi.shape[0])

    @property
    def n_blocks(self) -> int:
        """How many blocks of the least size a pass reads; long passes have fewer, larger ones."""
        if is_numpy(self.phi):
            return -(-self.n_rows // least_rows(int(self.phi.shape[1])) // self.step)
        return len(self.slices())

    @property
    def rounding(self) -> float:
        """Noise of a total, relative to its terms: float32 is kept on accelerators only."""
        double_precision = on_host(self.phi) or self.features is not None
        if double_precision or self.phi.dtype == namespace(self.phi).float64:
            return DOUBLE_ROUNDING
        return SINGLE_ROUNDING

    def block_rows(self) -> int:
        # What a feature map makes of a block counts too.
        width = max(1, int(self.phi.shape[1]), getattr(self.features, "width", 0))
        if is_numpy(self.phi):
            share = self.n_rows // self.step // PASS_BLOCKS
            return max(least_rows(width), min(share, LARGEST_BLOCK_BYTES // (8 * width)))
        size = LIBRARY_BLOCK_BYTES if on_host(self.phi) else DEVICE_BLOCK_BYTES
        return max(64, size // (8 * width))

    def slices(self) -> list[slice]:
        size = self.block_rows()
        starts = range(0, self.n_rows, size)
        return [slice(a, min(a + size, self.n_rows)) for a in starts[:: self.step]]

    def read(self, rows: slice, *, reuse: bool = False) -> Block:
        """A block; with ``reuse`` its vectors last until this thread reads the next one."""
        phi = self.phi[rows, :]
        # A processor converts a block in cache for next to nothing; an accelerator would pay with
        # several times the traffic, and a kernel's small eigenvalues need the digits everywhere.
        if on_host(phi) or self.features is not None:
            phi = phi if is_sparse(phi) else double(phi)
        if self.features is not None:
            phi = self.features(phi)
        if self.shift is not None:
            phi = phi - like(self.shift, phi)
        signs, shares = spare_vectors(phi, phi.shape[0])[:2] if reuse else (None, None)
        sign = _column(self.sign, rows, phi.dtype, signs)
        weights = _column(self.weights, rows, self.weights.dtype, shares)
        if self.class_scale is not None:
            up, down = (like(scale, weights) for scale in self.class_scale)
            weights = weights * namespace(weights).where(sign > 0, up, down)
        return Block(phi, sign, cast(weights, phi.dtype))

    def __iter__(self) -> Iterator[Block]:
        return map(self.read, self.slices())

    def dense(self) -> Floats:
        """Features of all rows in one array, for problems that live in memory."""
        phi = self.phi if self.features is None else self.features(self.phi)
        phi = phi.toarray() if is_sparse(phi) else to_host(phi)
        return phi if self.shift is None else phi - self.shift

    def total(self, function: Callable[[Block], T]) -> T:
        """Sum ``function(block)`` over the blocks, a long pass by as many threads as BLAS has."""

        def share(slices: list[slice]) -> T:
            with np.errstate(invalid="ignore"):  # what is not finite shows in the sums
                return reduce(add, (function(self.read(rows, reuse=True)) for rows in slices))

        slices = self.slices()
        threads = min(self._threads(), len(slices))
        if threads == 1:
            return share(slices)
        cuts = [k * len(slices) // threads for k in range(threads + 1)]
        shares = [slices[a:b] for a, b in pairwise(cuts)]
        with ThreadPoolExecutor(threads - 1) as pool, blas().limit(limits=1):
            others = [pool.submit(share, part) for part in shares[1:]]
            return reduce(add, (other.result() for other in others), share(shares[0]))

    def _threads(self) -> int:
        """How many threads read the rows: more than one only for a long pass from the main thread.

        Elsewhere another thread might be changing BLAS's own number of threads just now.
        """
        long = self.step == 1 and isinstance(self.phi, np.ndarray)
        if not long or self.phi.nbytes < LONG_PASS_BYTES:
            return 1
        if threading.current_thread() is not threading.main_thread():
            return 1
        return max((library["num_threads"] for library in blas().info()), default=1)

    def thinned(self, step: int) -> Rows | None:
        """Every step-th block with its class totals restored, or None if a class is missing there.

        Blocks are views, so nothing is copied.
        """
        thin = replace(self, step=step, class_scale=None)
        scales = []
        for ours, theirs in zip(thin.class_totals(), self.class_totals(), strict=True):
            if ours <= 0 < theirs:
                return None
            scales.append(theirs / ours if ours > 0 else 1.0)
        return replace(thin, class_scale=(scales[0], scales[1]))

    def class_totals(self) -> tuple[float, float]:
        """Total weight of the positives and of the negatives that are read."""
        columns = (self.sign, self.weights)
        parts = [[_column(c, rows, c.dtype, None) for c in columns] for rows in self.slices()]
        positives = sum(dot(w, cast(sign > 0, w.dtype)) for sign, w in parts)
        negatives = sum(dot(w, cast(sign < 0, w.dtype)) for sign, w in parts)
        up, down = self.class_scale or (1.0, 1.0)
        return up * float(positives), down * float(negatives)


def _column(values: Any, rows: slice, dtype: Any, out: Floats | None) -> Array:
    """Some rows of a column, in ``out`` if they must be written anywhere."""
    if hasattr(values, "written"):  # made block by block
        return values.written(rows, out)
    part = values[rows]
    if out is None or part.dtype == dtype:
        return cast(part, dtype)
    np.copyto(out, part)
    return out
