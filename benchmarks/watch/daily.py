"""Streams with a change, and tests that look at every day alone; needs NumPy and SciPy only.

A reference of 2,000 rows with five numbers and one category, 200 rows a day. The four sudden
changes have a total variation distance of 0.12; the gradual one reaches 0.24 after 60 days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import (
    chi2_contingency,
    chisquare,
    cramervonmises_2samp,
    ks_2samp,
    wasserstein_distance,
)
from scipy.stats import f as fisher

REFERENCE, BATCH, QUIET, MOST = 2000, 200, 20, 40
COLUMNS, CODES = 6, (5,)
SHARES = np.array([0.6, 0.3, 0.1])
CHANGES = ("mean", "variance", "one category", "correlation", "gradual")
SMALL = 0.05 / 365
Rows = np.ndarray


def rows(rng: np.random.Generator, n: int, change: str = "none", day: int = 0) -> Rows:
    """Rows of a day; ``day`` counts from the first day of the change."""
    X = rng.normal(size=(n, COLUMNS))
    shares = SHARES + np.array([-0.12, 0, 0.12]) if change == "one category" else SHARES
    X[:, 5] = rng.choice(3, n, p=shares)
    if change == "mean":
        X[:, 0] += 0.302
    elif change == "variance":
        X[:, 0] *= 1.285
    elif change == "correlation":
        X[:, 1] = 0.36 * X[:, 0] + np.sqrt(1 - 0.36**2) * X[:, 1]
    elif change == "gradual":
        X[:, 0] += 0.61 * min(day / 60, 1.0)
    return X


def stream(change: str, seed: int) -> tuple[Rows, Iterator[Rows], Iterator[Rows]]:
    """A reference, days without a change, and days with it; the same for every method."""
    rng = np.random.default_rng([seed, CHANGES.index(change), 5])
    reference = rows(rng, REFERENCE)
    quiet = [rows(rng, BATCH) for _ in range(QUIET)]
    changed = (rows(rng, BATCH, change, day) for day in range(1, MOST + 1))
    return reference, iter(quiet), changed


class Daily:
    """A look at every day alone."""

    def __init__(self, reference: Rows, rule: Callable[[Rows, Rows], bool]) -> None:
        self.reference, self.rule, self.alarm = reference, rule, False

    def take(self, X: Rows) -> None:
        self.alarm = self.alarm or self.rule(self.reference, X)


def _category_table(a: Rows, b: Rows) -> Rows:
    return np.stack([np.bincount(side[:, 5].astype(int), minlength=3) for side in (a, b)])


def distances(a: Rows, b: Rows) -> list[float]:
    """Evidently's default preset for more than 1,000 rows: Wasserstein and Jensen-Shannon."""
    found = [
        wasserstein_distance(a[:, k], b[:, k]) / max(float(a[:, k].std()), 0.001) for k in range(5)
    ]
    table = _category_table(a, b)
    shares = table / table.sum(axis=1, keepdims=True)
    return [*found, float(jensenshannon(shares[0], shares[1]))]


def tests(a: Rows, b: Rows) -> list[float]:
    """Evidently's tests for fewer rows: Kolmogorov-Smirnov and chi-squared."""
    found = [ks_2samp(a[:, k], b[:, k]).pvalue for k in range(5)]
    table = _category_table(a, b)
    expected = table[0] / table[0].sum() * table[1].sum()
    return [*found, float(chisquare(table[1], expected).pvalue)]


def cramer(a: Rows, b: Rows) -> list[float]:
    """Frouros' Cramér–von Mises and chi-squared tests."""
    found = [cramervonmises_2samp(a[:, k], b[:, k]).pvalue for k in range(5)]
    return [*found, float(chi2_contingency(_category_table(a, b)).pvalue)]


def mean_test(a: Rows, b: Rows) -> float:
    """Hotelling's test of the numbers and the category."""
    phi = [np.column_stack([X[:, :5], X[:, 5] == 1, X[:, 5] == 2]) for X in (a, b)]
    n, m, d = len(a), len(b), phi[0].shape[1]
    pooled = ((n - 1) * np.cov(phi[0].T) + (m - 1) * np.cov(phi[1].T)) / (n + m - 2)
    gap = phi[0].mean(axis=0) - phi[1].mean(axis=0)
    t2 = n * m / (n + m) * gap @ np.linalg.solve(pooled, gap)
    return float(fisher.sf(t2 * (n + m - d - 1) / (d * (n + m - 2)), d, n + m - d - 1))
