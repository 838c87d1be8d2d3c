"""The ROC curve that held-out ratios imply, sharpened or flattened to a given length or area."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from rocstar.checks import FloatArray
from rocstar.inference.held_out import Figures, HeldOut

MOST_STEPS = 8192
"""Steps of a curve; of more rows, neighbours share one."""
LOG_SCALES = (-12.0, 7.0)
"""From a curve that is the diagonal but for rounding to one that separates all but equal ratios."""


class ImpliedCurve(NamedTuple):
    """Steps of log ratio z, in rising order; a scale s makes their ratios exp(s z).

    Each step has the two classes in the proportion of its ratio, so the curve is concave, and its
    length, area and height cannot disagree. Both grow with s.
    """

    log_ratio: FloatArray
    mass: FloatArray  # of both classes together

    def figures(self, scale: float) -> Figures:
        """Arc length, AUC and largest TPR − FPR."""
        z = np.clip(scale * self.log_ratio, -700.0, 700.0)
        up, down = self.mass / (1 + np.exp(-z)), self.mass / (1 + np.exp(z))
        up, down = up / up.sum(), down / down.sum()
        below = np.cumsum(down) - down / 2
        return Figures(
            float(np.hypot(up, down).sum()),
            float(up @ below),
            float(np.maximum(up - down, 0).sum()),
        )

    def scale_of_length(self, arc_length: float) -> float:
        """The scale of a given arc length, or the nearest there is."""
        return self._scale("arc_length", arc_length)

    def scale_of_auc(self, auc: float) -> float:
        """The scale of a given AUC, or the nearest there is."""
        return self._scale("auc", auc)

    def _scale(self, figure: str, target: float) -> float:
        def excess(log_scale: float) -> float:
            return float(getattr(self.figures(np.exp(log_scale)), figure)) - target

        low, high = LOG_SCALES
        if excess(low) >= 0:
            return 0.0
        if excess(high) <= 0:
            return float(np.exp(high))
        return float(np.exp(brentq(excess, low, high, xtol=1e-9)))


def implied_curve(held: HeldOut) -> ImpliedCurve:
    """The curve of the held-out angles of both classes, each class with half of the mass."""
    mass = np.where(held.y, held.weights, 0.0) / held.weights[held.y].sum()
    mass += np.where(held.y, 0.0, held.weights) / held.weights[~held.y].sum()
    # No sample shows a ratio beyond these (theory §6).
    limits = -np.log(held.y.sum() + 1.0), np.log((~held.y).sum() + 1.0)
    with np.errstate(divide="ignore"):
        log_ratio = np.clip(np.log(np.tan(np.clip(held.angle, 0.0, np.pi / 2))), *limits)
    order = np.argsort(log_ratio, kind="stable")
    log_ratio, mass = log_ratio[order], mass[order]
    if mass.size > MOST_STEPS:
        starts = np.linspace(0, mass.size, MOST_STEPS, endpoint=False).astype(np.intp)
        total = np.add.reduceat(mass, starts)
        kept = total > 0
        means = np.add.reduceat(mass * log_ratio, starts)[kept] / total[kept]
        log_ratio, mass = means, total[kept]
    return ImpliedCurve(log_ratio, mass)
