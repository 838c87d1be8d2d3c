"""The estimators that a monitor fits where a direction in features does not do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from rocstar.checks import FloatArray, InputError, IntArray
from rocstar.estimators.classifier import ClassifierRatio
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.unwrap import predicts_angles
from rocstar.tables.model import table_model

STEPS, LEARNING_RATE = 40, 0.1
TRIAL_ROWS = 50
"""Rows with gaps, and as many others, that show whether a given model takes gaps."""


def watch_estimator(model: Any, columns: int, categorical: IntArray, seed: int) -> Any:
    """What is fitted to long stretches with "auto", to all with others, never with "linear"."""
    if not isinstance(model, str):
        return model if predicts_angles(model) else ClassifierRatio(model)
    if model == "linear":
        return None
    if model in ("auto", "trees"):
        trees = HistGradientBoostingClassifier(
            learning_rate=LEARNING_RATE,
            max_iter=STEPS,
            max_leaf_nodes=15,
            l2_regularization=1.0,
            early_stopping=False,
            categorical_features=categorical.tolist() or None,
            random_state=seed,
        )
        return ClassifierRatio(trees)
    return table_model(
        model, rows=1, columns=columns, categorical=categorical.tolist(), random_state=seed
    )


def check_gaps(model: Any, X: FloatArray, names: Sequence[str], argument: str) -> None:
    """Refuse rows with missing values that a given model cannot take; ``names`` are of columns."""
    gaps = np.isnan(X)
    if not gaps.any():
        return
    missing = gaps.any(axis=1)
    rows = np.concatenate([X[missing][:TRIAL_ROWS], X[~missing][:TRIAL_ROWS]])
    # Tags of estimators and of pipelines do not always say it: a trial does.
    labels = np.arange(len(rows)) % 2 == 0
    try:
        fitted_clone(model, np.tile(rows, (2, 1)), np.concatenate([labels, ~labels]))
    except ValueError:
        name = names[int(np.argmax(gaps.any(axis=0)))]
        raise InputError(
            f"`model` must take missing values, which column `{name}` of `{argument}` has; got "
            f"{type(model).__name__}, which fails on them: fill them in, put an imputer before it, "
            "or leave `model` at its default."
        ) from None
