"""Pointwise losses: derivatives, consistency, and behaviour at the far ends (theory §4, §5)."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from rocstar.fitting.losses import LOSSES
from rocstar.fitting.rows import Workspace

H = np.pi / 2


@pytest.mark.parametrize("name", ["tangent", "log"])
def test_derivatives_match_finite_differences(name):
    # Away from the kinks of the second derivative at 0 and π/2.
    u = np.array([-2.0, -0.3, 0.2, 0.7, 1.3, 1.8, 3.0])
    loss, eps = LOSSES[name], 1e-6
    point = loss.pointwise(u, 2)
    ahead, behind = loss.pointwise(u + eps, 1), loss.pointwise(u - eps, 1)
    assert_allclose(point.slope, (ahead.value - behind.value) / (2 * eps), atol=1e-9)
    assert_allclose(point.curvature, (ahead.slope - behind.slope) / (2 * eps), atol=1e-8)


@pytest.mark.parametrize("name", ["tangent", "log"])
def test_first_order_pass_agrees_with_second_order_pass(name):
    u = np.linspace(-3, 4, 50)
    first, second = LOSSES[name].pointwise(u, 1), LOSSES[name].pointwise(u, 2)
    assert first.curvature is None
    assert_allclose(first.value, second.value, rtol=0)
    assert_allclose(first.slope, second.slope, rtol=0)


@pytest.mark.parametrize("name", ["tangent", "log"])
@given(ratio=st.floats(1e-3, 1e3))
def test_the_minimiser_at_a_point_is_the_angle_of_the_ratio(name, ratio):
    # Fisher consistency: p ψ₊(z) + q ψ₋(z) is least where the angle is atan(p/q).
    loss = LOSSES[name]
    p, q = ratio / (1 + ratio), 1 / (1 + ratio)

    def risk(z):
        positive = loss.pointwise(np.array([z]), 1).value[0]
        negative = loss.pointwise(np.array([2 * loss.center - z]), 1).value[0]
        return p * positive + q * negative

    best = minimize_scalar(risk, bounds=(-8, 8), method="bounded", options={"xatol": 1e-10}).x
    assert loss.angle(np.array([best]))[0] == pytest.approx(np.arctan(ratio), abs=1e-4)


def test_tangent_is_convex_and_below_the_true_term():
    loss = LOSSES["tangent"]
    u = np.linspace(-3, 4, 701)
    point = loss.pointwise(u, 2)
    assert np.all(np.diff(point.slope) >= -1e-15)
    assert np.all(np.abs(point.slope) <= 1)
    # −ψ(z) is at most the sine of the clipped angle, so the relaxed objective is a lower bound.
    assert np.all(-point.value <= np.sin(np.clip(u, 0, H)) + 1e-12)


@pytest.mark.parametrize("name", ["tangent", "log"])
def test_term_is_the_sine_of_the_angle(name):
    u = np.linspace(-20, 20, 201)
    loss = LOSSES[name]
    assert_allclose(loss.pointwise(u, 1).term, np.sin(loss.angle(u)), atol=1e-14)


def test_log_ratio_does_not_overflow():
    u = np.array([-1e3, -800.0, -1.0, 0.0, 1.0, 800.0, 1e3])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        point = LOSSES["log"].pointwise(u, 2)
        angle = LOSSES["log"].angle(u)
    for values in (point.value, point.slope, point.curvature, point.term, angle):
        assert np.all(np.isfinite(values))
    assert_allclose(angle[[0, 3, -1]], [0.0, np.pi / 4, H], atol=1e-15)
    assert_allclose(LOSSES["log"].angle(np.array([2.0])), np.arctan(np.exp(2.0)))


@pytest.mark.parametrize("name", LOSSES)
def test_memory_that_is_there_already_changes_nothing(name):
    u = np.linspace(-3, 4, 29)
    fresh = LOSSES[name].pointwise(u, 2)
    memory = Workspace(*np.full((len(Workspace._fields), 29), np.nan))
    written = LOSSES[name].pointwise(u, 2, memory)
    for ours, theirs in zip(written, fresh, strict=True):
        if theirs is not None:
            assert_allclose(ours, theirs, rtol=1e-15)
    # Term, slope and charge are in use at once.
    arrays = [a for a in written if a is not None]
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2))


def test_tangent_at_the_walls():
    point = LOSSES["tangent"].pointwise(np.array([-1.0, 0.0, H, 2.0, 3.0]), 2)
    assert_allclose(point.term, [0, 0, 1, 1, 1], atol=1e-15)
    assert_allclose(point.slope, [-1, -1, 0, 0, 0], atol=1e-15)
    assert_allclose(point.curvature, [0, 0, 1, 0, 0], atol=1e-15)
    assert_allclose(point.charge, [1, 0, 0, 0, 0])
    assert_allclose(LOSSES["tangent"].angle(np.array([-1.0, 1.0, 3.0])), [0, 1, H])


@pytest.mark.parametrize("name", LOSSES)
def test_only_the_second_order_has_curvature(name):
    assert LOSSES[name].pointwise(np.ones(3), 1).curvature is None
    assert LOSSES[name].pointwise(np.ones(3), 0).curvature is None


def test_values_below_inside_and_above_the_box():
    assert_allclose(
        LOSSES["tangent"].pointwise(np.array([-1.0, np.pi / 6, 3.0]), 1).value, [1, -0.5, -1]
    )


def test_the_log_model_neither_overflows_nor_underflows():
    with np.errstate(all="raise"):
        term = LOSSES["log"].pointwise(np.array([-1e3, 0.0, 1e3]), 1).term
    assert_allclose(term, [0.0, np.sqrt(0.5), 1.0], atol=1e-12)
