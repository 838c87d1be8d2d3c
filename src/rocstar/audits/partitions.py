"""One model judged on rows of a table in partitions: `rocstar.audits.judge` where rows stay put.

Some rows, at most about a million, are held out at random; the model is fitted to the others where
they are. What comes here is angles, scores and labels of the rows that were held out, and of about
as many others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import clone

from rocstar.audits.judge import Judgement, difference_test
from rocstar.audits.learning import LearningCurve, curve_of
from rocstar.audits.stages import Stages
from rocstar.checks import InputError
from rocstar.estimators.protocol import frozen
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.certificate import certificate
from rocstar.inference.collections import (
    collection_estimator,
    fitted_on_workers,
    judged_on_workers,
)
from rocstar.inference.estimate import one_of
from rocstar.inference.held_out import HeldOut
from rocstar.scale.random_split import RandomSplit
from rocstar.scale.trees import trees_on_workers
from rocstar.tables.partitions import PartitionedTable

# The learning curve has two points: every further one would be another fit to many rows.
LEARNING_SHARE = 0.5


def collection_model(kind: str = "auto", *, fast: bool = False, random_state: Any = 0) -> Any:
    """The ratio estimator that a name stands for, for the dense matrix of a table in partitions."""
    from rocstar.estimators.classifier import ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV
    from rocstar.estimators.members import SMOOTH_MEMBERS
    from rocstar.estimators.stack import StackedRatio

    members: dict[str, Any] = {
        kernel: ArctanRatioCV(kernel, loss=loss, cv=3, random_state=random_state)
        for kernel, loss in SMOOTH_MEMBERS.items()
    }
    trees = trees_on_workers(random_state)
    if trees is not None:
        members["trees"] = ClassifierRatio(trees)
    if kind in members:
        return members[kind]
    if kind == "trees":
        raise InputError(
            "`model` trees needs LightGBM or XGBoost and a Dask client for a table in partitions: "
            "pip install lightgbm, or use auto, linear or rbf."
        )
    if kind != "auto":
        raise InputError(
            f"`model` must be auto, linear, rbf or trees for a table in partitions; got {kind}."
        )
    if fast:
        return members["linear"]
    return StackedRatio(list(members.items()), random_state=random_state)


def judge_partitions(
    table: PartitionedTable,
    model: Any,
    *,
    level: float,
    method: Method,
    random_state: int,
    stages: Stages,
) -> Judgement:
    """Certify a model on a table in partitions; the judged rows are those that came here."""
    one_of(method, Method, "method")
    if method == "betting":
        refuse_weights(table.sample_weight is not None)
    collection_estimator(model)  # what cannot be done is said before anything more is read
    stages.plan(3.0)
    split = RandomSplit.of(table.y, table.sample_weight, random_state)
    with stages("certify"), split.both_classes_on_both_sides():
        fitted = fitted_on_workers(model, table.X, table.y, split, random_state)
        stages.tick()
        held = judged_on_workers(fitted, table.X, split)
        found = certificate(held, level, method)
        scores = split.held(*table.scores.values()) if table.scores else []
        stages.tick()
    with stages("learning curve"):
        curve = _learning_curve(table, fitted, split, held)
        stages.tick()
    with stages("test"):
        test = difference_test(held, random_state)
    scheme = f"{held.y.size:,} rows at random, judged by a model of the others"
    return Judgement(found, dict(zip(table.scores, scores, strict=True)), curve, test, scheme)


def _learning_curve(
    table: PartitionedTable, fitted: Any, split: RandomSplit, held: HeldOut
) -> LearningCurve:
    """Curve of the model, and of one like it on half as many rows."""
    learnt = int((split.training_weights() > 0).sum().compute())
    whole = learnt - getattr(fitted, "n_stacking_rows_", 0)
    weights = split.fewer(LEARNING_SHARE * whole / learnt)
    some = int((weights > 0).sum().compute())

    def fit(model: Any) -> Any:
        return clone(model).fit(table.X, table.y, sample_weight=weights)

    half = fit(frozen(fitted, LEARNING_SHARE))
    angle, score = split.held(half.predict_angle(table.X), half.decision_function(table.X))
    return curve_of([some, whole], [replace(held, angle=angle, score=score), held], held)
