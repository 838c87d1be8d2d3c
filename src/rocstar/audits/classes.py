"""`audit` of a target with more than two values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from rocstar.audits.finding import Rendered
from rocstar.audits.judge import MOST_TEST_ROWS, N_PERMUTATIONS, Stages
from rocstar.audits.summary import (
    estimate_entry,
    profile_entry,
    rounded_seconds,
    unconverged,
    versions,
)
from rocstar.checks import FloatArray, InputError, group_units
from rocstar.estimators.fits import drawn_seed, seeded
from rocstar.estimators.protocol import AnglePredictor, declared
from rocstar.estimators.splits import split_rows
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.certify import angle_estimator
from rocstar.inference.class_held_out import ClassHeldOut, class_held_out
from rocstar.inference.estimate import Estimate, one_of
from rocstar.inference.headroom import headroom
from rocstar.inference.k_sample import permuted_directions
from rocstar.inference.multiclass import (
    ClassEstimates,
    MulticlassCertificate,
    multiclass_certificate,
)
from rocstar.inference.prequential import prequential_splits
from rocstar.report import SCHEMA
from rocstar.report.class_words import class_caveats, class_score_sentence, class_verdict
from rocstar.report.words import guarantee_sentence, splits_phrase
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
    n_jobs: int | None = None,
    random_state: int | None = None,
    fast: bool = False,
    stages: Stages | None = None,
) -> ClassAudit:
    """Audit of a table whose target has more than two values."""
    stages = Stages() if stages is None else stages
    seed = drawn_seed(random_state)
    one_of(method, Method, "method")
    held, splits = _judged(
        table,
        _model(table, model, fast=fast, n_jobs=n_jobs, seed=seed),
        method=method,
        cv="holdout" if fast else cv,
        seed=seed,
        n_jobs=None if isinstance(model, str) else n_jobs,
        stages=stages,
    )
    with stages("bounds"):
        found = multiclass_certificate(held, level, method)
        entries = _certificate_entries(found)
    with stages("test"):
        test = _test(held, seed)
    with stages("scores"):
        scores = [_score_entry(name, given, table, found) for name, given in table.scores.items()]
    own = cv is not None and not isinstance(cv, (str, int))
    scheme = splits_phrase(
        len(splits),
        time=False,
        groups=table.groups is not None,
        given=own,
        in_turn=method == "betting",
    )
    summary = {
        "schema": SCHEMA,
        "kind": "multiclass",
        "title": f"Audit of {table.source}",
        "verdict": "",
        "level": level,
        "data": _data_entry(table),
        **entries,
        "test": test,
        "scores": scores,
        "members": _members(held),
        "method": {
            "model": model if isinstance(model, str) else type(model).__name__,
            "method": method,
            "cv": found.cv,
            "splits": scheme,
            "guarantee": found.guarantee,
            "guarantee_sentence": guarantee_sentence(found.guarantee),
            "seed": seed,
            "versions": versions(),
            "seconds": rounded_seconds(stages),
        },
        "caveats": [
            *class_caveats(method),
            *declared(held.models[0]).shortcuts(),
            *_stopped(held),
        ],
    }
    summary["verdict"] = class_verdict(summary)
    return ClassAudit(found, summary)


def _judged(
    table: ClassTable,
    model: Any,
    *,
    method: Method,
    cv: Any,
    seed: int,
    n_jobs: int | None,
    stages: Stages,
) -> tuple[ClassHeldOut, list[Any]]:
    """Every split's rows as its model judged them, under the names of the classes."""
    rows: dict[str, Any] = {"groups": table.groups, "random_state": seed, "classes": table.classes}
    if method == "betting":
        refuse_weights(table.sample_weight is not None)
        splits = prequential_splits(cv, table.codes, X=table.X, **rows)
    else:
        splits = split_rows(cv, table.codes, X=table.X, sample_weight=table.sample_weight, **rows)
    stages.total = stages.done + len(splits) + 0.2
    units = None if table.groups is None else group_units(table.groups, table.codes.size)
    with stages("certify"):
        held = class_held_out(
            seeded(angle_estimator(model), seed),
            table.X,
            table.codes,
            splits,
            classes=np.arange(len(table.classes)),
            sample_weight=table.sample_weight,
            groups=units,
            n_jobs=n_jobs,
            in_sample=method != "betting",
            report=stages.tick,
        )
    return replace(held, classes=np.array([str(label) for label in table.classes])), splits


def _model(table: ClassTable, model: Any, *, fast: bool, n_jobs: int | None, seed: int) -> Any:
    if not isinstance(model, str):
        return model
    return class_table_model(
        model,
        n_classes=len(table.classes),
        categorical=table.encoder.categorical_.tolist(),
        fast=fast,
        n_jobs=n_jobs,
        random_state=seed,
    )


def _data_entry(table: ClassTable) -> dict[str, Any]:
    counts = np.bincount(table.codes)
    return {
        **profile_entry(table),
        "positive": None,
        "rows": int(table.codes.size),
        "classes": [
            {"label": str(label), "rows": int(n)}
            for label, n in zip(table.classes, counts, strict=True)
        ],
        "groups": None if table.groups is None else len(set(table.groups.tolist())),
        "ordered": False,
        "weighted": table.sample_weight is not None,
    }


def _certificate_entries(found: MulticlassCertificate) -> dict[str, Any]:
    names = ("arc_length", "divergence", "balanced_accuracy", "mean_pairwise_auc")
    return {
        **{name: estimate_entry(getattr(found, name)) for name in names},
        "pairwise_auc": _table_entry(found.pairwise_auc),
        "one_versus_rest_auc": _table_entry(found.one_versus_rest_auc),
        "recall": _table_entry(found.recall),
        "confusion": _table_entry(found.confusion),
    }


def _table_entry(found: ClassEstimates) -> dict[str, Any]:
    """Numbers of all classes as lists, None where there is none."""
    parts = {"value": found.value, "low": found.low, "high": found.high}
    return {
        "labels": found.labels.tolist(),
        **{name: _plain(part) for name, part in parts.items()},
        "level": found.level,
        "side": found.side,
    }


def _plain(values: FloatArray) -> list[Any]:
    if values.ndim == 2:
        return [_plain(line) for line in values]
    return [None if isnan(value) else float(value) for value in values]


def _test(held: ClassHeldOut, seed: int) -> dict[str, Any]:
    """Permutation test of "no difference" on the rows of the first model: exact, no new fit."""
    rows = np.flatnonzero(held.fold == 0)
    rows = rows[np.argsort(held.row[rows])]
    rng = np.random.default_rng(seed)
    if held.groups is not None:
        order = rng.permutation(rows)
        rows = order[np.unique(held.groups[order], return_index=True)[1]]
    if rows.size > MOST_TEST_ROWS:
        rows, _ = train_test_split(
            rows, train_size=MOST_TEST_ROWS, stratify=held.y[rows], random_state=seed
        )
    if np.bincount(held.y[rows], minlength=held.n_classes).min() == 0:
        return {"statistic": float(np.sqrt(held.n_classes)), "pvalue": 1.0, "n_permutations": 0}
    divergence, pvalue = permuted_directions(
        held.y[rows], held.direction[rows], N_PERMUTATIONS, rng
    )
    return {
        "statistic": divergence + float(np.sqrt(held.n_classes)),
        "pvalue": pvalue,
        "n_permutations": N_PERMUTATIONS,
    }


def _score_entry(
    name: str, given: Any, table: ClassTable, found: MulticlassCertificate
) -> dict[str, Any]:
    """What a given classifier reaches, and how far below the best it is."""
    names = found.classes[table.codes]
    room = headroom(names, found.classes[given] if given.ndim == 1 else given, found)
    held = found.held_out
    chosen = given[held.row]
    if given.ndim == 2:
        chosen = (chosen / np.bincount(held.y, held.weights)).argmax(axis=1)
    recalls = [
        float(np.average(chosen[held.y == k] == k, weights=held.weights[held.y == k]))
        for k in range(held.n_classes)
    ]
    auc = room.mean_pairwise_auc
    entry = {
        "name": name,
        "balanced_accuracy": float(np.mean(recalls)),
        "recall": recalls,
        "headroom": estimate_entry(room.balanced_accuracy),
        "auc_headroom": None if auc is None else estimate_entry(auc),
    }
    return {**entry, "sentence": class_score_sentence(entry)}


def _members(held: ClassHeldOut) -> list[dict[str, Any]]:
    """Share and out-of-fold J of each member, averaged over the fold models."""
    stacks = [model.members() for model in held.models if isinstance(model, AnglePredictor)]
    if not stacks or len(stacks[0]) == 1:
        return []
    return [
        {
            "name": same[0].name,
            "weight": float(np.mean([member.share for member in same])),
            "arc_length": float(np.mean([member.arc_length for member in same])),
        }
        for same in zip(*stacks, strict=True)
    ]


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
