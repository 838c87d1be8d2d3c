"""`GuidedTrees`: trees that see what other models say."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils import get_tags

from rocstar import ArctanRatio, ArctanRatioCV, QuadraticRatio, StackedRatio, laws
from rocstar.estimators.guided import GuidedTrees
from rocstar.estimators.members import MANY_ROWS
from rocstar.tables.dense import DenseColumns


def small_trees(random_state=0, **settings):
    return HistGradientBoostingClassifier(max_iter=20, random_state=random_state, **settings)


def test_the_trees_are_those_on_the_columns_and_the_scores():
    X, y = gaussians(200)
    guides = [ArctanRatio(), QuadraticRatio(random_state=0)]
    guided = GuidedTrees(small_trees(), guides).fit(X, y)
    wider = np.column_stack([X, *(guide.fit(X, y).decision_function(X) for guide in guides)])
    expected = small_trees().fit(wider, y)
    assert_array_equal(guided.predict_proba(X), expected.predict_proba(wider))
    assert_array_equal(guided.predict(X), expected.predict(wider))
    assert not hasattr(guided.guides[0], "scaler_")


def test_weights_are_those_of_repeated_rows():
    X, y = gaussians(100)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    model = GuidedTrees(small_trees(min_samples_leaf=1), [ArctanRatio(loss="log", tol=1e-10)])
    weighted = model.fit(X, y, weights).predict_proba(X)
    repeated = model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict_proba(X)
    assert_allclose(weighted, repeated, atol=0.05)
    assert roc_auc_score(y, weighted[:, 1]) == pytest.approx(
        roc_auc_score(y, repeated[:, 1]), abs=0.01
    )


def test_groups_reach_the_guides_and_gaps_and_codes_the_trees():
    X, y = gaussians(100)
    groups = np.arange(len(y)) // 2
    guide = ArctanRatioCV(cv=2, alphas=[1e-2, 1.0], random_state=0)
    model = GuidedTrees(small_trees(), [guide]).fit(X, y, groups=groups)
    alone = guide.fit(X, y, groups=groups)
    assert_array_equal(
        model.guides_[0].cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )
    # Ten codes in random order tell the classes apart in one cut, if they are codes.
    order = np.random.default_rng(0).permutation(10)
    kinds = order[2 * (np.arange(len(y)) % 5) + (y == 1)]
    gaps = np.column_stack([np.where(X[:, 0] > 1, np.nan, 0.0), kinds])
    found = [
        roc_auc_score(y, GuidedTrees(trees, []).fit(gaps, y).predict_proba(gaps)[:, 1])
        for trees in (
            small_trees(max_leaf_nodes=2, categorical_features=kind).set_params(max_iter=1)
            for kind in ([1], None)
        )
    ]
    assert found[0] > 0.99 > found[1]


def test_guides_see_some_rows_of_either_class_behind_their_own_columns(monkeypatch):
    monkeypatch.setattr("rocstar.estimators.guided.BATCH", 100)
    X, y = gaussians(300)
    gaps = np.column_stack([np.where(X > 2, np.nan, X), np.arange(len(X)) % 3])
    kind = gaps.shape[1] - 1
    model = GuidedTrees(
        small_trees(categorical_features=[kind]),
        [ArctanRatio()],
        transformer=DenseColumns([kind]),
        max_rows=80,
    ).fit(gaps, y)
    guide = model.guides_[0]
    assert_array_equal(guide.effective_counts_, [40, 40])
    assert guide.n_features_in_ == model.transformer_.width > gaps.shape[1]
    batches = [model.predict_proba(gaps[rows]) for rows in (slice(250), slice(250, None))]
    assert_array_equal(model.predict_proba(gaps), np.concatenate(batches))


@pytest.mark.parametrize(
    ("trees", "guides"),
    [
        (small_trees(), [ArctanRatio("rbf", n_components=5)]),
        (small_trees(None, max_features=0.3), []),
    ],
)
def test_an_integer_fixes_what_leaves_its_seed_open(trees, guides):
    X, y = gaussians(100)
    first, again, other = (
        GuidedTrees(trees, guides, random_state=seed).fit(X, y).predict_proba(X)
        for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0


def test_gaps_and_more_classes_are_declared_as_they_are():
    tags = get_tags(GuidedTrees(small_trees(), [ArctanRatio()]))
    assert not tags.input_tags.allow_nan
    assert not tags.classifier_tags.multi_class
    behind = GuidedTrees(small_trees(), [ArctanRatio()], transformer=DenseColumns())
    assert get_tags(behind).input_tags.allow_nan
    assert not get_tags(GuidedTrees(LogisticRegression(), [])).input_tags.allow_nan
    with pytest.raises(ValueError, match="takes two classes; got 3 in `y`"):
        GuidedTrees(small_trees(), []).fit(np.eye(3), [0, 1, 2])


def test_rows_are_not_scored_before_a_fit():
    with pytest.raises(NotFittedError):
        GuidedTrees(small_trees(), []).predict(np.eye(2))


def test_many_rows_of_a_smooth_law_are_learnt_faster_with_guides():
    law = laws.GaussianPair(np.zeros(8), np.full(8, 0.4))
    X, y = law.sample(MANY_ROWS, MANY_ROWS // 4, random_state=0)
    fresh, labels = law.sample(5_000, 5_000, random_state=1)
    stack = StackedRatio(random_state=0, cv="holdout").fit(X, y)
    guided, trees = stack.estimators_["guided"], stack.estimators_["trees"]
    assert guided.score(fresh, labels) > trees.score(fresh, labels) + 0.002
    assert "guided" not in StackedRatio(random_state=0).fit(X[::5], y[::5]).weights_
