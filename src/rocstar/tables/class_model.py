"""The ratio estimator for a matrix with codes and more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rocstar.checks import InputError
from rocstar.tables.dense import DenseRatio

# Rows that choose penalties, and rows that the kernel is fitted to: K log ratios cost K times one.
TUNING_ROWS = 2000
KERNEL_ROWS = 10_000


def class_table_model(
    kind: str = "auto",
    *,
    n_classes: int,
    rows: int = 1,
    columns: int = 1,
    categorical: Sequence[int] = (),
    fast: bool = False,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Any:
    """A linear class, a kernel or trees; "auto" is a `StackedRatio` of these and of others."""
    from rocstar.estimators.additive import additive_classifier
    from rocstar.estimators.classifier import ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV
    from rocstar.estimators.many_stack import class_forest, class_trees, suits_curves
    from rocstar.estimators.members import MAX_COLUMNS
    from rocstar.estimators.stack import StackedRatio

    def dense(ratio: Any) -> DenseRatio:
        return DenseRatio(
            ratio, categorical=categorical, max_rows=KERNEL_ROWS, random_state=random_state
        )

    def smooth(kernel: str) -> DenseRatio:
        ratio = ArctanRatioCV(
            kernel,
            loss="log",
            cv=2,
            max_columns=MAX_COLUMNS,
            max_tuning_rows=TUNING_ROWS,
            random_state=random_state,
        )
        return dense(ratio)

    trees = class_trees(
        n_classes, categorical_features=list(categorical) or None, random_state=random_state
    )
    members: dict[str, Any] = {
        "linear": smooth("linear"),
        "rbf": smooth("rbf"),
        "trees": ClassifierRatio(trees),
    }
    if kind in members:
        return members[kind]
    if kind != "auto":
        raise InputError(f"`model` must be auto, linear, rbf or trees; got {kind}.")
    if fast:
        del members["rbf"]
    else:
        members["forest"] = ClassifierRatio(class_forest(random_state))
        if suits_curves(rows, columns):
            members["additive"] = dense(ClassifierRatio(additive_classifier()))
    return StackedRatio(list(members.items()), cv=2, n_jobs=n_jobs, random_state=random_state)
