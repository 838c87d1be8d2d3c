"""The rows of a problem, read block by block.

A problem is a sum over blocks of rows. `MemoryRows` holds the rows of one problem in memory, on
whatever device, and maps a pure function over blocks of them; `rocstar.scale` has rows that are
held by the workers of a Dask cluster. Both are `Summable`, which is all that a problem asks for.
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
from threadpoolctl import ThreadpoolController

from rocstar.checks import FloatArray
from rocstar.fitting.arrays import (
    Array,
    cast,
    dot,
    double,
    is_numpy,
    is_sparse,
    like,
    namespace,
    on_host,
    to_host,
)

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


class Workspace(NamedTuple):
    """Memory for the vectors of a block, None where there is none to write to."""

    # Workers give freed memory back at once, and fresh pages cost more than what fills them.

    sign: FloatArray | None = None
    weights: FloatArray | None = None
    margin: FloatArray | None = None
    pull: FloatArray | None = None
    slope: FloatArray | None = None
    term: FloatArray | None = None
    charge: FloatArray | None = None


NO_WORKSPACE = Workspace()
_local = threading.local()


def workspace(phi: Array) -> Workspace:
    """This thread's, for a block of NumPy's doubles: it lasts until the next block."""
    if not isinstance(phi, np.ndarray) or phi.dtype != np.float64:
        return NO_WORKSPACE
    last: Workspace = getattr(_local, "last", NO_WORKSPACE)
    if last.sign is None or len(last.sign) != len(phi):
        if last.sign is None or _local.vectors.shape[1] < len(phi):
            _local.vectors = np.empty((len(Workspace._fields), len(phi)))
        last = _local.last = Workspace(*_local.vectors[:, : len(phi)])
    return last


class Block(NamedTuple):
    """Some rows: features, class as ±1, and weights that sum to one over all rows of a class."""

    phi: Array
    sign: Array
    weights: Array
    workspace: Workspace = NO_WORKSPACE


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


def least_rows(width: int) -> int:
    """Rows of a block that fits the cache; its sums of width² must not be what takes the time."""
    return max(64, 4 * width, BLOCK_BYTES // (8 * max(1, width)))


@dataclass(frozen=True)
class MemoryRows:
    """The rows of one problem, in memory."""

    # ``phi`` may be a feature map's input: then ``features`` turns each block into features when it
    # is read, so that no array of all rows by all features exists.

    phi: Array
    sign: Array
    weights: Array
    features: Callable[[Array], Array] | None = None
    shift: FloatArray | None = None  # subtracted from each block: columns far from zero lose digits
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

    def read(self, rows: slice) -> Block:
        """A block, whose vectors last until this thread reads the next one."""
        phi = self.phi[rows, :]
        # A processor converts a block in cache for next to nothing; an accelerator would pay with
        # several times the traffic, and a kernel's small eigenvalues need the digits everywhere.
        if on_host(phi) or self.features is not None:
            phi = phi if is_sparse(phi) else double(phi)
        if self.features is not None:
            phi = self.features(phi)
        if self.shift is not None:
            phi = phi - like(self.shift, phi)
        memory = workspace(phi)
        sign = _column(self.sign, rows, phi.dtype, memory.sign)
        weights = _column(self.weights, rows, self.weights.dtype, memory.weights)
        if self.class_scale is not None:
            up, down = (like(scale, weights) for scale in self.class_scale)
            weights = weights * namespace(weights).where(sign > 0, up, down)
        return Block(phi, sign, cast(weights, phi.dtype), memory)

    def dense(self) -> FloatArray:
        """Features of all rows in one array, for problems that live in memory."""
        phi = self.phi if self.features is None else self.features(self.phi)
        phi = phi.toarray() if is_sparse(phi) else to_host(phi)
        return phi if self.shift is None else phi - self.shift

    def total(self, function: Callable[[Block], T]) -> T:
        """Sum ``function(block)`` over the blocks, a long pass by as many threads as BLAS has."""

        def share(slices: list[slice]) -> T:
            with np.errstate(invalid="ignore"):  # what is not finite shows in the sums
                return reduce(add, (function(self.read(rows)) for rows in slices))

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
        """Threads that read the rows: more than one only for a long pass from the main thread."""
        # Elsewhere another thread might be changing BLAS's own number of threads just now.
        long = self.step == 1 and isinstance(self.phi, np.ndarray)
        if not long or self.phi.nbytes < LONG_PASS_BYTES:
            return 1
        if threading.current_thread() is not threading.main_thread():
            return 1
        return max((library["num_threads"] for library in blas().info()), default=1)

    def thinned(self, step: int) -> MemoryRows | None:
        """Every step-th block, a view, with class totals restored; None if a class is missing."""
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


def _column(values: Any, rows: slice, dtype: Any, out: FloatArray | None) -> Array:
    """Some rows of a column, in ``out`` if they must be written anywhere."""
    if hasattr(values, "written"):  # made block by block
        return values.written(rows, out)
    part = values[rows]
    if out is None or part.dtype == dtype:
        return cast(part, dtype)
    np.copyto(out, part)
    return out


@cache
def blas() -> ThreadpoolController:
    """The BLAS libraries of this process."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS by one thread for a while, if this is the main thread."""
    # The limit is one for the whole process: threads that set it and put it back in turns would
    # leave the process with one thread for good.
    if threading.current_thread() is threading.main_thread():
        with blas().limit(limits=1):
            yield
    else:
        yield
