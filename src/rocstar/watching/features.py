"""Rows of an encoded table as numbers without gaps, in which a direction is looked for."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import FloatArray, IntArray

LIMIT = 4.0
"""Robust standard deviations at which a value is cut: no single row may carry a direction."""
MAX_CODES = 30
"""Codes of a category with a column each; rarer ones share one."""
N_BINS = 8
MAX_PAIR_COLUMNS = 50
"""Columns of numbers up to which their products are formed: 1,275 of them."""
ROWS_AT_ONCE = 2000
NEGLIGIBLE = 0.05
"""Of the ridge of a direction: the variance of features below which it makes no difference."""


@dataclass
class Scales:
    """How a matrix with codes and gaps becomes one without, learnt from reference rows."""

    numbers: IntArray
    codes: list[tuple[int, FloatArray]]
    centre: FloatArray
    scale: FloatArray
    edges: list[FloatArray]

    @classmethod
    def learn(cls, X: FloatArray, categorical: IntArray) -> Scales:
        """Medians, ranges, quantiles and frequent codes of reference rows."""
        numbers = np.setdiff1d(np.arange(X.shape[1]), categorical)
        centre, scale, edges = [], [], []
        for column in X[:, numbers].T:
            seen = column[np.isfinite(column)]
            seen = seen if seen.size else np.zeros(1)
            low, middle, high = np.quantile(seen, [0.25, 0.5, 0.75])
            centre.append(middle)
            scale.append((high - low) / 1.349 or float(seen.std()) or 1.0)
            edges.append(np.unique(np.quantile(seen, np.arange(1, N_BINS) / N_BINS)))
        codes = []
        for k in categorical:
            values, counts = np.unique(X[np.isfinite(X[:, k]), k], return_counts=True)
            codes.append((int(k), values[np.argsort(-counts, kind="stable")[:MAX_CODES]]))
        return cls(numbers, codes, np.array(centre), np.array(scale), edges)

    def linear(self, X: FloatArray) -> FloatArray:
        """Scaled numbers, codes, and where values are missing."""
        parts = [self._scaled(X), np.isnan(X).astype(np.float64)]
        parts += [(X[:, k, None] == values).astype(np.float64) for k, values in self.codes]
        return np.hstack(parts)

    def additive(self, X: FloatArray) -> FloatArray:
        """The same, and the bin of each number."""
        bins = [
            (np.searchsorted(edges, X[:, k])[:, None] == np.arange(edges.size + 1)).astype(
                np.float64
            )
            for k, edges in zip(self.numbers, self.edges, strict=True)
        ]
        return np.hstack([self.linear(X), *bins])

    def pairs(self, X: FloatArray) -> FloatArray:
        """Scaled numbers, their squares and their products."""
        z = self._scaled(X)
        first, second = np.triu_indices(z.shape[1])
        return np.hstack([z, z[:, first] * z[:, second]])

    @property
    def has_pairs(self) -> bool:
        """Whether products are few enough."""
        return 0 < self.numbers.size <= MAX_PAIR_COLUMNS

    def _scaled(self, X: FloatArray) -> FloatArray:
        z = (X[:, self.numbers] - self.centre) / self.scale
        z[np.isnan(z)] = 0.0
        return np.asarray(np.clip(z, -LIMIT, LIMIT, out=z))


@dataclass
class Space:
    """Features of one kind with the moments of two halves of the reference's training rows."""

    scales: Scales
    kind: str
    X: tuple[FloatArray, FloatArray]
    means: tuple[FloatArray, FloatArray] = field(init=False)
    scale: FloatArray = field(init=False)
    values: FloatArray = field(init=False)
    vectors: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        width = self.raw(self.X[0][:1]).shape[1]
        sums, squares = np.zeros((2, width)), np.zeros((width, width))
        n = sum(map(len, self.X))
        for total, half in zip(sums, self.X, strict=True):
            for start in range(0, len(half), ROWS_AT_ONCE):
                phi = self.raw(half[start : start + ROWS_AT_ONCE])
                total += phi.sum(axis=0)
                squares += phi.T @ phi
        mean = sums.sum(axis=0) / n
        covariance = squares / n - np.outer(mean, mean)
        # A feature that hardly varies counts as if one row in the reference had varied.
        self.scale = np.sqrt(np.maximum(np.diag(covariance), 1 / n))
        self.means = (
            sums[0] / len(self.X[0]) / self.scale,
            sums[1] / len(self.X[1]) / self.scale,
        )
        values, vectors = np.linalg.eigh(covariance / np.outer(self.scale, self.scale))
        # Single precision is plenty for a direction, and the products of 50 columns fill the cache.
        self.values, self.vectors = np.maximum(values, 0.0), vectors.astype(np.float32)

    def raw(self, X: FloatArray) -> FloatArray:
        """Features of rows, not yet scaled."""
        found: NDArray[np.float64] = getattr(self.scales, self.kind)(X)
        return found

    def mean(self, raw: FloatArray) -> FloatArray:
        """Mean of features that are not yet scaled."""
        return np.asarray(raw.mean(axis=0) / self.scale)

    def score(self, raw: FloatArray, w: FloatArray) -> FloatArray:
        """Scores by directions of features that are not yet scaled."""
        return np.asarray(raw @ (w.T / self.scale).T)

    def directions(self, shifts: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Directions of rows shifted by so much, and the reference's variance along each.

        For each column of ``shifts``, first the one that separates best were all features of use;
        then, for each, that of the features whose shift is more than noise, were most of no use.
        """
        ridge = 0.02 + len(shifts) / n
        # Variances far below the ridge count as their mean: of few rows, few others are left.
        few = int(np.searchsorted(self.values, NEGLIGIBLE * ridge.min()))
        vectors, values, rest = self.vectors[:, few:], self.values[few:], self.values[:few]
        low = float(rest.mean()) if few else 0.0
        turned = vectors.T @ shifts.astype(np.float32)
        u, small = turned / (values[:, None] + ridge), shifts / (low + ridge)
        dense = small + vectors @ (u - turned / (low + ridge)).astype(np.float32)
        left = np.maximum((small**2).sum(axis=0) - ((turned / (low + ridge)) ** 2).sum(axis=0), 0)
        noise = np.sqrt(np.log(len(shifts) + 1) / n)
        sparse = np.sign(shifts) * np.maximum(np.abs(shifts) - noise, 0.0)
        used = sparse.any(axis=1)
        along = self.values @ (self.vectors[used].T @ sparse[used]) ** 2
        spread = np.concatenate([values @ u**2 + low * left, along])
        return np.hstack([dense, sparse]), np.asarray(spread)
