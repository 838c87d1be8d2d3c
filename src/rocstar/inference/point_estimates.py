"""Point estimates of arc length, AUC and TV from held-out and in-sample figures (theory §8)."""

from __future__ import annotations

import numpy as np

from rocstar.geometry.bounds import SHORTEST, auc_bounds, tv_bounds
from rocstar.inference.held_out import Figures, HeldOut

NEARLY_SEPARATED = 1.98
"""In-sample J above which a fit has all but separated its rows: its optimism tells nothing."""
LARGE_OPTIMISM = 0.25
"""In-sample minus held-out J above which the optimism is not of first order any more."""


def point_estimates(held: HeldOut) -> Figures:
    """Weighted means of in-sample and held-out figures where optimism is of first order."""
    outside, inside = held.figures(), held.in_sample
    if inside is None or inside.figures.arc_length > NEARLY_SEPARATED:
        return outside
    if inside.figures.arc_length - outside.arc_length > LARGE_OPTIMISM:
        return outside
    pairs = zip(inside.figures, outside, strict=True)
    mixed = Figures(*(inside.share * i + (1 - inside.share) * o for i, o in pairs))
    return coherent(mixed) if inside.stacked else mixed


def coherent(values: Figures) -> Figures:
    """AUC and TPR − FPR moved into the sharp range that the arc length leaves them (theory §9)."""
    # For estimates of a stack, whose arc length is close to L*. That of a poor class is not, and
    # its AUC, which no monotone transform changes, may then be the better figure.
    length = float(np.clip(values.arc_length, SHORTEST, 2.0))
    auc, tv = auc_bounds(length), tv_bounds(length)
    return Figures(
        length,
        float(np.clip(values.auc, float(auc.low), float(auc.high))),
        float(np.clip(values.youden, float(tv.low), float(tv.high))),
    )
