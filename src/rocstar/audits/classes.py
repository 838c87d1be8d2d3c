"""`audit` of a target with more than two values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocstar.audits.finding import Rendered
from rocstar.audits.importance import Lost, columns_importance
from rocstar.audits.judge import ClassJudgement, judge
from rocstar.audits.learning import learning_entries
from rocstar.audits.stages import Stages
from rocstar.audits.summary import (
    estimate_entry,
    member_entries,
    method_entry,
    profile_entry,
    unconverged,
)
from rocstar.checks import InputError
from rocstar.estimators.fits import drawn_seed
from rocstar.estimators.protocol import declared
from rocstar.inference.betting_intervals import Method
from rocstar.inference.class_certify import predictions_headroom
from rocstar.inference.class_held_out import ClassHeldOut
from rocstar.inference.class_predictions import Given, given_predictions
from rocstar.inference.estimate import Estimate
from rocstar.inference.multiclass import MulticlassCertificate
from rocstar.report import SCHEMA
from rocstar.report.class_words import (
    class_caveats,
    class_score_sentence,
    class_verdict,
    samples_verdict,
)
from rocstar.tables.class_model import class_table_model
from rocstar.tables.class_table import ClassTable


@dataclass(frozen=True, eq=False, repr=False)
class ClassAudit(Rendered):
    """Result of `audit` for more than two classes: a certificate, and a summary to render.

    Examples
    --------
    >>> from rocstar import audit, laws
    >>> X, y = laws.GaussianFamily([[0.0], [2.0], [4.0]]).sample(60, random_state=0)
    >>> result = audit(X, y, model="linear", random_state=0)
    >>> result.balanced_accuracy.low < 0.79
    True
    """

    certificate: MulticlassCertificate
    _summary: dict[str, Any] = field(repr=False)

    @property
    def balanced_accuracy(self) -> Estimate:
        """Best mean recall of any classifier."""
        return self.certificate.balanced_accuracy

    @property
    def mean_pairwise_auc(self) -> Estimate:
        """Mean over pairs of classes of the best AUC."""
        return self.certificate.mean_pairwise_auc


def audit_classes(
    table: ClassTable,
    *,
    model: Any = "auto",
    level: float = 0.95,
    method: Method = "dirichlet",
    cv: Any = None,
    prior: Any = None,
    n_jobs: int | None = None,
    random_state: int | None = None,
    fast: bool = False,
    stages: Stages | None = None,
) -> ClassAudit:
    """Audit of a table whose target has more than two values, or whose classes are samples."""
    stages = Stages() if stages is None else stages
    seed, samples = drawn_seed(random_state), table.noun == "sample"
    judgement: ClassJudgement = judge(
        table,
        _model(table, model, fast=fast, n_jobs=n_jobs, seed=seed),
        level=level,
        method=method,
        cv="holdout" if fast else cv,
        n_jobs=None if isinstance(model, str) else n_jobs,
        random_state=seed,
        stages=stages,
    )
    found, held = judgement.certificate, judgement.held_out
    with stages("bounds", share=0.6):
        entries = _certificate_entries(found)
    with stages("importance", share=0.8):
        lost: Lost = "arc_length" if samples else "balanced_accuracy"
        importance = columns_importance(table, judgement, lost)
    with stages("scores", share=1.0):
        scores = [_score_entry(name, given, found, prior) for name, given in table.scores.items()]
    summary = {
        "schema": SCHEMA,
        "kind": "multiclass",
        "title": f"{'Comparison' if samples else 'Audit'} of {table.source}",
        "verdict": "",
        "level": level,
        "data": _data_entry(table),
        **entries,
        "test": judgement.test,
        "scores": scores,
        "columns_importance": importance,
        "members": member_entries(held),
        **learning_entries(judgement.learning_curve),
        "method": method_entry(judgement, model, seed, stages),
        "caveats": [
            *class_caveats(method, table.noun),
            *declared(held.models[0]).shortcuts(),
            *_stopped(held),
        ],
    }
    summary["verdict"] = samples_verdict(summary) if samples else class_verdict(summary)
    return ClassAudit(found, summary)


def _model(table: ClassTable, model: Any, *, fast: bool, n_jobs: int | None, seed: int) -> Any:
    if not isinstance(model, str):
        return model
    return class_table_model(
        model,
        n_classes=len(table.classes),
        rows=len(table.y),
        columns=table.X.shape[1],
        categorical=table.encoder.categorical_.tolist(),
        fast=fast,
        n_jobs=n_jobs,
        random_state=seed,
    )


def _data_entry(table: ClassTable) -> dict[str, Any]:
    counts = np.bincount(table.y)
    names = {"names": list(table.classes)} if table.noun == "sample" else {}
    return {
        **profile_entry(table),
        **names,
        "positive": None,
        "rows": int(table.y.size),
        "classes": [
            {"label": str(label), "rows": int(n)}
            for label, n in zip(table.classes, counts, strict=True)
        ],
        "groups": None if table.groups is None else len(set(table.groups.tolist())),
        "ordered": table.time is not None,
        "weighted": table.sample_weight is not None,
    }


def _certificate_entries(found: MulticlassCertificate) -> dict[str, Any]:
    """All figures; the balanced accuracy is that of the best model found, on held-out rows."""
    names = ("arc_length", "divergence", "balanced_accuracy", "mean_pairwise_auc")
    entries = {name: estimate_entry(getattr(found, name)) for name in names}
    best = entries["balanced_accuracy"]
    best["value"] = min(max(found.held_out.figures().balanced_accuracy, best["low"]), 1.0)
    return {
        **entries,
        "pairwise_auc": found.pairwise_auc.to_dict(),
        "one_versus_rest_auc": found.one_versus_rest_auc.to_dict(),
        "recall": found.recall.to_dict(),
        "confusion": found.confusion.to_dict(),
    }


def _score_entry(
    name: str, values: NDArray[Any], found: MulticlassCertificate, prior: Any
) -> dict[str, Any]:
    """What a given classifier reaches, and how far below the best it is."""
    held = found.held_out
    labels = values.ndim == 1
    given = (
        Given({"labels": values[held.row]}) if labels else given_predictions(values, held, prior)
    )
    room = predictions_headroom(given, found, found.method)
    chosen = given.rules[room.rule]
    recalls = [
        float(np.average(chosen[held.y == k] == k, weights=held.weights[held.y == k]))
        for k in range(held.n_classes)
    ]
    auc = room.mean_pairwise_auc
    entry = {
        "name": name,
        "rule": room.rule,
        "balanced_accuracy": float(np.mean(recalls)),
        "recall": recalls,
        "headroom": estimate_entry(room.balanced_accuracy),
        "auc_headroom": None if auc is None else estimate_entry(auc),
    }
    return {**entry, "sentence": class_score_sentence(entry)}


def _stopped(held: ClassHeldOut) -> list[str]:
    stopped = unconverged(held.models)
    if not stopped:
        return []
    return [
        f"The solver stopped early in {stopped} of {len(held.models)} models: their bounds hold, "
        "but may be weaker than they could be."
    ]


def refuse_decision(**given: Any) -> None:
    """Refuse costs and shares that ask for one positive class."""
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"`{name}` needs a target of two values; leave it out for more than two."
            )
