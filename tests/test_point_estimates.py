"""The point estimate of a stack: smooth members in sample, the others out of fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rocstar import (
    ArctanRatio,
    StackedRatio,
    arc_length_score,
    auc_bounds,
    certify,
    laws,
    predict_angle,
    roc_auc,
    tv_bounds,
)
from rocstar.estimators.splits import split_rows
from rocstar.inference.held_out import Figures, InSample, of_one_part
from rocstar.inference.point_estimates import (
    MOST_IMPLIED,
    coherent,
    combined,
    implied_curve,
)

TREES = HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=4, random_state=0)
LINEAR = make_pipeline(StandardScaler(), ArctanRatio(alpha=1e-3, tol=1e-6))


def stack() -> StackedRatio:
    return StackedRatio([("linear", LINEAR), ("trees", TREES)], random_state=0)


def test_smooth_members_are_in_sample_and_trees_out_of_fold():
    X, y = laws.suite()["gaussian-10d"].sample(150, 150, random_state=1)
    model = stack().fit(X, y)
    seed = np.random.RandomState(0).randint(2**31 - 1)
    trees = np.empty(len(y))
    for train, test in split_rows(3, y == 1, random_state=seed, inner=True):
        trees[test] = predict_angle(
            StackedRatio([("trees", TREES)], random_state=0).fit(X[train], y[train]), X[test]
        )
    linear = predict_angle(model.estimators_["linear"], X)
    angle = model.weights_["linear"] * linear + model.weights_["trees"] * trees
    assert 0 < model.weights_["trees"] < 1
    found = model.partly_in_sample_
    assert found["arc_length"] == pytest.approx(arc_length_score(y, angle), abs=1e-12)
    assert found["auc"] == pytest.approx(roc_auc(y, angle), abs=1e-12)
    rule = angle > np.pi / 4
    assert found["youden"] == pytest.approx(rule[y == 1].mean() - rule[y == 0].mean(), abs=1e-12)
    assert found["arc_length"] < model.arc_length_  # the trees' own rows are left out


def test_figures_do_not_jump_where_the_share_of_the_smooth_member_goes_to_zero():
    X, y = laws.suite()["quadric-2d"].sample(300, 300, random_state=0)
    flat = ArctanRatio(alpha=1e9)  # as good as constant, beside trees that say too little
    few = clone(TREES).set_params(max_iter=3)
    model = StackedRatio([("flat", flat), ("trees", few)], random_state=0).fit(X, y)
    assert model.weights_["flat"] == 0.0
    found = model.partly_in_sample_
    assert found["arc_length"] == pytest.approx(model.stacked_arc_length_, abs=1e-6)
    certified = certify(model, X, y, random_state=0)
    assert certified.held_out.in_sample.stacked


def test_no_smooth_member_means_the_held_out_figure():
    X, y = laws.suite()["quadric-2d"].sample(100, 100, random_state=0)
    model = StackedRatio([("trees", TREES)], random_state=0)
    assert model.fit(X, y).partly_in_sample_ is None
    found = certify(model, X, y, random_state=0)
    assert found.arc_length.value == pytest.approx(arc_length_score(y, found.angle), abs=1e-12)


def test_values_combine_held_out_and_in_sample_figures():
    X, y = laws.suite()["gaussian-10d"].sample(150, 150, random_state=2)
    folds = list(split_rows(3, y == 1, random_state=5, inner=True))
    found = certify(stack(), X, y, cv=folds, random_state=0)
    inside = [stack().fit(X[train], y[train]).partly_in_sample_ for train, _ in folds]
    means = Figures(*(np.mean([part[name] for part in inside]) for name in Figures._fields))
    held = found.held_out
    assert held.in_sample == InSample(pytest.approx(means, abs=1e-12), 0.5, stacked=True)
    expected = combined(held.figures(), held.in_sample, implied_curve(held))
    values = found.arc_length.value, found.auc.value, found.tv.value
    assert values == pytest.approx(expected, abs=1e-12)


def curve():
    law = laws.GaussianPair.shifted(0.8, 2)
    X, y = law.sample(400, 400, random_state=0)
    angle = law.angle(X)
    return implied_curve(of_one_part(y == 1, angle, angle, np.ones(y.size), None))


def test_optimism_counts_as_far_as_held_out_ranks_confirm_it():
    outside, inside = Figures(1.50, 0.70, 0.30), Figures(1.60, 0.80, 0.50)
    found = combined(outside, InSample(inside, 0.6), curve())
    kept = 0.2 / 0.3
    assert found.arc_length == pytest.approx(1.5 + 0.6 * kept**1.5 * 0.1)
    assert found.auc == pytest.approx(0.7 + 0.6 * kept**1.5 * 0.1)
    implied = curve().figures(curve().scale_of_auc(found.auc)).youden
    direct = 0.3 + 0.6 * kept**1.5 * 0.2
    assert found.youden == pytest.approx(kept**2 * direct + (1 - kept**2) * implied)


def test_figures_of_a_stack_are_averaged_with_implied_and_in_sample_ones():
    outside, inside = Figures(1.45, 0.60, 0.15), Figures(1.47, 0.65, 0.20)
    found = combined(outside, InSample(inside, 0.5, stacked=True), curve())
    kept, implied = 0.1 / 0.15, curve().figures(1.0)
    counted = kept**2 * (3 - 2 * kept)
    beside = counted * 0.65 + (1 - counted) * implied.auc
    assert implied.auc < 0.5 + MOST_IMPLIED * 0.1
    assert found.auc == pytest.approx((0.60 + beside) / 2)


def test_what_is_implied_counts_up_to_a_multiple_of_what_held_out_rows_show():
    outside, inside = Figures(1.42, 0.51, 0.02), Figures(1.60, 0.80, 0.40)
    found = combined(outside, InSample(inside, 0.5, stacked=True), curve())
    assert curve().figures(1.0).auc > 0.6
    assert found.auc < 0.51 + (MOST_IMPLIED - 1) * 0.01


@pytest.mark.parametrize("stacked", [False, True])
def test_nothing_is_claimed_where_held_out_rows_show_nothing(stacked):
    outside, inside = Figures(1.40, 0.49, -0.02), Figures(1.60, 0.80, 0.40)
    found = combined(outside, InSample(inside, 0.5, stacked), curve())
    expected = (np.sqrt(2), 0.5, 0.0) if stacked else (np.sqrt(2), 0.49, 0.0)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("stacked", [False, True])
def test_values_do_not_jump(stacked):
    # In-sample J crosses 1.98 and its optimism 0.25, where the values used to fall back.
    steps = [
        combined(
            Figures(1.70 + 0.05 * t, 0.82 + 0.05 * t, 0.5 + 0.1 * t),
            InSample(Figures(1.90 + 0.1 * t, 0.95 + 0.04 * t, 0.8 + 0.1 * t), 0.5, stacked),
            curve(),
        )
        for t in np.linspace(0, 1, 101)
    ]
    assert np.abs(np.diff(steps, axis=0)).max() < 0.005


def test_ranks_that_say_more_meet_the_arc_length_half_way():
    shape = curve()
    outside = Figures(1.50, 0.75, 0.35)
    found = combined(outside, InSample(outside, 0.5, stacked=True), shape)
    alone = combined(outside, InSample(outside, 0.5), shape)
    assert alone == pytest.approx(outside)
    assert found.arc_length > outside.arc_length
    assert found.auc < outside.auc
    scales = shape.scale_of_length(1.5), shape.scale_of_auc(0.75)
    assert found[:2] == pytest.approx(shape.figures(sum(scales) / 2)[:2])


def test_ranks_that_say_less_are_left():
    outside = Figures(1.60, 0.75, 0.45)
    found = combined(outside, InSample(outside, 0.5, stacked=True), curve())
    assert found == pytest.approx(outside)


def test_values_where_nothing_differs():
    law, model = laws.GaussianPair.shifted(0.0, 10), ArctanRatio(alpha=3e-2, tol=1e-4)
    values, means = [], []
    for seed in range(12):
        X, y = law.sample(100, 100, random_state=[14, seed])
        found = certify(model, X, y, random_state=seed)
        values.append([found.auc.value - 0.5, found.tv.value])
        pair = found.held_out.figures(), found.held_out.in_sample.figures
        means.append(np.mean([[one.auc - 0.5, one.youden] for one in pair], axis=0))
    # The truth is zero, and the mean of both figures is not near it.
    excess, plain = np.mean(values, axis=0), np.mean(means, axis=0)
    assert np.all(plain > [0.05, 0.08])
    assert np.all(excess < 0.6 * plain)


def test_less_bias_than_the_held_out_figure():
    law = laws.suite()["gaussian-10d"]
    values, outside, oracle = [], [], []
    for seed in range(12):
        X, y = law.sample(150, 150, random_state=[3, seed])
        found = certify(stack(), X, y, random_state=seed)
        values.append([found.arc_length.value, found.auc.value])
        parts = [found.fold == k for k in range(5)]
        aucs = [roc_auc(y[part], found.score[part]) for part in parts]
        outside.append([arc_length_score(y, found.angle), np.mean(aucs)])
        oracle.append([arc_length_score(y, law.angle(X)), roc_auc(y, law.log_ratio(X))])
    # Against the oracle on the same rows, which removes most of the sampling noise.
    bias = np.abs(np.mean(np.array(values) - oracle, axis=0))
    held_out_bias = np.abs(np.mean(np.array(outside) - oracle, axis=0))
    assert np.all(held_out_bias > 0.01)
    assert np.all(bias < held_out_bias / 2)


@pytest.mark.parametrize("name", ["identical-5d", "gaussian-10d"])
def test_auc_and_tv_agree_with_the_arc_length(name):
    X, y = laws.suite()[name].sample(100, 100, random_state=0)
    found = certify(stack(), X, y, random_state=0)
    ranges = auc_bounds(found.arc_length.value), tv_bounds(found.arc_length.value)
    for estimate, (low, high) in zip((found.auc, found.tv), ranges, strict=True):
        assert low - 1e-12 <= estimate.value <= max(high, estimate.low) + 1e-12


def test_auc_is_not_at_the_end_of_the_range_of_the_arc_length():
    for seed in (3, 6):
        X, y = laws.suite()["gaussian-10d"].sample(100, 100, random_state=[5, seed])
        found = certify(stack(), X, y, random_state=0)
        assert found.auc.value < auc_bounds(found.arc_length.value).high - 1e-4


def test_figures_are_moved_into_the_range_of_the_arc_length():
    assert coherent(Figures(1.45, 0.7, 0.5)) == pytest.approx((1.45, 0.6314, 0.2264), abs=1e-4)
    assert coherent(Figures(1.8, 0.5, 0.0)) == pytest.approx((1.8, 0.8875, 0.6586), abs=1e-4)
    assert coherent(Figures(1.8, 0.9, 0.7)) == (1.8, 0.9, 0.7)


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("held_out", [0.48, 0.5, 0.52])
def test_values_do_not_jump_where_in_sample_ranks_say_nothing(stacked, held_out):
    outside = Figures(1.43, held_out, 0.03)
    below, above = (
        combined(outside, InSample(Figures(1.44, 0.5 + e, 0.02), 0.5, stacked), curve())
        for e in (-1e-7, 1e-7)
    )
    assert below == pytest.approx(above, abs=1e-4)
