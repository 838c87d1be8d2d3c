"""One model judged on rows of a table in partitions: `rocstar.audits.judge` where rows stay put.

Some rows, at most about a million, are held out at random; the model is fitted to the others where
they are. What comes here is angles, scores and labels of the rows that were held out, and of about
as many others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from rocstar.audits.judge import Judgement, Stages, difference_test, heaviest_member, member_entries
from rocstar.checks import InputError
from rocstar.estimators.angle import arc_length_score
from rocstar.estimators.fits import seeded
from rocstar.geometry.curves import roc_auc
from rocstar.inference.certificate import (
    Certificate,
    collection_certificate,
    collection_estimator,
)
from rocstar.scale.columns import Parted
from rocstar.scale.trees import trees_on_workers
from rocstar.tables.partitions import PartitionedTable
from rocstar.tables.table import LabelledTable

# The learning curve has two points: every further one would be another fit to many rows.
LEARNING_SHARE = 0.5


def collection_model(kind: str = "auto", *, fast: bool = False, random_state: Any = 0) -> Any:
    """The ratio estimator for the dense matrix of a table in partitions.

    Parameters
    ----------
    kind : {"auto", "linear", "rbf", "trees"}, default="auto"
        "auto" is a `StackedRatio` of the others; "trees" are LightGBM's or XGBoost's, and need one
        of them and an active Dask client.
    fast : bool, default=False
        "auto" is then the linear model alone.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    estimator

    Examples
    --------
    >>> [name for name, _ in collection_model().estimators]
    ['linear', 'rbf']
    >>> collection_model("trees")
    Traceback (most recent call last):
    rocstar.checks.InputError: `model` trees needs LightGBM or XGBoost and a Dask client for ...
    """
    from rocstar.estimators.classifier import ClassifierRatio
    from rocstar.estimators.cv import ArctanRatioCV
    from rocstar.estimators.stack import SMOOTH_MEMBERS, StackedRatio

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
    table: PartitionedTable, model: Any, *, level: float, random_state: int | None, stages: Stages
) -> tuple[LabelledTable, Judgement]:
    """Certify a model on a table in partitions; also returns the judged rows as a table.

    Parameters
    ----------
    table : PartitionedTable
    model : estimator
        One that takes Dask collections.
    level : float
    random_state : int, optional
    stages : Stages

    Returns
    -------
    table : LabelledTable
        Labels, scores and weights of the judged rows, in the certificate's order.
    judgement : Judgement

    Examples
    --------
    >>> judge_partitions(  # doctest: +SKIP
    ...     table, collection_model(), level=0.95, random_state=0, stages=Stages()
    ... )
    """
    stages.total = stages.done + 3.0
    parted = Parted.of(table.y, table.sample_weight, random_state)
    with stages("certify"), parted.both_classes_on_both_sides():
        fitted = seeded(collection_estimator(model), random_state).fit(
            table.X, table.y, sample_weight=parted.training_weights()
        )
        stages.tick()
        certificate = collection_certificate(fitted, table.X, parted, level)
        scores = parted.held(*table.scores.values()) if table.scores else []
        stages.tick()
    judged = table.with_rows(
        X=np.empty((len(certificate.y), 0)),
        y=np.asarray(certificate.y, dtype=np.bool_),
        scores=dict(zip(table.scores, scores, strict=True)),
        sample_weight=certificate.sample_weight,
    )
    with stages("learning curve"):
        curve = _learning_curve(table, fitted, parted, certificate)
        stages.tick()
    with stages("test"):
        test = difference_test(judged, certificate, random_state)
    entries = member_entries([fitted], model, certificate)
    # One split; its rows are told by no index, since nobody has counted them.
    everyone = np.arange(0)
    splits = [(everyone, everyone)]
    return judged, Judgement(certificate, [fitted], splits, entries, curve, test)


def _learning_curve(
    table: PartitionedTable, fitted: Any, parted: Parted, certificate: Certificate
) -> list[dict[str, float]]:
    """Held-out J and AUC of the heaviest member, and of one like it on half as many rows."""
    model = heaviest_member(fitted)
    learnt = int((parted.training_weights() > 0).sum().compute())
    whole = learnt - getattr(fitted, "n_stacking_rows_", 0)
    fewer = parted.fewer(LEARNING_SHARE * whole / learnt)
    unfitted = model.frozen() if hasattr(model, "frozen") else clone(model)
    smaller = unfitted.fit(table.X, table.y, sample_weight=fewer)
    some = int((fewer > 0).sum().compute())
    curve = []
    for rows, one in ((some, smaller), (whole, model)):
        angle, score = parted.held(one.predict_angle(table.X), one.decision_function(table.X))
        y, weights = certificate.y, certificate.sample_weight
        curve.append(
            {
                "rows": rows,
                "arc_length": arc_length_score(y, angle, sample_weight=weights),
                "auc": roc_auc(y, score, sample_weight=weights),
            }
        )
    return curve
