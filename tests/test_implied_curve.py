"""The curve that ratios imply: its figures, its scales, and what many or equal rows make of it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rocstar import auc_bounds, laws, tv_bounds
from rocstar.inference import point_estimates as module
from rocstar.inference.held_out import of_one_part
from rocstar.inference.point_estimates import implied_curve


def held(law, n, random_state=0):
    X, y = law.sample(n, n, random_state=random_state)
    angle = law.angle(X)
    return of_one_part(y == 1, angle, angle, np.ones(2 * n), None)


@pytest.mark.parametrize("name", ["gaussian-10d", "bimodal-1d", "sparse-1d", "correlation-10d"])
def test_true_ratios_imply_the_true_curve(name):
    law = laws.suite()[name]
    found = implied_curve(held(law, 20_000)).figures(1.0)
    assert_allclose(found, (law.arc_length, law.auc, law.tv), atol=0.01)


def test_scales_give_back_length_and_area():
    curve = implied_curve(held(laws.GaussianPair.shifted(0.5, 2), 300))
    for length in (1.4143, 1.43, 1.6, 1.95):
        found = curve.figures(curve.scale_of_length(length))
        assert found.arc_length == pytest.approx(length, abs=1e-7)
        assert auc_bounds(length).low < found.auc < auc_bounds(length).high
        assert tv_bounds(length).low < found.youden < tv_bounds(length).high
    for auc in (0.501, 0.6, 0.9, 0.999):
        assert curve.figures(curve.scale_of_auc(auc)).auc == pytest.approx(auc, abs=1e-7)


def test_no_difference_is_the_diagonal():
    curve = implied_curve(held(laws.GaussianPair.shifted(1.0), 50))
    assert curve.scale_of_length(np.sqrt(2)) == 0
    assert curve.scale_of_auc(0.5) == 0
    assert_allclose(curve.figures(0.0), (np.sqrt(2), 0.5, 0.0), atol=1e-12)


def test_ratios_that_are_all_equal_stay_on_the_diagonal():
    y = np.arange(20) % 2 == 0
    flat = np.full(20, 0.7)
    curve = implied_curve(of_one_part(y, flat, flat, np.ones(20), None))
    largest = np.exp(module.LOG_SCALES[1])
    assert curve.scale_of_length(1.7) == curve.scale_of_auc(0.9) == pytest.approx(largest)
    assert_allclose(curve.figures(largest), (np.sqrt(2), 0.5, 0.0), atol=1e-12)


def test_infinite_ratios_are_those_that_rows_can_show():
    y = np.arange(40) % 2 == 0
    angle = np.where(y, np.pi / 2, 0.0)
    curve = implied_curve(of_one_part(y, angle, angle, np.ones(40), None))
    assert_allclose(curve.log_ratio[[0, -1]], [-np.log(21), np.log(21)])


def test_many_rows_share_steps(monkeypatch):
    rows = held(laws.GaussianPair.shifted(1.0, 3), 1000)
    full = implied_curve(rows).figures(1.0)
    monkeypatch.setattr(module, "MOST_STEPS", 300)
    few = implied_curve(rows)
    assert few.mass.size == 300
    assert_allclose(few.figures(1.0), full, atol=1e-3)


def test_integer_weights_are_repetitions():
    y = np.array([True, True, False, False, True])
    angle = np.array([1.2, 0.8, 0.3, 0.9, 0.7])
    weights = np.array([2.0, 1.0, 3.0, 1.0, 1.0])
    again = np.repeat(np.arange(5), weights.astype(int))
    once = implied_curve(of_one_part(y, angle, angle, weights, None))
    repeated = of_one_part(y[again], angle[again], angle[again], np.ones(again.size), None)
    assert_allclose(once.figures(1.3), implied_curve(repeated).figures(1.3), atol=1e-12)
