"""What twice the rows would add to the AUC: a power law through models of fewer rows.

Beyond its steep start a learning curve is close to a(n) = a∞ − b·n^(−c). Two to four points say
little about c, so that it is averaged over a prior: 1 for classes of few parameters, about ½ for
trees and kernels, and near 0 while every doubling still adds as much as the one before. The gain of
the next doubling has a flat prior. `benchmarks/learning` measures how often the interval holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rocstar.checks import FloatArray
from rocstar.inference.estimate import Estimate
from rocstar.rounding import rounded_down, rounded_up

LEVEL = 0.9
# Exponents c and the logarithm of their prior, a normal law; 0 itself is left out.
EXPONENTS = np.linspace(-0.35, 1.55, 20)
LOG_PRIOR = -(((EXPONENTS - 0.6) / 0.4) ** 2) / 2
# The AUC of models of n rows varies between training samples by about this share of what doubling n
# adds. With d parameters the shortfall is like chi-squared with d degrees of freedom, whose
# deviation is √(2/d) of its mean, and doubling removes half of the mean: 0.6 for d = 22.
TRAINING_NOISE = 0.6
# Share of that variance which folds have in common, since their models share most of their rows.
SHARED_NOISE = 0.5
# An AUC that shows no error at all has this one, over the number of rows of the smaller class.
LEAST_ERROR = 0.25
GRID = np.linspace(-1.0, 1.0, 601)

# Gains that are not worth new rows; gains that would be printed as nothing.
LITTLE, SMALLEST = 0.005, 0.001


def doubling_gain(
    shares: FloatArray, aucs: FloatArray, covariance: FloatArray, *, folds: int, fewest: int
) -> Estimate:
    """What twice the rows would add to the last AUC, with its interval.

    Models of these ``shares`` of the last one's rows have these ``aucs``, means over ``folds``.
    ``covariance`` is that of a new draw of the judged rows, of which a class has ``fewest``.
    """
    below, spread = differences(aucs, covariance, fewest)
    s, c = shares[:-1], EXPONENTS[:, None]
    # If the next doubling adds g, the last model is g·steps above each of the others.
    steps = (s**-c - 1) / (1 - 2.0**-c)
    widest = float(((np.abs(below) + 6 * np.sqrt(spread.diagonal())) / steps).max())
    gains = widest * GRID
    own = s ** (-2 * c) / folds
    noise = own[:, :, None] * np.eye(s.size) + SHARED_NOISE
    covariances = spread + (TRAINING_NOISE * gains[:, None, None, None]) ** 2 * noise
    off = below - gains[:, None, None] * steps
    squares = (off * np.linalg.solve(covariances, off[..., None])[..., 0]).sum(axis=-1)
    log_density = LOG_PRIOR - (squares + np.linalg.slogdet(covariances)[1]) / 2
    density = np.exp(log_density - log_density.max()).sum(axis=1)
    cumulated = (np.cumsum(density) - density / 2) / density.sum()
    low, value, high = np.interp([(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2], cumulated, gains)
    return Estimate(float(value), float(low), float(high), LEVEL, "two-sided")


def differences(
    aucs: FloatArray, covariance: FloatArray, fewest: int
) -> tuple[FloatArray, FloatArray]:
    """How far each AUC but the last lies below the last, and the covariance of that."""
    n = aucs.size - 1
    contrast = np.hstack([-np.eye(n), np.ones((n, 1))])
    floor = (LEAST_ERROR / fewest) ** 2 * np.eye(n)
    return contrast @ aucs, contrast @ covariance @ contrast.T + floor


def more_rows(gain: Estimate) -> dict[str, Any]:
    """The summary's entry about twice the rows."""
    verdict, sentence = _outlook(gain)
    return {
        "factor": 2,
        "gain": gain.value,
        "low": gain.low,
        "high": gain.high,
        "level": gain.level,
        "verdict": verdict,
        "sentence": sentence,
    }


def _outlook(gain: Estimate) -> tuple[str, str]:
    """Verdict and sentence."""
    if gain.high < LITTLE:
        # Each end of the interval is a bound with half of its error.
        return "little", (
            "More rows would help little: doubling them raises the AUC by at most "
            f"{rounded_up(max(gain.high, 0.0))} ({50 * (1 + gain.level):.0f} % confidence)."
        )
    ends = f"{rounded_down(gain.low)} to {rounded_up(gain.high)}"
    interval = f"{100 * gain.level:.0f} % interval"
    if gain.low >= SMALLEST:
        return "helps", (
            f"Doubling the rows is expected to raise the AUC by about {gain.value:.3f} "
            f"({interval} {ends})."
        )
    return "cannot tell", (
        "These rows cannot tell whether more would help: doubling them changes the AUC by "
        f"{ends} ({interval})."
    )
