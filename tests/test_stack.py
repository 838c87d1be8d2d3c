"""`StackedRatio`: the best mixture, a composition of its members, and what it says of odd rows."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import (
    ArctanRatio,
    StackedRatio,
    laws,
    predict_angle,
)
from rocstar.estimators.fits import seeded
from rocstar.estimators.shares import MixtureArcLength
from rocstar.estimators.stack import default_members

H = np.pi / 2
CHEAP_STACK = StackedRatio(
    [("linear", ArctanRatio()), ("rbf", ArctanRatio("rbf", n_components=20))], random_state=0
)


@parametrize_with_checks(
    [
        CHEAP_STACK,
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_the_stack_is_the_best_mixture_of_its_members():
    X, y = gaussians(150)
    stack = clone(CHEAP_STACK).fit(X, y)
    assert sum(stack.weights_.values()) == pytest.approx(1.0)
    assert stack.stacked_arc_length_ >= max(stack.member_arc_length_.values()) - 1e-9
    mixed = sum(
        share * predict_angle(stack.estimators_[name], X) for name, share in stack.weights_.items()
    )
    assert_allclose(stack.predict_angle(X), np.clip(mixed, 0, H), atol=1e-12)


def test_a_stack_ranks_rows_beyond_the_box():
    X = np.r_[np.linspace(-4, -3, 30), np.linspace(3, 4, 30)][:, None]
    stack = StackedRatio([("linear", ArctanRatio(alpha=1e-6))], random_state=0)
    stack.fit(X, np.repeat([0, 1], 30))
    far = np.array([[-9.0], [-8.0], [8.0], [9.0]])
    assert_array_equal(stack.predict_angle(far), [0, 0, H, H])
    assert np.all(np.diff(stack.decision_function(far)) > 0)


def test_stack_shares_match_a_grid_search():
    rng = np.random.default_rng(0)
    positive = np.arange(200) < 80
    truth = np.where(positive, 1.0, 0.5)
    angles = np.clip(truth + rng.normal(0, [[0.2], [0.4], [0.8]], (3, 200)), 0, H)
    terms = MixtureArcLength(angles, positive, np.ones(200))
    grid = [(a, b, 1 - a - b) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1 - a, 101)]
    best = max(terms.arc_length(np.array(shares)) for shares in grid)
    assert terms.arc_length(terms.best_shares()) >= best - 1e-9


def test_the_default_stack_comes_near_the_truth_without_a_warning():
    law = laws.GaussianPair([1.5, 0.0], [0.0, 0.0])
    X, y = law.sample(150, 150, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stack = StackedRatio(random_state=0).fit(X, y, groups=np.arange(300) // 2)
    assert set(stack.weights_) == {"linear", "rbf", "trees"}
    fresh, labels = law.sample(5000, 5000, random_state=1)
    assert law.arc_length - 0.03 < stack.score(fresh, labels) < law.arc_length + 0.01


def test_members_tell_their_shares():
    X, y = gaussians(100)
    stack = clone(CHEAP_STACK).fit(X, y)
    found = stack.members()
    assert [member.name for member in found] == ["linear", "rbf"]
    assert sum(member.share for member in found) == pytest.approx(1.0)
    assert {m.name: m.arc_length for m in found} == stack.member_arc_length_
    assert all(m.model is stack.estimators_[m.name] for m in found)


# --- a composition of its members ---------------------------------------------------------------


def test_parameters_of_members_can_be_read_and_set():
    stack = clone(CHEAP_STACK)
    assert stack.get_params()["rbf__n_components"] == 20
    stack.set_params(rbf__n_components=5, linear__alpha=0.1)
    assert dict(stack.estimators)["rbf"].n_components == 5
    assert CHEAP_STACK.get_params()["rbf__n_components"] == 20
    X, y = gaussians(50)
    search = GridSearchCV(stack, {"linear__alpha": [1e-3, 1e3], "rbf": ["drop"]}, cv=2).fit(X, y)
    assert search.best_params_["linear__alpha"] == 1e-3
    assert list(search.best_estimator_.weights_) == ["linear"]


def test_parameters_of_the_default_members_too():
    stack = StackedRatio(random_state=0)
    assert stack.get_params()["rbf__cv"] == 5
    assert stack.estimators is None
    stack.set_params(rbf__cv=3, trees="drop", cv=2)
    assert (stack.cv, dict(stack.estimators)["rbf"].cv) == (2, 3)
    X, y = gaussians(40)
    fitted = stack.fit(X, y)
    assert set(fitted.weights_) == {"linear", "rbf"}
    assert "split3_test_score" not in fitted.estimators_["rbf"].cv_results_
    assert clone(StackedRatio()).estimators is None
    with pytest.raises(ValueError, match="Invalid parameter 'forest'"):
        StackedRatio().set_params(forest__cv=3)


def test_default_members_named_or_not_are_the_same():
    X, y = gaussians(40)
    named = StackedRatio(default_members(), random_state=0).fit(X, y)
    assert_array_equal(
        named.predict_angle(X), StackedRatio(random_state=0).fit(X, y).predict_angle(X)
    )


def test_a_caller_leaves_the_seeds_of_members_to_the_stack():
    stack = StackedRatio([("forest", RandomForestClassifier(3))])
    model = seeded(make_pipeline(stack), 7)
    assert model[-1].random_state is not None
    assert model[-1].get_params()["forest__random_state"] is None
    assert seeded(stack, 7).get_params()["forest__random_state"] is None


# --- rows that some members cannot take -----------------------------------------------------------


def test_sparse_rows_are_for_members_that_take_them():
    X, y = gaussians(40)
    rows = sparse.csr_matrix(X)
    told = (
        r"`X` is sparse, which `rbf` and `trees` cannot take: pass X.toarray\(\), or leave out "
        r"what cannot take it with set_params\(rbf='drop', trees='drop'\)"
    )
    with pytest.raises(TypeError, match=told):
        StackedRatio().fit(rows, y)
    linear = StackedRatio(random_state=0).set_params(rbf="drop", trees="drop").fit(rows, y)
    assert linear.predict_angle(rows).shape == (80,)


def test_missing_values_are_for_members_that_take_them():
    X, y = gaussians(40)
    X[3, 1] = np.nan
    with pytest.raises(
        ValueError, match=r"missing values \(NaN\), which `linear` and `rbf` cannot"
    ):
        StackedRatio().fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match=r"\(NaN\) in the column b, which .* rocstar.TableModel"):
        StackedRatio().fit(frame, y)
    trees = StackedRatio(random_state=0).set_params(linear="drop", rbf="drop").fit(frame, y)
    assert np.isfinite(trees.predict_angle(frame)).all()


@pytest.mark.parametrize("library", [pd, pl])
def test_mixed_columns_are_named_with_where_to_go(library):
    X, y = gaussians(40)
    day = np.datetime64("2020-01-01") + np.arange(80)
    frame = library.DataFrame({"a": X[:, 0], "city": ["x", "y"] * 40, "day": day})
    with pytest.raises(ValueError, match=r"dates or categories in the columns city, day: encode"):
        StackedRatio().fit(frame, y)
    encoded = make_pipeline(make_column_transformer(("passthrough", ["a"])), ArctanRatio())
    assert StackedRatio([("encoded", encoded)]).fit(frame, y).weights_ == {"encoded": 1.0}


def test_other_errors_of_members_stay_theirs():
    X, y = gaussians(40)
    with pytest.raises(ValueError, match="'alpha' parameter of ArctanRatio"):
        StackedRatio([("linear", ArctanRatio(alpha=-1))]).fit(X, y)


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
