"""`certify`, `headroom` and the held-out part of `two_sample_test` for more than two classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.utils import check_consistent_length

from rocstar.checks import BoolArray, FloatArray, IntArray, group_units, nonnegative_weights
from rocstar.estimators.fits import seeded
from rocstar.estimators.splits import named, split_rows
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.class_betting import mean_auc_bound, refuse_groups, sum_bound
from rocstar.inference.class_figures import accuracy_gain, pairwise_gain
from rocstar.inference.class_held_out import (
    ClassHeldOut,
    class_held_out,
    pair_placements,
)
from rocstar.inference.class_masses import ClassFigures
from rocstar.inference.class_predictions import Given, given_predictions, like_classes
from rocstar.inference.draws import N_DRAWS
from rocstar.inference.estimate import Estimate
from rocstar.inference.multiclass import (
    SEED,
    MulticlassCertificate,
    MulticlassHeadroom,
    above_floor,
    multiclass_certificate,
)
from rocstar.inference.prequential import prequential_splits


def certify_classes(
    model: Any,
    X: Any,
    labels: npt.NDArray[Any],
    *,
    level: float,
    method: Method,
    cv: Any,
    sample_weight: npt.ArrayLike | None,
    groups: npt.ArrayLike | None,
    n_jobs: int | None,
    seed: int,
) -> MulticlassCertificate:
    """Certificate of labels of more than two classes."""
    check_consistent_length(X, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    units = None if groups is None else group_units(groups, codes.size)
    given = None if sample_weight is None else nonnegative_weights(sample_weight, codes.size)
    if method == "betting":
        refuse_weights(given is not None)
        refuse_groups(groups)
        splits = prequential_splits(
            cv, codes, X=X, groups=groups, random_state=seed, classes=named(classes)
        )
    else:
        splits = split_rows(
            cv,
            codes,
            X=X,
            groups=groups,
            sample_weight=given,
            random_state=seed,
            classes=named(classes),
        )
    held = class_held_out(
        seeded(model, seed),
        X,
        codes,
        splits,
        classes=classes,
        sample_weight=given,
        groups=units,
        n_jobs=n_jobs,
        in_sample=method != "betting",
    )
    return multiclass_certificate(held, level, method)


def class_headroom(
    y: npt.ArrayLike,
    given: Any,
    certificate: MulticlassCertificate,
    method: Method,
    prior: Any = None,
) -> MulticlassHeadroom:
    """How far given labels or probabilities are below the best achievable."""
    held = certificate.held_out
    labels = like_classes(np.asarray(y), held.classes)
    if labels.shape != (held.n_rows,) or not np.array_equal(labels[held.row], held.classes[held.y]):
        raise ValueError("`y` must be the labels the certificate was made with; it differs.")
    if method == "betting":
        refuse_weights(held.weighted)
        refuse_groups(held.groups)
        if certificate.method != "betting" and not certificate.strict:
            raise ValueError(
                "`certificate` must be made with method='betting' or cv='holdout' for bounds by "
                f"betting; got one of {certificate.cv} folds, whose models share rows."
            )
    return predictions_headroom(given_predictions(given, held, prior), certificate, method)


def predictions_headroom(
    given: Given, certificate: MulticlassCertificate, method: Method
) -> MulticlassHeadroom:
    """The same of each entry's chosen class and, for probabilities, their logarithms."""
    held, level = certificate.held_out, certificate.level
    rooms = {
        rule: _accuracy_headroom(chosen, certificate, method)
        for rule, chosen in given.rules.items()
    }
    # The rule of the higher accuracy has the smaller distance to the best. The smaller of the
    # bounds holds for either rule, whichever of them a user has.
    rule = min(rooms, key=lambda each: (-_accuracy(held, given.rules[each]), rooms[each].low))
    accuracy = replace(rooms[rule], low=min(room.low for room in rooms.values()))
    k, logs = held.n_classes, given.logs
    if logs is None:
        return MulticlassHeadroom(accuracy, None, rule)
    placed = pair_placements(held, logs)
    pairs = pairwise_gain(held, placed)
    reached = certificate.mean_pairwise_auc.value - _mean_auc(held, placed)
    bet = None
    if method == "betting":
        bet = mean_auc_bound(held, held.log_direction, 1 - level, logs)
    # An unseen row of class i counts 2/(K(K − 1)) Σ_{j≠i} d_ij in the mean over pairs, where d_ij,
    # its win rate against class j less the given one, is at least −1: together at least −2/K. Two
    # unseen rows that meet are counted by both, which is below their worst: with shares a and b of
    # the unseen, a pair of gain G has (1 − a)(1 − b) G − (a + b − ab) at worst, and here
    # (1 − a − b) G − a − b, which is less by ab (1 + G) ≥ 0.
    return MulticlassHeadroom(
        accuracy, _gain_estimate(pairs, held, level, reached, bet, worst=-2 / k), rule
    )


def _accuracy_headroom(
    predicted: IntArray, certificate: MulticlassCertificate, method: Method
) -> Estimate:
    held, level, k = certificate.held_out, certificate.level, certificate.held_out.n_classes
    bet = None
    if method == "betting":
        ours = (held.predicted == held.y).astype(np.float64)
        half = (1 + ours - (predicted == held.y)) / 2
        bet = max(2 * sum_bound(held, half, 1 - level, k / 2) / k - 1, 0.0)
    value = certificate.balanced_accuracy.value - _accuracy(held, predicted)
    return _gain_estimate(accuracy_gain(held, predicted), held, level, value, bet)


def _gain_estimate(
    figures: ClassFigures,
    held: ClassHeldOut,
    level: float,
    value: float,
    bet: float | None,
    worst: float = -1.0,
) -> Estimate:
    draws = figures.draws(np.random.default_rng(SEED), N_DRAWS)
    low = bet
    if low is None:
        limit = draws.low(1 - level, worst, span=(-1, 1))
        low = float(above_floor(limit, figures.estimates(), 0.0, held.n_splits)[0])
    value = max(float(np.clip(value, 0.0, 1.0)), low)
    high = min(value + float(norm.isf(1 - level) * draws.spread()[0]), 1.0)
    return Estimate(value, low, high, level, "lower")


def _accuracy(held: ClassHeldOut, predicted: IntArray) -> float:
    right = predicted == held.y
    return float(np.mean([_mean(right, held, k) for k in range(held.n_classes)]))


def _mean_auc(held: ClassHeldOut, placed: FloatArray) -> float:
    pairs = [
        _mean(placed[:, j], held, i)
        for i in range(held.n_classes)
        for j in range(held.n_classes)
        if i != j
    ]
    return float(np.mean(pairs))


def _mean(values: FloatArray | BoolArray, held: ClassHeldOut, k: int) -> float:
    rows = held.y == k
    return float(np.average(values[rows], weights=held.weights[rows]))
