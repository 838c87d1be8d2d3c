"""Point estimates of arc length, AUC and TV from held-out and in-sample figures (theory §8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from rocstar.checks import FloatArray
from rocstar.geometry.bounds import SHORTEST, auc_bounds, tv_bounds
from rocstar.inference.held_out import Figures, HeldOut, InSample

CLASS_POWER = 1.5
"""Of the confirmed share, chosen by simulation: with this the mean AUC at identical laws stays
below .52."""
MOST_STEPS = 8192
"""Steps of a curve; of more rows, neighbours share one."""
LOG_SCALES = (-12.0, 7.0)
"""From a curve that is the diagonal but for rounding to one that separates all but equal ratios."""
MOST_IMPLIED = 5.0
"""So many times the held-out excess over an AUC of ½ may be implied beside it, and nothing where
held-out rows show nothing."""


def point_estimates(held: HeldOut) -> Figures:
    """Held-out figures, moved towards in-sample ones where there are any that help."""
    outside, inside = held.figures(), held.in_sample
    return outside if inside is None else combined(outside, inside, implied_curve(held))


def combined(outside: Figures, inside: InSample, curve: ImpliedCurve) -> Figures:
    """Estimates that are continuous in all figures; those of a stack are of one ROC curve."""
    kept = confirmed(outside.auc - 0.5, inside.figures.auc - 0.5)
    if inside.stacked:
        beside, share = beside_held_out(outside, inside, kept, curve), inside.share
    else:
        beside, share = inside.figures, inside.share * kept**CLASS_POWER
    length, auc, direct = between(outside, beside, share)
    length = float(np.clip(length, SHORTEST, 2.0))
    scale = curve.scale_of_auc(auc)
    if inside.stacked:
        # Ranks that say more than the arc length, as those of angles that are not quite calibrated,
        # meet it half-way on the curve. Ranks that say less are left: few curves are as large as
        # their length allows. The arc length of a single class may be far from L*, its ranks less
        # so: no monotone transform changes them.
        by_length = curve.scale_of_length(length)
        if scale > by_length:
            scale = (scale + by_length) / 2
            length, auc, _ = curve.figures(scale)
    # A count of right decisions is noisier than the curve, but right for curves of any shape.
    youden = kept**2 * direct + (1 - kept**2) * curve.figures(scale).youden
    found = Figures(length, auc, youden)
    return coherent(found) if inside.stacked else found


def beside_held_out(
    outside: Figures, inside: InSample, kept: float, curve: ImpliedCurve
) -> Figures:
    """What held-out figures of a stack are averaged with: in-sample ones as far as confirmed."""
    # The curve that held-out ratios imply varies less than their ranks do. A stack is tuned and
    # mixed on held-out rows, so it is nearly flat where little is found. Where much is found it is
    # too flat, and in-sample figures take its place.
    most = curve.scale_of_auc(0.5 + MOST_IMPLIED * max(outside.auc - 0.5, 0.0))
    return between(curve.figures(min(most, 1.0)), inside.figures, smoothly(kept))


def confirmed(outside: float, inside: float) -> float:
    """The share, from 0 to 1, of an in-sample excess that is seen on held-out rows too."""
    seen = max(outside, 0.0)
    return seen / max(inside, seen) if seen > 0 else 0.0


def smoothly(kept: float) -> float:
    """From 0 to 1 without a corner at either end."""
    return kept**2 * (3 - 2 * kept)


def between(first: Figures, second: Figures, share: float) -> Figures:
    """Figures on the way from some to others."""
    pairs = zip(first, second, strict=True)
    return Figures(*((1 - share) * one + share * other for one, other in pairs))


def coherent(values: Figures) -> Figures:
    """AUC and TPR − FPR moved into the sharp range that the arc length leaves them (theory §9)."""
    length = float(np.clip(values.arc_length, SHORTEST, 2.0))
    auc, tv = auc_bounds(length), tv_bounds(length)
    return Figures(
        length,
        float(np.clip(values.auc, float(auc.low), float(auc.high))),
        float(np.clip(values.youden, float(tv.low), float(tv.high))),
    )


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
