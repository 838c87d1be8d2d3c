"""The share of positives that a classifier's probabilities stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils import compute_class_weight

from rocstar.checks import BoolArray, FloatArray
from rocstar.estimators.unwrap import unwrap
from rocstar.scale.trees import keeps_the_prior
from rocstar.sklearn_private import LinearClassifierMixin
from rocstar.weights import class_weights

# Classifiers whose probabilities, under class weights, are at the weighted share of positives.
LINEAR = (LinearClassifierMixin, LinearDiscriminantAnalysis)
# A mean probability differs from the share of positives if it does by more than three standard
# errors, and if the log ratios would have to move by more than a tenth: a shift s costs at most
# s²/8 of each row's part of the arc length.
Z_BY_CHANCE, MATERIAL = 3.0, 0.1
# Where the log odds of another prior are looked for, around those of the stated one: a part of J
# that belongs to one row changes over about two units.
GRID_STEP = 0.5
GRID = GRID_STEP * np.arange(-30, 31)


def angle_of(probability: NDArray[Any], prior: float) -> FloatArray:
    """The angle that a probability stands for at a share of positives."""
    c = np.asarray(probability, dtype=np.float64)
    return np.asarray(np.arctan2(c * (1 - prior), (1 - c) * prior))


def weighted_prior(fitted: Any, prior: float, classes: NDArray[Any], y: NDArray[Any]) -> float:
    """The share of positives after the class weights that a fitted classifier states."""
    class_weight = getattr(unwrap(fitted), "class_weight", None)
    if class_weight is None:
        return prior
    if class_weight == "balanced_subsample":
        class_weight = "balanced"
    negative, positive = compute_class_weight(class_weight, classes=classes, y=y)
    # "balanced" divides by counts of rows, so sample weights stay in the product.
    positives, negatives = prior * positive, (1 - prior) * negative
    return float(positives / (positives + negatives))


def is_explained(
    fitted: Any,
    probability: NDArray[Any],
    positive: BoolArray,
    weights: FloatArray,
    prior: float,
    stated: float,
) -> bool:
    """Whether the stated prior fits the probabilities of the training rows, or no other could."""
    if min(np.count_nonzero(weights[side] > 0) for side in (positive, ~positive)) < 2:
        return True
    classifier = unwrap(fitted)
    if not (keeps_the_prior(classifier) or isinstance(classifier, LINEAR)):
        return False
    share = np.where(positive, prior, 1 - prior) * weights
    angle = angle_of(probability, stated)

    def posterior(shift: float) -> FloatArray:
        odds = np.exp(shift) * prior / (1 - prior)
        up, down = odds * np.sin(angle), np.cos(angle)
        return np.asarray(up / (up + down))

    expected = posterior(0.0)
    chance = np.sqrt(np.sum(share**2 * expected * (1 - expected)))
    low, high = (float(share @ posterior(shift)) for shift in (-MATERIAL, MATERIAL))
    by_chance = abs(float(share @ expected) - prior) <= Z_BY_CHANCE * chance
    return bool(by_chance or low <= prior <= high)


def best_prior(
    probability: FloatArray, positive: BoolArray, weights: FloatArray, stated: float
) -> float:
    """The prior under which the angles of out-of-fold probabilities have the largest J."""
    # J is largest at the true ratio, so that among its multiples this finds the right one. To match
    # the mean probability with the share of positives would be as right for a calibrated
    # classifier, but rests on the few rows of a rare class whose probability is near one half. Rows
    # whose probability is NaN are left out.
    held = ~np.isnan(probability)
    c, up = probability[held], positive[held]
    w = class_weights(up, weights[held])

    def deficit(log_odds: float) -> float:
        prior = expit(log_odds)
        a, b = c * (1 - prior), (1 - c) * prior
        return -float(w @ (np.where(up, a, b) / np.hypot(a, b)))

    grid = logit(stated) + GRID
    coarse = np.array([deficit(log_odds) for log_odds in grid])
    if np.ptp(coarse) < 1e-9:  # probabilities of 0 and 1 say nothing of the prior
        return stated
    best = grid[np.argmin(coarse)]
    bounds = (best - GRID_STEP, best + GRID_STEP)
    return float(expit(minimize_scalar(deficit, bounds=bounds, method="bounded").x))
