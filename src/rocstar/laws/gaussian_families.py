"""Families of normal laws and of their mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from rocstar.checks import FloatArray
from rocstar.laws.families import LawFamily

# Normal densities are below 1e-17 beyond so many standard deviations.
REACH = 8.5
# Steps of the trapezoidal rule in the span of the means, by its dimension. The integrand is
# analytic, so that errors fall exponentially in 1/step: 1e-9 and less for means up to four apart.
STEPS = {1: 1 / 64, 2: 1 / 24, 3: 1 / 8}
# Of the outer coordinates where the likeliest class is integrated: its share has kinks there.
OUTER_STEPS = {2: 1 / 400, 3: 1 / 24}
LINE_CELLS = 2**17


@dataclass(frozen=True, eq=False)
class GaussianFamily(LawFamily):
    """Normal laws of one covariance whose means span at most three dimensions.

    Truths are integrals over the span of the means, whatever the dimension; those of pairs have
    closed forms. `one_versus_rest_auc` is known to about four digits, everything else to seven.

    Parameters
    ----------
    means : array-like of shape (K, dim)
    cov : float or array-like of shape (dim, dim), default=1.0
        Shared by all classes; a number stands for that variance in every column.

    Examples
    --------
    >>> law = GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> f"{law.arc_length:.4f} {law.balanced_accuracy:.4f} {law.mean_pairwise_auc:.4f}"
    '2.4692 0.7790 0.9400'
    """

    means: ArrayLike
    cov: ArrayLike = 1.0

    def __post_init__(self) -> None:
        means = np.asarray(self.means, dtype=np.float64)
        if means.ndim != 2 or len(means) < 2:
            raise ValueError(
                f"`means` must be a matrix of one line per class, two or more; got {means.shape}."
            )
        object.__setattr__(self, "means", means)
        if self._places.shape[1] > 3:
            raise ValueError(
                "`means` must lie in a space of three dimensions; these span "
                f"{self._places.shape[1]}: use SimplexFamily for classes equally far apart."
            )

    @property
    def n_classes(self) -> int:
        """Number of laws."""
        return len(np.asarray(self.means))

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return int(np.asarray(self.means).shape[1])

    @cached_property
    def _factor(self) -> FloatArray:
        cov = np.asarray(self.cov, dtype=np.float64)
        return np.asarray(np.linalg.cholesky(cov * np.eye(self.dim) if cov.ndim == 0 else cov))

    @cached_property
    def _white_means(self) -> FloatArray:
        return np.asarray(np.linalg.solve(self._factor, np.asarray(self.means).T).T)

    @cached_property
    def _places(self) -> FloatArray:
        """The means in coordinates of their span, in which all laws are standard normal."""
        centred = self._white_means - self._white_means.mean(axis=0)
        left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
        keep = max(1, int((sizes > 1e-10 * max(sizes[0], 1.0)).sum()))
        return np.asarray(left[:, :keep] * sizes[:keep])

    def _log_densities(self, X: FloatArray) -> FloatArray:
        z = np.linalg.solve(self._factor, X.T).T
        means = self._white_means
        return np.asarray(z @ means.T - (means**2).sum(axis=1) / 2)

    def _draw(self, n: int, k: int, rng: np.random.Generator) -> FloatArray:
        noise = rng.standard_normal((n, self.dim)) @ self._factor.T
        return np.asarray(np.asarray(self.means)[k] + noise)

    @cached_property
    def _cells(self) -> FloatArray:
        """Points of the trapezoidal rule."""
        step = STEPS[self._places.shape[1]]
        grids = [_grid(coordinate, step) for coordinate in self._places.T]
        density = np.ones((self.n_classes, 1))
        for grid, coordinate in zip(grids, self._places.T, strict=True):
            line = _normal(grid - coordinate[:, None]) * step
            density = (density[:, :, None] * line[:, None, :]).reshape(self.n_classes, -1)
        # Almost all cells of a grid around distant means are empty in every class.
        return np.asarray(density[:, density.max(axis=0) > 1e-17])

    @cached_property
    def balanced_accuracy(self) -> float:
        """Best mean recall: exact along the last coordinate, where each class wins an interval."""
        places = self._places @ _tilted_axes(self._places)
        *outer, last = places.T
        step = OUTER_STEPS.get(places.shape[1], 1.0)
        points, weight = np.zeros((1, 0)), 1.0
        if outer:
            axes = np.meshgrid(*(_grid(c, step) for c in outer), indexing="ij")
            points, weight = np.stack([axis.ravel() for axis in axes], axis=1), step ** len(outer)
        apart = points[None] - places[:, None, :-1]
        # Log density at the outer point, as a line in the last coordinate.
        level = -((apart**2).sum(axis=2) + last[:, None] ** 2) / 2
        total = 0.0
        for k, place in enumerate(last):
            slope = place - last
            with np.errstate(divide="ignore", invalid="ignore"):
                crossing = (level - level[k]) / slope[:, None]
            low = np.where(slope[:, None] > 0, crossing, -np.inf).max(axis=0)
            high = np.where(slope[:, None] < 0, crossing, np.inf).min(axis=0)
            # Among parallel classes the first of the highest wins.
            first = (np.arange(len(last)) < k)[:, None]
            beaten = (level > level[k]) | ((level == level[k]) & first)
            beaten &= slope[:, None] == 0
            width = special.ndtr(high - place) - special.ndtr(np.minimum(low, high) - place)
            share = np.where(beaten.any(axis=0), 0.0, width)
            total += float(share @ _normal(apart[k]).prod(axis=1)) * weight
        return total / self.n_classes

    @cached_property
    def _distances(self) -> FloatArray:
        return np.asarray(np.linalg.norm(self._places[:, None] - self._places[None], axis=2))

    @cached_property
    def pairwise_auc(self) -> FloatArray:
        """Φ(δ/√2) for means δ standard deviations apart."""
        return np.asarray(special.ndtr(self._distances / np.sqrt(2)))

    @cached_property
    def pairwise_tv(self) -> FloatArray:
        """2Φ(δ/2) − 1 for means δ standard deviations apart."""
        return np.asarray(2 * special.ndtr(self._distances / 2) - 1)


@dataclass(frozen=True, eq=False)
class SimplexFamily(LawFamily):
    """K standard normal laws in K dimensions, the k-th shifted along the k-th axis.

    Every two means are ``shift`` · √2 apart. With independent coordinates all truths are integrals
    in one variable, or two.

    Parameters
    ----------
    n_classes : int, default=3
    shift : float, default=2.0

    Examples
    --------
    >>> law = SimplexFamily(10, 2.0)
    >>> f"{law.arc_length:.4f} {law.balanced_accuracy:.4f} {law.mean_pairwise_auc:.4f}"
    '7.2421 0.6736 0.9772'
    """

    n_classes: int = 3
    shift: float = 2.0

    @property
    def dim(self) -> int:
        """Number of columns of a sample, K."""
        return self.n_classes

    @property
    def _cells(self) -> FloatArray:
        raise NotImplementedError("The cells of K independent coordinates are too many.")

    def _log_densities(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.shift * X)

    def _draw(self, n: int, k: int, rng: np.random.Generator) -> FloatArray:
        X = rng.standard_normal((n, self.n_classes))
        X[:, k] += self.shift
        return X

    @cached_property
    def arc_length(self) -> float:
        r"""E √S for S = Σ exp(2 shift x − shift²) under the unshifted law.

        √s = (1/2√π) ∫ (1 − e^{−ts}) t^{−3/2} dt, and the coordinates are independent.
        """
        # The mean of √s is that of x around the shift, where the unshifted law has little mass.
        x = _grid(np.array([0.0, self.shift]), 1 / 32)
        mass, log_s = _normal(x) / 32, 2 * self.shift * x - self.shift**2
        log_t = np.arange(-log_s.max() - 60.0, 80.0, 0.02)
        missing = mass @ -np.expm1(-np.exp(log_s[:, None] + log_t))  # one less E e^{−ts}
        # Sums of rounded masses may reach one; the logarithm must stay finite.
        missing = np.minimum(missing, np.nextafter(1.0, 0.0))
        whole = -np.expm1(self.n_classes * np.log1p(-missing))
        integrand = whole * np.exp(-log_t / 2)
        return float(integrand.sum() * 0.02 / (2 * np.sqrt(np.pi)))

    @cached_property
    def balanced_accuracy(self) -> float:
        """Chance that the shifted coordinate is the largest."""
        x = _grid(np.array([0.0, self.shift]), 1 / 32)
        return float(_normal(x - self.shift) @ special.ndtr(x) ** (self.n_classes - 1)) / 32

    @property
    def pairwise_auc(self) -> FloatArray:
        """Φ(shift), the same for all pairs."""
        return self._same(float(special.ndtr(self.shift)), 0.5)

    @property
    def pairwise_tv(self) -> FloatArray:
        """2Φ(shift/√2) − 1, the same for all pairs."""
        return self._same(float(2 * special.ndtr(self.shift / np.sqrt(2)) - 1), 0.0)

    @cached_property
    def one_versus_rest_auc(self) -> FloatArray:
        raise NotImplementedError("`one_versus_rest_auc` of SimplexFamily is not known exactly.")

    def _same(self, value: float, diagonal: float) -> FloatArray:
        return np.where(np.eye(self.n_classes) > 0, diagonal, value)


@dataclass(frozen=True, eq=False)
class MixtureFamily(LawFamily):
    """Mixtures of normal laws along the first coordinate; the others are standard normal.

    Parameters
    ----------
    centres : sequence of K sequences of float
        Where the components of each class are; they have equal shares.
    scale : float, default=1.0
        Standard deviation of every component.
    dim : int, default=1

    Examples
    --------
    >>> law = MixtureFamily([[-3.0, 3.0], [0.0], [-1.5, 1.5]], dim=4)
    >>> f"{law.dim} {law.arc_length:.4f} {law.balanced_accuracy:.4f}"
    '4 2.1932 0.6460'
    """

    centres: Sequence[Sequence[float]]
    scale: float = 1.0
    dim: int = 1

    @property
    def n_classes(self) -> int:
        """Number of laws."""
        return len(self.centres)

    @cached_property
    def _cells(self) -> FloatArray:
        ends = np.concatenate([np.asarray(c, dtype=np.float64) for c in self.centres])
        reach = REACH * self.scale
        x = np.linspace(ends.min() - reach, ends.max() + reach, LINE_CELLS)
        cells = np.exp(self._log_densities(x[:, None])).T * (x[1] - x[0])
        return np.asarray(cells / cells.sum(axis=1, keepdims=True))

    def _log_densities(self, X: FloatArray) -> FloatArray:
        logs = [
            special.logsumexp(-(((X[:, :1] - np.asarray(c)) / self.scale) ** 2) / 2, axis=1)
            - np.log(len(c))
            for c in self.centres
        ]
        return np.asarray(np.stack(logs, axis=1) - np.log(self.scale * np.sqrt(2 * np.pi)))

    def _draw(self, n: int, k: int, rng: np.random.Generator) -> FloatArray:
        X = rng.standard_normal((n, self.dim))
        own = np.asarray(self.centres[k], dtype=np.float64)
        X[:, 0] = rng.choice(own, size=n) + self.scale * X[:, 0]
        return X


def _tilted_axes(places: FloatArray) -> FloatArray:
    """Axes (columns) of which the last is far from parallel to every border between two classes.

    The share of the likeliest class has a kink in the other coordinates where a border is parallel
    to the last one, and bends smoothly elsewhere. Singular vectors do not settle the axes: those of
    equally distant means are any rotation, a different one on every machine.
    """
    dim = places.shape[1]
    apart = (places[:, None] - places[None])[np.triu_indices(len(places), 1)]
    size = np.linalg.norm(apart, axis=1, keepdims=True)
    normals = apart / np.where(size > 0, size, 1.0)
    tried = np.random.default_rng(0).standard_normal((2000, dim))
    tried /= np.linalg.norm(tried, axis=1, keepdims=True)
    slopes = np.abs(tried @ normals[size[:, 0] > 0].T).min(axis=1, initial=1.0)
    axes, _ = np.linalg.qr(np.column_stack([tried[slopes.argmax()], np.eye(dim)]))
    return np.asarray(axes[:, ::-1])


def _grid(places: FloatArray, step: float) -> FloatArray:
    return np.asarray(np.arange(places.min() - REACH, places.max() + REACH, step))


def _normal(x: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))
