"""From rows to features: the identity, or the span of a kernel at some points.

A function of the reproducing-kernel space that is spanned by points ``c_1 … c_m`` has coordinates
in which its norm is Euclidean. With every sample as a point this is the whole problem, by the
representer theorem; with fewer it is the Nyström approximation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn import config_context
from sklearn.metrics.pairwise import euclidean_distances, pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from rocstar.checks import FloatArray
from rocstar.fitting.arrays import (
    Array,
    double,
    is_foreign,
    is_sparse,
    like,
    namespace,
    on_host,
    spare_bytes,
    to_host,
)
from rocstar.fitting.rows import DEVICE_BLOCK_BYTES, MemoryRows

# Positive definite kernels of scikit-learn, with the parameters each takes.
KERNELS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "polynomial": ("gamma", "degree", "coef0"),
    "poly": ("gamma", "degree", "coef0"),
    "cosine": (),
    "chi2": ("gamma",),
}

# Directions of smaller eigenvalue, relative to the largest, are rounding.
RANK_TOLERANCE = 1e-12
# The median distance is a rough scale: this many rows give it to a few per cent.
MEDIAN_ROWS = 1000
# Features of all rows are kept when they take less than this; else each block makes its own.
FEATURE_BYTES = 256 * 1024**2
# To shuffle more rows than this takes longer than to draw a tenth of them one by one.
SHUFFLED_ROWS = 100_000
# The odd number nearest 2⁶⁴ divided by the golden ratio: it spreads bits well (Knuth 1973, 6.4).
HASH_FACTOR, HALF_WORD = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
# Columns whose mean is this many standard deviations from zero are centred block by block.
FAR_FROM_ZERO = 100.0


@dataclass(frozen=True)
class KernelMap:
    """φ(x) = k(x, points) @ basis, so that the kernel between points is φφᵀ."""

    points: FloatArray
    basis: FloatArray
    kernel: Any
    params: dict[str, Any]

    @classmethod
    def spanned_by(
        cls, points: FloatArray, kernel: Any, params: dict[str, Any], near: Array | None = None
    ) -> KernelMap:
        """The map of some points; the device of the rows ``near`` decomposes their kernel."""
        gram = kernel_values(points, points, kernel, params)
        values, vectors = symmetric_eigen((gram + gram.T) / 2, near)
        kept = values > RANK_TOLERANCE * len(values) * max(values[-1], 0.0)
        return cls(points, vectors[:, kept] / np.sqrt(values[kept]), kernel, params)

    @property
    def width(self) -> int:
        """Number of features."""
        return int(self.basis.shape[1])

    def placed_like(self, x: Array) -> KernelMap:
        """The same map for rows in the library and on the device of ``x``."""
        if not is_foreign(x):
            return self
        one = double(x[:1, :])
        return replace(self, points=like(self.points, one), basis=like(self.basis, one))

    def of_all(self, x: Array) -> Array:
        """The features of all rows, block by block on a device: kernel values would not fit too."""
        if on_host(x):
            return self(double(x))
        step = max(64, DEVICE_BLOCK_BYTES // (8 * self.width))
        # Features are computed in double precision, since the basis may be large, and kept in that
        # of the rows.
        out = namespace(x).empty((x.shape[0], self.width), dtype=x.dtype, device=x.device)
        for a in range(0, x.shape[0], step):
            out[a : a + step, :] = self(double(x[a : a + step, :]))
        return out

    def __call__(self, x: Array) -> Array:
        return kernel_values(x, self.points, self.kernel, self.params) @ self.basis


def kernel_values(x: Array, points: Array, kernel: Any, params: dict[str, Any]) -> Array:
    """The kernel between rows and points; values that overflow are refused."""
    # Rows were looked at when they came in; to look again costs an accelerator a stop per block.
    checked = config_context(assume_finite=True)
    with checked, np.errstate(over="ignore", invalid="ignore"):
        values = pairwise_kernels(x, points, metric=kernel, **params)
        if isinstance(values, np.ndarray) and not np.isfinite(values.sum()):
            raise ValueError(
                f"`kernel={kernel!r}` must give finite values; it overflows on these rows: scale "
                "the columns of X, for example by StandardScaler."
            )
    return values


def symmetric_eigen(matrix: FloatArray, near: Array | None) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues, ascending, and eigenvectors: on an accelerator where the rows are on one."""
    if near is None or on_host(near):
        values, vectors = eigh(matrix)
        return values, vectors
    place = double(near[:1, :])
    values, vectors = namespace(place).linalg.eigh(like(matrix, place))
    return to_host(values), to_host(vectors)


@dataclass(frozen=True)
class FeatureSpace:
    """Training rows with the map to their features: None for the linear class."""

    x: Any
    map: KernelMap | None
    shift: FloatArray | None

    @property
    def n_features(self) -> int:
        return int(self.x.shape[1] if self.map is None else self.map.width)

    def rows(self, sign: Array, weights: Array) -> MemoryRows:
        if self.map is None:
            return MemoryRows(self.x, sign, weights, shift=self.shift)
        features = self.map.placed_like(self.x)
        size = 8 * self.x.shape[0] * self.n_features
        if size <= FEATURE_BYTES or size <= spare_bytes(self.x):
            return MemoryRows(features.of_all(self.x), sign, weights)
        return MemoryRows(self.x, sign, weights, features=features)

    def coefficients(self, w: FloatArray, fit_intercept: bool) -> tuple[FloatArray, float]:
        """Coefficients of the columns of X, or of the kernel at each point, and the intercept."""
        coef = w[: self.n_features]
        intercept = float(w[-1]) if fit_intercept else 0.0
        if self.map is not None:
            return self.map.basis @ coef, intercept
        return coef, intercept - (float(self.shift @ coef) if self.shift is not None else 0.0)


def far_centre(x: Any) -> FloatArray | None:
    """A centre to subtract, if some column lies so far from zero that digits would be lost."""
    if is_sparse(x):
        return None
    some = to_host(x[:: max(1, x.shape[0] // 1000), :])
    with np.errstate(invalid="ignore", over="ignore"):  # the first pass tells of such values
        centre, spread = some.mean(axis=0), some.std(axis=0)
    return centre if np.any(np.abs(centre) > FAR_FROM_ZERO * spread) else None


def landmarks(
    positive: np.ndarray, weights: FloatArray, n_components: int | None, random_state: Any
) -> np.ndarray:
    """Rows that span the features: all that count, or half of the wanted number from each class."""
    # Drawing half from each class keeps a rare class visible; a class that has fewer rows gives all
    # of them and leaves the rest to the other.
    return _stratified(np.flatnonzero(weights > 0), positive, n_components, random_state)


def distinct_landmarks(
    x: Array, positive: np.ndarray, weights: FloatArray, n_components: int | None, random_state: Any
) -> np.ndarray:
    """Like `landmarks`, but a row that occurs several times in a class is drawn as one."""
    # So repeated rows and weighted ones give the same landmarks, and where no row occurs twice this
    # is the same draw. Tensors are taken as they are: to compare their rows would bring them here.
    counted = np.flatnonzero(weights > 0)
    if n_components is None or n_components >= len(counted):
        return counted
    if not is_foreign(x):
        keys = row_keys(x)
        firsts = [_firsts(keys, counted[positive[counted] == side]) for side in (True, False)]
        counted = np.sort(np.concatenate(firsts))
    return _stratified(counted, positive, n_components, random_state)


def _stratified(
    counted: np.ndarray, positive: np.ndarray, n_components: int | None, random_state: Any
) -> np.ndarray:
    if n_components is None or n_components >= len(counted):
        return counted
    rng = check_random_state(random_state)
    if len(counted) == len(positive):
        classes = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    else:
        up = positive[counted]
        classes = [counted[up], counted[~up]]
    rarer = min(len(c) for c in classes)
    fewer = min(n_components // 2, rarer)
    sizes = [fewer if len(c) == rarer else n_components - fewer for c in classes]
    if len(classes[0]) == len(classes[1]):
        sizes = [n_components - fewer, fewer]
    drawn = [_drawn(c, size, rng) for c, size in zip(classes, sizes, strict=True)]
    return np.sort(np.concatenate(drawn))


def _drawn(rows: np.ndarray, size: int, rng: Any) -> np.ndarray:
    """Some of the rows at random; few of many are drawn without shuffling all."""
    if len(rows) < SHUFFLED_ROWS or 10 * size > len(rows):
        return np.asarray(rng.permutation(rows)[:size])
    return np.asarray(rows[sample_without_replacement(len(rows), size, random_state=rng)])


def _firsts(keys: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Those of the rows whose key no earlier one has."""
    return np.asarray(rows[np.unique(keys[rows], return_index=True)[1]])


def row_keys(x: np.ndarray) -> np.ndarray:
    """A 64-bit key of each row: equal for equal rows, and hardly ever for others."""
    # Sorting whole rows would take ten times as long.
    keys = np.zeros(len(x), dtype=np.uint64)
    for column in x.T:
        # Adding zero makes the two zeros one. Each step is one to one in the bits of the column.
        bits = (np.asarray(column, dtype=np.float64) + 0.0).view(np.uint64)
        keys = (keys ^ bits) * HASH_FACTOR
        keys ^= keys >> HALF_WORD
    return keys


def median_gamma(x: FloatArray, random_state: Any) -> float:
    """1 / (2 m²) with m the median distance between rows: the kernel is e^-½ at that distance."""
    median = distance_quantiles(x, [0.5], random_state)[0]
    # The square of a tiny distance is zero; the largest float stands for its inverse.
    with np.errstate(over="ignore", divide="ignore"):
        return float(min(0.5 / median**2, np.finfo(np.float64).max))


def distance_quantiles(x: FloatArray, quantiles: list[float], random_state: Any) -> FloatArray:
    """Quantiles of the distances between (at most 1,000) rows; 1 where all rows are equal."""
    if len(x) > MEDIAN_ROWS:
        x = x[check_random_state(random_state).permutation(len(x))[:MEDIAN_ROWS]]
    distances = euclidean_distances(x)[~np.tri(len(x), dtype=bool)]
    distances = distances[distances > 0]
    return np.quantile(distances, quantiles) if len(distances) else np.ones(len(quantiles))


def kernel_params(
    kernel: Any,
    x: FloatArray,
    *,
    gamma: float | str | None,
    degree: float,
    coef0: float,
    params: dict[str, Any] | None,
    random_state: Any,
) -> dict[str, Any]:
    """The keyword arguments of the kernel, with a named gamma turned into a number."""
    if callable(kernel):
        return dict(params or {})
    taken = KERNELS[kernel]
    if "gamma" in taken and isinstance(gamma, str):
        gamma = named_gamma(gamma, x, random_state)
    given = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return {name: given[name] for name in taken} | dict(params or {})


def named_gamma(name: str, x: FloatArray, random_state: Any) -> float:
    """The median rule, or the two that scikit-learn's support vector machines know."""
    if name == "median":
        return median_gamma(x, random_state)
    if name == "scale":
        variance = float(np.var(x))
        return float(1.0 / (x.shape[1] * variance)) if variance > 0 else 1.0
    return float(1.0 / x.shape[1])
