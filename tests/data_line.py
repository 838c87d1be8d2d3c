"""Laws on the line as SciPy writes them, and a plain quadrature of their densities."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from rocstar.laws import (
    GaussianMixturePair,
    GaussianPair,
    StudentTPair,
)


def mixture(means, variances, weights):
    """Density and CDF of a normal mixture."""
    m, s, w = np.array(means), np.sqrt(variances), np.array(weights)

    def pdf(x):
        return np.exp(-(((x[..., None] - m) / s) ** 2) / 2) @ (w / s / np.sqrt(2 * np.pi))

    return pdf, lambda x: special.ndtr((x[..., None] - m) / s) @ w


def student(loc, scale, df):
    """Density and CDF of a t law."""
    law = stats.t(df, loc, scale)
    return law.pdf, law.cdf


LINE = {
    "scale": (
        GaussianPair(0.5, 0.0, 1.0, 4.0),
        mixture([0.5], [1.0], [1.0]),
        mixture([0.0], [4.0], [1.0]),
    ),
    "apart": (
        GaussianPair(7.0, 0.0, 1.0, 0.25),
        mixture([7.0], [1.0], [1.0]),
        mixture([0.0], [0.25], [1.0]),
    ),
    "mixtures": (
        GaussianMixturePair(
            [-3, 0, 2], [-1, 3], [0.2, 0.5, 0.3], [0.6, 0.4], [0.1, 1, 2], [0.5, 4]
        ),
        mixture([-3, 0, 2], [0.1, 1, 2], [0.2, 0.5, 0.3]),
        mixture([-1, 3], [0.5, 4], [0.6, 0.4]),
    ),
    "shared component": (
        GaussianMixturePair([0, 3], [3]),
        mixture([0, 3], [1, 1], [0.5, 0.5]),
        mixture([3], [1], [1.0]),
    ),
    "student": (
        StudentTPair(1.0, 0.0, 2.0, 1.0, 3.0, 5.0),
        student(1.0, 2.0, 3.0),
        student(0.0, 1.0, 5.0),
    ),
    "cauchy": (
        StudentTPair(0.7, 0.0, 1.0, 1.0, 1.0),
        student(0.7, 1.0, 1.0),
        student(0.0, 1.0, 1.0),
    ),
}

# Gauss–Legendre on 3,200 panels of x = sinh(u), |x| < 2e16: plain, and dense enough for every law.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)

_U = (np.linspace(-38, 38, 3201)[:-1, None] + 76 / 3200 * (_NODES + 1) / 2).ravel()

_X, _DX = np.sinh(_U), np.cosh(_U) * np.tile(_WEIGHTS, 3200) * 38 / 3200


def integral(function):
    """Integral over the line; where densities underflow to zero there is nothing to add."""
    value = function(_X)
    return float(_DX @ np.where(np.isfinite(value), value, 0.0))
