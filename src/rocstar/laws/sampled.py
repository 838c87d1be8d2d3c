"""Log ratios known only through samples: the fallback that states its error."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.stats import qmc

from rocstar.checks import FloatArray
from rocstar.laws.atoms import AtomicRatio
from rocstar.laws.ratio import Both

# Independent scramblings, from whose spread the error is measured, of 2**POWER points a component.
REPLICATES = 8
POWER = 13


class Cloud(NamedTuple):
    """Gaussian components to draw from and the log density of their mixture."""

    weights: FloatArray
    means: FloatArray
    factors: FloatArray
    logpdf: Callable[[FloatArray], FloatArray]


class SampledRatio(AtomicRatio):
    """The log ratio of two mixtures by scrambled Sobol points from both, always the same ones."""

    # Every component contributes points of equal number, weighted to represent (p + q)/2.

    def __init__(self, pos: Cloud, neg: Cloud) -> None:
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
