"""A bounded, reproducible sample of the past in stretches of 1, 2, 4, … parts of the stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rocstar.checks import FloatArray

MOST_ROWS = 4000
"""Rows kept of a stretch."""
MOST_LEVELS = 12
"""Stretches of 4,096 parts are not doubled any more: what is kept is bounded."""


@dataclass
class Stretch:
    """Rows sampled from consecutive parts, with how many rows they stand for."""

    X: FloatArray
    stands_for: int
    first: int
    level: int = 0


@dataclass
class Memory:
    """Binary counter of stretches: two of one length become one of twice the length.

    After the t-th part, the stretches that end there are those whose length divides t. So each
    part is looked at alone, each two together, each four, and so on: two looks per part in the
    mean, at memory that grows with the logarithm of the number of parts up to a limit.
    """

    seed: int
    kept: list[Stretch] = field(default_factory=list)

    def add(self, X: FloatArray, first: int, number: int) -> Iterator[Stretch]:
        """Keep one more part; yields every stretch that it completes, the shortest first."""
        rng = np.random.default_rng([self.seed, 1, number])
        new = Stretch(sampled(X, MOST_ROWS, rng), len(X), first)
        yield new
        while self.kept and self.kept[-1].level == new.level:
            new = _joined(self.kept.pop(), new, rng)
            yield new
        self.kept.append(new)


def sampled(X: FloatArray, most: int, rng: np.random.Generator) -> FloatArray:
    """At most so many of the rows, in their order."""
    if len(X) <= most:
        return X
    return X[np.sort(rng.choice(len(X), most, replace=False))]


def _joined(old: Stretch, new: Stretch, rng: np.random.Generator) -> Stretch:
    total = old.stands_for + new.stands_for
    most = min(MOST_ROWS, total)
    n = int(rng.binomial(most, old.stands_for / total)) if total > MOST_ROWS else len(old.X)
    X = np.concatenate([sampled(old.X, n, rng), sampled(new.X, most - n, rng)])
    return Stretch(X, total, old.first, min(old.level + 1, MOST_LEVELS))
