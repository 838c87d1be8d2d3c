"""Bounds: table values, never violated, attained by the extremal curves, inside the paper's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import brentq, minimize_scalar

from rocstar.bounds import (
    Interval,
    auc_bounds,
    balanced_accuracy_bounds,
    bretagnolle_huber_tv_bounds,
    implied_bounds,
    le_cam_tv_bounds,
    liu_tv_bounds,
    pinsker_tv_bounds,
    tv_bounds,
)
from rocstar.geometry import bounds

ROOT2 = math.sqrt(2)
FROM_LENGTH = [tv_bounds, auc_bounds, balanced_accuracy_bounds, liu_tv_bounds]
OPEN_RANGE = np.linspace(ROOT2, 2, 2002)[1:-1]


# --- truth of discrete pairs; rows of p and q are laws on k points -------------------------------


def arc_length(p, q):
    return np.hypot(p, q).sum(axis=-1)


def total_variation(p, q):
    return np.abs(p - q).sum(axis=-1) / 2


def maximal_auc(p, q):
    """Every pair of points is ranked the better way round, and a point against itself is a tie."""
    cross = p[..., :, None] * q[..., None, :]
    return 0.5 + np.abs(cross - np.swapaxes(cross, -1, -2)).sum(axis=(-2, -1)) / 4


def kl_divergence(p, q):
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / q), 0.0)
    return terms.sum(axis=-1)


def hellinger(p, q):
    return np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=-1) / 2)


def assert_inside(value, interval, slack=1e-12):
    assert np.all(interval.low <= value + slack)
    assert np.all(value <= interval.high + slack)


def assert_no_bound_is_violated(p, q):
    length = np.clip(arc_length(p, q), ROOT2, 2)
    tv = total_variation(p, q)
    assert_inside(tv, tv_bounds(length))
    assert_inside(tv, liu_tv_bounds(length))
    assert_inside((1 + tv) / 2, balanced_accuracy_bounds(length))
    assert_inside(maximal_auc(p, q), auc_bounds(length))
    assert_inside(tv, pinsker_tv_bounds(np.maximum(kl_divergence(p, q), 0)))
    assert_inside(tv, bretagnolle_huber_tv_bounds(np.maximum(kl_divergence(p, q), 0)))
    assert_inside(tv, le_cam_tv_bounds(np.minimum(hellinger(p, q), 1)))


# Eleven pairs per example and 1,000 examples: 11,000 pairs, shrunk to the guilty one on failure.
# Zero counts, so disjoint and partly disjoint laws, and counts far apart are all drawn.
@settings(max_examples=1_000)
@given(
    st.integers(2, 8).flatmap(
        lambda k: hnp.arrays(
            np.int64, (11, 2, k), elements=st.integers(0, 60).map(lambda c: c if c < 50 else c**4)
        )
    )
)
def test_bounds_hold_for_random_discrete_pairs(counts):
    counts = counts.astype(float)
    counts[..., 0] += counts.sum(axis=-1) == 0
    laws = counts / counts.sum(axis=-1, keepdims=True)
    assert_no_bound_is_violated(laws[:, 0], laws[:, 1])


@pytest.mark.parametrize("concentration", [0.05, 0.5, 5.0, 500.0])
@pytest.mark.parametrize("k", [2, 3, 20])
def test_bounds_hold_for_dirichlet_pairs(k, concentration):
    rng = np.random.default_rng(k)
    p, q = rng.dirichlet(np.full(k, concentration), size=(2, 1000))
    assert_no_bound_is_violated(p, q)


# --- theory §9: the table ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "liu", "tv", "auc"),
    [
        (1.45, (0.0326, 0.4500), (0.0611, 0.2264), (0.5569, 0.6314)),
        (1.60, (0.1807, 0.6000), (0.3172, 0.5292), (0.7333, 0.8136)),
        (1.80, (0.4257, 0.8000), (0.6586, 0.7874), (0.8875, 0.9534)),
    ],
)
def test_table(length, liu, tv, auc):
    assert liu_tv_bounds(length) == pytest.approx(liu, abs=5.1e-5)
    assert tv_bounds(length) == pytest.approx(tv, abs=5.1e-5)
    assert auc_bounds(length) == pytest.approx(auc, abs=5.1e-5)
    assert balanced_accuracy_bounds(length) == pytest.approx(
        [(1 + end) / 2 for end in tv], abs=5.1e-5
    )


# --- theory §9: each sharp bound is attained -----------------------------------------------------


@pytest.mark.parametrize("t", [0.0, 1e-6, 0.1, 0.5, 0.9, 1.0])
def test_trapezoid_attains_the_lower_tv_bound(t):
    p, q = np.array([t, 1 - t, 0]), np.array([0, 1 - t, t])
    assert tv_bounds(arc_length(p, q)).low == pytest.approx(t, abs=1e-12)
    assert total_variation(p, q) == pytest.approx(t, abs=1e-12)


@pytest.mark.parametrize("t", [0.0, 1e-3, 0.1, 0.5, 0.9, 1.0])
def test_two_equal_segments_attain_the_upper_tv_bound(t):
    p = np.array([1 + t, 1 - t]) / 2
    # The square root turns one rounding of L near √2 into about 1e-8.
    assert tv_bounds(arc_length(p, p[::-1])).high == pytest.approx(t, abs=3e-8, rel=1e-9)
    assert total_variation(p, p[::-1]) == pytest.approx(t, abs=1e-12)


@pytest.mark.parametrize("y", [0.0, 1e-6, 0.1, 0.5, 0.9, 1.0])
def test_one_vertical_side_attains_the_lower_auc_bound(y):
    p, q = np.array([y, 1 - y]), np.array([0.0, 1.0])
    assert auc_bounds(arc_length(p, q)).low == pytest.approx(maximal_auc(p, q), abs=1e-12)


def circular_arc(theta, pieces):
    """Inscribed polygon of the arc of half-angle θ over the diagonal, as a discrete pair."""
    turn = np.linspace(np.pi / 4 + theta, np.pi / 4 - theta, pieces + 1)
    normal = turn + np.pi / 2
    x, y = np.cos(normal), np.sin(normal)
    return np.diff(y) / (y[-1] - y[0]), np.diff(x) / (x[-1] - x[0])


@pytest.mark.parametrize("theta", [0.01, 0.2, 0.5, np.pi / 4])
def test_circular_arcs_attain_the_upper_auc_bound(theta):
    p, q = circular_arc(theta, 2_000)
    assert p.min() > -1e-15
    assert q.min() > -1e-15
    assert auc_bounds(arc_length(p, q)).high == pytest.approx(maximal_auc(p, q), abs=1e-7)


@pytest.mark.parametrize("side", [0.1, 0.5, 0.9])
def test_rounded_corners_attain_the_upper_auc_bound(side):
    """A quarter circle of radius 1 − side between two straight sides, for L above π/2."""
    p, q = circular_arc(np.pi / 4, 2_000)
    p = np.concatenate([[side], (1 - side) * p, [0]])
    q = np.concatenate([[0], (1 - side) * q, [side]])
    assert arc_length(p, q) > np.pi / 2
    assert auc_bounds(arc_length(p, q)).high == pytest.approx(maximal_auc(p, q), abs=1e-7)


# --- theory §9: shape ----------------------------------------------------------------------------


def test_sharp_bounds_lie_strictly_inside_the_papers():
    sharp, liu = tv_bounds(OPEN_RANGE), liu_tv_bounds(OPEN_RANGE)
    assert np.all(liu.low < sharp.low)
    assert np.all(sharp.low < sharp.high)
    assert np.all(sharp.high < liu.high)


@pytest.mark.parametrize("length", [1.42, 1.5, 1.7, 1.9, 1.999])
def test_the_papers_lower_bound_is_the_maximum_it_states(length):
    def negated(a):
        inner = (length - 2 * math.sqrt(1 - a * a)) / a + math.acos(a) - math.asin(a)
        return -2 / math.pi * inner

    best = minimize_scalar(negated, bounds=(1e-9, 1), method="bounded", options={"xatol": 1e-12})
    assert liu_tv_bounds(length).low == pytest.approx(-best.fun, abs=1e-8)


@pytest.mark.parametrize("bound", FROM_LENGTH, ids=lambda f: f.__name__)
def test_bounds_increase_with_length_and_meet_at_the_ends(bound):
    start = 0.5 if bound in (auc_bounds, balanced_accuracy_bounds) else 0.0
    low, high = bound(np.concatenate([[ROOT2], OPEN_RANGE, [2.0]]))
    assert np.all(np.diff(low) > 0)
    assert np.all(np.diff(high) > 0)
    assert np.all(low <= high)
    assert low[0] == pytest.approx(start, abs=1e-15)
    assert (low[-1], high[-1]) == pytest.approx((1, 1), abs=1e-15)
    if bound is not liu_tv_bounds:  # the paper's upper bound does not vanish with the divergence
        assert high[0] == pytest.approx(start, abs=1e-15)


def test_upper_auc_bound_is_continuous_and_smooth_at_the_quarter_circle():
    step = 1e-6
    left, middle, right = auc_bounds(np.pi / 2 + np.array([-step, 0, step])).high
    assert middle == pytest.approx(np.pi / 4, abs=1e-14)
    assert (right - middle) / step == pytest.approx((middle - left) / step, rel=1e-5)


@pytest.mark.parametrize("length", [1.415, 1.43, 1.5, 1.57])
def test_circular_segment_against_a_root_finder(length):
    theta = brentq(lambda t: t / math.sin(t) - length / ROOT2, 1e-6, 1, xtol=1e-15, rtol=1e-15)
    radius = 1 / (ROOT2 * math.sin(theta))
    area = radius**2 * (theta - math.sin(theta) * math.cos(theta))
    assert auc_bounds(length).high == pytest.approx(0.5 + area, rel=1e-12)


@pytest.mark.parametrize("stretch", [0.0, 1e-15, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4])
def test_upper_auc_bound_near_the_diagonal_follows_its_series(stretch):
    """θ² = 6e − 4.2e² + … and area = θ/3 + 2θ³/45 + …, with L = √2(1 + e)."""
    length = ROOT2 * (1 + stretch)
    e = length / ROOT2 - 1
    theta = math.sqrt(6 * e - 4.2 * e**2)
    area = theta / 3 + 2 * theta**3 / 45
    assert bounds._circular_segment(np.asarray(length)) == pytest.approx(area, rel=1e-7, abs=0)


# --- borders -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", FROM_LENGTH, ids=lambda f: f.__name__)
def test_rounding_past_the_ends_is_clipped(bound):
    assert bound(ROOT2 - 1e-9) == bound(ROOT2)
    assert bound(2 + 1e-9) == bound(2.0)


@pytest.mark.parametrize("bound", FROM_LENGTH, ids=lambda f: f.__name__)
@pytest.mark.parametrize("length", [1.4, 2.01, -1.0, 0.0, np.nan, np.inf, [1.5, 1.3]])
def test_lengths_outside_the_range_are_an_error(bound, length):
    with pytest.raises(ValueError, match=r"^`arc_length` must lie in \[√2, 2\]; got .*: clip an "):
        bound(length)


@pytest.mark.parametrize("bound", FROM_LENGTH, ids=lambda f: f.__name__)
@pytest.mark.parametrize("length", ["1.5", None, 1.5j, [[1.5], [1.6, 1.7]], "long"])
def test_lengths_must_be_numbers(bound, length):
    with pytest.raises(ValueError, match=r"^`arc_length` must "):
        bound(length)


@pytest.mark.parametrize("bound", FROM_LENGTH, ids=lambda f: f.__name__)
def test_vectorised(bound):
    lengths = np.array([[1.42, 1.5, 1.6], [1.7, 1.9, 2.0]])
    low, high = bound(lengths)
    assert low.shape == high.shape == lengths.shape
    for index in np.ndindex(lengths.shape):
        assert bound(float(lengths[index])) == pytest.approx((low[index], high[index]), rel=1e-14)
    assert bound([]).low.shape == (0,)


def test_scalars_give_plain_floats_that_unpack():
    interval = tv_bounds(1.6)
    low, high = interval
    assert isinstance(interval, Interval)
    assert type(low) is type(high) is float
    assert (low, high) == (interval.low, interval.high)


def test_classical_bounds():
    assert pinsker_tv_bounds(0.02) == (0.0, pytest.approx(0.1))
    assert pinsker_tv_bounds(10.0).high == 1.0
    assert bretagnolle_huber_tv_bounds(math.log(2)).high == pytest.approx(math.sqrt(0.5))
    assert bretagnolle_huber_tv_bounds([0.0, np.inf]).high.tolist() == [0.0, 1.0]
    assert pinsker_tv_bounds(np.inf) == (0.0, 1.0)
    assert le_cam_tv_bounds(0.6) == pytest.approx((0.36, 0.6 * math.sqrt(1.64)))
    assert le_cam_tv_bounds(1.0) == (1.0, 1.0)
    # The smaller of the two upper bounds changes once, near KL = 1.6.
    kl = np.array([0.5, 3.0])
    assert np.sign(pinsker_tv_bounds(kl).high - bretagnolle_huber_tv_bounds(kl).high).tolist() == [
        -1,
        1,
    ]


@pytest.mark.parametrize(
    ("bound", "value", "sentence"),
    [
        (pinsker_tv_bounds, -0.1, "^`kl` must be non-negative; got -0.1"),
        (bretagnolle_huber_tv_bounds, np.nan, "^`kl` must be non-negative; got nan"),
        (bretagnolle_huber_tv_bounds, "x", "^`kl` must be a real number or an array of them"),
        (le_cam_tv_bounds, 1.2, r"^`hellinger` must lie in \[0, 1\]; got 1.2"),
        (le_cam_tv_bounds, -0.2, r"^`hellinger` must lie in \[0, 1\]; got -0.2"),
    ],
)
def test_classical_bounds_reject_impossible_divergences(bound, value, sentence):
    with pytest.raises(ValueError, match=sentence):
        bound(value)


# --- what three lower bounds imply of each other -------------------------------------------------


@pytest.mark.parametrize("concentration", [0.05, 0.3, 1.0])
def test_implied_bounds_hold_for_random_laws(concentration):
    """Each truth alone, the other two trivial, never implies more than is true."""
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.full(6, concentration), (2, 400))
    for truth in zip(arc_length(p, q), maximal_auc(p, q), total_variation(p, q), strict=True):
        truth = np.clip(truth, (ROOT2, 0.5, 0.0), (2.0, 1.0, 1.0))
        for which in range(3):
            known = [ROOT2, 0.5, 0.0]
            known[which] = truth[which]
            assert np.all(implied_bounds(*known) <= truth + 1e-9)


@given(st.floats(ROOT2, 2), st.floats(0.5, 1), st.floats(0, 1))
def test_implied_bounds_are_closed(length, auc, tv):
    once = implied_bounds(length, auc, tv)
    assert all(a >= b for a, b in zip(once, (length, auc, tv), strict=True))
    np.testing.assert_allclose(implied_bounds(*once), once, atol=1e-7)


@pytest.mark.parametrize("t", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_implied_bounds_are_attained(t):
    """Straight up, along the diagonal's parallel, straight on; two segments of equal length."""
    area = 1 - (1 - t) ** 2 / 2
    assert implied_bounds(ROOT2, area, 0.0)[2] == pytest.approx(t, abs=1e-9)
    assert implied_bounds(ROOT2, 0.5, t)[0] == pytest.approx(
        2 * math.hypot((1 - t) / 2, (1 + t) / 2)
    )
    assert implied_bounds(ROOT2, 0.5, t)[1] == (1 + t) / 2


@pytest.mark.parametrize("length", [1.42, 1.5, math.pi / 2, 1.7, 1.99])
def test_implied_length_inverts_the_upper_auc_bound(length):
    assert implied_bounds(ROOT2, auc_bounds(length).high, 0.0)[0] == pytest.approx(length, abs=1e-9)
