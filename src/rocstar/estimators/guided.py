"""Trees that see what other models say, beside the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from rocstar.checks import FloatArray
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.numeric_input import validated


class GuidedTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Trees on the columns and on the scores of smooth models of the same rows.

    A slope or an ellipse takes trees many cuts; of a score it takes one. The scores are in sample:
    models with a few hundred coefficients hardly overfit the many rows this is for.
    """

    def __init__(self, trees: Any, guides: Sequence[Any]) -> None:
        self.trees = trees
        self.guides = guides

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> GuidedTrees:
        """Fit the models that guide, then the trees."""
        X, y = validated(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        given = {"sample_weight": sample_weight, "groups": groups}
        self.guides_ = [fitted_clone(model, X, y, **given) for model in self.guides]
        self.trees_ = fitted_clone(self.trees, self._with_scores(X), y, **given)
        self.classes_ = self.trees_.classes_
        return self

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """What the trees say."""
        X = validated(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return np.asarray(self.trees_.predict_proba(self._with_scores(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest share."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _with_scores(self, X: FloatArray) -> FloatArray:
        return np.column_stack([X, *(model.decision_function(X) for model in self.guides_)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
