"""`audit`: how good could any classifier be on this table, and what do the given scores leave?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from rocstar.audits.classes import ClassAudit, audit_classes, refuse_decision
from rocstar.audits.decision import Decision
from rocstar.audits.decision_entry import decision_entry
from rocstar.audits.finding import Finding
from rocstar.audits.importance import columns_importance
from rocstar.audits.judge import Judgement, judge
from rocstar.audits.learning import learning_entries
from rocstar.audits.partitions import collection_model, judge_partitions
from rocstar.audits.score_pairs import calibration_entries, gain_entries
from rocstar.audits.segments import segment_entries
from rocstar.audits.stages import Progress, Stages
from rocstar.audits.summary import (
    data_entry,
    figures,
    found_entry,
    measures,
    member_entries,
    method_entry,
    profile_entry,
    remark_entry,
    score_entry,
    unconverged,
)
from rocstar.checks import InputError, is_collection
from rocstar.estimators.directions import has_fractions, has_many_classes
from rocstar.estimators.fits import drawn_seed
from rocstar.estimators.protocol import declared
from rocstar.inference.betting_intervals import Method
from rocstar.inference.collections import refuse_on_collections
from rocstar.report.method_words import caveats
from rocstar.report.verdicts import audit_verdict
from rocstar.tables.class_table import class_table_of
from rocstar.tables.model import TableModel, table_model
from rocstar.tables.partitions import PartitionedTable, partitioned_table
from rocstar.tables.remarks import Remark
from rocstar.tables.table import LabelledTable, table_of


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Finding):
    """Result of `audit`: the certificate, and a summary that renders as text, HTML or JSON.

    Examples
    --------
    >>> from rocstar import audit, laws
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(150, 150, random_state=0)
    >>> result = audit(X, y, model="linear", random_state=0)
    >>> result.auc.low < 0.9214
    True
    """


def audit(
    X: Any,
    y: ArrayLike,
    *,
    scores: Any = None,
    model: Any = "auto",
    level: float = 0.95,
    method: Method = "dirichlet",
    cv: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    prevalence: float | None = None,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    threshold: float | None = None,
    prior: ArrayLike | None = None,
    fast: bool = False,
    n_jobs: int | None = None,
    random_state: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
) -> Audit | ClassAudit:
    """Bounds of how good any classifier could be on a table, and how far given scores are from it.

    Parameters
    ----------
    X : dataframe or array-like of shape (n, d)
        Numbers, categories, dates, booleans, text and missing values as they come. Of a Dask
        dataframe or array, rows stay where they are; y, scores and weights are then Dask
        collections of the same partitions, ``groups`` and ``time`` must be None, at most about a
        million rows are held out once instead of ``cv`` folds, and "auto" stacks "linear" and
        "rbf". See the guide to many rows.
    y : array-like of shape (n,)
        Two labels, the larger one positive; or 3 to 50, for rows in memory, which gives a
        `ClassAudit`. Classes with fewer than five rows are then left out.
    scores : dict of arrays, dataframe or array-like of shape (n,), optional
        Scores of existing models, higher meaning more positive. Judged, never used as features. Of
        more than two classes: labels, or probabilities of shape (n, K), the classes in sorted
        order or, in a dataframe, by the names of its columns.
    model : {"auto", "linear", "rbf", "trees"} or estimator, default="auto"
        What looks for the best classifier. "auto" is a `StackedRatio` of the other three and,
        depending on the numbers of rows and classes, further models. An estimator gets a float
        matrix in which categories are codes.
    level : float, default=0.95
        Confidence of each bound.
    method : {"dirichlet", "betting"}, default="dirichlet"
        How lower bounds are found; see `certify`. Those by "betting" are proven. Rows are then
        judged in turn, each part by a model of the parts before it, and weights are rejected.
    cv : int, "holdout", splitter or iterable of splits, optional
        Who is judged by a model of whom; see `certify`. With ``time``, a number or "holdout".
    sample_weight : array-like of shape (n,), optional
        How much of the population each row stands for.
    groups : array-like of shape (n,), optional
        Rows of one group stay together in the folds and count as one unit in the bounds. For rows
        that were copied with small changes, pass ``near_copies(X)``.
    time : array-like of shape (n,), optional
        When each row happened: every row is judged by a model of strictly older rows.
    prevalence : float, optional
        Share of positives where a score will be used. It, or any of the following three, adds what
        the best rule and each score reach there: precision, net benefit, cost. By default that of
        the table.
    cost_fn, cost_fp : float, optional
        Costs of a missed positive and of a false alarm.
    threshold : float, optional
        Probability above which you act; by default the one that the costs imply. Scores within
        [0, 1] are read as probabilities and judged at it as given, besides at their best.
    prior : array-like of shape (K,) or "balanced", optional
        Of more than two classes, the shares of the classes at which probabilities in ``scores``
        were made; see `headroom`.
    fast : bool, default=False
        One held-out half instead of folds; "auto" is then linear models and boosted trees.
    n_jobs : int, optional
        Threads of the stack, or processes over the folds for a given estimator.
    random_state : int, optional
        An integer fixes everything that is random. None draws a fresh seed per call and reports
        it, as ``method.seed`` of the summary, so that the audit can be repeated.
    progress : callable, optional
        Called with the name of the stage and the share of the work that is done.
    name : str, default="table"
        What the report calls the data.

    Returns
    -------
    Audit or ClassAudit

    Examples
    --------
    >>> from rocstar import audit, laws
    >>> X, y = laws.GaussianPair([2, 2], [0, 0]).sample(300, 300, random_state=0)
    >>> result = audit(X, y, scores={"first column": X[:, 0]}, model="linear", random_state=0)
    >>> print(result.summary()["scores"][0]["sentence"])
    `first column` has an AUC of 0.9... (0.8... to 0.9...) and is at least 0.0... AUC below ...
    """
    stages = Stages(progress)
    decision = Decision(prevalence, cost_fn, cost_fp, threshold)
    if is_collection(X):
        refuse_prior(prior)
        refuse_on_partitions(groups=groups, time=time)
        refuse_on_collections(cv=cv, n_jobs=n_jobs)
        with stages("columns"):
            lazy = partitioned_table(X, y, scores=scores, sample_weight=sample_weight, source=name)
        return audit_partitions(
            lazy,
            model=model,
            level=level,
            method=method,
            decision=decision,
            random_state=random_state,
            fast=fast,
            stages=stages,
        )
    columns: dict[str, Any] = {
        "scores": scores,
        "groups": groups,
        "sample_weight": sample_weight,
        "time": time,
        "source": name,
    }
    how: dict[str, Any] = {
        "model": model,
        "level": level,
        "method": method,
        "cv": cv,
        "n_jobs": n_jobs,
        "random_state": random_state,
        "fast": fast,
        "stages": stages,
    }
    if has_many_classes(y) or has_fractions(y):
        refuse_decision(
            prevalence=prevalence, cost_fn=cost_fn, cost_fp=cost_fp, threshold=threshold
        )
        with stages("columns"):
            many = class_table_of(X, y, **columns)
        return audit_classes(many, prior=prior, **how)
    refuse_prior(prior)
    with stages("columns"):
        table = table_of(X, y, **columns)
    return audit_table(table, decision=decision, **how)


def refuse_prior(prior: Any) -> None:
    """Refuse shares of classes where there are two: no bound of two classes depends on them."""
    if prior is not None:
        raise InputError("`prior` is for more than two classes; leave it None for two.")


def audit_table(
    table: LabelledTable,
    *,
    model: Any = "auto",
    level: float = 0.95,
    method: Method = "dirichlet",
    cv: Any = None,
    decision: Decision | None = None,
    n_jobs: int | None = None,
    random_state: int | None = None,
    fast: bool = False,
    stages: Stages | None = None,
) -> Audit:
    """Audit of a table that is already split into features, target and scores."""
    stages = Stages() if stages is None else stages
    seed = drawn_seed(random_state)
    cv = "holdout" if fast else cv
    for label, rows in zip(table.classes, (~table.y, table.y), strict=True):
        if rows.sum() == 1:
            raise InputError(f"Only 1 row has {table.target} = {label}; at least 2 are needed.")
    judgement: Judgement = judge(
        table,
        chosen_model(table, model, fast=fast, n_jobs=n_jobs, random_state=seed),
        level=level,
        method=method,
        cv=cv,
        # Named models spread their own work over threads, and can so report progress.
        n_jobs=None if isinstance(model, str) else n_jobs,
        random_state=seed,
        stages=stages,
    )
    found = made_model(table, judgement)
    with stages("importance", share=0.35):
        more = {
            "columns_importance": columns_importance(table, judgement),
            "segments": segment_entries(table, judgement),
        }
    return _audit_of(
        judgement, data_entry(table), model, seed, stages, decision, made=found, more=more
    )


def audit_partitions(
    table: PartitionedTable,
    *,
    model: Any = "auto",
    level: float = 0.95,
    method: Method = "dirichlet",
    decision: Decision | None = None,
    random_state: int | None = None,
    fast: bool = False,
    stages: Stages | None = None,
) -> Audit:
    """Audit of a table in partitions, on whatever Dask client is active."""
    stages = Stages() if stages is None else stages
    ratio, seed = model, drawn_seed(random_state)
    if isinstance(model, str):
        ratio = collection_model(model, fast=fast, random_state=seed)
    judgement = judge_partitions(
        table, ratio, level=level, method=method, random_state=seed, stages=stages
    )
    data = {
        **profile_entry(table),
        "rows": table.rows,
        "positives": table.positives,
        "negatives": table.rows - table.positives,
        "groups": None,
        "ordered": False,
        "weighted": judgement.held_out.weighted,
    }
    sampled = (
        f"The columns were described from {table.sampled_rows:,} rows drawn at random: missing "
        "and distinct values, repeated rows and leaks were counted there."
    )
    return _audit_of(judgement, data, model, seed, stages, decision, also=[sampled])


def _caveats(judgement: Judgement, data: dict[str, Any]) -> list[str]:
    """What a reader must know of an audit."""
    judged, n = judgement.held_out, data["rows"]
    held = judged.once.row.size
    found = caveats(
        data,
        judgement.certificate.guarantee,
        scores=bool(judgement.scores),
        weighted=judged.weighted,
    )
    if judgement.scores and held < n:
        found.append(f"Given scores were judged on the {held:,} held-out rows of {n:,}.")
    stopped = unconverged(judged.models)
    if stopped:
        found.append(
            f"The solver stopped early in {stopped} of {len(judged.models)} models: their bounds "
            "hold, but may be weaker than they could be."
        )
    found += declared(judged.models[0]).shortcuts()
    if judgement.test["n_permutations"] == 0:
        found.append(
            "The test of no difference takes one row per group; in the first held-out part these "
            "are all of one class, so that it cannot find a difference: use fewer folds, or finer "
            "groups."
        )
    return found


def refuse_on_partitions(**given: Any) -> None:
    """Refuse what a table in partitions cannot be asked for."""
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"`{name}` needs all rows in memory; leave it out for a table in partitions, whose "
                "rows are held out one by one."
            )


def _audit_of(
    judgement: Judgement,
    data: dict[str, Any],
    model: Any,
    seed: int,
    stages: Stages,
    decision: Decision | None,
    *,
    also: Sequence[str] = (),
    more: dict[str, Any] | None = None,
    made: TableModel | None = None,
) -> Audit:
    """The judged rows and what was found on the way, as a summary."""
    with stages("scores", share=0.2):
        scores = [score_entry(name, judgement) for name in judgement.scores]
        gains, calibration = gain_entries(judgement), calibration_entries(judgement)
    with stages("figures", share=1.0):
        drawn = figures(judgement)
        decided = decision_entry(judgement, decision or Decision())
    suspicious = [Remark(score["sentence"]) for score in scores if score["suspicious"]]
    data["warnings"] += [remark_entry(remark) for remark in suspicious]
    summary = {
        "kind": "audit",
        "title": f"Audit of {data['source']}",
        "verdict": "",
        "data": data,
        **measures(judgement.certificate),
        "found": found_entry(judgement),
        "test": judgement.test,
        "scores": scores,
        "gains": gains,
        "calibration": calibration,
        "decision": decided,
        **(more or {"columns_importance": [], "segments": []}),
        "members": member_entries(judgement.held_out),
        **learning_entries(judgement.learning_curve),
        "figures": drawn,
        "method": method_entry(judgement, model, seed, stages),
        "caveats": [*_caveats(judgement, data), *also],
    }
    summary["verdict"] = audit_verdict(summary)
    return Audit(judgement.certificate, summary, made)


def made_model(table: LabelledTable, judgement: Judgement) -> TableModel:
    """The model of one split, as a classifier of frames like the table's own."""
    model = judgement.held_out.models[judgement.shown]
    return TableModel.of_parts(table.encoder, model, target=table.target, classes=table.classes)


def chosen_model(
    table: LabelledTable, model: Any, *, fast: bool, n_jobs: int | None, random_state: int | None
) -> Any:
    """The estimator that a name stands for, or the estimator itself."""
    from rocstar.estimators.members import class_rows

    if not isinstance(model, str):
        return model
    rows, rarer = class_rows(table.y, table.sample_weight)
    return table_model(
        model,
        rows=rows,
        columns=table.X.shape[1],
        rarer=rarer,
        categorical=table.encoder.categorical_.tolist(),
        fast=fast,
        n_jobs=n_jobs,
        random_state=random_state,
    )
