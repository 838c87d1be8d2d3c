"""Template: a measure of your own, here the Jaccard index at a known prevalence.

Copy this file, change `at`, keep the checks at the end. A measure states what a rule with given
true and false positive rates is worth; the best rule along a curve counts. It must not get worse
where a curve rises. Then a curve that is certified to lie below ROC* gives a certified bound of it.

    python examples/extensions/own_measure.py
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocstar.laws import GaussianPair
from rocstar.measures import PointMeasure


@dataclass(frozen=True)
class Jaccard(PointMeasure):
    """Rows called positive and truly positive, over rows called positive or truly positive."""

    prevalence: float

    def at(self, fpr, tpr):
        wrong = (1 - self.prevalence) * np.asarray(fpr)
        return self.prevalence * np.asarray(tpr) / (self.prevalence + wrong)


def check() -> None:
    """A plain formula on a grid, and that a higher curve is never worse."""
    curve, weaker = (GaussianPair(shift).roc_star(2001) for shift in (1.5, 1.0))
    best = max(0.2 * t / (0.2 + 0.8 * f) for f, t in zip(curve.fpr, curve.tpr, strict=True))
    jaccard = Jaccard(prevalence=0.2)
    np.testing.assert_allclose(jaccard(curve.fpr, curve.tpr), best, rtol=1e-4)
    assert jaccard(curve.fpr, curve.tpr) > jaccard(weaker.fpr, weaker.tpr)
    assert jaccard([0, 1], [0, 1]) == 0.2  # call everything positive


if __name__ == "__main__":
    check()
    curve = GaussianPair(1.5).roc_star(2001)
    print(f"best Jaccard index at 20 % positives: {Jaccard(0.2)(curve.fpr, curve.tpr):.3f}")
