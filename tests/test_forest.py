"""`RandomlyCutForest`: the extra trees of scikit-learn."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier

from rocstar.estimators.forest import RandomlyCutForest, in_single_precision


@pytest.mark.parametrize("weighted", [False, True])
def test_the_trees_are_those_of_scikit_learn(weighted):
    X, y = gaussians(200)
    # Fractions round differently in variances and in counts, and so do cuts of equal worth.
    weights = np.random.default_rng(0).integers(1, 4, len(y)) if weighted else None
    ours = RandomlyCutForest(10, random_state=0).fit(X, y, weights)
    theirs = ExtraTreesClassifier(10, min_samples_leaf=3, random_state=0).fit(X, y, weights)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    assert_array_equal(ours.classes_, theirs.classes_)


def test_more_than_two_classes():
    X, _ = gaussians(200)
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0.5).astype(int) + (X[:, 0] > 1.5)]
    ours = RandomlyCutForest(10, max_features=None, random_state=0).fit(X, y)
    theirs = ExtraTreesClassifier(10, min_samples_leaf=3, max_features=None, random_state=0)
    assert_allclose(ours.predict_proba(X), theirs.fit(X, y).predict_proba(X), atol=1e-12)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("max_rows", [None, 50])
def test_sparse_rows_give_the_same_trees(max_rows):
    X, y = gaussians(100)
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    dense = RandomlyCutForest(5, max_rows=max_rows, random_state=0).fit(X, y)
    spread = RandomlyCutForest(5, max_rows=max_rows, random_state=0).fit(sparse.csr_matrix(X), y)
    assert_allclose(dense.predict_proba(X), spread.predict_proba(sparse.csr_matrix(X)))


def test_a_tree_sees_some_of_many_rows_and_others_see_others():
    X, y = gaussians(100)
    some = RandomlyCutForest(2, max_rows=60, random_state=0).fit(X, y)
    assert [tree.tree_.n_node_samples[0] for tree in some.trees_] == [60, 60]
    first, second = (tree.predict(X) for tree in some.trees_)
    assert (first != second).any()
    enough = RandomlyCutForest(2, max_rows=200, random_state=0).fit(X, y)
    assert [tree.tree_.n_node_samples[0] for tree in enough.trees_] == [200, 200]


def test_numbers_beyond_single_precision_are_cut_off():
    X = in_single_precision(np.array([[1e300, -1e300], [0.5, 2.0]]))
    assert np.isfinite(X).all()
    assert X.dtype == np.float32
    assert_array_equal(X[1], [0.5, 2.0])
    far = np.array([[1e300], [-1e300]] * 10)
    model = RandomlyCutForest(5, random_state=0).fit(far, far[:, 0] > 0)
    assert_array_equal(model.predict(far), far[:, 0] > 0)


def test_missing_values_are_cut_off_to_a_side():
    X, y = gaussians(100)
    X[y == 1, 0] = np.nan
    model = RandomlyCutForest(20, random_state=0).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.95
