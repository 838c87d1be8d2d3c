"""`set_params` of a stack's default members, whatever the number of classes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from data_gaussians import gaussians
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags

from rocstar import ArctanRatio, StackedRatio, laws
from rocstar.estimators.many_stack import default_class_members
from rocstar.estimators.members import default_members

X, Y = laws.GaussianFamily([[0.0], [2.0], [4.0]]).sample(20, random_state=0)
MANY = [name for name, _ in default_class_members(3)]
FEW = {"linear__max_tuning_rows": 20, "rbf": "drop", "trees": "drop", "forest": "drop"}


@pytest.mark.parametrize("name", ["trees", "rbf", "additive"])
def test_a_member_of_more_classes_is_dropped(name):
    stack = StackedRatio(cv=2, random_state=0).set_params(**{name: "drop"})
    members = stack._seeded_members(0, 60, 1, n_classes=3)
    assert list(members) == [one for one in MANY if one != name]
    assert get_tags(stack).classifier_tags.multi_class


def test_parameters_reach_the_members_of_more_classes():
    stack = clone(StackedRatio(cv=2, random_state=0).set_params(additive="drop", **FEW))
    stack.set_params(linear__cv=2)
    assert stack.get_params()["linear__cv"] == 2
    assert stack.get_params()["linear__max_tuning_rows"] == 20
    fitted = stack.fit(X, Y)
    assert set(fitted.weights_) == {"linear"}
    assert fitted.estimators_["linear"].cv == 2
    assert fitted.estimators_["linear"].loss == "log"
    assert "split2_test_score" not in fitted.estimators_["linear"].cv_results_


def test_a_grid_over_a_member_of_more_classes():
    stack = StackedRatio(cv=2, random_state=0).set_params(additive="drop", **FEW)
    found = GridSearchCV(stack, {"linear__cv": [2, 3]}, cv=2).fit(X, Y)
    assert found.best_estimator_.estimators_["linear"].cv in (2, 3)
    assert stack.get_params()["linear__cv"] == 3


def test_later_changes_are_applied_later():
    stack = StackedRatio().set_params(rbf__cv=2).set_params(rbf=ArctanRatio("rbf", loss="log"))
    stack.set_params(rbf__alpha=0.5)
    for n_classes in (2, 3):
        model = stack._seeded_members(0, n_classes=n_classes)["rbf"]
        assert isinstance(model, ArctanRatio)
        assert model.alpha == 0.5
    again = pickle.loads(pickle.dumps(stack))
    assert again.estimators.changes.keys() == {"rbf", "rbf__alpha"}
    with pytest.raises(ValueError, match="`rbf__cv` cannot be set: the member `rbf` is dropped"):
        stack.set_params(rbf="drop").set_params(rbf__cv=2)
    with pytest.raises(ValueError, match="Invalid parameter 'leaves'"):
        StackedRatio().set_params(additive__leaves=2)


def test_a_member_of_more_classes_changes_nothing_for_two():
    """Of few rows the default is three members; what was changed is not among them."""
    rows, labels = gaussians(40)
    stack = StackedRatio(random_state=0).set_params(additive="drop")
    members = stack._seeded_members(0, len(labels), rows.shape[1])
    assert list(members) == [name for name, _ in default_members(0, len(labels))]
    np.testing.assert_equal(stack.get_params()["additive"], "drop")
