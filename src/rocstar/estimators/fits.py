"""One fit for everyone: which weights, groups and seeds reach an estimator.

Seeds follow one policy everywhere: an integer fixes everything below it; None draws a fresh seed
once per call, as in scikit-learn.
"""

from __future__ import annotations

from functools import cache
from inspect import Parameter, signature
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from rocstar.estimators.angle import AngleClassifier
from rocstar.estimators.numeric_input import explained
from rocstar.estimators.unwrap import unwrap
from rocstar.sklearn_private import BaseSearchCV, safe_indexing

LARGEST_SEED = 2**31 - 1


def fitted_clone(estimator: Any, X: Any, y: Any, **given: Any) -> Any:
    """`fitted`, leaving the estimator itself as it is."""
    return fitted(clone(estimator), X, y, **given)


def fitted(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    groups: npt.NDArray[Any] | None = None,
    rows: npt.NDArray[np.intp] | None = None,
) -> Any:
    """An estimator after a fit to all rows or to some, with their weights and groups."""
    # Weights must be used: an estimator that cannot take them is an error. Groups are handed to
    # whatever keeps them together in folds of its own, and to nothing else; not even there if a
    # class comes from one group only, which no folds could keep together. Both reach the last step
    # of a pipeline and the estimator of a search; with scikit-learn's metadata routing enabled,
    # they go where the estimators' requests send them.
    if rows is not None:
        X, y = safe_indexing(X, rows), y[rows]
        sample_weight = None if sample_weight is None else sample_weight[rows]
        groups = None if groups is None else groups[rows]
    extra: dict[str, Any] = {}
    if sample_weight is not None:
        extra[_weight_argument(estimator)] = sample_weight
    if groups is not None and (name := _group_argument(estimator)) is not None:
        extra |= {name: groups} if _can_be_kept_together(groups, y) else {}
    with explained(X, type(unwrap(estimator)).__name__):
        return estimator.fit(X, y, **extra)


def seeded(estimator: Any, random_state: Any) -> Any:
    """A clone in which every seed that was left open is set, by draws for the estimators inside."""
    # What was given is left alone, and so are the members of a stack, which sets their seeds when
    # it is fitted.
    seed = drawn_seed(random_state)
    # A generator takes as long to make as all the rest, and most estimators need none.
    rng = cache(lambda: np.random.RandomState(seed % 2**32))
    model = clone(estimator)
    parameters = model.get_params(deep=True)
    left_alone = _parameters_of_members(model, parameters)
    unset = {}
    for name, value in sorted(parameters.items()):
        if name in left_alone:
            continue
        if name.rpartition("__")[2] == "random_state" and value is None:
            unset[name] = seed if name == "random_state" else int(rng().randint(LARGEST_SEED))
        elif _shuffles_at_random(value):
            value.random_state = int(rng().randint(LARGEST_SEED))  # the clone's own copy
    return model.set_params(**unset)


def drawn_seed(random_state: Any) -> int:
    """The integer itself; a fresh one for None or a generator."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return derived_seed(random_state)


def derived_seed(random_state: Any) -> int:
    """A seed drawn by this one: the same for the same integer, and not that integer."""
    return int(check_random_state(random_state).randint(LARGEST_SEED))


def generator(random_state: Any) -> np.random.Generator:
    """NumPy's generator for any ``random_state`` that scikit-learn takes; None asks NumPy's own."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        random_state = derived_seed(random_state)
    return np.random.default_rng(random_state)


def takes_groups(splitter: Any) -> bool:
    """Whether a splitter looks at groups; those of scikit-learn warn if they do not."""
    if not hasattr(splitter, "get_metadata_routing"):
        return True
    return bool(splitter.get_metadata_routing().split.requests.get("groups"))


def _weight_argument(estimator: Any) -> str:
    """The name under which `fit` takes weights."""
    if _routes(estimator):
        return "sample_weight"
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return f"{name}__{_weight_argument(last)}"
    if isinstance(estimator, BaseSearchCV):
        return _weight_argument(estimator.estimator)
    if not has_fit_parameter(estimator, "sample_weight") and not _takes_anything(estimator):
        raise ValueError(
            f"`sample_weight` was given, but {type(estimator).__name__} cannot use it: "
            "leave it out or choose another estimator."
        )
    return "sample_weight"


def _group_argument(estimator: Any) -> str | None:
    """The name under which `fit` takes groups; None if it does not."""
    if _routes(estimator):
        consumed = get_routing_for_object(estimator).consumes("fit", ["groups"])
        return "groups" if consumed else None
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = _group_argument(last)
        return None if inner is None else f"{name}__{inner}"
    if isinstance(estimator, BaseSearchCV):
        return "groups" if takes_groups(check_cv(estimator.cv)) else None
    return "groups" if has_fit_parameter(estimator, "groups") else None


def _can_be_kept_together(groups: npt.NDArray[Any], y: npt.NDArray[Any]) -> bool:
    """Whether each class comes from two groups or more."""
    return all(np.unique(groups[y == label]).size > 1 for label in np.unique(y))


def _routes(estimator: Any) -> bool:
    """Whether scikit-learn sends metadata to what is inside this estimator."""
    if not get_config()["enable_metadata_routing"]:
        return False
    return isinstance(get_routing_for_object(estimator), MetadataRouter)


def _takes_anything(estimator: Any) -> bool:
    parameters = signature(estimator.fit).parameters.values()
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)


def _parameters_of_members(model: Any, parameters: dict[str, Any]) -> set[str]:
    """Names of all parameters inside stacks that set the seeds of their members."""
    holders = {"": model, **{f"{name}__": value for name, value in parameters.items()}}
    return {
        f"{prefix}{name}"
        for prefix, value in holders.items()
        if isinstance(value, AngleClassifier) and value.seeds_members
        for name in value.get_params().keys() - value.get_params(deep=False).keys()
    }


def _shuffles_at_random(value: Any) -> bool:
    """Whether this is a splitter that draws anew at every split."""
    if not hasattr(value, "split") or isinstance(value, (str, bytes)):
        return False
    return getattr(value, "random_state", 0) is None and bool(getattr(value, "shuffle", True))
