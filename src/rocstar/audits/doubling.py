"""What twice the rows would add to the AUC: a power law through models of fewer rows.

Beyond its steep start a learning curve is close to a(n) = a∞ − b·n^(−c). Two to four points say
little about c, so that it is averaged over a prior: 1 for classes of few parameters, about ½ for
trees and kernels, and near 0 while every doubling still adds as much as the one before. Given c,
the gain of the next doubling follows by least squares. `benchmarks/learning` measures how often the
interval holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from rocstar.checks import FloatArray
from rocstar.inference.estimate import Estimate
from rocstar.report.verdicts import more_rows_sentence

LEVEL = 0.9
# Exponents c and the logarithm of their prior, a normal law; 0 itself is left out.
EXPONENTS = np.linspace(-0.35, 1.75, 22)
LOG_PRIOR = -(((EXPONENTS - 0.8) / 0.5) ** 2) / 2
# The AUC of models of n rows varies between training samples by about this share of what doubling n
# adds. With d parameters the shortfall is like chi-squared with d degrees of freedom, whose
# deviation is √(2/d) of its mean, and doubling removes half of the mean: 0.8 for d = 12.
TRAINING_NOISE = 0.8
# Share of that variance which folds have in common, since their models share most of their rows.
SHARED_NOISE = 0.5
# An AUC that shows no error at all has this one, over the number of rows of the smaller class.
LEAST_ERROR = 0.25

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
    own = s ** (-2 * c) / folds
    noise = TRAINING_NOISE**2 * (own[:, :, None] * np.eye(s.size) + SHARED_NOISE)
    gain = np.zeros(c.size)
    # The noise is in proportion to the gain: none at first, and then that of the last estimate.
    for _ in range(3):
        covariances = spread + gain[:, None, None] ** 2 * noise
        gain, error, log_evidence = _least_squares(steps, below, covariances)
    weights = np.exp(log_evidence + LOG_PRIOR - (log_evidence + LOG_PRIOR).max())
    weights /= weights.sum()
    tails = ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
    low, value, high = (_quantile(tail, weights, gain, error) for tail in tails)
    return Estimate(value, low, high, LEVEL, "two-sided")


def _least_squares(
    steps: FloatArray, below: FloatArray, covariances: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each exponent the gain, its standard error, and the logarithm of the evidence."""
    inverse = np.linalg.inv(covariances)
    pull = (inverse @ steps[:, :, None])[:, :, 0]
    variance = 1 / (pull * steps).sum(axis=1)
    gain = variance * (pull @ below)
    squares = (inverse @ below) @ below - gain**2 / variance
    log_evidence = (np.log(variance) - squares - np.linalg.slogdet(covariances)[1]) / 2
    return gain, np.sqrt(variance), log_evidence


def _quantile(tail: float, weights: FloatArray, means: FloatArray, deviations: FloatArray) -> float:
    """Quantile of a mixture of normal laws."""
    own = means + norm.ppf(tail) * deviations
    slack = 1e-3 * deviations.min()

    def excess(gain: float) -> float:
        return float(weights @ norm.cdf((gain - means) / deviations) - tail)

    return float(brentq(excess, own.min() - slack, own.max() + slack))


def differences(
    aucs: FloatArray, covariance: FloatArray, fewest: int
) -> tuple[FloatArray, FloatArray]:
    """How far each AUC but the last lies below the last, and the covariance of that."""
    n = aucs.size - 1
    contrast = np.hstack([-np.eye(n), np.ones((n, 1))])
    floor = (LEAST_ERROR / fewest) ** 2 * np.eye(n)
    return contrast @ aucs, contrast @ covariance @ contrast.T + floor


def more_rows(gain: Estimate, figure: str = "AUC") -> dict[str, Any]:
    """The summary's entry about twice the rows."""
    verdict = "cannot tell"
    if gain.high < LITTLE:
        verdict = "little"
    elif gain.low >= SMALLEST:
        verdict = "helps"
    found = {
        "factor": 2,
        "gain": gain.value,
        "low": gain.low,
        "high": gain.high,
        "level": gain.level,
        "verdict": verdict,
    }
    return {**found, "sentence": more_rows_sentence(found, figure)}
