"""`StackedRatio` of more than two classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from rocstar import ArctanRatio, StackedRatio, laws
from rocstar.estimators.many_stack import class_trees, default_class_members
from rocstar.estimators.protocol import frozen

LAW = laws.GaussianFamily([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
X, Y = LAW.sample(60, random_state=0)


def test_a_member_that_knows_nothing_has_little_share():
    members = [("nothing", DummyClassifier()), ("logistic", LogisticRegression())]
    model = StackedRatio(members, random_state=0).fit(X, Y)
    assert sum(model.weights_.values()) == pytest.approx(1.0)
    assert model.weights_["logistic"] > 0.6
    assert model.member_arc_length_["nothing"] == pytest.approx(np.sqrt(3))
    assert model.stacked_arc_length_ >= max(model.member_arc_length_.values()) - 1e-9


def test_in_sample_figures_are_those_of_smooth_members():
    model = StackedRatio([("linear", ArctanRatio(loss="log"))], random_state=0).fit(X, Y)
    assert model.partly_in_sample_["arc_length"] == pytest.approx(model.arc_length_, abs=1e-6)
    assert model.partly_in_sample_["arc_length"] > model.stacked_arc_length_
    trees = StackedRatio([("nothing", DummyClassifier())], random_state=0).fit(X, Y)
    assert trees.partly_in_sample_ is None


def test_figures_do_not_jump_where_the_share_of_the_smooth_member_goes_to_zero():
    flat, few = ArctanRatio(loss="log", alpha=1e9), class_trees(3).set_params(max_iter=3)
    model = StackedRatio([("flat", flat), ("trees", few)], random_state=0).fit(X, Y)
    assert model.weights_["flat"] == pytest.approx(0.0, abs=1e-6)
    found = model.partly_in_sample_
    assert found["arc_length"] == pytest.approx(model.stacked_arc_length_, abs=1e-6)


def test_default_members_and_their_cost():
    names = ["linear", "rbf", "trees", "forest", "additive"]
    assert [name for name, _ in default_class_members(5)] == names
    for large in ({"rows": 20_000}, {"columns": 30}):
        assert [name for name, _ in default_class_members(5, **large)] == names[:-1]
    steps = [class_trees(k).max_iter * k for k in (3, 10, 20)]
    assert max(steps) <= 400
    model = StackedRatio(random_state=0).set_params(rbf="drop", trees="drop")
    assert model.fit(X, Y).score(X, Y) > 2.3


def test_groups_and_weights_are_handed_on():
    model = StackedRatio([("linear", ArctanRatio(loss="log"))], random_state=0)
    weighted = model.fit(X, Y, np.ones(180), groups=np.repeat(np.arange(90), 2))
    assert weighted.score(X, Y) > 2.2


def test_a_frozen_stack_keeps_its_shares_and_searches_nothing():
    stack = StackedRatio(random_state=0).fit(X, Y)
    again = frozen(stack).fit(X, Y)
    assert again.weights_ == {name: share for name, share in stack.weights_.items() if share > 0}
    np.testing.assert_allclose(again.predict_direction(X), stack.predict_direction(X), atol=0.05)
    half = frozen(stack, 0.5).fit(X[::2], Y[::2])
    assert half.arc_length_ > np.sqrt(3)


def test_a_column_that_needs_many_cuts_is_learnt():
    """Bumps of three classes alternate along one of three columns."""
    law = laws.suite(n_classes=3)["combs-3d"]
    rows, labels = law.sample(150, random_state=0)
    fresh, truth = law.sample(500, random_state=1)
    model = StackedRatio(random_state=0).fit(rows, labels)
    assert model.weights_["additive"] > 0.3
    # 2.133 is the best, 1.95 what it was without a forest and curves.
    assert model.score(fresh, truth) > 2.05


def test_many_rows_are_fitted_once():
    """A tenth of the rows chooses the shares, and no member has learnt from it."""
    rows, labels = LAW.sample([9_000, 7_000, 40], random_state=0)
    members = [("logistic", LogisticRegression()), ("nothing", DummyClassifier())]
    model = StackedRatio(members, cv=3, random_state=0).fit(rows, labels)
    assert model.n_stacking_rows_ == pytest.approx(1_604, abs=2)
    assert model.partly_in_sample_ is None
    assert model.weights_["logistic"] > 0.9
    assert "The shares of the models in the stack were chosen on 1,60" in model.shortcuts()[0]
    few = StackedRatio(members, cv=3, random_state=0).fit(rows[-9_040:], labels[-9_040:])
    assert few.n_stacking_rows_ == 0
