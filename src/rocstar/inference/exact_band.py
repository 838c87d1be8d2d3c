"""A lower band of an ROC curve from bounds of order statistics: guaranteed for every law."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.draws import N_DRAWS

MAX_RANKS = 96
"""Order statistics the band rests on; between them it is a staircase at little cost."""


def exact_steps(
    positive: BoolArray, score: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds of all order statistics at once."""
    # The curve at an upper bound of the false positive rate is at least the lower bound of the true
    # positive rate at the same threshold.
    up, down = np.sort(score[positive])[::-1], np.sort(score[~positive])
    local = _local_level(up.size, down.size, level)
    ranks = _ranks(up.size)
    low = betaincinv(ranks, up.size + 1 - ranks, local)
    above = down.size - np.searchsorted(down, up[ranks - 1], side="left")
    return _upper_rates(above, down.size, local), np.asarray(low)


def _upper_rates(above: IntArray, n: int, local: float) -> FloatArray:
    """Upper bounds of the false positive rate of thresholds with ``above`` negatives over them."""
    ranks = _ranks(n)
    # The next negative below the threshold bounds the rate; take the next one we hold a bound for.
    next_rank = np.searchsorted(ranks, above + 1)
    bounds = np.append(betainccinv(ranks, n + 1 - ranks, local), 1.0)
    return np.asarray(bounds[next_rank])


def _ranks(n: int) -> IntArray:
    """Up to MAX_RANKS ranks of n, dense at both ends, where ROC curves are steep and flat."""
    if n <= MAX_RANKS:
        return np.arange(1, n + 1)
    half = np.geomspace(1, n / 2, MAX_RANKS // 2)
    ranks = np.unique(np.rint(np.concatenate([half, n + 1 - half])))
    return ranks.astype(np.intp)


@lru_cache(maxsize=64)
def _local_level(n_pos: int, n_neg: int, level: float) -> float:
    """The level of each single bound at which all of them hold together with ``level``."""
    rng = np.random.default_rng(0)
    smallest = np.minimum(_smallest(n_pos, rng, True), _smallest(n_neg, rng, False))
    return float(np.quantile(smallest, 1 - level, method="lower"))


def _smallest(n: int, rng: np.random.Generator, lower: bool) -> FloatArray:
    """Smallest tail probability over the ranks, for uniform samples of size n."""
    ranks = _ranks(n)
    gaps = np.diff(np.concatenate([[0], ranks, [n + 1]])).astype(np.float64)
    sums = np.cumsum(rng.standard_gamma(gaps, size=(N_DRAWS, gaps.size)), axis=1)
    uniform = sums[:, :-1] / sums[:, -1:]
    tail = betainc if lower else betaincc
    smallest: FloatArray = tail(ranks, n + 1 - ranks, uniform).min(axis=1)
    return smallest
