"""From rows to features: the identity, or the span of a kernel at some points.

A function of the reproducing-kernel space that is spanned by points ``c_1 … c_m`` has coordinates
in which its norm is Euclidean. With every sample as a point this is the whole problem, by the
representer theorem; with fewer it is the Nyström approximation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.metrics.pairwise import euclidean_distances, pairwise_kernels
from sklearn.utils import check_random_state

from rocstar.blocks import Array, Floats

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


@dataclass(frozen=True)
class KernelMap:
    """φ(x) = k(x, points) @ basis, so that the kernel between points is φφᵀ."""

    points: Floats
    basis: Floats
    kernel: Any
    params: dict[str, Any]

    @classmethod
    def spanned_by(cls, points: Floats, kernel: Any, params: dict[str, Any]) -> KernelMap:
        gram = pairwise_kernels(points, metric=kernel, **params)
        values, vectors = eigh((gram + gram.T) / 2)
        kept = values > RANK_TOLERANCE * len(values) * max(values[-1], 0.0)
        return cls(points, vectors[:, kept] / np.sqrt(values[kept]), kernel, params)

    def __call__(self, x: Array) -> Floats:
        return np.asarray(pairwise_kernels(x, self.points, metric=self.kernel, **self.params)) @ (
            self.basis
        )


def landmarks(
    positive: np.ndarray, weights: Floats, n_components: int | None, random_state: Any
) -> np.ndarray:
    """Rows that span the features: all that count, or half of the wanted number from each class.

    Drawing half from each class keeps a rare class visible; a class that has fewer rows gives all
    of them and leaves the rest to the other.
    """
    counted = np.flatnonzero(weights > 0)
    if n_components is None or n_components >= len(counted):
        return counted
    rng = check_random_state(random_state)
    classes = [counted[positive[counted]], counted[~positive[counted]]]
    rarer = min(len(c) for c in classes)
    fewer = min(n_components // 2, rarer)
    sizes = [fewer if len(c) == rarer else n_components - fewer for c in classes]
    if len(classes[0]) == len(classes[1]):
        sizes = [n_components - fewer, fewer]
    drawn = [rng.permutation(c)[:size] for c, size in zip(classes, sizes, strict=True)]
    return np.sort(np.concatenate(drawn))


def median_gamma(x: Floats, random_state: Any) -> float:
    """1 / (2 m²) with m the median distance between rows: the kernel is e^-½ at that distance.

    Examples
    --------
    >>> float(median_gamma(np.array([[0.0], [2.0]]), 0))
    0.125
    """
    return float(0.5 / distance_quantiles(x, [0.5], random_state)[0] ** 2)


def distance_quantiles(x: Floats, quantiles: list[float], random_state: Any) -> Floats:
    """Quantiles of the distances between (at most 1,000) rows; 1 where all rows are equal."""
    if len(x) > MEDIAN_ROWS:
        x = x[check_random_state(random_state).permutation(len(x))[:MEDIAN_ROWS]]
    distances = euclidean_distances(x)[np.triu_indices(len(x), 1)]
    distances = distances[distances > 0]
    return np.quantile(distances, quantiles) if len(distances) else np.ones(len(quantiles))


def kernel_params(
    kernel: Any,
    x: Floats,
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


def named_gamma(name: str, x: Floats, random_state: Any) -> float:
    """The median rule, or the two that scikit-learn's support vector machines know."""
    if name == "median":
        return median_gamma(x, random_state)
    if name == "scale":
        variance = float(np.var(x))
        return 1.0 / (x.shape[1] * variance) if variance > 0 else 1.0
    return 1.0 / x.shape[1]
