"""Columns that tell more than two classes apart on their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from rocstar.checks import IntArray
from rocstar.fitting.directions import class_landmarks
from rocstar.tables.columns import Column
from rocstar.tables.leaks import EASY, column_warnings, rest_together
from rocstar.tables.table import TableProfile

# Balanced accuracy of a small tree on one column from which the column is a likely leak, unless all
# others together are nearly as good. On rows of real tables, one measurement hardly ever tells
# three classes apart without an error in 100.
LEAK = 0.99
MOST_ROWS, MOST_COLUMNS = 2000, 300


def with_class_leaks(profile: TableProfile, X: np.ndarray, codes: IntArray) -> TableProfile:
    """The profile with flags and remarks on columns that separate all classes alone."""
    rows = class_landmarks(codes, np.ones(codes.size), MOST_ROWS, 0)
    names, owner = profile.encoder.feature_names_in_, profile.encoder.owner_
    alone = {
        str(names[feature]): _alone(X[np.ix_(rows, np.flatnonzero(owner == feature))], codes[rows])
        for feature in np.unique(owner)[:MOST_COLUMNS]
    }
    if max(alone.values()) < LEAK:
        return profile
    rest = [feature for feature in np.unique(owner) if alone.get(str(names[feature]), 0.0) < LEAK]
    together = rest_together(X[:, np.isin(owner, rest)], codes, balanced_accuracy_score)
    columns = [
        _flagged(column, alone.get(column.name, 0.0), together) for column in profile.columns
    ]
    found = [column for column in columns if "leak" in column.flags]
    return replace(
        profile,
        columns=tuple(columns),
        warnings=(
            *column_warnings([replace(c, flags=("leak",)) for c in found]),
            *profile.warnings,
        ),
    )


def _alone(X: np.ndarray, codes: IntArray) -> float:
    """Out-of-fold balanced accuracy of a small tree."""
    tree = DecisionTreeClassifier(max_leaf_nodes=3 * (int(codes.max()) + 1), random_state=0)
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    return float(balanced_accuracy_score(codes, cross_val_predict(tree, X, codes, cv=folds)))


def _flagged(column: Column, accuracy: float, together: float) -> Column:
    if accuracy < LEAK or together >= EASY:
        return column
    told = f"separates all classes almost alone (balanced accuracy {accuracy:.3f})"
    return column.flagged("leak", f"{told}: check whether it leaks the target")
