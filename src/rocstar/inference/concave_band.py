"""A proven lower band of ROC*: exact tests at a few rates that use its concavity (theory §12)."""

from __future__ import annotations

import numpy as np

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.geometry.polygons import concave_majorant
from rocstar.inference.rank_counts import Count, Part, parts_of

STEP, SMALLEST, LARGEST = 2.5, 4.0, 0.75
"""Rates go down from ¾ through 0.39 and 0.01 in these steps, to so many expected negatives."""
RANK_SHARE = 0.8
"""Thresholds lie at this share of a rate: in trials, 0.6 and 1 were wider on the whole."""
N_SLOPES = 24
N_STEPS = 128
"""Points of the staircase, evenly spaced, and again on a logarithmic scale."""


def concave_curve(
    positive: BoolArray, score: FloatArray, part: IntArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Vertices of a concave curve that ROC* lies above.

    Every ``part`` has a score of its own, which may depend on the parts before it.
    """
    parts = parts_of(positive, score, part)
    rates = rates_of(parts)
    error = (1 - level) / rates.size
    return concave_majorant(rates, np.array([_height(parts, rate, error) for rate in rates]))


def concave_steps(
    positive: BoolArray, score: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Steps below such a curve for one score."""
    fpr, low = concave_curve(positive, score, np.zeros(score.size, dtype=np.intp), level)
    dense = np.geomspace(fpr[1] / N_STEPS, 1, N_STEPS), np.linspace(0, 1, N_STEPS + 1)
    steps = np.unique(np.concatenate([*dense, fpr]))[1:-1]
    return steps, np.interp(steps, fpr, low)


def rates_of(parts: list[Part]) -> FloatArray:
    """False positive rates of the tests: they depend on the numbers of negatives only."""
    sizes = np.array([part.down.size for part in parts])
    rates = 0.01 * STEP ** np.arange(-12, 5)
    # A part's highest negative must not lie beyond the rate on average.
    able = (rates * sizes.sum() >= SMALLEST) & (rates * (sizes.min() + 1) >= 1)
    return np.append(rates[able], LARGEST)


def _height(parts: list[Part], rate: float, error: float) -> float:
    """Lower bound of ROC* at a rate, at least the rate itself."""
    count = Count.of(parts, [part.rank(RANK_SHARE * rate) for part in parts])
    beyond = count.fpr - rate

    def lines(height: float) -> FloatArray:
        # A concave curve of that height lies below a line through it that is no steeper than the
        # one from (0, 0) and no flatter than the one to (1, 1). Of two neighbouring slopes, the
        # one whose line is higher stands for all between them.
        flattest, steepest = (1 - height) / (1 - rate), height / rate
        slopes = np.geomspace(flattest, max(steepest, flattest), N_SLOPES)[:, None]
        return np.asarray(height + np.where(beyond > 0, slopes[1:] * beyond, slopes[:-1] * beyond))

    return count.largest(rate, lines, error)
