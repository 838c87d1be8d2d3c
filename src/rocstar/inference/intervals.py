"""Confidence bounds of means, AUCs, AUC differences and rates: pure functions of (y, score).

The default bounds reweight the sample at random and place what it did not show as badly as possible
(theory §8, `rocstar.inference.masses`). They keep their level with ten positives and with AUCs near
one, where the usual normal approximations do not.

Weights say how much of the population a row stands for; they are not a count of observations. So
integer weights change an *estimate* as repetition would, but not the number of independent rows a
*bound* rests on. Repeat the rows if they really are independent copies.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from rocstar.checks import (
    BoolArray,
    FloatArray,
    binary_labels,
    class_totals,
    finite_scores,
    nonnegative_weights,
)
from rocstar.inference.betting_intervals import (
    Method,
    auc_bets,
    gain_bets,
    mean_bets,
    refuse_weights,
    sum_bets,
)
from rocstar.inference.classical import clopper_pearson, delong_se, from_normal
from rocstar.inference.draws import N_DRAWS
from rocstar.inference.estimate import Estimate, Side, from_draws, one_of
from rocstar.inference.group_masses import dependent
from rocstar.inference.masses import mean_draws, sum_draws
from rocstar.inference.pair_masses import auc_draws, gain_draws, linear_auc, linear_gain

AucMethod = Literal["dirichlet", "betting", "delong", "delong-logit"]
RateMethod = Literal["dirichlet", "betting", "clopper-pearson"]


def mean_interval(
    values: npt.ArrayLike,
    *,
    support: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    side: Side = "two-sided",
    method: Method = "dirichlet",
    sample_weight: npt.ArrayLike | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> Estimate:
    """Confidence interval of the mean of a variable known to lie in ``support``.

    Parameters
    ----------
    values : array-like of shape (n,)
    support : (float, float), default=(0, 1)
        Known limits of the variable, not of the sample.
    level : float, default=0.95
    side : {"two-sided", "lower", "upper"}, default="two-sided"
    method : {"dirichlet", "betting"}, default="dirichlet"
        "dirichlet" is Gaffke's bound: the ``1 − level`` quantile of the mean under
        Dirichlet(1, …, 1) masses over the sample and one atom at the worst end of the support. For
        0/1 values it is the Clopper–Pearson limit; that it holds its level for every law is a
        conjecture borne out by all trials (theory §8). "betting" is proven for every law and every
        number of rows (theory §12), and takes no weights.
    sample_weight : array-like of shape (n,), optional
        Weights of rows, not counts of them; the unseen is as heavy as the heaviest row.
    n_draws : int, default=4000
        Of "dirichlet".
    random_state : int, default=0
        Draws the masses, or the order in which rows are bet on.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> print(mean_interval([1] * 10, side="lower"))  # 0.05 ** (1 / 10) = 0.741
    1.000; at least 0.7... (95 % confidence)
    """
    x = finite_scores(values, np.size(values), "values")
    weights = nonnegative_weights(sample_weight, x.size)
    if x.size == 0 or weights.sum() == 0:
        raise ValueError("`values` must hold at least one row of positive weight; got none.")
    worst, best = support
    if x.min() < worst or x.max() > best:
        raise ValueError(
            f"`values` must lie in the support [{worst:g}, {best:g}]; "
            f"got {x.min():.4g} to {x.max():.4g}."
        )
    value = float(np.average(x, weights=weights))
    one_of(method, Method, "method")
    if method == "betting":
        refuse_weights(sample_weight is not None)
        bets = mean_bets((x - worst) / (best - worst))._replace(scale=best - worst, shift=worst)
        return bets.estimate(value, level, side, random_state)
    draws = mean_draws(x, weights, np.random.default_rng(random_state), n_draws)
    return from_draws(value, draws, support, support, level, side)


def arc_length_interval(
    y: npt.ArrayLike,
    angle: npt.ArrayLike,
    *,
    level: float = 0.95,
    side: Side = "two-sided",
    method: Method = "dirichlet",
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> Estimate:
    """Confidence bound of J(v) = E₊ sin v + E₋ cos v for angles not fitted on these rows.

    Whatever the angles, J is at most the arc length L* of the optimal ROC curve, so the lower limit
    also bounds L* (theory §2, §8). The upper limit bounds J only.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two distinct labels; the larger is positive.
    angle : array-like of shape (n,)
        In [0, π/2].
    level, side, method, sample_weight, n_draws, random_state
        As for :func:`mean_interval`.
    groups : array-like of shape (n,), optional
        Rows of one group are dependent; groups are then the units that are drawn.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> y = [0] * 50 + [1] * 50
    >>> angle = [0.2] * 50 + [1.4] * 50
    >>> print(arc_length_interval(y, angle, side="lower"))
    1.966; at least 1.8... (95 % confidence)
    """
    positive, v, weights = _border(y, angle, sample_weight, "angle")
    if v.min() < 0 or v.max() > np.pi / 2 + 1e-6:  # π/2 of float32 exceeds that of float64
        raise ValueError(
            f"`angle` must lie in [0, π/2]; got {v.min():.4g} to {v.max():.4g}: clip it first."
        )
    v = np.minimum(v, np.pi / 2)
    terms = np.where(positive, np.sin(v), np.cos(v))
    value = _class_mean(terms, weights, positive) + _class_mean(terms, weights, ~positive)
    units = dependent(groups, v.size)
    one_of(method, Method, "method")
    if method == "betting":
        refuse_weights(sample_weight is not None)
        bets = sum_bets(positive, terms, groups=units)
        return bets.estimate(value, level, side, random_state)
    rng = np.random.default_rng(random_state)
    draws = sum_draws(positive, terms, weights, rng, n_draws, units)
    return from_draws(value, draws, (0.0, 1.0), (0.0, 2.0), level, side)


def auc_interval(
    y: npt.ArrayLike,
    score: npt.ArrayLike,
    *,
    level: float = 0.95,
    side: Side = "two-sided",
    method: AucMethod = "dirichlet",
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> Estimate:
    """Confidence interval of the AUC of a score that was not fitted on these rows.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two distinct labels; the larger is positive.
    score : array-like of shape (n,)
        Higher means more positive; a tie between the classes counts one half.
    level : float, default=0.95
    side : {"two-sided", "lower", "upper"}, default="two-sided"
        One-sided limits spend all of the error on their end.
    method : {"dirichlet", "betting", "delong", "delong-logit"}, default="dirichlet"
        The two-sample form of Gaffke's bound, which kept its level in every trial (theory §8);
        bets, whose limits are proven for every law (theory §12) and which take no weights; or
        DeLong's normal approximation on the plain or on the logit scale. The latter two fail with
        few rows of a class or an AUC near one and are here for comparison.
    sample_weight : array-like of shape (n,), optional
        Weights of rows, not counts of them.
    groups : array-like of shape (n,), optional
        Rows of one group are dependent; groups are then the units that are drawn.
    n_draws : int, default=4000
    random_state : int, default=0

    Returns
    -------
    Estimate

    Examples
    --------
    >>> y, score = [0] * 500 + [1] * 10, [0.0] * 500 + [1.0] * 10
    >>> print(auc_interval(y, score, side="lower"))
    1.000; at least 0.7... (95 % confidence)
    """
    positive, s, weights = _border(y, score, sample_weight, "score")
    units = dependent(groups, s.size)
    one_fold = np.zeros(s.size, dtype=np.intp)
    linear = linear_auc(positive, s, weights, one_fold)
    value = _class_mean(linear.values, weights, positive)
    one_of(method, AucMethod, "method")
    if method == "betting":
        refuse_weights(sample_weight is not None)
        return auc_bets(positive, s, groups=units).estimate(value, level, side, random_state)
    if method != "dirichlet":
        if any(np.ptp(weights[rows]) > 0 for rows in (positive, ~positive)):
            raise ValueError(
                f"`method='{method}'` takes no unequal weights, with which its normal "
                "approximation misses too often in simulations: use 'dirichlet'."
            )
        se = delong_se(linear, units)
        return from_normal(value, se, level, side, on_logit=method == "delong-logit")
    rng = np.random.default_rng(random_state)
    if units is None:
        draws = auc_draws(positive, s, weights, one_fold, rng, n_draws)
    else:
        draws = linear.draws(weights, rng, n_draws, units)
    return from_draws(value, draws, (0.0, 1.0), (0.0, 1.0), level, side)


def auc_gain(
    y: npt.ArrayLike,
    score: npt.ArrayLike,
    baseline: npt.ArrayLike,
    *,
    level: float = 0.95,
    side: Side = "two-sided",
    method: Method = "dirichlet",
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> Estimate:
    """Confidence interval of AUC(score) − AUC(baseline), both judged on the same rows.

    Both scores get the same random masses, so what they have in common cancels. A pair with an
    unseen row counts −1 in the lower limit (+1 in the upper): the score might misplace exactly the
    rows the baseline gets right. With few positives that is the price of holding the level.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two distinct labels; the larger is positive.
    score, baseline : array-like of shape (n,)
        Neither fitted on these rows.
    level, side, sample_weight, groups, n_draws, random_state
        As for :func:`auc_interval`.
    method : {"dirichlet", "betting"}, default="dirichlet"
        "dirichlet" linearises the difference above 20,000 rows. "betting" is proven for every law
        (theory §12) and takes no weights.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> y = [0, 1] * 300
    >>> auc_gain(y, y, [0] * 600, side="lower")
    Estimate(0.5000, low=0.47..., high=1.0000, level=0.95, side='lower')
    """
    positive, first, weights = _border(y, score, sample_weight, "score")
    second = finite_scores(baseline, positive.size, "baseline")
    one_fold = np.zeros(first.size, dtype=np.intp)
    linear = linear_gain(positive, first, second, weights, one_fold)
    units = dependent(groups, first.size)
    value = _class_mean(linear.values, weights, positive)
    one_of(method, Method, "method")
    if method == "betting":
        refuse_weights(sample_weight is not None)
        bets = gain_bets(positive, first, second, groups=units)
        return bets.estimate(value, level, side, random_state)
    rng = np.random.default_rng(random_state)
    if units is None:
        draws = gain_draws(positive, first, second, weights, one_fold, rng, n_draws)
    else:
        draws = linear.draws(weights, rng, n_draws, units)
    return from_draws(value, draws, (-1.0, 1.0), (-1.0, 1.0), level, side)


def youden_interval(
    y: npt.ArrayLike,
    decision: npt.ArrayLike,
    *,
    level: float = 0.95,
    side: Side = "two-sided",
    method: RateMethod = "dirichlet",
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> Estimate:
    """Confidence bound of TPR − FPR of a rule fixed beforehand (Youden's index).

    No rule exceeds the total variation distance, so the lower limit also bounds TV (theory §8).

    Parameters
    ----------
    y : array-like of shape (n,)
        Two distinct labels; the larger is positive.
    decision : array-like of bool, shape (n,)
        True where the rule says positive.
    level, side, sample_weight, groups, n_draws, random_state
        As for :func:`auc_interval`.
    method : {"dirichlet", "betting", "clopper-pearson"}, default="dirichlet"
        With k of n₊ true and m of n₋ false positives, the quantile of
        Beta(k, n₊ − k + 1) − Beta(m + 1, n₋ − m); bets, which are proven (theory §12) and take no
        weights; or the exact limit of each rate at half the error, which is proven and wider (no
        weights, no groups).

    Returns
    -------
    Estimate

    Examples
    --------
    >>> y, decision = [0] * 100 + [1] * 100, [False] * 90 + [True] * 110
    >>> print(youden_interval(y, decision, side="lower"))
    0.900; at least 0.82... (95 % confidence)
    """
    positive, rule, weights = _border(y, decision, sample_weight, "decision")
    if not np.isin(rule, (0.0, 1.0)).all():
        raise ValueError("`decision` must be true or false in every row: compare a score first.")
    one_of(method, RateMethod, "method")
    correct = np.where(positive, rule, 1 - rule)
    value = _class_mean(correct, weights, positive) + _class_mean(correct, weights, ~positive) - 1
    if method == "clopper-pearson":
        if sample_weight is not None or groups is not None:
            raise ValueError(
                "`method='clopper-pearson'` counts rows and takes neither weights nor groups: "
                "use 'dirichlet'."
            )
        return clopper_pearson(value, correct, positive, level, side)
    units = dependent(groups, rule.size)
    if method == "betting":
        refuse_weights(sample_weight is not None)
        bets = sum_bets(positive, correct, groups=units, shift=-1.0)
        return bets.estimate(value, level, side, random_state)
    rng = np.random.default_rng(random_state)
    draws = sum_draws(positive, correct, weights, rng, n_draws, units).minus(1.0)
    return from_draws(value, draws, (0.0, 1.0), (-1.0, 1.0), level, side)


def _border(
    y: npt.ArrayLike, values: npt.ArrayLike, sample_weight: npt.ArrayLike | None, name: str
) -> tuple[BoolArray, FloatArray, FloatArray]:
    positive, _ = binary_labels(y)
    checked = finite_scores(values, positive.size, name)
    weights = nonnegative_weights(sample_weight, positive.size)
    class_totals(positive, weights)
    return positive, checked, weights


def _class_mean(values: FloatArray, weights: FloatArray, rows: BoolArray) -> float:
    return float(np.average(values[rows], weights=weights[rows]))
