"""The members of a stack: those by default, and lists that are none."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_array_equal
from sklearn.base import clone

from rocstar import (
    ArctanRatio,
    StackedRatio,
)
from rocstar.estimators.members import default_members


def test_parameters_of_the_default_members_too():
    stack = StackedRatio(random_state=0)
    assert stack.get_params()["rbf__cv"] == 3
    assert stack.estimators is None
    stack.set_params(rbf__cv=2, trees="drop", cv=2)
    assert (stack.cv, dict(stack.estimators)["rbf"].cv) == (2, 2)
    X, y = gaussians(40)
    fitted = stack.fit(X, y)
    assert set(fitted.weights_) == {"linear", "rbf"}
    assert "split2_test_score" not in fitted.estimators_["rbf"].cv_results_
    assert clone(StackedRatio()).estimators is None
    with pytest.raises(ValueError, match="Invalid parameter 'forest'"):
        StackedRatio().set_params(forest__cv=3)


def test_default_members_named_or_not_are_the_same():
    X, y = gaussians(40)
    named = StackedRatio(default_members(), random_state=0).fit(X, y)
    assert_array_equal(
        named.predict_angle(X), StackedRatio(random_state=0).fit(X, y).predict_angle(X)
    )


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (StackedRatio([]), {}, "must name one member that is not dropped"),
        (StackedRatio([("a", "drop")]), {}, "must name one member that is not dropped"),
        (StackedRatio([ArctanRatio()]), {}, "list of pairs of a name and an estimator"),
        (StackedRatio([("a", ArctanRatio())] * 2), {}, "distinct names"),
        (StackedRatio([("a__b", ArctanRatio())]), {}, "distinct names, without '__'"),
        (StackedRatio([("cv", ArctanRatio())]), {}, "other than the stack's own parameters"),
    ],
)
def test_bad_input_gives_one_clear_sentence(model, change, message):
    given = {"X": np.array([[0.0, 1], [1, 0], [2, 1], [3, 3]]), "y": [0, 0, 1, 1], **change}
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(**given)
