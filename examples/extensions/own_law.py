"""Template: a pair of laws of your own, here two logistic laws that differ by a shift.

Copy this file, change the family, keep the checks at the end. A law supplies four things: its
dimension, a sampler per class, the log ratio of a row, and the law of that log ratio, from which
all truths follow. For a pair on the line, the last one follows from the two marginals.

    python examples/extensions/own_law.py
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import logistic

from rocstar.laws import Law
from rocstar.laws.line import LineRatio


@dataclass(frozen=True)
class LogisticMarginal:
    """One logistic law, with what the quadrature asks of a law on the line."""

    center: float
    scale: float = 1.0

    @property
    def knots(self):
        return np.array([self.center])

    @property
    def window(self):
        return self.center - 45.0, self.center + 45.0  # exp(-45) is below rounding

    def logpdf(self, x):
        return logistic.logpdf(x, self.center)

    def score(self, x):
        return -np.tanh((x - self.center) / 2)

    def cdf(self, x):
        return logistic.cdf(x, self.center)

    def sf(self, x):
        return logistic.sf(x, self.center)


@dataclass(frozen=True)
class LogisticPair(Law):
    """Two logistic laws; the positive one is shifted to the right."""

    shift: float

    @property
    def dim(self):
        return 1

    @property
    def marginals(self):
        return LogisticMarginal(self.shift), LogisticMarginal(0.0)

    @cached_property
    def ratio_law(self):
        return LineRatio(*self.marginals)

    def _log_ratio(self, X):
        positive, negative = self.marginals
        return positive.logpdf(X[:, 0]) - negative.logpdf(X[:, 0])

    def _draw(self, n, positive, rng):
        return rng.logistic(self.shift if positive else 0.0, size=(n, 1))


def check() -> None:
    """Closed forms where there are any, and a sample everywhere."""
    law = LogisticPair(1.5)
    e = np.exp(-law.shift)
    np.testing.assert_allclose(law.tv, np.tanh(law.shift / 4), rtol=1e-8)
    np.testing.assert_allclose(law.auc, 1 / (1 - e) - law.shift * e / (1 - e) ** 2, rtol=1e-8)
    X, y = law.sample(20_000, 20_000, random_state=0)
    angle = law.angle(X)
    length = np.sin(angle[y == 1]).mean() + np.cos(angle[y == 0]).mean()
    assert abs(length - law.arc_length) < 0.01


if __name__ == "__main__":
    check()
    law = LogisticPair(1.5)
    print(f"arc length {law.arc_length:.4f}, AUC* {law.auc:.4f}, TV {law.tv:.4f}")
