"""The estimator inside pipelines and searches, and the angles that it predicts."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rocstar.checks import is_collection
from rocstar.fitting.arrays import host_copy
from rocstar.sklearn_private import BaseSearchCV


def unwrap(estimator: Any) -> Any:
    """The estimator inside pipelines and searches; of a fitted search, the best one it found."""
    if isinstance(estimator, Pipeline):
        return unwrap(estimator.steps[-1][1])
    if hasattr(estimator, "best_estimator_"):
        return unwrap(estimator.best_estimator_)
    if is_search(estimator):
        return unwrap(estimator.estimator)
    return estimator


def is_search(estimator: Any) -> bool:
    """Whether this is a search, of any library once it is fitted."""
    return isinstance(estimator, BaseSearchCV) or hasattr(estimator, "best_estimator_")


def predicts_angles(estimator: Any) -> bool:
    """Whether `predict_angle` has an answer for this estimator, once fitted."""
    return hasattr(unwrap(estimator), "predict_angle")


def inner_rows(estimator: Any, X: Any) -> Any:
    """Rows as the estimator inside fitted pipelines and searches gets them."""
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps[:-1]:
            X = X if step is None or step == "passthrough" else step.transform(X)
        return inner_rows(estimator.steps[-1][1], X)
    if is_search(estimator):
        check_is_fitted(estimator, "best_estimator_")
        return inner_rows(estimator.best_estimator_, X)
    return X


def predict_angle(estimator: Any, X: Any) -> NDArray[Any]:
    """Angles from a fitted ratio estimator, also when a pipeline or a search is around it.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rocstar import ArctanRatio, predict_angle
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = make_pipeline(StandardScaler(), ArctanRatio()).fit(X, y)
    >>> predict_angle(model, X).shape
    (4,)
    """
    if not predicts_angles(estimator):
        raise TypeError(
            f"`estimator` must predict angles; got {type(unwrap(estimator)).__name__}: "
            "wrap a probabilistic classifier in rocstar.ClassifierRatio."
        )
    rows = inner_rows(estimator, X)
    angle = unwrap(estimator).predict_angle(rows)
    return angle if is_collection(angle) else host_copy(angle)
