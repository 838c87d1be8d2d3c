"""Where arrays live: the only file that knows array libraries other than NumPy.

A problem is a sum over blocks of rows. `Rows` holds the rows of one problem in memory and maps a
pure function over cache-sized blocks of them; anything with the same ``total`` method, such as
rows held by the workers of a cluster, can take its place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import add
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dsyrk
from threadpoolctl import ThreadpoolController

Array = Any  # an array of any array-API library
Floats = NDArray[np.float64]

# A block of features of this size, its weighted copy beside it, stays in a 2 MB second-level cache.
BLOCK_BYTES = 768 * 1024
# Below this many blocks the threads cost more than they save.
MIN_BLOCKS_FOR_THREADS = 16


class Sum(Protocol):
    def __add__(self, other: Any, /) -> Any: ...


T = TypeVar("T", bound=Sum)


class Block(NamedTuple):
    """Some rows: features, class as ±1, and weights that sum to one over all rows of a class."""

    phi: Array
    sign: Array
    weights: Array


def namespace(x: Array) -> Any:
    """Return the array-API namespace of an array."""
    if isinstance(x, np.ndarray | np.generic):
        return np
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    from array_api_compat import array_namespace  # torch and CuPy speak it through this

    return array_namespace(x)


def is_sparse(x: Array) -> bool:
    return bool(sparse.issparse(x))


def to_host(x: Array) -> Floats:
    """Copy a small array to NumPy float64."""
    if isinstance(x, np.ndarray):
        return np.asarray(x, dtype=np.float64)
    if hasattr(x, "detach"):
        x = x.detach().cpu()
    return np.asarray(x, dtype=np.float64)


@cache
def blas_threads() -> ThreadpoolController:
    """The BLAS libraries in this process; finding them takes as long as a small fit."""
    return ThreadpoolController().select(user_api="blas")


_local = threading.local()


def scratch(shape: tuple[int, int]) -> Floats:
    """A float64 array this thread may overwrite: fresh pages cost more than what fills them."""
    size = shape[0] * shape[1]
    if getattr(_local, "buffer", np.empty(0)).size < size:
        _local.buffer = np.empty(size)
    return np.asarray(_local.buffer[:size].reshape(shape))


def weighted_gram(phi: Array, weights: Array) -> Array:
    """Return ``phi.T @ diag(weights) @ phi``, by a symmetric rank-k update where possible."""
    if is_sparse(phi):
        return (phi.T @ phi.multiply(weights[:, None])).toarray()
    if not isinstance(phi, np.ndarray):
        return phi.T @ (phi * weights[:, None])
    if weights.min(initial=0.0) < 0.0:  # a non-convex loss
        return np.asarray(phi.T @ (phi * weights[:, None]))
    scaled = np.multiply(phi, np.sqrt(weights)[:, None], out=scratch(phi.shape))
    upper = dsyrk(1.0, scaled.T)
    return upper + np.triu(upper, 1).T


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

    def block_rows(self) -> int:
        row_bytes = 8 * max(1, int(self.phi.shape[1]))
        return max(64, BLOCK_BYTES // row_bytes)

    def slices(self) -> list[slice]:
        size = self.block_rows()
        starts = range(0, self.n_rows, size)
        return [slice(a, min(a + size, self.n_rows)) for a in starts[:: self.step]]

    def read(self, rows: slice) -> Block:
        phi = self.phi[rows, :]
        if isinstance(phi, np.ndarray) and phi.dtype != np.float64:
            phi = phi.astype(np.float64)
        if self.features is not None:
            phi = self.features(phi)
        if self.shift is not None:
            phi = phi - self.shift
        sign, weights = self.sign[rows], self.weights[rows]
        if self.class_scale is not None:
            weights = weights * np.where(sign > 0, *self.class_scale)
        return Block(phi, sign, weights)

    def __iter__(self) -> Iterator[Block]:
        return map(self.read, self.slices())

    def dense(self) -> Floats:
        """Features of all rows in one array, for problems that live in memory."""
        phi = self.phi if self.features is None else self.features(self.phi)
        phi = phi.toarray() if is_sparse(phi) else np.asarray(phi, dtype=np.float64)
        return phi if self.shift is None else phi - self.shift

    def total(self, function: Callable[[Block], T]) -> T:
        """Sum ``function(block)`` over the blocks, in two or more threads when there are many."""
        slices = self.slices()
        if len(slices) < MIN_BLOCKS_FOR_THREADS:
            return reduce(add, (function(self.read(rows)) for rows in slices))
        controller = blas_threads()
        n_threads = max([1, *(pool["num_threads"] for pool in controller.info())])
        # One thread of ours a core, each with a BLAS of one thread: the pointwise work is then
        # shared as well, which BLAS's own threads would leave to one core.
        parts = [slices[i::n_threads] for i in range(n_threads)]

        def part_total(part: list[slice]) -> T:
            return reduce(add, (function(self.read(rows)) for rows in part))

        with controller.limit(limits=1), ThreadPoolExecutor(n_threads) as pool:
            return reduce(add, pool.map(part_total, parts))

    def thinned(self, step: int) -> Rows | None:
        """Every step-th block with its class totals restored, or None if a class is missing there.

        Blocks are views, so nothing is copied.
        """
        thin = replace(self, step=step)
        ours, theirs = thin.class_totals(), self.class_totals()
        if min(ours) <= 0:
            return None
        positives, negatives = (t / o for t, o in zip(theirs, ours, strict=True))
        return replace(thin, class_scale=(positives, negatives))

    def class_totals(self) -> tuple[float, float]:
        """Total weight of the positives and of the negatives that are read."""
        positives = [float(self.weights[rows] @ (self.sign[rows] > 0)) for rows in self.slices()]
        negatives = [float(self.weights[rows] @ (self.sign[rows] < 0)) for rows in self.slices()]
        return sum(positives), sum(negatives)
