"""Trees that are cut at random: scikit-learn's extra trees in less time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import ExtraTreeRegressor
from sklearn.utils import check_random_state

from rocstar.estimators.numeric_input import validated
from rocstar.fitting.arrays import is_sparse

INPUT = {"accept_sparse": "csr", "dtype": np.float64, "ensure_all_finite": "allow-nan"}


class RandomlyCutForest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The mean shares of the classes in the leaves of trees whose cuts are drawn at random."""

    # `ExtraTreesClassifier` spends as long on copies, checks and labels of each tree as on its
    # cuts. Regression on 0 and 1 needs none of these and makes the same cuts: the variance is half
    # of Gini's impurity, and the sum of variances of more classes is all of it.

    def __init__(
        self,
        n_estimators: int = 30,
        *,
        min_samples_leaf: int = 3,
        max_features: Any = "sqrt",
        max_rows: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Grow the trees, each on all rows or on its own draw of ``max_rows`` of them."""
        X, y = validated(self, X, y, **INPUT)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        many = self.classes_.size > 2
        rows, target = in_single_precision(X), np.eye(self.classes_.size)[codes]
        target = target if many else target[:, -1]
        # A tree takes missing values only if it looks for them itself.
        gaps = bool(np.isnan(rows.data if is_sparse(rows) else rows).any())
        some = self.max_rows is not None and self.max_rows < len(codes)
        given = by_columns(rows), target, weights
        rng = check_random_state(self.random_state)
        self.trees_ = []
        with config_context(skip_parameter_validation=True):
            for seed in rng.randint(np.iinfo(np.int32).max, size=self.n_estimators).tolist():
                if some:
                    drawn = np.random.RandomState(seed).randint(len(codes), size=self.max_rows)
                    own = None if weights is None else weights[drawn]
                    given = by_columns(rows[drawn]), target[drawn], own
                tree = ExtraTreeRegressor(
                    min_samples_leaf=self.min_samples_leaf,
                    max_features=self.max_features,
                    random_state=seed,
                )
                self.trees_.append(tree.fit(*given, check_input=gaps))
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """The share of each class."""
        X = validated(self, X, reset=False, **INPUT)
        rows = in_single_precision(X)
        shares: Any = sum(tree.tree_.predict(rows) for tree in self.trees_) / len(self.trees_)
        shares = shares.reshape(len(shares), -1)
        return shares if self.classes_.size > 2 else np.hstack([1 - shares, shares])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest share."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags


def by_columns(rows: Any) -> Any:
    """Sparse rows as trees learn from them; others as they are."""
    return rows.tocsc() if is_sparse(rows) else rows


def in_single_precision(X: Any) -> Any:
    """Rows as trees read them; numbers are cut off where single precision ends."""
    limit = float(np.finfo(np.float32).max)
    if is_sparse(X):
        return X.minimum(limit).maximum(-limit).astype(np.float32)
    return np.ascontiguousarray(np.clip(X, -limit, limit), dtype=np.float32)
