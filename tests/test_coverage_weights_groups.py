"""Coverage with importance weights and with dependent rows, small enough for every run.

A bound whose error is 5 % or less exceeds a limit below with a probability of at most 0.1 %, by the
binomial law. The large tables are in benchmarks/coverage (weights.py, groups.py).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm

from rocstar import arc_length_interval, auc_gain, auc_interval, youden_interval
from rocstar.laws import GaussianPair

RUNS = 300
MOST_MISSES = int(binom.isf(1e-3, RUNS, 0.05))  # 28
DRAWS = {"side": "lower", "n_draws": 600}


def test_the_limit_is_exact():
    assert binom.sf(MOST_MISSES, RUNS, 0.05) <= 1e-3 < binom.sf(MOST_MISSES - 1, RUNS, 0.05)


def weighted_lows(n, effective, auc):
    """Bounds of AUC, J and Youden's index where the heavy rows are the misplaced ones.

    Positives are N(shift, 1) and negatives N(0, 1) in the population. They are drawn ``tilt`` too
    well placed; the density ratio puts it right and leaves ``effective`` of the sample size.
    """
    rng, shift = np.random.default_rng(0), np.sqrt(2) * norm.ppf(auc)
    y, tilt = np.repeat([1, 0], n), np.sqrt(-np.log(effective))
    sign, lows = np.repeat([1, -1], n), np.empty((RUNS, 3))
    for run in range(RUNS):
        drawn = rng.normal(tilt, 1, 2 * n)
        score = shift * y + sign * drawn
        given = {"sample_weight": np.exp(-tilt * drawn), "random_state": run} | DRAWS
        angle = np.arctan(np.exp(shift * (score - shift / 2)))
        lows[run] = (
            auc_interval(y, score, **given).low,
            arc_length_interval(y, angle, **given).low,
            youden_interval(y, score > shift / 2, **given).low,
        )
    return lows


def test_weighted_bounds_hold_their_level():
    """Half of the rows are left in effect."""
    shift = np.sqrt(2) * norm.ppf(0.8)
    truth = 0.8, GaussianPair(shift).arc_length, 2 * norm.cdf(shift / 2) - 1
    misses = (weighted_lows(150, 0.5, 0.8) > truth).sum(axis=0)
    assert misses.max() <= MOST_MISSES, misses


def groups_of_five(rng, n_groups, law):
    """Groups of five rows: labels, score, baseline and the group of each row."""
    group = np.repeat(np.arange(n_groups), 5)
    common, own = rng.normal(size=n_groups)[group], rng.normal(size=(2, group.size))
    if law == "bad groups":
        # One class per group; in one of ten positive groups all rows lie below the negatives.
        y, bad = group % 2 == 0, (rng.random(n_groups) < 0.1)[group]
        return y, np.where(y, np.where(bad, -1.0, 2.0), norm.cdf(own[0])), y * 1.0, group
    y = rng.random(group.size) < 0.5
    score = np.sqrt(2) * norm.ppf(0.74) * y + np.sqrt(0.5) * (common + own[0])
    return y, score, 0.5 * score + own[1], group


ANGLES = {"bad groups": lambda s: (s > 1.5) * np.pi / 2, "normal": lambda s: np.arctan(np.exp(s))}
CUTS = {"bad groups": 1.5, "normal": 0.0}
SHIFT = np.sqrt(2) * norm.ppf(0.74)
GRID = np.linspace(-9, 10, 20_001)
J = np.trapezoid(
    norm.pdf(GRID - SHIFT) * np.sin(ANGLES["normal"](GRID))
    + norm.pdf(GRID) * np.cos(ANGLES["normal"](GRID)),
    GRID,
)
TRUTHS = {  # AUC, J, Youden's index, gain
    "bad groups": (0.9, 1.9, 0.9, -0.1),
    # The baseline is half of the score plus a unit normal: shift / 2 apart, variance 5/4.
    "normal": (0.74, J, norm.cdf(SHIFT) - 0.5, 0.74 - norm.cdf(SHIFT / 2 / np.sqrt(2.5))),
}


def grouped_lows(n_groups, law, grouped=True):
    rng, lows = np.random.default_rng(1), np.empty((RUNS, 4))
    for run in range(RUNS):
        y, score, baseline, group = groups_of_five(rng, n_groups, law)
        given = {"groups": group if grouped else None, "random_state": run} | DRAWS
        lows[run] = (
            auc_interval(y, score, **given).low,
            arc_length_interval(y, ANGLES[law](score), **given).low,
            youden_interval(y, score > CUTS[law], **given).low,
            auc_gain(y, score, baseline, **given).low,
        )
    return lows


@pytest.mark.parametrize("law", ["normal", "bad groups"])
def test_grouped_bounds_hold_their_level(law):
    misses = (grouped_lows(30, law) > np.array(TRUTHS[law]) + 1e-9).sum(axis=0)
    assert misses.max() <= MOST_MISSES, misses


def test_this_simulation_can_fail():
    """Rows taken for independent miss far too often, so the limit above has teeth."""
    lows = grouped_lows(30, "bad groups", grouped=False)
    misses = (lows > np.array(TRUTHS["bad groups"]) + 1e-9).sum(axis=0)
    assert misses.min() > 2 * MOST_MISSES, misses


def test_grouped_bound_is_not_merely_small():
    """With 40 groups the cluster bootstrap, whose level is too low, has a median of .69."""
    assert np.median(grouped_lows(40, "normal")[:, 0]) >= 0.60
