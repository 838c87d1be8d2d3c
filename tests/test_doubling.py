"""`rocstar.audits.doubling`: what twice the rows would add, from AUCs of fewer rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rocstar.audits.doubling import doubling_gain, more_rows
from rocstar.inference.estimate import Estimate

SHARES = np.array([0.125, 0.25, 0.5, 1.0])
MANY = 10**9


def curve(gain, exponent, last=0.8):
    """AUCs on a power law whose next doubling adds ``gain``."""
    return last - gain * (SHARES**-exponent - 1) / (1 - 2.0**-exponent)


def rows_error(error):
    """Covariance of AUCs, judged on the same rows, whose differences have about this error."""
    return error**2 / 2 * np.eye(4) + 0.02**2


def test_the_gain_of_a_clean_curve_is_within_its_interval():
    for exponent in (0.3, 0.6, 1.0):
        found = doubling_gain(SHARES, curve(0.01, exponent), rows_error(1e-4), folds=5, fewest=MANY)
        assert 0 < found.low < 0.01 < found.high
        assert found.value == pytest.approx(0.01, rel=0.5)


def test_gains_scale_with_the_curve_whatever_its_height():
    one = doubling_gain(SHARES, curve(0.01, 0.5), rows_error(0.004), folds=5, fewest=MANY)
    aucs, covariance = curve(0.03, 0.5, last=0.9), 9 * rows_error(0.004)
    three = doubling_gain(SHARES, aucs, covariance, folds=5, fewest=MANY)
    assert_allclose(
        [three.low, three.value, three.high], 3 * np.array([one.low, one.value, one.high])
    )


def test_more_folds_and_surer_rows_narrow_the_interval():
    def width(error, folds):
        aucs, covariance = curve(0.01, 0.5), rows_error(error)
        found = doubling_gain(SHARES, aucs, covariance, folds=folds, fewest=MANY)
        return found.high - found.low

    assert width(0.002, 5) < width(0.002, 1) < width(0.01, 1)


def test_few_rows_without_a_visible_error_have_one_nevertheless():
    aucs, none = np.ones(4), np.zeros((4, 4))
    few, many = (doubling_gain(SHARES, aucs, none, folds=5, fewest=n) for n in (30, 3000))
    assert few.high > 0.002 > 0.0002 > many.high > 0


def test_nine_of_ten_intervals_hold_the_truth():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(60):
        gain, exponent, error = 10 ** rng.uniform(-3, -1.5), rng.uniform(0.2, 1.1), 0.004
        training = 0.3 * gain * SHARES**-exponent * rng.standard_normal(4)
        covariance = rows_error(error)
        aucs = rng.multivariate_normal(curve(gain, exponent) + training, covariance)
        found = doubling_gain(SHARES, aucs, covariance, folds=5, fewest=MANY)
        held.append(found.low <= gain <= found.high)
    assert np.mean(held) >= 0.85


@pytest.mark.parametrize(
    ("ends", "verdict", "said"),
    [
        ((0.0063, 0.0179), "helps", "by about 0.012 (0.006 to 0.018, 90 % confidence)"),
        ((-0.02, 0.0039), "little", "by at most 0.004 (95 % confidence)"),
        ((-0.02, -0.001), "little", "by at most 0.000 (95 % confidence)"),
        ((-0.0101, 0.03), "cannot tell", "between −0.011 and 0.030 (90 % confidence)"),
        ((0.0004, 0.03), "cannot tell", "between 0.000 and 0.030 (90 % confidence)"),
    ],
)
def test_verdicts_and_sentences(ends, verdict, said):
    entry = more_rows(Estimate(np.mean(ends), *ends, 0.9, "two-sided"))
    assert entry["verdict"] == verdict
    assert said in entry["sentence"]
    assert entry["factor"] == 2
