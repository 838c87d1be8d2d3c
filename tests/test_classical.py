"""DeLong's and Clopper–Pearson's limits."""

from __future__ import annotations

import numpy as np
import pytest
from data_scores import sample
from numpy.testing import assert_allclose
from scipy.stats import norm

from rocstar import (
    auc_interval,
    roc_auc,
    youden_interval,
)

LABELS = np.arange(40) % 2

SCORES = np.random.default_rng(8).normal(size=40) + LABELS


def comparisons(y, score):
    up, down = score[y][:, None], score[~y]
    return (up > down) + 0.5 * (up == down)


def delong_variance(y, score):
    """Variance of the AUC by its definition over all pairs."""
    kernel = comparisons(y, score)
    v10, v01 = kernel.mean(axis=1), kernel.mean(axis=0)
    return v10.var(ddof=1) / v10.size + v01.var(ddof=1) / v01.size


def test_delong_intervals():
    y, score = sample(30, 50, decimals=1)
    value, se = roc_auc(y, score), np.sqrt(delong_variance(y, score))
    wald = auc_interval(y, score, method="delong")
    z = norm.isf(0.025)
    assert_allclose([wald.low, wald.value], [value - z * se, value], rtol=1e-10)
    logit = auc_interval(y, score, method="delong-logit", side="lower")
    center = np.log(value / (1 - value)) - norm.isf(0.05) * se / (value * (1 - value))
    assert_allclose(logit.low, 1 / (1 + np.exp(-center)), rtol=1e-10)


@pytest.mark.parametrize("score", [np.zeros(20), np.repeat([0.0, 1.0], 10)])
def test_delong_without_width_warns(score):
    y = np.repeat([0, 1], 10)
    with pytest.warns(RuntimeWarning, match="use method='dirichlet'"):
        auc_interval(y, score, method="delong")


def test_exact_limits_of_both_rates_on_both_sides():
    """SciPy's exact limits of each rate, at half the error of each side."""
    from scipy.stats import binomtest

    y = np.repeat([1, 0], [12, 20])
    decision = np.r_[np.arange(12) < 9, np.arange(20) < 3]
    found = youden_interval(y, decision, side="two-sided", level=0.9, method="clopper-pearson")
    rates = [binomtest(9, 12), binomtest(17, 20)]
    limits = [rate.proportion_ci(0.95, method="exact") for rate in rates]
    assert_allclose(found.low, sum(limit.low for limit in limits) - 1)
    assert_allclose(found.high, sum(limit.high for limit in limits) - 1)


def test_logit_interval_by_hand():
    plain, bent = (
        auc_interval(LABELS, SCORES, method=method, side="two-sided")
        for method in ("delong", "delong-logit")
    )
    se = (plain.high - plain.low) / (2 * norm.isf(0.025))
    slope = plain.value * (1 - plain.value)
    ends = (
        np.log(plain.value / (1 - plain.value)) + np.array([-1, 1]) * norm.isf(0.025) * se / slope
    )
    assert_allclose([bent.low, bent.high], 1 / (1 + np.exp(-ends)))


def test_exact_limits_of_rates_of_one():
    y = np.arange(600) % 2
    found = youden_interval(y, y == 1, method="clopper-pearson", side="two-sided")
    assert found.high == 1.0
    assert_allclose(found.low, 2 * 0.0125 ** (1 / 300) - 1)


def test_delong_adds_groups_up_before_they_are_squared():
    """Beside a delete-one-group jackknife of the AUC, which knows nothing of placements."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 60, 600)
    y = (rng.random(600) < 0.4).astype(int)
    score = rng.normal(1, 2, 60)[groups] * y + rng.normal(size=600)
    left_out = [roc_auc(y[groups != g], score[groups != g]) for g in range(60)]
    jackknife = np.sqrt(59 / 60 * np.sum((left_out - np.mean(left_out)) ** 2))
    found = auc_interval(y, score, method="delong", groups=groups)
    width = (found.high - found.low) / (2 * norm.isf(0.025))
    assert_allclose(width, jackknife, rtol=0.05)
    alone = auc_interval(y, score, method="delong")
    assert found.high - found.low > 1.3 * (alone.high - alone.low)
    single = auc_interval(y, score, method="delong", groups=np.arange(600))
    assert single == alone


def test_delong_takes_no_unequal_weights():
    weights = np.where(np.arange(40) % 3, 1.0, 2.0)
    with pytest.raises(ValueError, match="takes no unequal weights"):
        auc_interval(np.arange(40) % 2, np.arange(40), method="delong", sample_weight=weights)
    # Weights that differ between the classes only are no weights at all.
    y = np.arange(40) % 2
    plain = auc_interval(y, np.arange(40), method="delong")
    assert auc_interval(y, np.arange(40), method="delong", sample_weight=1.0 + y) == plain
