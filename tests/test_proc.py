"""AUC, DeLong's intervals and ROC points against R's pROC, whose answers are committed.

They are those of pROC 1.18.0. Up to 1.19.0.1 the package's news list no numerical change of
`auc`, `ci.auc`, `var`, `cov` or the paired `roc.test`, and the paired test is the same algebra.
"""

from __future__ import annotations

import numpy as np
import pytest
from data_proc import SHAPES, reference, samples
from numpy.testing import assert_allclose
from scipy.stats import norm

from rocstar import auc_gain, auc_interval, roc_auc, roc_points
from rocstar.inference.pair_masses import linear_auc, linear_gain

SAMPLES = samples()
REFERENCE = reference()["samples"]
pytestmark = pytest.mark.parametrize("name", SHAPES)
close = {"rtol": 1e-11, "atol": 1e-13}  # pROC's numbers have 15 digits, and sums lose a few


def variance(values, positive):
    """DeLong's variance from each row's mean comparison with the other class."""
    return sum(values[rows].var(ddof=1) / rows.sum() for rows in (positive, ~positive))


def linear(sample):
    positive, ones = sample.y == 1, np.ones(sample.y.size)
    one_fold = np.zeros(sample.y.size, dtype=np.intp)
    return [
        linear_auc(positive, sample.score, ones, one_fold).values,
        linear_auc(positive, sample.baseline, ones, one_fold).values,
        linear_gain(positive, sample.score, sample.baseline, ones, one_fold).values,
    ]


def test_the_sample_is_the_one_proc_saw(name):
    n_pos, n_neg = REFERENCE[name]["positives"], REFERENCE[name]["negatives"]
    assert ((SAMPLES[name].y == 1).sum(), (SAMPLES[name].y == 0).sum()) == (n_pos, n_neg)


def test_auc(name):
    y, score, baseline = SAMPLES[name]
    assert_allclose(roc_auc(y, score), REFERENCE[name]["auc"], **close)
    assert_allclose(roc_auc(y, baseline), REFERENCE[name]["auc_baseline"], **close)
    assert_allclose(auc_interval(y, score, method="delong").value, REFERENCE[name]["auc"], **close)


def test_delong_intervals(name):
    """The ends of pROC's 90 % interval are its one-sided 95 % limits."""
    y, score, _ = SAMPLES[name]
    both = auc_interval(y, score, method="delong")
    assert_allclose([both.low, both.high], REFERENCE[name]["ci_95"], **close)
    low = auc_interval(y, score, method="delong", side="lower").low
    high = auc_interval(y, score, method="delong", side="upper").high
    assert_allclose([low, high], REFERENCE[name]["ci_90"], **close)


def test_delong_variance(name):
    """Both from the width of the interval and from the linear values that other bounds use."""
    y, score, _ = SAMPLES[name]
    estimate = auc_interval(y, score, method="delong", side="lower")
    se = (estimate.value - estimate.low) / norm.isf(0.05)
    assert_allclose(se**2, REFERENCE[name]["variance"], rtol=1e-9)
    first, second, _ = linear(SAMPLES[name])
    assert_allclose(variance(first, y == 1), REFERENCE[name]["variance"], **close)
    sums = variance(first + second, y == 1) - variance(first - second, y == 1)
    assert_allclose(sums / 4, REFERENCE[name]["covariance"], **close)


def test_paired_difference(name):
    """DeLong's test and interval of the difference, from the linear form behind `auc_gain`."""
    expected = REFERENCE[name]
    y, score, baseline = SAMPLES[name]
    value = auc_gain(y, score, baseline, n_draws=20).value
    assert_allclose(value, expected["auc"] - expected["auc_baseline"], **close)
    gain = linear(SAMPLES[name])[2]
    assert_allclose([gain[y == 1].mean(), gain[y == 0].mean()], value, **close)
    se = np.sqrt(variance(gain, y == 1))
    z = value / se
    assert_allclose(z, expected["gain_z"], rtol=1e-9)
    assert_allclose(
        value + norm.isf(0.025) * se * np.array([-1, 1]), expected["gain_ci_95"], **close
    )
    tails = [2 * norm.sf(abs(z)), norm.sf(z), norm.cdf(z)]
    names = ("gain_p", "gain_p_greater", "gain_p_less")
    assert_allclose(tails, [expected[key] for key in names], rtol=1e-7)


def test_roc_points_and_partial_auc(name):
    y, score, _ = SAMPLES[name]
    points = roc_points(y, score)
    if "sensitivity" in REFERENCE[name]:
        assert_allclose(points.tpr, REFERENCE[name]["sensitivity"], **close)
        assert_allclose(1 - points.fpr, REFERENCE[name]["specificity"], **close)
    up_to = points.fpr < 0.2
    fpr = np.append(points.fpr[up_to], 0.2)
    edge = np.searchsorted(points.fpr, 0.2)
    height = np.interp(0.2, points.fpr[edge - 1 : edge + 1], points.tpr[edge - 1 : edge + 1])
    area = np.trapezoid(np.append(points.tpr[up_to], height), fpr)
    assert_allclose(area, REFERENCE[name]["partial_auc"], **close)
