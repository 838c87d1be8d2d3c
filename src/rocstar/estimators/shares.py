"""The shares of several estimators' angles whose mixture has the largest J."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from scipy.optimize import minimize

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.estimators.splits import Split, class_sizes, split_rows
from rocstar.fitting.losses import HALF_PI
from rocstar.geometry.curves import roc_auc
from rocstar.weights import class_weights

# Of a Dask collection, so many rows choose the shares, but no more than a tenth of them: a few
# shares are known to a hundredth from far fewer. In memory likewise, where folds would cost four
# times as much, once the rarer class has so many rows that a tenth of them is hardly missed.
MOST_STACKING_ROWS, MOST_STACKING_SHARE = 2**17, 0.1
ENOUGH_ROWS_PER_CLASS = 8_000
# Newton's method doubles the six digits of its start at every step.
POLISHING_STEPS = 3


class MixtureArcLength:
    """J of mixtures of given angles: concave in the shares, with few of them and many rows."""

    def __init__(self, angles: FloatArray, positive: BoolArray, weights: FloatArray) -> None:
        # A negative's cosine is the sine of the mirrored angle, so one sine serves both classes.
        self.margins = np.where(positive, angles, HALF_PI - angles)
        self.weights = class_weights(positive, weights)

    def arc_length(self, shares: FloatArray) -> float:
        return float(self.weights @ np.sin(shares @ self.margins))

    def gradient(self, shares: FloatArray) -> FloatArray:
        return np.asarray(self.margins @ (self.weights * np.cos(shares @ self.margins)))

    def best_shares(self) -> FloatArray:
        n = len(self.margins)
        if n == 1:
            return np.ones(1)
        found = minimize(  # type: ignore[call-overload]
            lambda a: -self.arc_length(a),
            np.full(n, 1 / n),
            jac=lambda a: -self.gradient(a),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * n,
            constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": np.ones_like},
            options={"ftol": 1e-12, "maxiter": 200},
        ).x
        shares = np.clip(np.where(found < 1e-9, 0.0, found), 0.0, 1.0)
        return self._polished(shares / shares.sum())

    def _polished(self, shares: FloatArray) -> FloatArray:
        """Newton's method on the members in use; the search before it stops six digits short."""
        for _ in range(POLISHING_STEPS):
            used = np.flatnonzero(shares)
            margins, total = self.margins[used], shares @ self.margins
            curvature = (margins * (self.weights * np.sin(total))) @ margins.T
            system = np.pad(curvature, (0, 1), constant_values=1.0)
            system[-1, -1] = 0.0  # the multiplier that keeps the sum of the shares
            slope = np.append(self.gradient(shares)[used], 0.0)
            step = np.linalg.lstsq(system, slope, rcond=1e-10)[0][:-1]
            trial = np.zeros_like(shares)
            trial[used] = np.maximum(shares[used] + step, 0.0)
            trial /= trial.sum()
            if self.arc_length(trial) < self.arc_length(shares) - 1e-15:
                break
            shares = trial
        return shares


def stacking_folds(
    cv: Any,
    y: BoolArray | IntArray,
    units: IntArray | None,
    weights: FloatArray,
    seed: int,
    classes: Sequence[str] | None = None,
) -> tuple[list[Split], int]:
    """Folds that choose the shares, or one part of many rows and how many these are."""
    sizes = class_sizes(y, units)
    parts = max(round(1 / MOST_STACKING_SHARE), ceil(y.size / MOST_STACKING_ROWS))
    # Of more than two classes a rare one has no more than its part in J, but must be in that part.
    rows = sizes.min() if classes is None else sizes.sum() / 2 * (sizes.min() >= parts)
    once = isinstance(cv, Integral) and rows >= ENOUGH_ROWS_PER_CLASS
    folds = split_rows(
        parts if once else cv,
        y,
        groups=units,
        sample_weight=weights,
        random_state=seed,
        classes=classes,
        inner=True,
    )
    return (folds[:1], folds[0][1].size) if once else (folds, 0)


def training_figures(
    angle: FloatArray, positive: BoolArray, weights: FloatArray
) -> dict[str, float]:
    """Arc length, AUC and TPR − FPR of the rule "angle above π/4"."""
    w = class_weights(positive, weights)
    right = np.where(positive, angle > np.pi / 4, angle <= np.pi / 4)
    return {
        "arc_length": float(w @ np.where(positive, np.sin(angle), np.cos(angle))),
        "auc": roc_auc(positive, angle, sample_weight=weights),
        "youden": float(w @ right) - 1.0,
    }
