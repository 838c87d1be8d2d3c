"""`compare`: do samples differ, by how much, and which columns carry the difference?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rocstar.audits.audit import chosen_model, made_model
from rocstar.audits.changes import column_changes
from rocstar.audits.class_compare import compare_many
from rocstar.audits.classes import ClassAudit
from rocstar.audits.finding import Finding
from rocstar.audits.importance import columns_importance
from rocstar.audits.judge import Judgement, judge
from rocstar.audits.learning import learning_entries
from rocstar.audits.stages import Progress, Stages
from rocstar.audits.summary import (
    data_entry,
    figures,
    found_entry,
    measures,
    member_entries,
    method_entry,
)
from rocstar.checks import InputError, require
from rocstar.estimators.fits import drawn_seed
from rocstar.estimators.protocol import declared
from rocstar.inference.betting_intervals import Method
from rocstar.inference.held_out import HeldOut
from rocstar.report.method_words import caveats
from rocstar.report.verdicts import comparison_verdict
from rocstar.tables.frames import as_frame
from rocstar.tables.remarks import Remark
from rocstar.tables.table import LabelledTable, table_of

if TYPE_CHECKING:
    from pandas import DataFrame

# One sample is called different from the other at a row where it is at least so much denser.
DENSER = 2.0

Samples = tuple[ArrayLike, ...]
"""One array for the rows of each sample."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Finding):
    """Result of `compare`: the certificate, and a summary that renders as text, HTML or JSON.

    Examples
    --------
    >>> from rocstar import compare, laws
    >>> X, y = laws.GaussianPair([0, 0], [2, 0]).sample(150, 150, random_state=0)
    >>> result = compare(X[y == 0], X[y == 1], model="linear", random_state=0)
    >>> result.columns_importance[0]["name"]
    'x0'
    """

    @property
    def share_different(self) -> float:
        """Share of rows where one sample is at least twice as dense as the other."""
        return float(self._summary["share_different"])

    @property
    def columns_importance(self) -> list[dict[str, Any]]:
        """Columns and what each carries of the difference, the most important first."""
        return list(self.summary()["columns_importance"])

    def _sentences(self) -> list[str]:
        carriers = self._summary["columns_importance"][:3]
        found = [
            f"`{c['name']}`: arc length falls by {c['importance']:.3f} when shuffled; divergence "
            f"alone {c['divergence']:.3f}."
            for c in carriers
        ]
        return found + super()._sentences()


def compare(
    A: Any,
    B: Any,
    *more: Any,
    model: Any = "auto",
    level: float = 0.95,
    method: Method = "dirichlet",
    cv: Any = None,
    sample_weight: Samples | None = None,
    groups: Samples | None = None,
    time: Samples | None = None,
    fast: bool = False,
    n_jobs: int | None = None,
    random_state: int | None = None,
    progress: Progress | None = None,
    names: tuple[str, ...] = ("A", "B"),
) -> Comparison | ClassAudit:
    """Bounds of how much samples differ, a test that they do, and the columns that differ.

    Parameters
    ----------
    A, B, *more : dataframe or array-like
        The samples: training and production, real and generated, before and after. Columns are
        matched by name; those that not every sample has are named in a warning and left out. Of
        more than two samples the result is a `ClassAudit`, whose classes are the samples.
    model, level, method, cv, fast, n_jobs, random_state, progress
        As in `audit`.
    sample_weight, groups, time : tuple of array-like, optional
        Those of A and those of B, as in `audit`; of more samples, as many arrays. Rows of one group
        stay together whichever sample they are in. With ``time``, all samples must be present in
        every stretch of it.
    names : tuple of str, default=("A", "B")
        What the report calls the samples.

    Returns
    -------
    Comparison or ClassAudit

    Examples
    --------
    >>> from rocstar import compare, laws
    >>> X, _ = laws.GaussianPair([0, 0], [2, 0]).sample(800, 1, random_state=0)
    >>> compare(X[:400], X[400:800], model="linear", random_state=0).verdict
    'No difference between the two samples was found (p = ...): the best model found ...'
    """
    stages, seed = Stages(progress), drawn_seed(random_state)
    how = {"model": model, "level": level, "method": method, "cv": cv, "fast": fast}
    if more:
        roles = {"sample_weight": sample_weight, "groups": groups, "time": time}
        how |= {"n_jobs": n_jobs, "random_state": seed}
        return compare_many([A, B, *more], names, stages=stages, **roles, **how)
    names = two_names(names)
    with stages("columns"):
        given = {"sample_weight": sample_weight, "groups": groups, "time": time}
        table, both = matched_table(as_frame(A, names[0]), as_frame(B, names[1]), names, **given)
    judgement: Judgement = judge(
        table,
        chosen_model(table, model, fast=fast, n_jobs=n_jobs, random_state=seed),
        level=level,
        method=method,
        cv="holdout" if fast else cv,
        n_jobs=None if isinstance(model, str) else n_jobs,
        random_state=seed,
        stages=stages,
    )
    return _comparison_of(judgement, table, both, names, model, seed, stages)


def _comparison_of(
    judgement: Judgement,
    table: LabelledTable,
    both: DataFrame,
    names: tuple[str, str],
    model: Any,
    seed: int,
    stages: Stages,
) -> Comparison:
    """The judged rows and what their columns show, as a summary."""
    with stages("importance", share=0.6):
        importance = columns_importance(table, judgement, "arc_length")
        changes = column_changes(both, table, judgement.certificate.level)
    with stages("figures", share=1.0):
        drawn = figures(judgement)
    data = {**data_entry(table), "names": list(names)}
    summary = {
        "kind": "comparison",
        "title": f"Comparison of {names[0]} and {names[1]}",
        "verdict": "",
        "data": data,
        **measures(judgement.certificate),
        "found": found_entry(judgement),
        "test": judgement.test,
        "scores": [],
        "share_different": _share_different(judgement.held_out),
        "columns_importance": importance,
        "changes": changes,
        "members": member_entries(judgement.held_out),
        **learning_entries(judgement.learning_curve),
        "figures": drawn,
        "method": method_entry(judgement, model, seed, stages),
        "caveats": [
            *caveats(
                data,
                judgement.certificate.guarantee,
                weighted=judgement.held_out.weighted,
                comparison=True,
            ),
            *declared(judgement.held_out.models[0]).shortcuts(),
        ],
    }
    summary["verdict"] = comparison_verdict(summary)
    return Comparison(judgement.certificate, summary, made_model(table, judgement))


def two_names(names: Sequence[str]) -> tuple[str, str]:
    """What the report calls two samples."""
    if len(names) != 2:
        raise InputError(f"`names` must be two names, one per sample; got {names!r}.")
    return str(names[0]), str(names[1])


def matched_table(
    A: DataFrame, B: DataFrame, names: tuple[str, str], **given: Samples | None
) -> tuple[LabelledTable, DataFrame]:
    """Both samples in one table whose label is the sample, with a warning for what cannot match.

    Also returns the frame of both.
    """
    require("cli", "pandas", "skrub")
    import pandas as pd

    common = [name for name in A.columns if name in set(B.columns)]
    if not common:
        raise InputError(f"`{names[0]}` and `{names[1]}` have no column in common.")
    for frame, name in ((A, names[0]), (B, names[1])):
        if len(frame) == 0:
            raise InputError(f"`{name}` has no rows.")
    left_out = [
        f"`{column}` is only in {name} and was left out."
        for frame, name in ((A, names[0]), (B, names[1]))
        for column in frame.columns
        if column not in set(common)
    ]
    mixed = {
        column
        for column in common
        if pd.api.types.is_numeric_dtype(A[column]) != pd.api.types.is_numeric_dtype(B[column])
        and not (A[column].isna().all() or B[column].isna().all())
    }
    both = pd.concat([A[common], B[common]], ignore_index=True)
    for column in both.columns[both.isna().all()]:
        both = both.drop(columns=column)
        left_out.append(f"`{column}` has no value in either sample and was left out.")
    table = table_of(
        both,
        np.repeat([0, 1], [len(A), len(B)]),
        source=f"{names[0]} and {names[1]}",
        leaks=False,
        **{role: _joined(role, pair, A, B) for role, pair in given.items()},
    )
    kinds = [
        f"`{column.name}` holds numbers in one sample and text in the other; its type is "
        f"{column.type}."
        for column in table.columns
        if column.name in mixed
    ]
    warnings = (*map(Remark, left_out), *map(Remark, kinds), *table.warnings)
    return replace(table, target="sample", classes=names, warnings=warnings), both


def _joined(role: str, pair: Samples | None, A: DataFrame, B: DataFrame) -> Any:
    """What was given for the rows of each sample, in one array."""
    if pair is None:
        return None
    arrays = [np.asarray(values) for values in pair]
    sizes = [a.shape[:1] for a in arrays]
    if sizes != [(len(A),), (len(B),)]:
        raise InputError(
            f"`{role}` must be a pair of arrays, one value for each of the {len(A)} rows of the "
            f"first sample and the {len(B)} of the second; got shapes "
            f"{' and '.join(str(a.shape) for a in arrays)}."
        )
    return np.concatenate(arrays)


def _share_different(held: HeldOut) -> float:
    """Share of held-out rows, each sample counting half, with a ratio beyond 2 or below ½."""
    angle = held.angle
    apart = (angle >= np.arctan(DENSER)) | (angle <= np.arctan(1 / DENSER))
    return held.mean_sum(apart.astype(np.float64)) / 2
