"""`StackedRatio`: the best mixture, a composition of its members, and what it says of odd rows."""

import warnings

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    StackedRatio,
    laws,
    predict_angle,
)
from rocstar.estimators.fits import seeded
from rocstar.estimators.members import LEAST_SHARE
from rocstar.estimators.standardized import StandardizedRatio
from rocstar.estimators.tuning import search

H = np.pi / 2
CHEAP_STACK = StackedRatio(
    [("linear", ArctanRatio()), ("rbf", ArctanRatio("rbf", n_components=20))], random_state=0
)


LOG_STACK = StackedRatio([("linear", ArctanRatio(loss="log")), ("logistic", LogisticRegression())])


# The default members are other ones for two classes than for more; most checks have three.
@parametrize_with_checks([CHEAP_STACK, LOG_STACK, StackedRatio(random_state=0)])
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


def test_the_default_stack_comes_near_the_truth_without_a_warning():
    law = laws.GaussianPair([1.5, 0.0], [0.0, 0.0])
    X, y = law.sample(150, 150, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stack = StackedRatio(random_state=0).fit(X, y, groups=np.arange(300) // 2)
    assert set(stack.weights_) == {"linear", "rbf", "quadratic", "trees"}
    fresh, labels = law.sample(5000, 5000, random_state=1)
    assert law.arc_length - 0.03 < stack.score(fresh, labels) < law.arc_length + 0.01


@pytest.mark.parametrize(("law", "tuned"), [("stripes", False), ("swirl-2d", True)])
def test_a_kernel_is_tuned_only_if_its_stand_in_has_a_share(law, tuned, monkeypatch):
    """Stripes of one column are for trees; a smooth curved border is for a kernel."""
    if law == "stripes":
        X = np.random.default_rng(0).uniform(0, 1, (600, 6))
        y = np.floor(8 * X[:, 0]) % 2 == 1
    else:
        X, y = laws.suite()[law].sample(300, 300, random_state=0)
    searched = []

    def noted(ratio, *arguments, **settings):
        searched.append(ratio.kernel)
        return search(ratio, *arguments, **settings)

    monkeypatch.setattr("rocstar.estimators.cv.search", noted)
    stack = StackedRatio(random_state=0).fit(X, y)
    assert ("rbf" in searched) is tuned
    assert isinstance(stack.estimators_["rbf"], ArctanRatioCV if tuned else StandardizedRatio)
    assert (stack.weights_["rbf"] >= LEAST_SHARE) is tuned


def test_groups_are_kept_together_in_the_folds_of_the_stack_and_of_its_members():
    X, y = gaussians(60)
    groups = np.random.default_rng(0).permutation(np.arange(120) % 30)
    X = np.column_stack([X, groups])
    seen = []

    class Watching(ArctanRatio):
        """A member that notes which groups it is fitted to, and which it judges."""

        def fit(self, X, y, sample_weight=None, *, groups=None):
            assert_array_equal(groups_of(groups), groups_of(X[:, -1]))
            self.trained_ = set(X[:, -1])
            return super().fit(X, y, sample_weight)

        def predict_angle(self, X):
            seen.append((self.trained_, set(X[:, -1])))
            return super().predict_angle(X)

    def groups_of(names):
        return np.unique(names, return_inverse=True)[1]

    StackedRatio([("watching", Watching())], cv=3, random_state=0).fit(X, y, groups=groups)
    folds = [(trained, judged) for trained, judged in seen if len(trained) < 30]
    assert len(folds) == 3
    assert not any(trained & judged for trained, judged in folds)
    assert set().union(*(judged for _, judged in folds)) == set(range(30))


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


def test_a_caller_leaves_the_seeds_of_members_to_the_stack():
    stack = StackedRatio([("forest", RandomForestClassifier(3))])
    model = seeded(make_pipeline(stack), 7)
    assert model[-1].random_state is not None
    assert model[-1].get_params()["forest__random_state"] is None
    assert seeded(stack, 7).get_params()["forest__random_state"] is None


def test_one_half_may_choose_the_shares():
    X, y = gaussians(60)
    groups = np.arange(120) // 2
    stack = clone(CHEAP_STACK).set_params(cv="holdout").fit(X, y, groups=groups)
    assert sum(stack.weights_.values()) == pytest.approx(1.0)
    assert stack.shortcuts() == [
        "The shares of the models in the stack were chosen on one held-out half of its rows."
    ]
    assert clone(CHEAP_STACK).fit(X, y).shortcuts() == []


def test_many_rows_are_fitted_once_and_a_tenth_chooses_the_shares(monkeypatch):
    X, y = gaussians(300)
    members = [("linear", ArctanRatio()), ("logistic", LogisticRegression())]
    folded = StackedRatio(members, random_state=0).fit(X, y)
    assert (folded.n_stacking_rows_, folded.shortcuts()) == (0, [])
    assert folded.partly_in_sample_ is not None
    monkeypatch.setattr("rocstar.estimators.shares.ENOUGH_ROWS_PER_CLASS", 300)
    rows = []
    fit = LogisticRegression.fit

    def counted(self, X, y, sample_weight=None):
        rows.append(len(X))
        return fit(self, X, y, sample_weight)

    monkeypatch.setattr(LogisticRegression, "fit", counted)
    once = StackedRatio(members, random_state=0).fit(X, y)
    assert rows == [540]
    assert once.n_stacking_rows_ == 60
    assert "chosen on 60 of its rows" in once.shortcuts()[0]
    assert once.partly_in_sample_ is None  # no row is both learnt from and held out
    assert np.abs(once.predict_angle(X) - folded.predict_angle(X)).mean() < 0.05
