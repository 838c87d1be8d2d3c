"""Limits by betting in the public intervals: ends, sides, groups and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from data_scores import sample
from numpy.testing import assert_allclose

from rocstar import arc_length_interval, auc_gain, auc_interval, mean_interval, youden_interval


def figures(y, score, **options):
    angle = np.arctan(np.exp(score - score.mean()))
    return {
        "arc_length": arc_length_interval(y, angle, method="betting", **options),
        "auc": auc_interval(y, score, method="betting", **options),
        "gain": auc_gain(y, score, np.zeros(y.size), method="betting", **options),
        "youden": youden_interval(y, angle > np.pi / 4, method="betting", **options),
    }


def test_limits_are_close_to_those_of_dirichlet():
    y, score = sample(150, 150)
    angle = np.arctan(np.exp(score - score.mean()))
    for ours, theirs in (
        (figures(y, score)["arc_length"], arc_length_interval(y, angle)),
        (figures(y, score)["auc"], auc_interval(y, score)),
        (figures(y, score)["youden"], youden_interval(y, angle > np.pi / 4)),
        (mean_interval(angle / 2, method="betting"), mean_interval(angle / 2)),
    ):
        assert ours.value == theirs.value
        assert ours.low < ours.value < ours.high
        assert 0.8 < (ours.high - ours.low) / (theirs.high - theirs.low) < 1.35


def test_mirrored_values_give_mirrored_limits():
    values = np.random.default_rng(0).random(80) ** 2
    first = mean_interval(values, method="betting", support=(-1, 3))
    second = mean_interval(2 - values, method="betting", support=(-1, 3))
    assert_allclose([2 - second.high, 2 - second.low], [first.low, first.high], atol=1e-9)


def test_sides_leave_the_other_end_trivial():
    y, score = sample(40, 60)
    for name, low, high in (("auc", 0, 1), ("gain", -1, 1), ("youden", -1, 1)):
        lower, upper = (figures(y, score, side=side)[name] for side in ("lower", "upper"))
        both = figures(y, score)[name]
        assert (upper.low, lower.high) == (low, high)
        assert both.low <= lower.low <= lower.value <= upper.high <= both.high


def test_gain_over_itself_is_zero():
    y, score = sample(50, 80)
    found = auc_gain(y, score, score, method="betting")
    assert found.low < 0 == found.value < found.high


def test_groups_are_the_units():
    y, score = sample(60, 60)
    repeated = np.repeat(np.arange(y.size), 5)
    grouped = figures(y[repeated], score[repeated], groups=repeated)
    naive = figures(y[repeated], score[repeated])
    single = figures(y, score)
    for name, estimate in grouped.items():
        assert_allclose(estimate.low, single[name].low, atol=0.12 if name == "gain" else 0.06)
        assert naive[name].low > estimate.low + 0.005


def test_same_seed_same_limits():
    y, score = sample(60, 60)
    assert figures(y, score, random_state=3) == figures(y, score, random_state=3)


@pytest.mark.parametrize("interval", [arc_length_interval, auc_interval, youden_interval])
def test_weights_are_rejected(interval):
    with pytest.raises(ValueError, match="`method='betting'` takes no `sample_weight`"):
        interval([0, 1], [0, 1], method="betting", sample_weight=[1, 1])


def test_weights_are_rejected_for_means_and_gains():
    with pytest.raises(ValueError, match="`method='betting'` takes no `sample_weight`"):
        mean_interval([0, 1], method="betting", sample_weight=[1, 1])
    with pytest.raises(ValueError, match="`method='betting'` takes no `sample_weight`"):
        auc_gain([0, 1], [0, 1], [0, 0], method="betting", sample_weight=[1, 1])


def test_unknown_methods_are_rejected():
    with pytest.raises(ValueError, match="`method` must be one of 'dirichlet', 'betting'"):
        mean_interval([0, 1], method="coin")
