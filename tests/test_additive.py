"""Curves along columns: splines that sum to one, and a model that is a sum of curves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

from rocstar.estimators.additive import ColumnCurves, additive_classifier, splines


def test_splines_sum_to_one_and_stay_there_beyond_the_knots():
    knots = np.array([0.0, 1.0, 2.5, 3.0, 7.0])
    basis = splines(np.linspace(-2, 9, 50), knots)
    assert basis.shape == (50, 7)
    assert_allclose(basis.sum(axis=1), 1.0)
    assert_allclose(basis[0], np.eye(7)[0])
    assert_allclose(basis[-1], np.eye(7)[-1])


def test_splines_hold_every_smooth_curve_of_their_knots():
    knots = np.linspace(0, 3, 7)
    x = np.linspace(0, 3, 200)
    curve = CubicSpline(knots, np.sin(3 * knots))(x)
    basis = splines(x, knots)
    found = basis @ np.linalg.lstsq(basis, curve)[0]
    assert_allclose(found, curve, atol=1e-8)


def test_columns_of_few_values_are_lines_alone():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=100), rng.integers(2, size=100), np.ones(100)])
    features = ColumnCurves().fit(X).transform(X)
    assert features.shape == (100, 3 + 8 + 2)
    assert_allclose(features[:, :2].std(axis=0), [1.0, 0.67], atol=0.1)
    assert_allclose(features[:, 2], 0.0)


def test_more_rows_have_more_knots_up_to_a_limit():
    rng = np.random.default_rng(0)
    counts = [ColumnCurves().fit(rng.normal(size=(n, 1))).knots_[0].size for n in (50, 2000, 10**5)]
    assert counts == [8, 15, 20]


def test_far_rows_and_heaps_of_one_value_are_finite():
    X = np.concatenate([np.zeros(90), np.geomspace(1, 1e300, 30)])[:, None]
    curves = ColumnCurves().fit(X[::2])
    assert np.isfinite(curves.transform(X)).all()
    assert np.abs(curves.transform(X)).max() <= 10


def test_a_sum_of_waves_is_learnt():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(3000, 4))
    y = np.sin(2 * X[:, 0]) + np.cos(2 * X[:, 1]) > rng.logistic(scale=0.2, size=3000)
    assert additive_classifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85


def test_missing_values_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="missing"):
        ColumnCurves().fit([[1.0], [np.nan]])
