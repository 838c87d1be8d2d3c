"""Rows of one class tied into bundles of equal size: fewer labels to permute, the test as exact.

Permuting the labels of bundles is a subgroup of permuting the labels of rows, and a p-value is
exact for every subgroup that is chosen without looking at the rows (theory §8).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocstar.checks import BoolArray, FloatArray, IntArray

MOST = 4096
"""About so many bundles are made of many rows: the labels of more need not be permuted."""
LEAST = 128
"""So many bundles at least are made of each class: the difference of two laws then widens the
null of a test by 1/√128 of itself at most, 2 % where it lies 2.5 standard errors from zero."""


class Bundles(NamedTuple):
    """Which rows are tied together; ``loose`` rows are left over and keep their labels."""

    rows: IntArray  # bundle after bundle
    size: int
    positive: BoolArray  # of each bundle
    loose: IntArray

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of one value per row over each bundle."""
        return np.asarray(values[self.rows].reshape(-1, self.size).sum(axis=1))


def bundles(positive: BoolArray, rng: np.random.Generator) -> Bundles:
    """Random bundles within each class, or every row alone where there are few."""
    n, n_up = positive.size, int(positive.sum())
    size = min(n // MOST, min(n_up, n - n_up) // LEAST)
    if size <= 1:
        return Bundles(np.arange(n), 1, positive, np.empty(0, dtype=np.intp))
    tied, loose, labels = [], [], []
    for label in (True, False):
        rows = rng.permutation(np.flatnonzero(positive == label))
        count = rows.size // size
        tied.append(rows[: count * size])
        loose.append(rows[count * size :])
        labels.append(np.full(count, label))
    return Bundles(np.concatenate(tied), size, np.concatenate(labels), np.concatenate(loose))
