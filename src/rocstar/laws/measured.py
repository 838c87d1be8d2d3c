"""Measures of ROC* from the law of the log ratio: exact, not those of a polygon through points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from rocstar.checks import FloatArray
from rocstar.geometry.polygons import PointValue, Polygon, RocCurve
from rocstar.laws.atoms import AtomicRatio
from rocstar.laws.ratio import RatioLaw

PANELS = np.append(0.0, 2.0 ** np.arange(-30, 1))
"""Panels of an integral from 0, ever shorter towards it: ROC* may have infinite slope there."""
N_ZOOM, ROUNDS = 41, 6
"""Thresholds per round of the search for a maximum; each round is twenty times finer."""


def star_curve(law: RatioLaw) -> RocCurve:
    """ROC* as a measure may ask it: a polygon where the ratio takes finitely many values."""
    if isinstance(law, AtomicRatio):
        return Polygon(law.corners.neg, law.corners.pos)
    return SmoothCurve(law)


class SmoothCurve(NamedTuple):
    """ROC* of a ratio with a density: points are thresholds of the log ratio."""

    law: RatioLaw

    def height(self, fpr: float) -> float:
        """True positive rate at a false positive rate."""
        return float(self.law.roc(np.array([fpr]))[0])

    def rate(self, tpr: float) -> float:
        """Smallest false positive rate with at least this true positive rate."""
        if tpr <= 0 or tpr >= 1:
            return float(tpr >= 1)
        z = self.law.level(lambda both: both.pos, np.array([tpr]))
        reached, fpr = (float(side[0]) for side in self.law.sf(z))
        # One step along the tangent squares the error of the threshold, as in `RatioLaw.roc`.
        return float(np.clip(fpr + (tpr - reached) * np.exp(-z[0]), 0.0, 1.0))

    def area(self, max_fpr: float = 1.0) -> float:
        """Area under the curve up to a false positive rate."""
        if max_fpr >= 1:
            return self.law.auc
        nodes, weights = np.polynomial.legendre.leggauss(8)
        width = np.diff(PANELS)[:, None] / 2
        fpr = max_fpr * (PANELS[:-1, None] + width * (1 + nodes))
        heights = self.law.roc(fpr.ravel()).reshape(fpr.shape)
        return float(max_fpr * np.sum(width * weights * heights))

    def best(self, value: PointValue) -> float:
        """Largest of ``value(fpr, tpr)``: at a node of the law, then ever closer to it."""
        z, tpr, fpr = self._distinct_nodes()
        ends = np.array([0.0, 1.0])
        found, best = float(np.max(value(ends, ends))), int(np.argmax(value(fpr, tpr)))
        for _ in range(ROUNDS):
            z = np.linspace(z[max(best - 1, 0)], z[min(best + 1, z.size - 1)], N_ZOOM)
            tpr, fpr = self.law.sf(z)
            values = value(fpr, tpr)
            best = int(np.argmax(values))
            found = max(found, float(values[best]))
        return found

    def reach(self, slope: float) -> float:
        """Largest true positive rate of a point with ``tpr >= slope * fpr``."""
        if slope <= 1:
            return 1.0
        z = self._distinct_nodes()[0]

        def above(at: FloatArray) -> FloatArray:
            tpr, fpr = self.law.sf(at)
            return tpr - slope * fpr

        # The ratio of the two rates rises with the threshold, from 1 where all rows lie above it.
        inside = np.flatnonzero(above(z) > 0)
        if inside.size == 0:
            return 0.0
        root = brentq(lambda at: above(np.array([at]))[0], z[0], z[inside[0]], xtol=1e-13)
        return float(self.law.sf(np.array([root])).pos[0])

    def precision_area(self, odds: float) -> float:
        """Integral of ``tpr / (tpr + odds * fpr)`` over the true positive rate."""
        _, tpr, fpr = self._nodes()
        mass = self.law.nodes.pos[np.argsort(self.law.nodes.z)]
        called = tpr + odds * fpr
        return float(mass @ np.divide(tpr, called, out=np.ones_like(tpr), where=called > 0))

    def _distinct_nodes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """`_nodes` whose neighbours enclose them: symmetric laws have nodes of equal ratio."""
        z, tpr, fpr = self._nodes()
        apart = np.append(True, np.diff(z) > 1e-9)
        return z[apart], tpr[apart], fpr[apart]

    def _nodes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log ratios of the nodes, ascending, and the two rates there."""
        order = np.argsort(self.law.nodes.z)
        tpr, fpr = (np.maximum(1.0 - side[order], 0.0) for side in self.law.node_cdf)
        return self.law.nodes.z[order], tpr, fpr
