"""Weighted Gram matrices, where the time of most fits goes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from scipy.linalg.blas import dsyrk

from rocstar.checks import FloatArray
from rocstar.fitting.arrays import Array, double, is_sparse
from rocstar.fitting.rows import least_rows

_local = threading.local()

MANY_ROWS = 10_000


def weighted_gram(phi: Array, weights: Array) -> Array:
    """Return ``phi.T @ diag(weights) @ phi``, by a symmetric rank-k update where possible."""
    if is_sparse(phi):
        return (phi.T @ phi.multiply(weights[:, None])).toarray()
    if not isinstance(phi, np.ndarray):
        with tensor_cores(phi):
            return double(phi.T @ (phi * weights[:, None]))
    if phi.shape[1] == 0 or weights.min(initial=0.0) < 0.0:  # a non-convex loss
        return np.asarray(phi.T @ (phi * weights[:, None]))
    upper = gram_triangle(phi, weights)
    whole = upper + upper.T
    np.fill_diagonal(whole, upper.diagonal())
    return whole


@contextmanager
def tensor_cores(phi: Array) -> Iterator[None]:
    """Let a GPU round the factors of products in single precision to ten bits, as PyTorch can."""
    # A Hessian only steers the steps of Newton's method: they end where the gradient, which is not
    # rounded so, is zero. Errors of many rows cancel, and the product takes a quarter of the time.
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(phi, torch.Tensor) or len(phi) < MANY_ROWS:
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def gram_triangle(phi: FloatArray, weights: FloatArray) -> FloatArray:
    """The upper triangle of ``phi.T @ diag(weights) @ phi``, in an order that LAPACK takes."""
    root = np.sqrt(weights)[:, None]
    step = least_rows(phi.shape[1])
    upper = np.zeros((phi.shape[1], phi.shape[1]), order="F")
    for a in range(0, len(phi), step):
        some = phi[a : a + step]
        scaled = np.multiply(some, root[a : a + step], out=scratch(some.shape))
        upper = dsyrk(1.0, scaled.T, beta=1.0, c=upper, overwrite_c=True)
    return upper


def scratch(shape: tuple[int, int]) -> FloatArray:
    """A float64 array this thread may overwrite: fresh pages cost more than what fills them."""
    size = shape[0] * shape[1]
    if getattr(_local, "buffer", np.empty(0)).size < size:
        _local.buffer = np.empty(size)
    return np.asarray(_local.buffer[:size].reshape(shape))
