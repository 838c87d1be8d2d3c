"""Measures of ROC*: exact on laws, against closed forms and against fine polygons."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from test_measures import INSTANCES

from rocstar import laws
from rocstar.laws.measured import SmoothCurve, star_curve
from rocstar.measures import (
    Accuracy,
    Epsilon,
    HockeyStick,
    PartialAuc,
    Precision,
    RocAuc,
    TotalVariation,
    Tpr,
)

GAUSSIAN = laws.GaussianPair(1.5)
SMOOTH = {
    "gaussian": GAUSSIAN,
    "scale": laws.GaussianPair(0.0, 0.0, 1.0, 9.0),  # two rows of each ratio
    "bimodal": laws.GaussianMixturePair([-2.0, 2.0], [0.0]),
    "heavy tails": laws.suite()["student-1d"],
}


@pytest.mark.parametrize("name", SMOOTH)
def test_measures_of_laws_agree_with_fine_polygons(name):
    """A polygon through points of ROC* lies below it, and by little."""
    law = SMOOTH[name]
    polygon = law.roc_star(4001)
    for measure in INSTANCES:
        exact, near = law.measure(measure), measure(*polygon)
        sign = 1 if measure.greater_is_better else -1
        assert sign * near <= sign * exact + 1e-9, measure
        assert exact == pytest.approx(near, abs=5e-4, rel=5e-3), measure


def test_closed_forms_of_normal_laws():
    """Two normal laws 1.5 apart: the best set is a half-line for every ratio."""
    gamma = 2.5
    cut = np.log(gamma) / 1.5 + 0.75
    exact = norm.sf(cut - 1.5) - gamma * norm.sf(cut)
    assert GAUSSIAN.measure(HockeyStick(gamma)) == pytest.approx(exact, abs=1e-13)
    assert GAUSSIAN.measure(RocAuc()) == pytest.approx(norm.cdf(1.5 / np.sqrt(2)), abs=1e-12)
    assert GAUSSIAN.measure(TotalVariation()) == pytest.approx(GAUSSIAN.tv, abs=1e-12)
    assert GAUSSIAN.measure(Accuracy(0.5)) == pytest.approx((1 + GAUSSIAN.tv) / 2, abs=1e-12)
    assert GAUSSIAN.measure(Tpr(0.01)) == pytest.approx(norm.sf(norm.isf(0.01) - 1.5), abs=1e-12)
    rate = norm.sf(norm.isf(0.8) + 1.5)
    precision = 0.08 / (0.08 + 0.9 * rate)
    assert GAUSSIAN.measure(Precision(0.8, 0.1)) == pytest.approx(precision, abs=1e-12)
    epsilon = GAUSSIAN.measure(Epsilon(0.05))
    # δ(ε) is the hockey-stick divergence at e^ε.
    assert GAUSSIAN.measure(HockeyStick(np.exp(epsilon))) == pytest.approx(0.05, abs=1e-10)


def test_the_partial_area_by_a_fine_sum():
    z = np.linspace(norm.isf(0.05), 12, 200_001)
    area = np.trapezoid(norm.sf(z - 1.5) * norm.pdf(z), z)
    scaled = 0.5 * (1 + (area - 0.05**2 / 2) / (0.05 - 0.05**2 / 2))
    assert GAUSSIAN.measure(PartialAuc(0.05)) == pytest.approx(scaled, abs=1e-8)


def test_finite_laws_are_polygons_and_exact():
    law = laws.DiscretePair([0.9, 0.1], [0.1, 0.9])
    for measure in INSTANCES:
        assert law.measure(measure) == measure([0, 0.1, 1], [0, 0.9, 1])
    assert law.measure(Epsilon(0.0)) == pytest.approx(np.log(9))


def test_disjoint_and_identical_laws():
    apart, same = laws.UniformPair((0, 1), (2, 3)), laws.GaussianPair(0.0, 0.0)
    for measure in INSTANCES:
        assert apart.measure(measure) == measure([0, 0, 1], [0, 1, 1])
        assert same.measure(measure) == pytest.approx(measure([0, 1], [0, 1]), abs=1e-12)


def test_an_unbounded_ratio_has_no_pure_epsilon():
    with pytest.raises(ValueError, match="must have a positive `delta`"):
        GAUSSIAN.measure(Epsilon(0.0))


def test_the_ends_of_a_smooth_curve():
    curve = star_curve(GAUSSIAN.ratio_law)
    assert isinstance(curve, SmoothCurve)
    assert (curve.rate(0.0), curve.rate(1.0)) == (0.0, 1.0)
    assert curve.reach(1e12) == pytest.approx(0.0, abs=1e-6)
    assert curve.height(curve.rate(0.3)) == pytest.approx(0.3, abs=1e-12)
