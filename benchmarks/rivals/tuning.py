"""Rankings, all tuned alike: held-out AUC in the folds that the harness hands to every method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV


def splits(fold: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of each fold."""
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


def score(model: Any, X: np.ndarray) -> np.ndarray:
    """What ranks: a decision function, or the probability."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=float)
    return np.asarray(model.predict_proba(X)[:, 1], dtype=float)


def ranks_of(model: Any, X: np.ndarray) -> dict[str, np.ndarray]:
    """What ranks, and the probability where there is one."""
    found = {"score": score(model, X)}
    if hasattr(model, "predict_proba"):
        found["probability"] = np.asarray(model.predict_proba(X)[:, 1], dtype=float)
    return found


def ranked(model: Any, grid: Mapping[str, list[Any]]):
    """Work "rank": the best of a grid by inner AUC, fitted to all rows."""

    def method(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
        chosen: Any = clone(model)
        if grid:
            chosen = GridSearchCV(chosen, dict(grid), scoring="roc_auc", cv=splits(arrays["fold"]))
        chosen.fit(arrays["X"], arrays["y"])
        return ranks_of(chosen, arrays["X_test"])

    return method
