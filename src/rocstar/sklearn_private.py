"""All names that scikit-learn does not promise to keep, in one place.

When a new release of scikit-learn moves one of them, this file is the one to mend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.base import _fit_context

# What all linear classifiers inherit: it marks those whose probabilities move with class weights
# in a known way, and gives the pairwise rankers their `predict`.
from sklearn.linear_model._base import LinearClassifierMixin

# The common ancestor of grid, random and halving searches, also before they are fitted.
from sklearn.model_selection._search import BaseSearchCV

# Rows of arrays, frames and sparse matrices alike.
from sklearn.utils import _safe_indexing as safe_indexing

# The array library of X, and the float types that its device has.
from sklearn.utils._array_api import get_namespace, supported_float_dtypes

# Declares the values that constructor parameters may have, checked as in scikit-learn itself.
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

# `set_params(member__parameter=...)` and `get_params(deep=True)` over a list of named estimators.
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition

# Weights and labels, checked with scikit-learn's own sentences; its contract tests ask for those.
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _check_y as check_y

__all__ = [
    "BaseComposition",
    "BaseSearchCV",
    "HasMethods",
    "Interval",
    "LinearClassifierMixin",
    "StrOptions",
    "check_sample_weight",
    "check_y",
    "get_namespace",
    "safe_indexing",
    "supported_float_dtypes",
    "validates_parameters",
]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def validates_parameters(*, skip_nested: bool) -> Callable[[Fit], Fit]:
    """The decorator with which scikit-learn's own `fit` methods check constructor parameters.

    With ``skip_nested``, estimators that are fitted inside are not checked again.

    Examples
    --------
    >>> from rocstar import ArctanRatio
    >>> ArctanRatio(alpha=-1.0).fit([[0.0], [1.0]], [0, 1])
    Traceback (most recent call last):
    sklearn.utils._param_validation.InvalidParameterError: The 'alpha' parameter of ArctanRatio ...
    """
    decorator: Callable[[Fit], Fit] = _fit_context(prefer_skip_nested_validation=skip_nested)
    return decorator
