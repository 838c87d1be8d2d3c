"""Bounds of means: coverage by simulation, tightness against the normal quantile."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.watching.means import Average, RunningMean, upper_mean


def test_upper_mean_covers_and_is_tight():
    rng = np.random.default_rng(0)
    levels, n, share = np.array([0.0, 1.0]), 400, 0.3
    found = np.array(
        [
            upper_mean(levels, np.array([n - k, k], dtype=float), 0.21, 0.05)
            for k in rng.binomial(n, share, size=1000)
        ]
    )
    missed = (found < share).mean()
    assert missed <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 1000)
    # Chernoff's bound: sqrt(2 log 20) standard errors rather than 1.64.
    assert np.median(found) - share < 1.1 * np.sqrt(2 * np.log(20) * 0.21 / n)


def test_upper_mean_holds_for_rows_of_different_laws():
    """Half of the rows always one, half always zero: no deviation at all."""
    assert upper_mean(np.array([0.0, 1.0]), np.array([50.0, 50.0]), 0.25, 0.05) >= 0.5


def test_upper_mean_of_few_rows_is_trivial():
    assert upper_mean(np.array([0.5]), np.array([1.0]), 0.1, 1e-6) == 1.0


@pytest.mark.parametrize("side", [1, -1])
def test_margin_of_the_average_holds_at_all_times_though_the_mean_changes(side):
    rng = np.random.default_rng(1)
    levels, missed, n_streams = np.array([0.0, 0.5, 1.0]), 0, 200
    means = 0.4 + 0.2 * np.sin(np.arange(60))
    for _ in range(n_streams):
        running, truth, failed = RunningMean(), 0.0, False
        for mean in means:
            counts = rng.multinomial(20, [0.8 - mean, 0.4, mean - 0.2]).astype(float)
            running.update(levels, counts)
            truth += 20 * mean
            gap = side * (running.total - truth) / running.n
            failed |= gap > running.margin(0.05)
        missed += failed
    assert missed / n_streams <= 0.05


def test_margin_shrinks_with_the_square_root():
    running, margins = RunningMean(), []
    for _ in range(4):
        running.update(np.array([0.0, 1.0]), np.array([2500.0, 2500.0]))
        margins.append(running.margin(0.05))
    assert margins[3] < 0.62 * margins[0]
    assert margins[3] < 2.1 * 1.96 * 0.5 / np.sqrt(20_000)


def test_nothing_is_known_before_the_first_row():
    running = RunningMean()
    running.update(np.array([0.5]), np.zeros(1))
    assert running.margin(0.05) == 1.0


@pytest.mark.parametrize(
    "means",
    [np.full(20, 0.8), np.full(20, 0.995), np.tile([0.4, 0.8], 10), np.repeat([0.9, 0.1], 10)],
    ids=["constant", "near one", "alternating", "falling"],
)
def test_limits_of_an_average_hold_at_all_times_however_the_means_change(means):
    rng = np.random.default_rng(2)
    truth, missed, n_streams = np.cumsum(means) / np.arange(1, 21), np.zeros(2), 100
    for _ in range(n_streams):
        average, failed = Average(0.8), np.zeros(2, dtype=bool)
        for mean, true in zip(means, truth, strict=True):
            average.update((rng.random(10) < mean).astype(float))
            low, high = average.limits(0.05)
            failed |= [low > true, high < true]
        missed += failed
    assert missed.max() <= 12  # of 100 at 5 %: more have probability 0.001


def test_limits_of_an_average_are_tight():
    """Four standard errors on either side, where 2.1 would do for a single time."""
    rng = np.random.default_rng(3)
    for mean, error in ((0.8, 0.4), (0.95, 0.22)):
        average = Average(0.5)
        average.update((rng.random(2000) < mean).astype(float))
        low, high = average.limits(0.016)
        assert low < mean < high
        assert high - low < 8 * error / np.sqrt(2000)


def test_an_average_does_not_depend_on_deliveries_beyond_its_guesses():
    values = np.random.default_rng(4).random(300)
    whole, parts = Average(0.5), Average(0.5)
    whole.update(values)
    for part in np.split(values, [1, 2, 50]):
        parts.update(part)
    assert (parts.n, parts.total) == (whole.n, pytest.approx(whole.total))
    np.testing.assert_allclose(parts.limits(0.05), whole.limits(0.05), atol=0.01)


def test_limits_of_nothing_are_trivial():
    assert Average(0.5).limits(0.05) == (0.0, 1.0)
