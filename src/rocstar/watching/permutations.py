"""P-values of a column in two samples that would be exchangeable without a change.

Given the pooled values, every choice of which rows are the second sample is equally likely. So the
sum over it of a score that depends on the pooled values alone is that of a sample without
replacement. The p-values here hold for all sizes and ties, however small they are (theory §14).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import betaln, expit
from scipy.stats import hypergeom

from rocstar.checks import FloatArray, IntArray

LARGEST_MASS = 0.46882236
"""Over the root of its variance: no value of a sum of independent indicators is more likely
(Baillon, Cominetti and Vaisman 2016)."""
CLEAR = 3.0
"""Standard errors below which the exact p-value, above 1/1000 or so, is not worth its time."""
STEPS = 6
"""Of Newton's method; the bound holds wherever it stops."""


def codes_pvalue(old: FloatArray, new: FloatArray) -> float:
    """Of codes, of which missing values are one: the smallest of all shares, times their number."""
    pool = np.nan_to_num(np.concatenate([old, new]), nan=-1.0)
    values, place = np.unique(pool, return_inverse=True)
    total = np.bincount(place)
    own = np.bincount(place[old.size :], minlength=values.size)
    return min(1.0, values.size * float(share_pvalues(total, own, place.size, new.size).min()))


def number_pvalue(old: FloatArray, new: FloatArray) -> float:
    """Of numbers: the smallest of location, scale and missing values, times their number."""
    seen = [values[~np.isnan(values)] for values in (old, new)]
    found = [1.0, 1.0]
    if all(values.size for values in seen):
        found = [sum_pvalue(*scores) for scores in rank_scores(*seen)]
    n, present = old.size + new.size, seen[0].size + seen[1].size
    if present < n:
        gaps = share_pvalues(np.array([present]), np.array([seen[1].size]), n, new.size)
        found.append(float(gaps[0]))
    return min(1.0, len(found) * min(found))


def rank_scores(
    old: FloatArray, new: FloatArray
) -> Iterator[tuple[FloatArray, IntArray, IntArray]]:
    """Midranks of pooled numbers, and their distances from the middle, with counts of rows."""
    values, place = np.unique(np.concatenate([old, new]), return_inverse=True)
    total = np.bincount(place)
    own = np.bincount(place[old.size :], minlength=values.size)
    rank = (np.cumsum(total) - total / 2) / place.size - 0.5
    yield rank, total, own
    yield np.abs(rank), total, own


def share_pvalues(total: IntArray, own: IntArray, n: int, m: int) -> FloatArray:
    """Two-sided p-values: ``own`` of m sampled rows, where ``total`` of all n rows count.

    They are exact, except that those of small gaps are one.
    """
    gap, error = own / m - total / n, total * (n - total) / n**2 * (1 / m - 1 / n)
    found = np.ones(total.size)
    clear = gap**2 > CLEAR**2 * error
    if clear.any():
        own, total = own[clear], total[clear]
        tails = hypergeom.sf(own - 1, n, total, m), hypergeom.cdf(own, n, total, m)
        found[clear] = 2 * np.minimum(*tails)
    return found


def sum_pvalue(score: FloatArray, total: IntArray, own: IntArray) -> float:
    r"""Upper bound of the two-sided permutation p-value of a sum of scores.

    Of ``total`` rows with each score, ``own`` are in a sample of m. For all λ > 0 and η,

    .. math:: P(S \ge s) \le \binom Nm^{-1} e^{-\lambda s - \eta m}
        \prod_i (1 + e^{\eta + \lambda a_i}) \cdot 0.469\, V^{-1/2},

    with V the variance of a sum of independent indicators with odds e^{η + λ a_i} (theory §14).
    The best λ and η are nearly those of a logistic regression of who is sampled on the score.
    """
    N, m = float(total.sum()), float(own.sum())
    a = score - float(total @ score) / N
    a = a if own @ a > 0 else -a
    s = float(own @ a)
    log_choices = -betaln(m + 1, N - m + 1) - np.log(N + 1)
    point, step = np.array([np.log(m / (N - m)), 0.0]), np.zeros(2)
    best, log_pvalue = np.inf, 0.0
    for _ in range(STEPS):
        eta, lam = point + step
        z = eta + lam * a
        log_odds = float(total @ np.logaddexp(0.0, z)) - lam * s - eta * m
        if not log_odds < best:
            step = step / 2
            continue
        q = expit(z)
        w = total * q * (1 - q)
        V, B, C = float(w.sum()), float(w @ a), float(w @ a**2)
        point, best = point + step, log_odds
        if lam >= 0:
            log_pvalue = log_odds - log_choices + np.log(LARGEST_MASS) - np.log(V) / 2
        determinant = V * C - B * B
        if determinant <= 1e-9 * V * C:
            break
        gap, excess = m - float(total @ q), s - float(total @ (q * a))
        step = np.array([C * gap - B * excess, V * excess - B * gap]) / determinant
    return min(1.0, 2 * float(np.exp(log_pvalue)))
