"""Confidence bounds against exact binomial limits and their own laws."""

from __future__ import annotations

import inspect
import time
import tracemalloc

import numpy as np
import pytest
from data_scores import sample
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import beta

from rocstar import (
    arc_length_interval,
    auc_gain,
    auc_interval,
    mean_interval,
    roc_auc,
    youden_interval,
)

LABELS = np.arange(40) % 2

SCORES = np.random.default_rng(8).normal(size=40) + LABELS


def test_mean_bound_of_zeros_and_ones_is_clopper_pearson():
    values = np.repeat([1.0, 0.0], [17, 3])
    low = mean_interval(values, side="lower", n_draws=40_000).low
    high = mean_interval(values, side="upper", n_draws=40_000).high
    assert_allclose(low, beta.ppf(0.05, 17, 4), atol=4e-3)
    assert_allclose(high, beta.isf(0.05, 18, 3), atol=4e-3)


@pytest.mark.parametrize("n_pos", [10, 24])
def test_perfect_ranking_reaches_the_best_possible_bound(n_pos):
    y = np.repeat([1, 0], [n_pos, 2000])
    low = auc_interval(y, y, side="lower", n_draws=20_000).low
    limit = 0.05 ** (1 / n_pos)
    assert limit - 0.012 < low < limit + 0.004


def test_youden_methods():
    y = np.repeat([1, 0], [40, 60])
    decision = np.concatenate([np.arange(40) < 33, np.arange(60) < 9])
    default = youden_interval(y, decision, side="lower", n_draws=40_000)
    rng = np.random.default_rng(0)
    plain = rng.beta(33, 8, 200_000) - rng.beta(10, 51, 200_000)
    assert_allclose(default.low, np.quantile(plain, 0.05), atol=5e-3)
    exact = youden_interval(y, decision, side="lower", method="clopper-pearson")
    expected = beta.ppf(0.025, 33, 8) - beta.isf(0.025, 10, 51)
    assert_allclose(exact.low, expected)
    assert exact.low < default.low < default.value == exact.value


def test_constant_scores_are_worth_one_half_at_most():
    estimate = auc_interval([0, 1] * 50, np.zeros(100))
    assert estimate.value == 0.5
    assert 0.4 < estimate.low < 0.5 < estimate.high < 0.6


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(2, 30), st.integers(0, 2))
def test_auc_limits_obey_their_symmetries(seed, n_pos, n_neg, decimals):
    y, score = sample(n_pos, n_neg, decimals=decimals, seed=seed)
    two = auc_interval(y, score, n_draws=500)
    assert 0 <= two.low <= two.value <= two.high <= 1
    assert two.low <= auc_interval(y, score, side="lower", n_draws=500).low
    flipped = auc_interval(y, -score, n_draws=500)
    assert_allclose(flipped.value, 1 - two.value, atol=1e-12)
    stretched = auc_interval(y, 3 * score - 7, n_draws=500)
    assert_allclose([stretched.low, stretched.high], [two.low, two.high], atol=1e-12)


def test_upper_limit_mirrors_the_lower_one():
    y, score = sample(30, 30)
    high = auc_interval(y, score, side="upper", n_draws=20_000).high
    low = auc_interval(y, -score, side="lower", n_draws=20_000).low
    assert_allclose(high, 1 - low, atol=6e-3)


def test_weights_scale_freely_and_move_the_value_as_repetition_does():
    y, score = sample(20, 40)
    weights = np.random.default_rng(0).integers(1, 4, y.size)
    weighted = auc_interval(y, score, sample_weight=weights)
    scaled = auc_interval(y, score, sample_weight=2.5 * weights)
    assert_allclose([weighted.low, weighted.high], [scaled.low, scaled.high])
    repeated = auc_interval(np.repeat(y, weights), np.repeat(score, weights))
    assert_allclose(weighted.value, repeated.value)
    assert weighted.low < repeated.low  # copies would claim rows that were never observed
    ones = auc_interval(y, score, sample_weight=np.full(y.size, 3.0))
    assert_allclose(ones.low, auc_interval(y, score).low, atol=0.02)


def test_zero_weight_is_absence():
    y, score = sample(20, 40)
    weights = np.ones(y.size)
    weights[[0, 1, 30]] = 0
    kept = weights > 0
    weighted, dropped = (
        auc_interval(y, score, sample_weight=weights),
        auc_interval(y[kept], score[kept]),
    )
    assert_allclose(
        [weighted.value, weighted.low, weighted.high], [dropped.value, dropped.low, dropped.high]
    )


def test_groups_are_the_units():
    y, score = sample(60, 60)
    repeated = np.repeat(np.arange(y.size), 5)
    naive = auc_interval(y[repeated], score[repeated])
    grouped = auc_interval(y[repeated], score[repeated], groups=repeated)
    single = auc_interval(y, score)
    assert_allclose([grouped.low, grouped.high], [single.low, single.high], atol=0.015)
    assert naive.low > grouped.low + 0.02
    lengths = [arc_length_interval(y, np.full(y.size, 0.8), groups=g) for g in (y, None)]
    assert lengths[0].low < lengths[1].low


def test_gain_cancels_what_scores_share():
    y, score = sample(150, 150)
    noise = np.random.default_rng(5).normal(size=y.size)
    worse = score + 0.8 * noise
    paired = auc_gain(y, score, worse, side="lower")
    apart = auc_interval(y, score, side="lower").low - auc_interval(y, worse, side="upper").high
    assert paired.low > apart + 0.02
    assert_allclose(paired.value, roc_auc(y, score) - roc_auc(y, worse), atol=1e-12)
    same = auc_gain(y, score, score)
    assert same.value == 0
    assert same.low < 0 < same.high


def test_angles_of_single_precision_are_angles():
    """Its π/2 lies above that of double precision; models of float32 rows predict it."""
    y, angle = [0, 0, 1, 1], np.array([0, 0, np.pi / 2, np.pi / 2], dtype=np.float32)
    assert float(angle.max()) > np.pi / 2
    assert arc_length_interval(y, angle) == arc_length_interval(y, [0, 0, np.pi / 2, np.pi / 2])


def test_arc_length_bound_is_below_j_and_uses_both_classes():
    y = np.repeat([1, 0], [30, 300])
    angle = np.where(y == 1, 1.4, 0.1)
    estimate = arc_length_interval(y, angle, side="lower")
    assert_allclose(estimate.value, np.sin(1.4) + np.cos(0.1))
    few, many = 0.05 ** (1 / 30) * np.sin(1.4), np.cos(0.1)
    assert few + many - 0.03 < estimate.low < few + many + 0.01


def test_many_rows_take_a_fraction_of_a_second():
    y, score = sample(5000, 5000)
    start = time.process_time()
    auc_interval(y, score, n_draws=2000)
    assert time.process_time() - start < 1.0
    y, score = sample(100_000, 100_000)
    start = time.process_time()
    auc_gain(y, score, score + 1.0 * y, n_draws=2000)
    assert time.process_time() - start < 5.0


Y = [0, 1, 0, 1]

BAD = [
    (lambda: auc_interval(Y, [1, 2, np.nan, 3]), "`score` must be finite; got nan in row 2"),
    (lambda: auc_interval(Y, [1, 2, 3]), "one value for each of the 4 labels"),
    (lambda: auc_interval([1, 1], [1, 2]), "must hold at least two classes"),
    (lambda: auc_interval(Y, Y, level=95), "`level` must lie strictly between 0 and 1; got 95"),
    (lambda: auc_interval(Y, Y, side="both"), "`side` must be one of 'two-sided'"),
    (lambda: auc_interval(Y, Y, method="wald"), "`method` must be one of 'dirichlet'"),
    (lambda: auc_interval([0, 1, 1], [1, 2, 3], method="delong"), "two rows of each class"),
    (lambda: auc_interval(Y, Y, sample_weight=[0, 1, 0, 1]), "negative class has none"),
    (lambda: auc_gain(Y, Y, [1, 2, 3, np.inf]), "`baseline` must be finite"),
    (lambda: arc_length_interval(Y, [0, 1, 2, 3]), r"`angle` must lie in \[0, π/2\]"),
    (lambda: youden_interval(Y, [0.2, 1, 0, 1]), "`decision` must be true or false"),
    (
        lambda: youden_interval(Y, Y, method="clopper-pearson", sample_weight=[1] * 4),
        "takes neither weights nor groups",
    ),
    (lambda: mean_interval([0.5, 2.0]), r"must lie in the support \[0, 1\]; got 0.5 to 2"),
    (lambda: mean_interval([]), "at least one row"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_refused_in_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_every_interval_is_two_sided_by_default():
    for call in (mean_interval, arc_length_interval, auc_interval, auc_gain, youden_interval):
        assert inspect.signature(call).parameters["side"].default == "two-sided"


def test_options_of_intervals_are_named():
    with pytest.raises(TypeError, match="positional"):
        youden_interval([0, 1], [False, True], 0.9)


def test_one_value_of_many_weights():
    rng = np.random.default_rng(0)
    y, angle = np.arange(4000) % 2, np.full(4000, np.pi / 4)
    found = arc_length_interval(y, angle, side="lower", sample_weight=rng.uniform(1, 2, 4000))
    assert_allclose([found.low, found.value], np.sqrt(2), atol=0.02)


def test_rows_of_nearly_all_the_weight():
    rng = np.random.default_rng(3)
    y, score = rng.permutation(np.repeat([0, 1], 20)), np.round(rng.normal(size=40))
    weight = 10.0 ** rng.uniform(-9, 11, 40)
    found = auc_interval(y, score, sample_weight=weight, level=0.5, n_draws=200)
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize(
    ("call", "limits"),
    [
        (lambda side: arc_length_interval(LABELS, np.full(40, 0.8), side=side), (0, 2)),
        (lambda side: auc_interval(LABELS, SCORES, side=side), (0, 1)),
        (lambda side: auc_gain(LABELS, SCORES, -SCORES, side=side), (-1, 1)),
        (lambda side: youden_interval(LABELS, SCORES > 0, side=side), (-1, 1)),
        (lambda side: auc_interval(LABELS, SCORES, side=side, method="delong"), (0, 1)),
        (lambda side: auc_interval(LABELS, SCORES, side=side, method="delong-logit"), (0, 1)),
    ],
)
def test_the_other_end_of_a_one_sided_bound_is_that_of_the_range(call, limits):
    lower, upper, both = call("lower"), call("upper"), call("two-sided")
    assert lower.high == limits[1]
    assert upper.low == limits[0]
    assert lower.value == upper.value == both.value
    # Half the error at each end: wider than either bound, and both of use.
    assert limits[0] < both.low < lower.low < both.value < upper.high < both.high < limits[1]
    with pytest.raises(AttributeError):
        both.low = 0.0


def test_youden_is_both_rates_less_one():
    y = np.repeat([1, 0], [10, 20])
    decision = np.concatenate([np.arange(10) < 3, np.arange(20) < 5])
    assert youden_interval(y, decision).value == pytest.approx(0.3 + 0.75 - 1)
    same = youden_interval(y, decision, method="clopper-pearson", side="two-sided", level=0.9)
    rates = [(3, 10), (15, 20)]
    low = sum(beta.ppf(0.025, k, n - k + 1) for k, n in rates) - 1
    high = sum(beta.isf(0.025, k + 1, n - k) for k, n in rates) - 1
    assert_allclose([same.low, same.high], [low, high])


def test_many_groups_need_little_memory():
    n = 60_000
    y, score = np.arange(n) % 2, np.random.default_rng(0).normal(size=n)
    tracemalloc.start()
    auc_interval(y, score, groups=np.arange(n) // 2, n_draws=1000)
    assert tracemalloc.get_traced_memory()[1] < 1e8  # 30,000 groups × 1,000 draws are 2.4e8 bytes
    tracemalloc.stop()
