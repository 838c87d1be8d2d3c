"""`CertifiedCurve`: one concave curve that lies under ROC* with confidence (theory §12)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray
from rocstar.geometry.curves import roc_points
from rocstar.geometry.measures import Measure
from rocstar.geometry.polygons import Polygon, concave_majorant
from rocstar.inference.bands import RocBand, roc_band
from rocstar.inference.held_out import HeldOut
from rocstar.results import ArrayResult

Guarantee = Literal["theorem", "conjecture", "asymptotic"]


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedCurve(ArrayResult, Polygon):
    """A concave curve that lies under the optimal ROC curve, everywhere at once, with confidence.

    ROC* lies above the ROC curve of every score, is concave and lies above the diagonal. So it also
    lies above the least concave curve over a lower band and the diagonal, at the band's own
    confidence. Any measure that improves with an ROC curve is bounded by its value here, and all
    such bounds hold together.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (m,)
        Vertices from (0, 0) to (1, 1), joined by straight lines.
    level : float
        Confidence that ROC* lies above the whole curve.
    guarantee : {"theorem", "conjecture", "asymptotic"}
        What that rests on, as in a `Certificate`.

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, laws
    >>> from rocstar.measures import Tpr
    >>> law = laws.GaussianPair(0.0, 2.0)
    >>> X, y = law.sample(300, 300, random_state=0)
    >>> curve = certify(ArctanRatio(), X, y, random_state=0).curve
    >>> bool((curve([0.05, 0.1, 0.5]) < law.roc([0.05, 0.1, 0.5])).all())
    True
    >>> curve.measure(Tpr(0.1)) == float(curve(0.1))
    True
    """

    level: float
    guarantee: Guarantee

    def __call__(self, fpr: npt.ArrayLike) -> FloatArray:
        """Height of the curve at any false positive rates in [0, 1]."""
        rates = np.asarray(fpr, dtype=np.float64)
        if rates.size and not (rates.min() >= 0 and rates.max() <= 1):
            raise ValueError(
                f"`fpr` must lie in [0, 1]; got {rates.min():.4g} to {rates.max():.4g}."
            )
        return np.asarray(np.vectorize(self.height, otypes=[np.float64])(rates))

    def measure(self, measure: Measure) -> float:
        """The measure of this curve: a bound of what the best classifier reaches."""
        return measure.of(self)

    def __repr__(self) -> str:
        return (
            f"CertifiedCurve({self.fpr.size} vertices, area {self.area():.3f}, "
            f"level={self.level:g}, guarantee={self.guarantee!r})"
        )


def certified_curve(held: HeldOut, level: float) -> CertifiedCurve:
    """The least concave curve over the diagonal and the lower band of held-out rows."""
    band = held_band(held, level)
    guarantee: Guarantee = "conjecture" if held.n_splits == 1 else "asymptotic"
    # The doubled variance of several folds at identical laws, as in `Bounded.low`: there the band
    # must clear the diagonal by more before it may claim anything above it.
    inflated = band.tpr - np.sqrt(2) * (band.tpr - band.low)
    if held.n_splits > 1 and not (inflated > band.fpr).any():
        return CertifiedCurve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), level, guarantee)
    return CertifiedCurve(*concave_majorant(band.fpr, band.low), level, guarantee)


def held_band(held: HeldOut, level: float) -> RocBand:
    """Lower band of the pooled held-out curve."""
    rows = pooled(held)
    return roc_band(rows.y, rows.score, level=level, sample_weight=rows.weights, groups=rows.units)


def held_polygon(held: HeldOut) -> Polygon:
    """The pooled held-out curve itself."""
    rows = pooled(held)
    points = roc_points(rows.y, rows.score, sample_weight=rows.weights)
    return Polygon(points.fpr, points.tpr)


def pooled(held: HeldOut) -> HeldOut:
    """Entries of all folds on one curve, with the scores and weights that make it an average."""
    # One split ranks by the score. Scores of several models are not comparable, angles are. With
    # equal weight of every fold in both classes, a threshold's point is an average of points of the
    # folds' curves, all under ROC*; a fold with one class alone has no such point.
    if held.n_splits == 1:
        return held
    totals = np.zeros((held.n_splits, 2))
    np.add.at(totals, (held.fold, held.y.astype(np.intp)), held.weights)
    both = totals.min(axis=1) > 0
    rows = held.entries(both[held.fold])
    share = rows.weights / totals[rows.fold, rows.y.astype(np.intp)]
    return replace(rows, score=rows.angle, weights=share)
