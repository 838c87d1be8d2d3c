"""Features in which `two_sample_test` looks for a difference, summed over bundles of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from rocstar.checks import FloatArray, IntArray
from rocstar.inference.bundles import Bundles

N_LANDMARKS = 100
MOST_DISTANT = 8192
"""So many rows at most, at random, whose distances to the landmarks give the bandwidths' unit."""
SAME = 1e-5
"""Relative spread of gains that single precision alone explains."""
BLOCK = 4096
"""Rows whose features are held at once."""


class View(NamedTuple):
    """One way to look for a difference."""

    # `bandwidth` is the square of a Gaussian kernel's, as a share of the median squared distance;
    # None takes the columns themselves. `ridges` are shares of the largest eigenvalue, from nearly
    # whitened (Hotelling) to a plain mean embedding. A `handicap` is taken off the standardised
    # gain: each view costs the others a little power, and a view for rare cases should cost less.

    bandwidth: float | None
    ridges: tuple[float, ...]
    handicap: float = 0.0


VIEWS = (View(None, (10.0,)), View(4.0, (1e-2, 10.0), 0.2), View(1.0, (1e-4,), 0.6))


class Space(NamedTuple):
    """Standardised columns and what kernels of them need; nothing here looks at the labels."""

    columns: FloatArray
    landmarks: FloatArray
    median: float  # of the squared distances to the landmarks; 0 if no row is apart from another

    @property
    def views(self) -> tuple[View, ...]:
        """Those that these rows allow."""
        return VIEWS if self.median > 0 else tuple(v for v in VIEWS if v.bandwidth is None)

    def features(self, rows: IntArray) -> Iterator[FloatArray]:
        """Features of some rows in each view."""
        columns = self.columns[rows]
        distances = cdist(columns, self.landmarks, "sqeuclidean") if self.median > 0 else columns
        for view in self.views:
            if view.bandwidth is None:
                yield columns
            else:
                yield np.exp(distances / (-view.bandwidth * self.median))


def feature_space(X: FloatArray, rng: np.random.Generator) -> Space:
    """Columns of unit variance, some of their rows as landmarks, and the median distance."""
    # A test of small samples takes milliseconds: scikit-learn's checks would take most of them.
    n = X.shape[0]
    size = np.abs(X).max(axis=0)
    columns = X / np.where(size > 0, size, 1.0)  # squares of what is huge or tiny are not finite
    spread = columns.std(axis=0)
    columns -= columns.mean(axis=0)
    columns /= np.where(spread > 0, spread, 1.0)
    landmarks = columns[rng.choice(n, min(N_LANDMARKS, n), replace=False)]
    some = columns if n <= MOST_DISTANT else columns[rng.choice(n, MOST_DISTANT, replace=False)]
    distances = cdist(some, landmarks, "sqeuclidean")
    apart = distances[distances > 0]
    return Space(columns, landmarks, float(np.median(apart)) if apart.size else 0.0)


class Components(NamedTuple):
    """Principal components of one view's features: what any labels of the bundles gain by them."""

    view: View
    bundles: npt.NDArray[np.float32]  # sums over each bundle
    loose: FloatArray  # what the rows in no bundle add, with their own labels
    variances: FloatArray

    def gains(self, labels: npt.NDArray[np.float32]) -> FloatArray:
        """Gain of each ridge (rows) for each labelling (columns)."""
        squares = ((labels @ self.bundles).astype(np.float64) + self.loose) ** 2
        largest = self.variances[-1] if self.variances.size else 1.0
        ridges = (ridge * largest for ridge in self.view.ridges)
        return np.stack([squares @ (1 / (self.variances + ridge)) for ridge in ridges])


def ranked_gain(gains: FloatArray, parts: list[Components]) -> tuple[float, float]:
    """Largest standardised gain of the labels in the first column, and its rank among all."""
    # Cube roots are nearly normal for sums of squares, so no ridge dominates by a heavier tail.
    roots = np.cbrt(gains)
    mean, spread = roots.mean(axis=1, keepdims=True), roots.std(axis=1, keepdims=True)
    # Labels that all differ gain the same in every order, up to rounding.
    varies = spread > SAME * mean
    scores = np.where(varies, (roots - mean) / np.where(varies, spread, 1.0), 0.0)
    handicaps = np.concatenate([[part.view.handicap] * len(part.view.ridges) for part in parts])
    largest = (scores - handicaps[:, None]).max(axis=0)
    # Equal up to single precision counts as reached: the observed labels among them.
    return float(largest[0]), float((largest >= largest[0] - 1e-4).mean())


def components(space: Space, tied: Bundles, contrast: FloatArray) -> list[Components]:
    """Components of each view; ``contrast`` is the label of each row in a difference of means."""
    found = [_Sums() for _ in space.views]
    step = max(1, BLOCK // tied.size) * tied.size
    for start in range(0, tied.rows.size, step):
        block = space.features(tied.rows[start : start + step])
        for sums, features in zip(found, block, strict=True):
            sums.add(features)
            of_bundles = features.reshape(-1, tied.size, features.shape[1]).sum(axis=1)
            sums.bundles.append(of_bundles if tied.size > 1 else features)
    for sums, features in zip(found, space.features(tied.loose), strict=True):
        sums.add(features)
        sums.loose = contrast[tied.loose] @ features
    left = float(contrast[tied.loose].sum())
    pairs = zip(space.views, found, strict=True)
    return [sums.components(view, tied.size, left) for view, sums in pairs]


class _Sums:
    """Sums of features and of their products, block by block."""

    def __init__(self) -> None:
        self.n = 0
        self.total: FloatArray | float = 0.0
        self.products: FloatArray | float = 0.0
        self.bundles: list[FloatArray] = []
        self.loose = np.zeros(0)

    def add(self, features: FloatArray) -> None:
        self.n += features.shape[0]
        self.total = self.total + features.sum(axis=0)
        self.products = self.products + features.T @ features

    def components(self, view: View, size: int, left: float) -> Components:
        mean = np.asarray(self.total / self.n)
        variances, axes = eigh(self.products / self.n - np.outer(mean, mean), check_finite=False)
        keep = variances > 1e-7 * max(variances[-1], 1e-300)
        axes = axes[:, keep]
        of_bundles = [((sums - size * mean) @ axes).astype(np.float32) for sums in self.bundles]
        loose = (self.loose - left * mean) @ axes
        return Components(view, np.concatenate(of_bundles), loose, variances[keep])
