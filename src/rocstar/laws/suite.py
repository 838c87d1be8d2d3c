"""Named tasks with known truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, overload

import numpy as np
from scipy import special

from rocstar.checks import FloatArray
from rocstar.laws.base import Law
from rocstar.laws.families import FiniteFamily, LawFamily
from rocstar.laws.finite import DiscretePair, UniformPair
from rocstar.laws.gaussian import GaussianPair
from rocstar.laws.gaussian_families import GaussianFamily, MixtureFamily, SimplexFamily
from rocstar.laws.mixture import GaussianMixturePair
from rocstar.laws.student import StudentTPair
from rocstar.laws.wrappers import LabelNoise, Padded, Warped


@dataclass(frozen=True)
class Rotation:
    """An orthogonal map drawn once from a seed, so that no axis is special."""

    dim: int
    seed: int = 0

    @cached_property
    def _matrix(self) -> FloatArray:
        noise = np.random.default_rng(self.seed).standard_normal((self.dim, self.dim))
        return np.asarray(np.linalg.qr(noise)[0])

    def forward(self, X: FloatArray) -> FloatArray:
        """Rotate the rows."""
        return np.asarray(X @ self._matrix.T)

    def inverse(self, X: FloatArray) -> FloatArray:
        """Rotate them back."""
        return np.asarray(X @ self._matrix)


def half_cube(X: FloatArray) -> FloatArray:
    """sign(x)·|x|^(3/2), coordinate by coordinate: lengthens the tails."""
    return np.asarray(np.sign(X) * np.abs(X) ** 1.5)


def half_cube_root(X: FloatArray) -> FloatArray:
    """Inverse of `half_cube`."""
    return np.asarray(np.sign(X) * np.abs(X) ** (2 / 3))


def swirl(X: FloatArray) -> FloatArray:
    """Turn the first two coordinates by their distance from the origin, in radians."""
    return _turned(X, np.hypot(X[:, 0], X[:, 1]))


def unswirl(X: FloatArray) -> FloatArray:
    """Inverse of `swirl`."""
    return _turned(X, -np.hypot(X[:, 0], X[:, 1]))


def _turned(X: FloatArray, angle: FloatArray) -> FloatArray:
    turned = np.array(X, dtype=np.float64)
    turned[:, 0] = np.cos(angle) * X[:, 0] - np.sin(angle) * X[:, 1]
    turned[:, 1] = np.sin(angle) * X[:, 0] + np.cos(angle) * X[:, 1]
    return turned


@overload
def suite(n_classes: Literal[2] = 2) -> dict[str, Law]: ...


@overload
def suite(n_classes: int) -> dict[str, Law] | dict[str, LawFamily]: ...


def suite(n_classes: int = 2) -> dict[str, Law] | dict[str, LawFamily]:
    """Return the benchmark tasks by their stable names.

    Pairs of laws have dimensions from 1 to 50 and arc lengths from √2 (identical laws) to 2
    (disjoint ones). Names end in the dimension; a name, once published, keeps its law.

    Parameters
    ----------
    n_classes : int, default=2
        With three or more, families of so many laws.

    Returns
    -------
    dict of Law or LawFamily

    Examples
    --------
    >>> tasks = suite()
    >>> law = tasks["gaussian-50d"]
    >>> f"{law.dim} {law.arc_length:.6f}"
    '50 1.749823'
    >>> f"{suite(n_classes=3)['ring-5d'].arc_length:.6f}"
    '2.387405'
    """
    if n_classes != 2:
        return class_suite(n_classes)
    return {**_gaussians(), **_mixtures(), **_heavy_tails(), **_few_values(), **_wrapped()}


def _gaussians() -> dict[str, Law]:
    rising = np.linspace(0.6, 1.8, 10)
    correlated = 0.7 ** np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    spin = Rotation(10)
    return {
        # Equal covariances: one number, the Mahalanobis distance, says everything.
        "identical-5d": GaussianPair.shifted(0.0, 5),
        "gaussian-1d": GaussianPair.shifted(1.0),
        "gaussian-faint-10d": GaussianPair.shifted(0.25, 10),
        "gaussian-10d": GaussianPair.shifted(1.0, 10),
        "gaussian-50d": GaussianPair.shifted(2.0, 50),
        "gaussian-apart-50d": GaussianPair.shifted(6.0, 50),
        "gaussian-correlated-10d": GaussianPair(np.full(10, 0.3), 0.0, correlated),
        # Unequal covariances: the best boundary is a quadric.
        "scale-1d": GaussianPair(0.0, 0.0, 1.0, 9.0),
        "scale-10d": GaussianPair(np.zeros(10), 0.0, 1.0, 1.5),
        "quadric-2d": GaussianPair([1.0, 0.0], 0.0, [1.0, 0.5], [0.5, 2.0]),
        "quadric-10d": Warped(
            GaussianPair(np.full(10, 0.2), 0.0, rising, 1.0), spin.forward, spin.inverse
        ),
        "correlation-10d": GaussianPair(np.zeros(10), 0.0, correlated, np.eye(10)),
        "scale-50d": GaussianPair(np.full(50, 0.1), 0.0, 1.0, 1.25),
    }


def _mixtures() -> dict[str, Law]:
    """Several bumps, ratios that are not monotone in anything linear."""
    axis = np.eye(20)[0]
    return {
        "bimodal-1d": GaussianMixturePair([-2.0, 2.0], [0.0]),
        "interleaved-1d": GaussianMixturePair(
            [-4.0, 0.0, 4.0], [-2.0, 2.0], covs_pos=0.25, covs_neg=0.25
        ),
        "contaminated-5d": GaussianMixturePair(
            np.outer([0.0, 4.0], np.eye(5)[0]), np.zeros((1, 5)), [0.9, 0.1]
        ),
        "bimodal-20d": GaussianMixturePair(np.outer([-1.5, 1.5], axis), np.zeros((1, 20))),
    }


def _heavy_tails() -> dict[str, Law]:
    return {
        "student-1d": StudentTPair(loc_pos=1.0, df_pos=3.0),
        "cauchy-1d": StudentTPair(loc_pos=1.0, df_pos=1.0),
        "student-df-1d": StudentTPair(df_pos=2.0, df_neg=10.0),
        "student-scale-10d": StudentTPair(scale_pos=1.5, scale_neg=1.0, df_pos=3.0, dim=10),
    }


def _few_values() -> dict[str, Law]:
    return {
        "uniform-1d": UniformPair((0.0, 1.0), (0.5, 1.5)),
        "uniform-5d": UniformPair((np.zeros(5), np.ones(5)), (np.full(5, 0.1), np.full(5, 1.2))),
        "disjoint-2d": UniformPair((np.zeros(2), np.ones(2)), (np.full(2, 2.0), np.full(2, 3.0))),
        "binomial-1d": DiscretePair(_binomial(10, 0.6), _binomial(10, 0.4)),
        "sparse-1d": DiscretePair([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.2, 0.4]),
    }


def _wrapped() -> dict[str, Law]:
    """Noisy labels, bent spaces, idle columns."""
    spin = Rotation(50)
    return {
        "noisy-gaussian-1d": LabelNoise(GaussianPair.shifted(2.0), 0.1, 0.2),
        "noisy-scale-10d": LabelNoise(GaussianPair(np.zeros(10), 0.0, 1.0, 2.0), 0.2, 0.05),
        "noisy-binomial-1d": LabelNoise(
            DiscretePair(_binomial(8, 0.7), _binomial(8, 0.3)), 0.1, 0.1
        ),
        "half-cube-10d": Warped(GaussianPair.shifted(1.5, 10), half_cube, half_cube_root),
        "swirl-2d": Warped(GaussianPair.shifted(2.0, 2), swirl, unswirl),
        "asinh-student-1d": Warped(StudentTPair(loc_pos=2.0, df_pos=1.5), np.arcsinh, np.sinh),
        "padded-gaussian-25d": Padded(GaussianPair.shifted(1.5, 5), 20),
        "needle-50d": Warped(
            Padded(GaussianMixturePair([-2.0, 2.0], [0.0]), 49), spin.forward, spin.inverse
        ),
    }


def _binomial(n: int, p: float) -> FloatArray:
    k = np.arange(n + 1)
    log_choose = -np.log(n + 1.0) - special.betaln(n - k + 1, k + 1)
    return np.asarray(np.exp(log_choose + k * np.log(p) + (n - k) * np.log1p(-p)))


def class_suite(n_classes: Any) -> dict[str, LawFamily]:
    """Tasks of so many classes by their stable names; names end in the dimension."""
    if not isinstance(n_classes, Integral) or n_classes < 2:
        raise ValueError(f"`n_classes` must be a whole number of at least 2; got {n_classes!r}.")
    k = int(n_classes)
    ring = _ring(k)
    return {
        "identical-5d": GaussianFamily(np.zeros((k, 5))),
        "line-1d": GaussianFamily(np.arange(k, dtype=np.float64)[:, None]),
        "ring-5d": GaussianFamily(np.pad(ring, ((0, 0), (0, 3)))),
        "ring-faint-10d": GaussianFamily(np.pad(0.4 * ring, ((0, 0), (0, 8)))),
        # Two classes are hard to tell apart, and all others easy.
        "twins-4d": GaussianFamily(np.pad(_twins(k), ((0, 0), (0, 2)))),
        f"simplex-{k}d": SimplexFamily(k, 2.0),
        "combs-3d": MixtureFamily([(1.5 * j, 1.5 * (j + k)) for j in range(k)], dim=3),
        "steps-1d": FiniteFamily(_steps(k)),
    }


def _ring(k: int) -> FloatArray:
    """Places on a circle, neighbours two apart."""
    turn = 2 * np.pi * np.arange(k) / k
    return np.asarray(np.stack([np.cos(turn), np.sin(turn)], axis=1) / np.sin(np.pi / k))


def _twins(k: int) -> FloatArray:
    places = 1.5 * _ring(k)
    places[1] = places[0] + [0.5, 0.0]
    return places


def _steps(k: int) -> FloatArray:
    """Class j prefers the points near j, the farther the less."""
    away = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    masses = 0.45**away
    return np.asarray(masses / masses.sum(axis=1, keepdims=True))
