"""The shares of several estimators' angles, or log ratios, whose mixture has the largest J."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from scipy.optimize import minimize

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.estimators.splits import Split, class_sizes, split_rows
from rocstar.fitting.directions import unit_directions
from rocstar.fitting.losses import HALF_PI
from rocstar.geometry.curves import roc_auc
from rocstar.weights import class_weights

# Of a Dask collection, so many rows choose the shares, but no more than a tenth of them: a few
# shares are known to a hundredth from far fewer. In memory likewise, where folds would cost four
# times as much, once a tenth of the rows is hardly missed: 5,000 rows of the rarer of two classes,
# 16,000 rows of more classes together, which were measured separately.
MOST_STACKING_ROWS, MOST_STACKING_SHARE = 2**17, 0.1
ENOUGH_ROWS_PER_CLASS, ENOUGH_ROWS = 5_000, 16_000
# Newton's method doubles the six digits of its start at every step.
POLISHING_STEPS = 3
# Initial share of the member that leads a start.
LEAD = 0.8


class Mixable(Protocol):
    """J of mixtures, and its slope in their shares."""

    def arc_length(self, shares: FloatArray) -> float: ...
    def gradient(self, shares: FloatArray) -> FloatArray: ...


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
        return self._polished(climbed(self, np.full(n, 1 / n), least=1e-9, ftol=1e-12))

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


class MixedLogRatios:
    """J of mixtures of log ratios (theory §15): smooth in the shares, not concave."""

    def __init__(self, directions: list[FloatArray], codes: IntArray, weights: FloatArray) -> None:
        self.logs = np.stack([np.log(u) for u in directions])
        self.rows, self.codes, self.weights = np.arange(codes.size), codes, weights

    def arc_length(self, shares: FloatArray) -> float:
        return float(self.weights @ self._mixed(shares)[self.rows, self.codes])

    def gradient(self, shares: FloatArray) -> FloatArray:
        u = self._mixed(shares)
        own = self.weights * u[self.rows, self.codes]
        # d log u_c = the member's own log u_c less its mean under u².
        centred = self.logs[:, self.rows, self.codes] - np.einsum("mnk,nk->mn", self.logs, u**2)
        return np.asarray(centred @ own)

    def best_shares(self) -> FloatArray:
        """The best local optimum from the even mixture and from each member in the lead."""
        n = len(self.logs)
        if n == 1:
            return np.ones(1)
        rest = (1 - LEAD) / (n - 1)
        starts = [np.full(n, 1 / n), *(np.where(row > 0, LEAD, rest) for row in np.eye(n))]
        found = [climbed(self, start, least=1e-6, ftol=1e-9) for start in starts]
        return max(found, key=self.arc_length)

    def _mixed(self, shares: FloatArray) -> FloatArray:
        return unit_directions(np.tensordot(shares, self.logs, axes=1))


def climbed(mixture: Mixable, start: FloatArray, *, least: float, ftol: float) -> FloatArray:
    """Shares of a local optimum near a start; those below the least are none."""
    found = minimize(  # type: ignore[call-overload]
        lambda a: -mixture.arc_length(a),
        start,
        jac=lambda a: -mixture.gradient(a),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * start.size,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": np.ones_like},
        options={"ftol": ftol, "maxiter": 200},
    ).x
    shares = np.clip(np.where(found < least, 0.0, found), 0.0, 1.0)
    return np.asarray(shares / shares.sum())


def stacking_folds(
    cv: Any,
    y: BoolArray | IntArray,
    units: IntArray | None,
    weights: FloatArray,
    seed: int,
    classes: Sequence[str] | None = None,
) -> tuple[list[Split], int]:
    """Folds that choose the shares, or one part of many rows and how many these are."""
    counted = weights > 0
    sizes = class_sizes(y[counted], None if units is None else units[counted])
    parts = max(round(1 / MOST_STACKING_SHARE), ceil(y.size / MOST_STACKING_ROWS))
    # Of more than two classes a rare one has no more than its part in J, but must be in that part.
    enough = (
        sizes.min() >= ENOUGH_ROWS_PER_CLASS
        if classes is None
        else sizes.sum() >= ENOUGH_ROWS and sizes.min() >= parts
    )
    once = isinstance(cv, Integral) and enough
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
