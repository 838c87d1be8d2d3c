"""The functions z among which `ArctanRatio` chooses: their landmarks and their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from rocstar.checks import BoolArray, FloatArray
from rocstar.fitting.arrays import (
    Array,
    cast,
    double,
    host_copy,
    is_foreign,
    is_numpy,
    like,
    namespace,
    take_rows,
    to_host,
)
from rocstar.fitting.features import FEATURE_BYTES, distinct_landmarks, kernel_values


def landmark_points(
    X: Array, positive: BoolArray, weights: FloatArray, n_components: int | None, random_state: Any
) -> FloatArray:
    """Rows of both classes whose kernels span the functions."""
    # Repeated rows span nothing new, and sorting makes the order of the rows immaterial.
    rows = distinct_landmarks(X, host_copy(positive), to_host(weights), n_components, random_state)
    return np.asarray(np.unique(host_copy(take_rows(X, rows)), axis=0), dtype=np.float64)


def linear_scores(X: Array, coef: FloatArray) -> Array:
    """Values of a linear function, in the precision of X."""
    if is_numpy(X) and np.abs(coef).max(initial=0.0) > np.finfo(X.dtype).max:
        X = double(X)  # columns of tiny float32 have coefficients beyond it
    return X @ like(coef, X)


def kernel_scores(
    X: Array,
    points: FloatArray,
    dual: FloatArray,
    kernel: str | Callable[..., Any],
    params: dict[str, Any],
) -> Array:
    """Values of Σ dual · k(x, points), made block by block in double precision."""
    one = double(X[:1, :])
    points, dual = like(points, one), like(dual, one)
    rows = max(1, FEATURE_BYTES // 8 // points.shape[0])
    z = [
        kernel_values(double(X[batch, :]), points, kernel, params) @ dual
        for batch in gen_batches(X.shape[0], rows)
    ]
    xp = namespace(X)
    return cast(xp.concat(z) if z else xp.zeros(0, dtype=one.dtype), X.dtype)


def on_device_of(values: FloatArray, x: Array) -> Array:
    """An attribute in the library, the precision and on the device of foreign data."""
    return like(values, x) if is_foreign(x) else values
