"""Mixtures of angles whose shares are given: what a stack fits once it has chosen."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from rocstar import ArctanRatio, ArctanRatioCV, StackedRatio
from rocstar.estimators.mixed_ratio import MixedRatio


def test_a_mixture_predicts_the_mean_of_its_members():
    X, y = gaussians(60)
    near = ArctanRatio("rbf", n_components=20, random_state=0)
    members = [("near", near), ("flat", ArctanRatio(alpha=10.0))]
    weights = np.arange(120) % 3
    model = MixedRatio(members, [0.25, 0.75]).fit(X, y, weights, groups=np.arange(120) // 2)
    angles = (clone(member).fit(X, y, weights).predict_angle(X) for _, member in members)
    assert_allclose(model.predict_angle(X), np.dot([0.25, 0.75], list(angles)))
    assert model.arc_length_ == pytest.approx(model.score(X, y, weights))


def test_a_frozen_stack_makes_no_folds_and_keeps_its_choices(monkeypatch):
    X, y = gaussians(80)
    members = [("tuned", ArctanRatioCV(random_state=0)), ("rbf", ArctanRatio("rbf"))]
    stack = StackedRatio(members, random_state=0).fit(X, y)
    before = stack.predict_angle(X)

    def no_folds(*args, **kwargs):
        raise AssertionError("a refit must not make folds")

    for module in ("shares", "cv"):
        monkeypatch.setattr(f"rocstar.estimators.{module}.split_rows", no_folds)
    again = clone(stack.frozen()).fit(X, y)
    assert_allclose(again.predict_angle(X), before)
    assert_allclose(again.decision_function(X), stack.decision_function(X))
    assert again.arc_length_ == pytest.approx(stack.arc_length_)
    assert [(m.name, m.share) for m in again.members()] == list(stack.weights_.items())
    assert all(np.isnan(member.arc_length) for member in again.members())
    half = stack.frozen(0.5).fit(X[::2], y[::2])
    assert half.weights_ == stack.weights_
    assert np.abs(half.predict_angle(X) - before).max() > 1e-3
    assert_array_equal(stack.predict_angle(X), before)
