"""The point estimate of a stack: smooth members in sample, the others out of fold."""

from __future__ import annotations

import numpy as np
import pytest
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
from rocstar.inference.held_out import Figures
from rocstar.inference.point_estimates import coherent

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


def test_no_smooth_member_means_the_held_out_figure():
    X, y = laws.suite()["quadric-2d"].sample(100, 100, random_state=0)
    model = StackedRatio([("trees", TREES)], random_state=0)
    assert model.fit(X, y).partly_in_sample_ is None
    found = certify(model, X, y, random_state=0)
    assert found.arc_length.value == pytest.approx(arc_length_score(y, found.angle), abs=1e-12)


def test_value_is_the_mean_of_both_figures():
    X, y = laws.suite()["gaussian-10d"].sample(150, 150, random_state=2)
    folds = list(split_rows(3, y == 1, random_state=5, inner=True))
    found = certify(stack(), X, y, cv=folds, random_state=0)
    inside = [stack().fit(X[train], y[train]).partly_in_sample_["arc_length"] for train, _ in folds]
    outside = arc_length_score(y, found.angle)
    assert found.arc_length.value == pytest.approx((np.mean(inside) + outside) / 2, abs=1e-12)


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


def test_figures_are_moved_into_the_range_of_the_arc_length():
    assert coherent(Figures(1.45, 0.7, 0.5)) == pytest.approx((1.45, 0.6314, 0.2264), abs=1e-4)
    assert coherent(Figures(1.8, 0.5, 0.0)) == pytest.approx((1.8, 0.8875, 0.6586), abs=1e-4)
    assert coherent(Figures(1.8, 0.9, 0.7)) == (1.8, 0.9, 0.7)
