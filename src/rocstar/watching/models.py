"""The estimators that a monitor fits where a direction in features does not do."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier

from rocstar.checks import IntArray
from rocstar.estimators.classifier import ClassifierRatio
from rocstar.estimators.unwrap import predicts_angles
from rocstar.tables.model import table_model

STEPS, LEARNING_RATE = 40, 0.1


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
