"""Pairs of Gaussian laws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special

from rocstar.checks import FloatArray
from rocstar.laws.atoms import AtomicRatio
from rocstar.laws.base import Law
from rocstar.laws.line import LineRatio, Marginal
from rocstar.laws.marginals import normal
from rocstar.laws.quadratic import QuadraticRatio
from rocstar.laws.ratio import RatioLaw


@dataclass(frozen=True, eq=False)
class GaussianPair(Law):
    """N(mean_pos, cov_pos) against N(mean_neg, cov_neg).

    Parameters
    ----------
    mean_pos, mean_neg : float or array-like of shape (dim,)
        A number stands for that number in every coordinate.
    cov_pos, cov_neg : None, float or array-like of shape (dim,) or (dim, dim)
        A covariance matrix, its diagonal, or one variance for every coordinate. ``None`` is the
        identity for ``cov_pos``, and ``cov_pos`` for ``cov_neg``.

    Examples
    --------
    >>> law = GaussianPair(mean_pos=2.0)
    >>> f"{law.arc_length:.6f} {law.tv:.6f} {law.auc:.6f}"
    '1.749823 0.682689 0.921350'
    """

    mean_pos: ArrayLike
    mean_neg: ArrayLike = 0.0
    cov_pos: ArrayLike | None = None
    cov_neg: ArrayLike | None = None

    def __post_init__(self) -> None:
        cov_neg = self.cov_pos if self.cov_neg is None else self.cov_neg
        given = [self.mean_pos, self.mean_neg, self.cov_pos, cov_neg]
        sizes = {np.asarray(a).shape[0] for a in given if a is not None and np.ndim(a) > 0}
        if len(sizes) > 1:
            raise ValueError(
                f"The means and covariances must agree in dimension; got {sorted(sizes)}."
            )
        dim = sizes.pop() if sizes else 1
        set_field = object.__setattr__
        for name in ("mean_pos", "mean_neg"):
            set_field(self, name, _mean(getattr(self, name), dim, name))
        set_field(self, "cov_pos", covariance(self.cov_pos, dim, "cov_pos"))
        set_field(self, "cov_neg", covariance(cov_neg, dim, "cov_neg"))

    @classmethod
    def shifted(cls, delta: float, dim: int = 1) -> GaussianPair:
        """Identity covariances and Mahalanobis distance ``delta``, spread over all coordinates."""
        return cls(np.full(dim, delta / np.sqrt(dim)), np.zeros(dim))

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return len(self._means[0])

    @cached_property
    def _means(self) -> tuple[FloatArray, FloatArray]:
        return np.asarray(self.mean_pos, dtype=float), np.asarray(self.mean_neg, dtype=float)

    @cached_property
    def _factors(self) -> tuple[FloatArray, FloatArray]:
        """Cholesky factors of the two covariances."""
        pos = np.linalg.cholesky(np.asarray(self.cov_pos))
        return pos, np.linalg.cholesky(np.asarray(self.cov_neg))

    @cached_property
    def _canonical(self) -> tuple[FloatArray, FloatArray]:
        """Shift and variances of ``p`` in coordinates where ``q`` is N(0, I)."""
        (mean_pos, mean_neg), (factor_pos, factor_neg) = self._means, self._factors
        root = linalg.solve_triangular(factor_neg, factor_pos, lower=True)
        axes, deviations, _ = linalg.svd(root)
        shift = linalg.solve_triangular(factor_neg, mean_pos - mean_neg, lower=True)
        return axes.T @ shift, deviations**2

    @cached_property
    def mahalanobis(self) -> float:
        """Length of the mean difference in units of the negative covariance."""
        return float(np.linalg.norm(self._canonical[0]))

    @cached_property
    def equal_covariances(self) -> bool:
        """Whether the two covariances agree up to rounding."""
        return bool(np.all(np.abs(self._canonical[1] - 1.0) < EQUAL_VARIANCE))

    @cached_property
    def ratio_law(self) -> RatioLaw:
        """Normal, a function of one coordinate, or a generalised chi-square."""
        shift, variance = self._canonical
        curved = np.abs(variance - 1.0) >= EQUAL_VARIANCE
        delta = float(np.linalg.norm(shift[~curved]))
        if not curved.any():
            same = delta < 1e-14
            return AtomicRatio.identical() if same else LineRatio(normal(delta, 1), normal(0, 1))
        if curved.sum() == 1 and delta < 1e-14:
            deviation = float(np.sqrt(variance[curved][0]))
            return LineRatio(normal(float(shift[curved][0]), deviation), normal(0, 1))
        return QuadraticRatio(shift[curved], variance[curved], delta)

    @property
    def marginals(self) -> tuple[Marginal, Marginal] | None:
        """The two laws, in one dimension."""
        if self.dim > 1:
            return None
        pos, neg = (
            normal(float(mean[0]), float(factor[0, 0]))
            for mean, factor in zip(self._means, self._factors, strict=True)
        )
        return pos, neg

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        log_density = []
        for mean, factor in zip(self._means, self._factors, strict=True):
            white = linalg.solve_triangular(factor, (X - mean).T, lower=True)
            log_density.append(-np.sum(white**2, axis=0) / 2 - np.sum(np.log(np.diag(factor))))
        return np.asarray(log_density[0] - log_density[1])

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        side = 0 if positive else 1
        noise = rng.standard_normal((n, self.dim))
        return np.asarray(self._means[side] + noise @ self._factors[side].T)

    # Closed forms

    @property
    def tv(self) -> float:
        """Total variation distance: 2Φ(δ/2) − 1 for equal covariances."""
        if not self.equal_covariances:
            return super().tv
        return float(special.erf(self.mahalanobis / np.sqrt(8)))

    @property
    def auc(self) -> float:
        """Area under ROC*: Φ(δ/√2) for equal covariances."""
        if not self.equal_covariances:
            return super().auc
        return float(special.ndtr(self.mahalanobis / np.sqrt(2)))

    @property
    def kl(self) -> float:
        """KL(p‖q) = ½ Σ (λ − 1 − log λ + m²) over canonical coordinates."""
        shift, variance = self._canonical
        excess = variance - 1.0
        return float(np.sum(excess - np.log1p(excess) + shift**2) / 2)

    @property
    def hellinger(self) -> float:
        """Hellinger distance, from the Bhattacharyya coefficient of two Gaussians."""
        shift, variance = self._canonical
        log_affinity = np.sum(
            np.log(variance) / 4 - np.log((1 + variance) / 2) / 2 - shift**2 / (1 + variance) / 4
        )
        return float(np.sqrt(abs(np.expm1(log_affinity))))

    def _wasserstein(self) -> float:
        """Mean of |a + bN|, N standard normal: the quantile functions differ by a + bΦ⁻¹."""
        a = abs(float(self._means[0][0] - self._means[1][0]))
        b = abs(float(self._factors[0][0, 0] - self._factors[1][0, 0]))
        if b == 0:
            return a
        fold = a / b
        return float(
            b * np.sqrt(2 / np.pi) * np.exp(-(fold**2) / 2) + a * special.erf(fold / 2**0.5)
        )


# Variances closer to one than this are one: they come from rounding in the factorisation.
EQUAL_VARIANCE = 1e-11


def _mean(value: ArrayLike, dim: int, name: str) -> FloatArray:
    mean = np.asarray(value, dtype=np.float64)
    if mean.ndim > 1 or not np.all(np.isfinite(mean)):
        raise ValueError(f"`{name}` must be a finite number or vector; got {value!r}.")
    return np.broadcast_to(mean, (dim,)).copy()


def covariance(value: ArrayLike | None, dim: int, name: str) -> FloatArray:
    """A covariance matrix from a matrix, a diagonal, one variance or ``None`` (the identity)."""
    given = np.asarray(1.0 if value is None else value, dtype=np.float64)
    matrix = given if given.ndim == 2 else np.diag(np.broadcast_to(given, (dim,)))
    if matrix.shape != (dim, dim) or not np.allclose(matrix, matrix.T, rtol=1e-10, atol=0):
        raise ValueError(f"`{name}` must be a symmetric {dim}×{dim} matrix; got {value!r}.")
    if not np.all(np.isfinite(matrix)) or np.linalg.eigvalsh(matrix)[0] <= 0:
        raise ValueError(f"`{name}` must be positive definite; got {value!r}.")
    return matrix
