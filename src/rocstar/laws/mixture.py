"""Pairs of finite Gaussian mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, special
from scipy.stats import qmc

from rocstar.checks import FloatArray
from rocstar.laws.atoms import AtomicRatio
from rocstar.laws.base import Law
from rocstar.laws.gaussian import GaussianPair, covariance
from rocstar.laws.line import LineRatio, Marginal
from rocstar.laws.marginals import NormalMixture
from rocstar.laws.ratio import Both, RatioLaw
from rocstar.laws.wasserstein import line_wasserstein

# Independent scramblings, from whose spread the error is measured, of 2**POWER points a component.
REPLICATES = 8
POWER = 13


class Mixture(NamedTuple):
    """Weights (k,), means (k, dim) and Cholesky factors (k, dim, dim) of Gaussian components."""

    weights: FloatArray
    means: FloatArray
    factors: FloatArray

    def logpdf(self, X: FloatArray) -> FloatArray:
        """Log density of each row, up to the constant that all Gaussians share."""
        parts = []
        for weight, mean, factor in zip(*self, strict=True):
            white = linalg.solve_triangular(factor, (X - mean).T, lower=True)
            log_volume = np.sum(np.log(np.diag(factor)))
            parts.append(np.log(weight) - log_volume - np.sum(white**2, axis=0) / 2)
        return np.asarray(special.logsumexp(parts, axis=0))


class SampledRatio(AtomicRatio):
    """The log ratio of two mixtures by scrambled Sobol points from both, always the same ones."""

    # Every component contributes points of equal number, weighted to represent (p + q)/2.

    def __init__(self, pos: Mixture, neg: Mixture) -> None:
        self._laws = (pos, neg)
        self._replicates = [self._replicate(seed) for seed in range(REPLICATES)]
        masses = [np.concatenate(side) for side in zip(*self._replicates, strict=True)]
        super().__init__(masses[0] / REPLICATES, masses[1] / REPLICATES)

    def _replicate(self, seed: int) -> Both:
        dim = self._laws[0].means.shape[1]
        points, weights = [], []
        for law in self._laws:
            for weight, mean, factor in zip(law.weights, law.means, law.factors, strict=True):
                sobol = qmc.Sobol(dim, rng=np.random.default_rng(seed)).random_base2(POWER)
                noise = special.ndtri(np.clip(sobol, 1e-16, 1 - 1e-16))
                points.append(mean + noise @ factor.T)
                weights.append(np.full(len(noise), weight / 2 / len(noise)))
        X, weight = np.concatenate(points), np.concatenate(weights)
        z = self._laws[0].logpdf(X) - self._laws[1].logpdf(X)
        pos, neg = 2 * weight * special.expit(z), 2 * weight * special.expit(-z)
        return Both(pos / pos.sum(), neg / neg.sum())

    @cached_property
    def accuracy(self) -> float:
        """Three standard errors of the least well known truth, relative to it."""
        names = ("divergence", "tv", "auc", "kl", "js", "hellinger")
        laws = [AtomicRatio(*masses) for masses in self._replicates]
        truths = np.array([[getattr(law, name) for name in names] for law in laws])
        error = 3 * truths.std(axis=0, ddof=1) / np.sqrt(REPLICATES)
        return float(np.max(error / truths.mean(axis=0)))


@dataclass(frozen=True, eq=False)
class GaussianMixturePair(Law):
    """Two finite mixtures of Gaussians.

    The truths are exact whenever all components agree outside one direction, as they always do in
    one dimension, and when each mixture has one component. Otherwise they come from a fixed
    quasi-Monte Carlo sample and `accuracy` states their measured error.

    Parameters
    ----------
    means_pos, means_neg : array-like of shape (k,) or (k, dim)
        Means of the components.
    weights_pos, weights_neg : None or array-like of shape (k,)
        Weights; ``None`` makes them equal.
    covs_pos, covs_neg : None, float or sequence of length k
        Covariances of the components, each a matrix, a diagonal or a variance; one number serves
        all components, ``None`` is the identity.

    Examples
    --------
    >>> law = GaussianMixturePair([-2.0, 2.0], [0.0])
    >>> f"{law.arc_length:.6f} {law.auc:.6f}"
    '1.659319 0.855072'
    """

    means_pos: ArrayLike
    means_neg: ArrayLike
    weights_pos: ArrayLike | None = None
    weights_neg: ArrayLike | None = None
    covs_pos: float | Sequence[ArrayLike] | None = None
    covs_neg: float | Sequence[ArrayLike] | None = None

    def __post_init__(self) -> None:
        dims = {side.means.shape[1] for side in self._sides}
        if len(dims) > 1:
            raise ValueError(
                f"`means_pos` and `means_neg` must agree in dimension; got {sorted(dims)}."
            )

    @cached_property
    def _sides(self) -> tuple[Mixture, Mixture]:
        pos = _mixture(self.means_pos, self.weights_pos, self.covs_pos, "pos")
        return pos, _mixture(self.means_neg, self.weights_neg, self.covs_neg, "neg")

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return int(self._sides[0].means.shape[1])

    @cached_property
    def ratio_law(self) -> RatioLaw:
        """Exact where all components agree outside one direction, sampled otherwise."""
        pos, neg = self._sides
        if len(pos.weights) == len(neg.weights) == 1:
            covs = [side.factors[0] @ side.factors[0].T for side in self._sides]
            return GaussianPair(pos.means[0], neg.means[0], *covs).ratio_law
        reduced = _reduced(pos, neg)
        rank = reduced[0].means.shape[1]
        if rank == 0 or _same(*reduced):
            return AtomicRatio.identical()
        if rank == 1:
            return LineRatio(*(_on_line(side) for side in reduced))
        return SampledRatio(*reduced)

    @property
    def marginals(self) -> tuple[Marginal, Marginal] | None:
        """The two laws, in one dimension."""
        if self.dim > 1:
            return None
        return _on_line(self._sides[0]), _on_line(self._sides[1])

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        return self._sides[0].logpdf(X) - self._sides[1].logpdf(X)

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        weights, means, factors = self._sides[0 if positive else 1]
        component = rng.choice(len(weights), size=n, p=weights)
        noise = rng.standard_normal((n, self.dim))
        return np.asarray(means[component] + np.einsum("nij,nj->ni", factors[component], noise))

    def _wasserstein(self) -> float:
        if isinstance(self.ratio_law, AtomicRatio):
            return 0.0
        return line_wasserstein(*(_on_line(side) for side in self._sides))


def _mixture(
    means: ArrayLike,
    weights: ArrayLike | None,
    covs: float | Sequence[ArrayLike] | None,
    side: str,
) -> Mixture:
    centres = np.asarray(means, dtype=np.float64)
    centres = centres[:, None] if centres.ndim == 1 else centres
    if centres.ndim != 2 or len(centres) == 0 or not np.all(np.isfinite(centres)):
        raise ValueError(f"`means_{side}` must be finite, of shape (k, dim); got {means!r}.")
    k, dim = centres.shape
    share = np.full(k, 1.0 / k) if weights is None else np.asarray(weights, dtype=np.float64)
    if share.shape != (k,) or np.any(share <= 0) or abs(share.sum() - 1) > 1e-9:
        raise ValueError(
            f"`weights_{side}` must be {k} positive numbers that sum to one; got {weights!r}."
        )
    each = [covs] * k if covs is None or np.ndim(covs) == 0 else list(covs)  # type: ignore[arg-type]
    if len(each) != k:
        raise ValueError(f"`covs_{side}` must hold {k} covariances; got {len(each)}.")
    matrices = [covariance(cov, dim, f"covs_{side}") for cov in each]  # type: ignore[arg-type]
    return Mixture(share / share.sum(), centres, np.linalg.cholesky(np.array(matrices)))


def _reduced(pos: Mixture, neg: Mixture) -> tuple[Mixture, Mixture]:
    """Project both mixtures on the directions in which any two components differ."""
    # In coordinates where the first component is standard normal, every covariance is the identity
    # plus a part inside the span of those directions, so the rest is independent noise.
    root = pos.factors[0]
    whole = []
    for side in (pos, neg):
        means = linalg.solve_triangular(root, (side.means - pos.means[0]).T, lower=True).T
        factors = [linalg.solve_triangular(root, factor, lower=True) for factor in side.factors]
        whole.append((side.weights, means, np.array([factor @ factor.T for factor in factors])))
    dim = len(root)
    differences = np.concatenate(
        [means for _, means, _ in whole]
        + [(covs - np.eye(dim)).reshape(-1, dim) for *_, covs in whole]
    )
    _, sizes, axes = linalg.svd(differences, full_matrices=False)
    axes = axes[sizes > 1e-11 * max(1.0, sizes[0])]
    sides = [
        Mixture(weights, means @ axes.T, np.linalg.cholesky(axes @ covs @ axes.T))
        for weights, means, covs in whole
    ]
    return sides[0], sides[1]


def _same(pos: Mixture, neg: Mixture) -> bool:
    """Whether both mixtures list the same components, in whatever order."""
    if pos.means.shape != neg.means.shape:
        return False
    tables = []
    for weights, means, factors in (pos, neg):
        table = np.column_stack([weights, means, factors.reshape(len(weights), -1)])
        tables.append(table[np.lexsort(np.round(table, 10).T)])
    return bool(np.allclose(tables[0], tables[1], rtol=1e-12, atol=1e-12))


def _on_line(side: Mixture) -> NormalMixture:
    return NormalMixture(side.weights, side.means[:, 0], side.factors[:, 0, 0])
