"""Trees on the columns and on the scores of other models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import gen_batches, get_tags
from sklearn.utils.validation import check_is_fitted

from rocstar.checks import FloatArray
from rocstar.estimators.fits import drawn_seed, fitted, fitted_clone, seeded
from rocstar.estimators.numeric_input import validated
from rocstar.fitting.features import landmarks

# A model with a few hundred coefficients says much the same after so many rows as after all.
MAX_GUIDE_ROWS = 5_000
BATCH = 10_000


class GuidedTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Trees on the columns and on the scores of smooth models of the same rows.

    Trees need many cuts to follow a slope or an ellipse, but one on a score that follows it. The
    guides have so few coefficients that their scores are hardly optimistic in sample.

    Parameters
    ----------
    trees : classifier
        Sees the columns as they are, and the scores.
    guides : list of estimators with ``decision_function``
    transformer : transformer, optional
        Turns the columns into those that the guides take.
    max_rows : int, default=5000
        The guides learn from at most so many rows, half of them of either class where there are
        enough.
    random_state : int, RandomState or None, default=None
        Of trees and guides that have no seed.
    """

    def __init__(
        self,
        trees: Any,
        guides: Sequence[Any],
        *,
        transformer: Any = None,
        max_rows: int = MAX_GUIDE_ROWS,
        random_state: Any = None,
    ) -> None:
        self.trees = trees
        self.guides = guides
        self.transformer = transformer
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> GuidedTrees:
        """Fit the models that guide, then the trees."""
        X, y = validated(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        self.classes_ = np.unique(y)
        if self.classes_.size != 2:
            raise ValueError(f"GuidedTrees takes two classes; got {self.classes_.size} in `y`.")
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        some = landmarks(y == self.classes_[-1], weights, self.max_rows, 0)
        given: dict[str, Any] = {"sample_weight": sample_weight, "groups": groups}
        theirs = {k: None if v is None else np.asarray(v)[some] for k, v in given.items()}
        made = self.transformer
        self.transformer_ = None if made is None else fitted_clone(made, X[some], y[some])
        seen, seed = self._seen(X[some]), drawn_seed(self.random_state)
        guides = [seeded(model, seed) for model in self.guides]  # lists hide their seeds
        self.guides_ = [fitted(model, seen, y[some], **theirs) for model in guides]
        self.trees_ = fitted(seeded(self.trees, seed), self._with_scores(X), y, **given)
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probabilities of both classes."""
        check_is_fitted(self)
        X = validated(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return np.asarray(self.trees_.predict_proba(self._with_scores(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likelier class."""
        likelier = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likelier])

    def _seen(self, X: FloatArray) -> FloatArray:
        return X if self.transformer_ is None else self.transformer_.transform(X)

    def _with_scores(self, X: FloatArray) -> FloatArray:
        wider = np.empty((len(X), X.shape[1] + len(self.guides_)))
        wider[:, : X.shape[1]] = X
        for rows in gen_batches(len(X), BATCH):
            seen = self._seen(X[rows])
            for k, model in enumerate(self.guides_, X.shape[1]):
                wider[rows, k] = model.decision_function(seen)
        return wider

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        see_gaps = [self.trees, *(self.guides if self.transformer is None else [])]
        tags.input_tags.allow_nan = all(get_tags(m).input_tags.allow_nan for m in see_gaps)
        tags.classifier_tags.multi_class = False
        return tags
