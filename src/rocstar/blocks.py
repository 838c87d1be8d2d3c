"""Where arrays live: the only file that knows array libraries other than NumPy.

A problem is a sum over blocks of rows. `Rows` holds the rows of one problem in memory and maps a
pure function over cache-sized blocks of them; anything with the same ``total`` method, such as
rows held by the workers of a cluster, can take its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
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


def weighted_gram(phi: Array, weights: Array) -> Array:
    """Return ``phi.T @ diag(weights) @ phi``, by a symmetric rank-k update where possible."""
    if is_sparse(phi):
        return (phi.T @ phi.multiply(weights[:, None])).toarray()
    if not isinstance(phi, np.ndarray):
        return phi.T @ (phi * weights[:, None])
    if weights.min(initial=0.0) < 0.0:  # a non-convex loss
        return np.asarray(phi.T @ (phi * weights[:, None]))
    scaled = phi * np.sqrt(weights)[:, None]
    upper = dsyrk(1.0, scaled.T)
    return np.triu(upper) + np.triu(upper, 1).T


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
        return Block(phi, self.sign[rows], self.weights[rows])

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
        controller = ThreadpoolController().select(user_api="blas")
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

        Blocks are views, so nothing is copied but a vector of weights.
        """
        thin = replace(self, step=step)
        weights = np.zeros_like(self.weights)
        for sign in (1.0, -1.0):
            mine = self.sign == sign
            kept = np.zeros(self.n_rows, dtype=bool)
            for rows in thin.slices():
                kept[rows] = mine[rows]
            share = float(self.weights[kept].sum())
            if not share > 0.0:
                return None
            weights[kept] = self.weights[kept] * (float(self.weights[mine].sum()) / share)
        return replace(thin, weights=weights)
