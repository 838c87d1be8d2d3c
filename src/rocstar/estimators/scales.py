"""Columns in units of their spread, whatever their tails."""

from __future__ import annotations

import numpy as np

from rocstar.checks import FloatArray

QUARTILES = (0.25, 0.5, 0.75)
QUARTILES_PER_DEVIATION = 1.349


def centre_and_scale(
    X: FloatArray, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Medians, and the deviations that quartiles tell; of a rare value, how far it is away."""
    if weights is None:
        low, centre, high = np.quantile(X, QUARTILES, axis=0)
    else:
        X, weights = X[weights > 0], weights[weights > 0]
        low, centre, high = _weighted_quartiles(X, weights)
    spread = (high - low) / QUARTILES_PER_DEVIATION
    reach = np.abs(X - centre).max(axis=0)
    return centre, np.where(spread > 0, spread, np.where(reach > 0, reach, 1.0))


def _weighted_quartiles(X: FloatArray, weights: FloatArray) -> FloatArray:
    """The first values at which the cumulative weight reaches each quarter."""
    order = np.argsort(X, axis=0)
    below = np.cumsum(weights[order], axis=0)
    # Weights are sums of rounded shares: a quarter that is met exactly must count as met.
    below /= below[-1] * (1 - 1e-12)
    places = np.stack([(below < quarter).sum(axis=0) for quarter in QUARTILES])
    return np.take_along_axis(np.take_along_axis(X, order, axis=0), places, axis=0)
