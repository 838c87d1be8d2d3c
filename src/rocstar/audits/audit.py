"""`audit`: how good could any classifier be on this table, and what do the given scores leave?"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from rocstar import __version__
from rocstar.audits.judge import (
    LEARNING_SHARES,
    Judgement,
    Progress,
    Stages,
    estimate_entry,
    figures,
    judge,
    measures,
    member_entries,
)
from rocstar.audits.partitions import collection_model, judge_partitions
from rocstar.audits.words import (
    audit_verdict,
    caveats,
    learning_sentence,
    score_sentence,
)
from rocstar.checks import InputError, is_collection
from rocstar.estimators.fits import drawn_seed
from rocstar.geometry.curves import hull_arc_length
from rocstar.inference.certificate import Certificate, headroom
from rocstar.inference.collections import refuse_on_collections
from rocstar.inference.intervals import Estimate, auc_interval
from rocstar.tables.model import table_model
from rocstar.tables.partitions import PartitionedTable, partitioned_table
from rocstar.tables.table import LabelledTable, TableProfile, table_of
from rocstar.tables.writing import replace_file

if TYPE_CHECKING:
    from rocstar.report.displays import AngleDisplay, RocDisplay

FAST_SHARES = (0.5,)


@dataclass(frozen=True, repr=False)
class Finding:
    """What an audit and a comparison have in common: a certificate, and a summary to render.

    Examples
    --------
    >>> issubclass(Audit, Finding)
    True
    """

    certificate: Certificate
    _summary: dict[str, Any] = field(repr=False)

    def summary(self) -> dict[str, Any]:
        """Everything that was found, as numbers, strings, lists and dicts."""
        return deepcopy(self._summary)

    @property
    def verdict(self) -> str:
        """The finding in a sentence or two."""
        return str(self._summary["verdict"])

    @property
    def arc_length(self) -> Estimate:
        """Of the optimal ROC curve: √2 indistinguishable, 2 separable."""
        return self.certificate.arc_length

    @property
    def divergence(self) -> Estimate:
        """Arc length minus √2."""
        return self.certificate.divergence

    @property
    def auc(self) -> Estimate:
        """Largest AUC of any score."""
        return self.certificate.auc

    @property
    def tv(self) -> Estimate:
        """Total variation distance."""
        return self.certificate.tv

    @property
    def pvalue(self) -> float:
        """Of the test that there is no difference."""
        return float(self._summary["test"]["pvalue"])

    def to_json(self, path: str | Path | None = None) -> str:
        """The summary as JSON text; written to ``path`` if one is given."""
        from rocstar import report

        return _kept(report.json(self._summary), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The report as Markdown; written to ``path`` if one is given."""
        from rocstar import report

        return _kept(report.markdown(self._summary), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one self-contained page; written to ``path`` if one is given."""
        from rocstar import report

        return _kept(report.html(self._summary), path)

    def plot_roc(self, ax: Any = None) -> RocDisplay:
        """ROC* with its band, and the curve of each given score."""
        from rocstar.report.displays import RocDisplay

        display = RocDisplay(self.summary()["figures"]["roc"])
        display.plot(ax)
        return display

    def plot_angles(self, ax: Any = None) -> AngleDisplay:
        """Distribution of the angle in each class."""
        from rocstar.report.displays import AngleDisplay

        display = AngleDisplay(self.summary()["figures"]["angles"])
        display.plot(ax)
        return display

    def __repr__(self) -> str:
        lines = [self._summary["title"], self.verdict, ""]
        lines += [f"  {name:<18} {value!s}" for name, value in self._numbers()]
        lines += [f"  {sentence}" for sentence in self._sentences()]
        lines += ["", "More: .to_html(path), .plot_roc(), .plot_angles(), .summary()"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>"
            for name, value in self._numbers()
        )
        sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in self._sentences())
        return (
            f"<b>{escape(self._summary['title'])}</b><p>{escape(self.verdict)}</p>"
            f"<table>{rows}</table>" + (f"<ul>{sentences}</ul>" if sentences else "")
        )

    def _numbers(self) -> list[tuple[str, object]]:
        return [
            ("arc length", self.arc_length),
            ("ROC divergence", self.divergence),
            ("total variation", self.tv),
            ("maximal AUC", self.auc),
            ("no difference", f"p = {self.pvalue:.3f}"),
        ]

    def _sentences(self) -> list[str]:
        found = [score["sentence"] for score in self._summary["scores"]]
        return found + [f"Beware: {warning}" for warning in self._summary["data"]["warnings"]]


@dataclass(frozen=True, repr=False)
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
    groups: ArrayLike | None = None,
    level: float = 0.95,
    cv: Any = 5,
    n_jobs: int | None = None,
    random_state: int | None = None,
    progress: Progress | None = None,
    sample_weight: ArrayLike | None = None,
    time: ArrayLike | None = None,
    fast: bool = False,
    name: str = "table",
) -> Audit:
    """How good could any classifier be on these columns, and what do given scores leave?

    Parameters
    ----------
    X : dataframe or array-like of shape (n, d)
        Numbers, categories, dates, booleans, text and missing values as they come. Of a Dask
        dataframe or array, rows stay where they are; y, scores and weights are then Dask
        collections of the same partitions, ``groups`` and ``time`` must be None, at most about a
        million rows are held out once instead of ``cv`` folds, and "auto" stacks "linear" and
        "rbf". See the guide to many rows.
    y : array-like of shape (n,)
        Two labels, the larger one positive.
    scores : dict of arrays, dataframe or array-like of shape (n,), optional
        Scores of existing models, higher meaning more positive. Judged, never used as features.
    model : {"auto", "linear", "rbf", "trees"} or estimator, default="auto"
        What looks for the best classifier. "auto" is a `StackedRatio` of the other three. An
        estimator gets a float matrix in which categories are codes.
    groups : array-like of shape (n,), optional
        Rows of one group stay together in the folds and count as one unit in the bounds.
    level : float, default=0.95
        Confidence of each bound.
    cv : int, "holdout", splitter or iterable of splits, default=5
        Who is judged by a model of whom; see `certify`. With ``time``, a number or "holdout".
    n_jobs : int, optional
        Threads of the stack, or processes over the folds for a given estimator.
    random_state : int, optional
        An integer fixes everything that is random. None draws a fresh seed per call and reports
        it, as ``method.seed`` of the summary, so that the audit can be repeated.
    progress : callable, optional
        Called with the name of the stage and the share of the work that is done.
    sample_weight : array-like of shape (n,), optional
        How much of the population each row stands for.
    time : array-like of shape (n,), optional
        When each row happened: every row is judged by a model of strictly older rows.
    fast : bool, default=False
        One held-out half instead of folds, and a stack without the kernel.
    name : str, default="table"
        What the report calls the data.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from rocstar import audit, laws
    >>> X, y = laws.GaussianPair([2, 2], [0, 0]).sample(300, 300, random_state=0)
    >>> result = audit(X, y, scores={"first column": X[:, 0]}, model="linear", random_state=0)
    >>> print(result.summary()["scores"][0]["sentence"])
    `first column` has AUC 0.9... (0.8... to 0.9...) and leaves at least 0.0... AUC on the table ...
    """
    stages = Stages(progress)
    if is_collection(X):
        refuse_on_partitions(groups=groups, time=time)
        refuse_on_collections(cv=cv, n_jobs=n_jobs)
        with stages("columns"):
            lazy = partitioned_table(X, y, scores=scores, sample_weight=sample_weight, source=name)
        return audit_partitions(
            lazy, model=model, level=level, random_state=random_state, fast=fast, stages=stages
        )
    with stages("columns"):
        table = table_of(
            X,
            y,
            scores=scores,
            groups=groups,
            sample_weight=sample_weight,
            time=time,
            source=name,
        )
    return audit_table(
        table,
        model=model,
        level=level,
        cv=cv,
        n_jobs=n_jobs,
        random_state=random_state,
        fast=fast,
        stages=stages,
    )


def audit_table(
    table: LabelledTable,
    *,
    model: Any = "auto",
    level: float = 0.95,
    cv: Any = 5,
    n_jobs: int | None = None,
    random_state: int | None = None,
    fast: bool = False,
    stages: Stages | None = None,
) -> Audit:
    """Audit of a table that is already split into features, target and scores.

    Parameters
    ----------
    table : LabelledTable
        As `rocstar.tables.table.prepare` returns it.
    model, level, cv, n_jobs, random_state, fast
        As in `audit`.
    stages : Stages, optional
        Keeps times and reports progress.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import pandas as pd
    >>> from rocstar.tables.table import prepare
    >>> frame = pd.DataFrame({"age": [31, 52, 44, 23, 37] * 20, "left": [0, 1, 1, 0, 1] * 20})
    >>> audit_table(prepare(frame, target="left"), model="trees", random_state=0).auc.value
    1.0
    """
    stages = Stages() if stages is None else stages
    seed = drawn_seed(random_state)
    cv = "holdout" if fast else cv
    judgement = judge(
        table,
        chosen_model(table, model, fast=fast, n_jobs=n_jobs, random_state=seed),
        level=level,
        cv=cv,
        # Named models spread their own work over threads, and can so report progress.
        n_jobs=None if isinstance(model, str) else n_jobs,
        random_state=seed,
        stages=stages,
        learning_shares=FAST_SHARES if fast else LEARNING_SHARES,
    )
    return _audit_of(judgement, data_entry(table), model, seed, stages)


def audit_partitions(
    table: PartitionedTable,
    *,
    model: Any = "auto",
    level: float = 0.95,
    random_state: int | None = None,
    fast: bool = False,
    stages: Stages | None = None,
) -> Audit:
    """Audit of a table in partitions, on whatever Dask client is active.

    Parameters
    ----------
    table : PartitionedTable
        As `rocstar.tables.partitions.partitioned_table` returns it.
    model : {"auto", "linear", "rbf"} or estimator, default="auto"
        An estimator must take Dask collections; it gets a dense matrix without gaps.
    level, random_state, fast
        As in `audit`.
    stages : Stages, optional
        Keeps times and reports progress.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import dask.dataframe as dd  # doctest: +SKIP
    >>> table = dd.read_parquet("big/*.parquet")  # doctest: +SKIP
    >>> audit_partitions(partitioned_table(table[["age", "plan"]], table["left"]))  # doctest: +SKIP
    """
    stages = Stages() if stages is None else stages
    ratio, seed = model, drawn_seed(random_state)
    if isinstance(model, str):
        ratio = collection_model(model, fast=fast, random_state=seed)
    judgement = judge_partitions(table, ratio, level=level, random_state=seed, stages=stages)
    data = {
        **profile_entry(table),
        "rows": table.rows,
        "positives": table.positives,
        "negatives": table.rows - table.positives,
    }
    sampled = (
        f"The columns were described from {table.sampled_rows:,} rows drawn at random: missing "
        "and distinct values, repeated rows and leaks were counted there."
    )
    return _audit_of(judgement, data, model, seed, stages, also=[sampled])


def _caveats(judgement: Judgement, data: dict[str, Any]) -> list[str]:
    """What a reader must know of an audit."""
    judged, n = judgement.held_out, data["rows"]
    held = judged.y.size
    told = caveats(data, judged.n_splits, scores=bool(judgement.scores), weighted=judged.weighted)
    if judgement.scores and held < n:
        told.append(f"Given scores were judged on the {held:,} held-out rows of {n:,}.")
    if judgement.test["n_permutations"] == 0:
        told.append(
            "The test of no difference takes one row per group; in the first held-out part these "
            "are all of one class, so that it cannot find a difference: use fewer folds, or finer "
            "groups."
        )
    return told


def refuse_on_partitions(**given: Any) -> None:
    """Refuse what a table in partitions cannot be asked for.

    Examples
    --------
    >>> refuse_on_partitions(groups=None, time=[1, 2])
    Traceback (most recent call last):
    rocstar.checks.InputError: `time` needs all rows in memory; leave it out for a table in ...
    """
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
    also: Sequence[str] = (),
) -> Audit:
    """The judged rows and what was found on the way, as a summary."""
    with stages("scores"):
        scores = [_score_entry(name, judgement) for name in judgement.scores]
    with stages("figures"):
        drawn = figures(judgement)
    summary = {
        "kind": "audit",
        "title": f"Audit of {data['source']}",
        "verdict": "",
        "data": data,
        **measures(judgement.certificate),
        "test": judgement.test,
        "scores": scores,
        "members": member_entries(judgement.held_out),
        "learning_curve": judgement.learning_curve,
        "learning_sentence": learning_sentence(judgement.learning_curve),
        "figures": drawn,
        "method": method_entry(judgement, model, seed, stages),
        "caveats": [*_caveats(judgement, data), *also],
    }
    summary["verdict"] = audit_verdict(summary)
    return Audit(judgement.certificate, summary)


def chosen_model(
    table: LabelledTable, model: Any, *, fast: bool, n_jobs: int | None, random_state: int | None
) -> Any:
    """The estimator that a name stands for, or the estimator itself."""
    if not isinstance(model, str):
        return model
    return table_model(
        model,
        rows=len(table.y),
        categorical=table.encoder.categorical_.tolist(),
        fast=fast,
        n_jobs=n_jobs,
        random_state=random_state,
    )


def data_entry(table: LabelledTable) -> dict[str, Any]:
    """What the data were and what was done to each column."""
    return {
        **profile_entry(table),
        "rows": len(table.y),
        "positives": int(table.y.sum()),
        "negatives": int((~table.y).sum()),
    }


def profile_entry(profile: TableProfile) -> dict[str, Any]:
    """What is known of a table apart from its rows."""
    return {
        "source": profile.source,
        "target": profile.target,
        "positive": profile.positive,
        "features": profile.n_features,
        "columns": [
            {**vars(column), "notes": list(column.notes), "flags": list(column.flags)}
            for column in profile.columns
        ],
        "warnings": list(profile.warnings),
    }


def method_entry(judgement: Judgement, model: Any, seed: int, stages: Stages) -> dict[str, Any]:
    """How the numbers came about, so that they can be had again."""
    return {
        "model": model if isinstance(model, str) else type(model).__name__,
        "cv": judgement.certificate.cv,
        "splits": judgement.scheme,
        "seed": seed,
        "versions": versions(),
        "seconds": rounded_seconds(stages),
    }


def rounded_seconds(stages: Stages) -> dict[str, float]:
    """Seconds of each stage, to the millisecond.

    Examples
    --------
    >>> rounded_seconds(Stages())
    {}
    """
    return {stage: round(spent, 3) for stage, spent in stages.seconds.items()}


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on.

    Examples
    --------
    >>> "numpy" in versions()
    True
    """
    found = {"rocstar": __version__, "python": python_version()}
    for package in ("numpy", "scipy", "scikit-learn", "pandas", "skrub"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _score_entry(name: str, judgement: Judgement) -> dict[str, Any]:
    """What a given score reaches on the held-out rows, and how far it is below the best."""
    held, score = judgement.held_out, judgement.scores[name]
    level, there = judgement.certificate.level, score[judgement.held_out.row]
    area = estimate_entry(
        auc_interval(held.y, there, level=level, sample_weight=held.weights, groups=held.groups)
    )
    labels = held.by_row(held.y, False)
    room = estimate_entry(headroom(labels, score, judgement.certificate))
    return {
        "name": name,
        "auc": area,
        "headroom": {key: room[key] for key in ("value", "low", "level")},
        "hull_arc_length": hull_arc_length(held.y, there, sample_weight=held.weights),
        "sentence": score_sentence(name, area, room),
    }


def _kept(text: str, path: str | Path | None) -> str:
    if path is not None:
        replace_file(path, text.encode())
    return text
