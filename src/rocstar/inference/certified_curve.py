"""`CertifiedCurve`: one concave curve that lies under ROC* with confidence (theory §13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray
from rocstar.geometry.curves import roc_points
from rocstar.geometry.measures import Measure
from rocstar.geometry.polygons import Polygon, concave_majorant
from rocstar.inference.bands import RocBand, fold_weights, roc_band
from rocstar.inference.concave_band import concave_curve
from rocstar.inference.estimate import Side
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


def certified_curve(held: HeldOut, level: float, *, in_turn: bool = False) -> CertifiedCurve:
    """The least concave curve over the diagonal and the lower band of held-out rows."""
    if in_turn and held.groups is None:
        return CertifiedCurve(
            *concave_curve(held.y, held.score, held.fold, level), level, "theorem"
        )
    band = held_band(held, level)
    guarantee: Guarantee = "conjecture" if held.n_splits == 1 else "asymptotic"
    # The doubled variance of several folds at identical laws, as in `Bounded.low`: there the band
    # must clear the diagonal by more before it may claim anything above it.
    inflated = band.tpr - np.sqrt(2) * (band.tpr - band.low)
    if held.n_splits > 1 and not (inflated > band.fpr).any():
        return CertifiedCurve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), level, guarantee)
    return CertifiedCurve(*concave_majorant(band.fpr, band.low), level, guarantee)


def held_band(held: HeldOut, level: float, side: Side = "lower") -> RocBand:
    """Band of the held-out curve, several folds pooled."""
    folds = None if held.n_splits == 1 else held.fold
    return roc_band(
        held.y,
        common_score(held),
        level=level,
        side=side,
        sample_weight=held.weights,
        groups=held.units,
        folds=folds,
    )


def held_polygon(held: HeldOut) -> Polygon:
    """The held-out curve itself, several folds pooled."""
    weights = fold_weights(held.y, held.weights, held.fold)
    points = roc_points(held.y, common_score(held), sample_weight=weights)
    return Polygon(points.fpr, points.tpr)


def common_score(held: HeldOut) -> FloatArray:
    """What ranks all entries: scores of one model, or angles, which folds have in common."""
    return held.score if held.n_splits == 1 else held.angle
