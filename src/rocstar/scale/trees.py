"""Boosted trees on a Dask cluster: XGBoost's or LightGBM's own, where one of them is installed.

Their Dask estimators train where the partitions are, and need an active client. What they leave is
one small model, which then scores each partition by itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocstar.scale.client import active_client, active_workers

# XGBoost first: LightGBM's trees depend on which worker happens to hold which rows.
LIBRARIES = ("xgboost", "lightgbm")
# What classifiers of scikit-learn, LightGBM, XGBoost and CatBoost call weights of classes.
CLASS_WEIGHTS = {
    "class_weight",
    "is_unbalance",
    "scale_pos_weight",
    "class_weights",
    "auto_class_weights",
}
# How often training is begun, if workers are lost on the way.
ATTEMPTS = 3


def trees_on_workers(random_state: Any = 0) -> Any | None:
    """A classifier of XGBoost or LightGBM for the workers; None without library or Dask client."""
    library = next((name for name in LIBRARIES if find_spec(name)), None)
    if library is None or active_client() is None:
        return None
    common = {"n_estimators": 150, "learning_rate": 0.1, "reg_lambda": 1.0}
    if library == "lightgbm":
        from lightgbm import DaskLGBMClassifier

        return DaskLGBMClassifier(**common, num_leaves=31, random_state=random_state, verbose=-1)
    from xgboost.dask import DaskXGBClassifier

    return DaskXGBClassifier(**common, max_depth=6, random_state=random_state, verbosity=0)


def trains_on_workers(estimator: Any) -> bool:
    """Whether an estimator is one of these libraries' classifiers for Dask collections."""
    library, *rest = type(estimator).__module__.split(".")
    return library in LIBRARIES and "dask" in rest


def fit_on_workers(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fit an unfitted classifier of theirs, or a stand-in, to Dask arrays that are cut alike."""
    parameters = estimator.get_params(deep=False)
    kind = type(estimator)
    if hasattr(kind, "to_local"):
        # LightGBM's classifier numbers the classes anew on every worker, so that one who holds
        # positives only would take them for negatives; its regressor takes the labels as they are.
        from lightgbm import DaskLGBMRegressor

        kind = DaskLGBMRegressor
        parameters = {**parameters, "objective": "binary", "class_weight": None}
    with warnings.catch_warnings():
        # LightGBM says so of its own default.
        warnings.filterwarnings("ignore", "Parameter n_jobs will be ignored", UserWarning)
        attempts = ATTEMPTS
        while True:
            before = set(active_workers())
            try:
                return kind(**parameters).fit(X, y, sample_weight=sample_weight)
            except Exception:
                # Their workers talk to each other, so the loss of one ends the training of all. A
                # worker that is started again has another address.
                attempts -= 1
                if not attempts or not before - set(active_workers()):
                    raise


def local_probability(fitted: Any) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """A function from a partition to the probability of the second class; needs no cluster."""
    if hasattr(fitted, "to_local"):  # LightGBM
        predict = fitted.to_local().predict
    else:
        predict = partial(fitted.get_booster().inplace_predict, missing=fitted.missing)
    return lambda x: np.asarray(predict(x)) if x.shape[0] else np.empty(0)


def keeps_the_prior(estimator: Any) -> bool:
    """Whether neither an estimator nor one inside it is set to weigh the classes."""
    given = estimator.get_params()
    moved = [value for name, value in given.items() if name.rsplit("__")[-1] in CLASS_WEIGHTS]
    return all(value is None or value is False or value == 1 for value in moved)
