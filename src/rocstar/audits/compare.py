"""`compare`: do two samples differ, by how much, and which columns carry the difference?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from rocstar.audits.audit import chosen_model, made_model
from rocstar.audits.finding import Finding
from rocstar.audits.judge import Progress, Stages, judge
from rocstar.audits.learning import learning_entries
from rocstar.audits.summary import (
    data_entry,
    figures,
    found_entry,
    measures,
    member_entries,
    method_entry,
)
from rocstar.checks import InputError, require
from rocstar.estimators.angle import arc_length_score
from rocstar.estimators.classifier import ClassifierRatio
from rocstar.estimators.fits import drawn_seed
from rocstar.estimators.protocol import declared
from rocstar.estimators.splits import Split
from rocstar.estimators.unwrap import predict_angle
from rocstar.inference.betting_intervals import Method
from rocstar.inference.held_out import HeldOut
from rocstar.report.words import caveats, comparison_verdict
from rocstar.tables.frames import as_frame
from rocstar.tables.remarks import Remark
from rocstar.tables.table import LabelledTable, table_of

if TYPE_CHECKING:
    from pandas import DataFrame

# One sample is called different from the other at a row where it is at least so much denser.
DENSER = 2.0
# Rows on which columns are permuted: J of so many is known to a hundredth.
IMPORTANCE_ROWS = 4000
MOST_REPEATS, PREDICTIONS = 5, 100
# A tree of one column: enough leaves for any shape, enough rows in each for a sober ratio.
LEAVES, ROWS_PER_LEAF = 32, 20


@dataclass(frozen=True, repr=False)
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
            f"`{c['name']}`: arc length falls by {c['importance']:.3f} without it; divergence of "
            f"this column alone {c['divergence']:.3f}."
            for c in carriers
        ]
        return found + super()._sentences()


def compare(
    A: Any,
    B: Any,
    *,
    model: Any = "auto",
    level: float = 0.95,
    method: Method = "dirichlet",
    cv: Any = None,
    fast: bool = False,
    n_jobs: int | None = None,
    random_state: int | None = None,
    progress: Progress | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Do two samples come from one law? If not, how far are they apart, and in which columns?

    Parameters
    ----------
    A, B : dataframe or array-like
        The two samples: training and production, real and generated, before and after. Columns
        are matched by name; those that only one sample has are named in a warning and left out.
    model, level, method, cv, fast, n_jobs, random_state, progress
        As in `audit`.
    names : tuple of two str, default=("A", "B")
        What the report calls the samples.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from rocstar import compare, laws
    >>> X, _ = laws.GaussianPair([0, 0], [2, 0]).sample(800, 1, random_state=0)
    >>> compare(X[:400], X[400:800], model="linear", random_state=0).verdict
    'No difference between the two samples was found (p = ...): the best model found ...'
    """
    stages, seed = Stages(progress), drawn_seed(random_state)
    with stages("columns"):
        table = matched_table(as_frame(A, names[0]), as_frame(B, names[1]), names)
    judgement = judge(
        table,
        chosen_model(table, model, fast=fast, n_jobs=n_jobs, random_state=seed),
        level=level,
        method=method,
        cv="holdout" if fast else cv,
        n_jobs=None if isinstance(model, str) else n_jobs,
        random_state=seed,
        stages=stages,
    )
    with stages("importance"):
        shown = judgement.shown
        importance = columns_importance(
            table, judgement.held_out.models[shown], judgement.splits[shown]
        )
    with stages("figures"):
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
        "members": member_entries(judgement.held_out),
        **learning_entries(judgement.learning_curve),
        "figures": drawn,
        "method": method_entry(judgement, model, seed, stages),
        "caveats": [
            *caveats(data, judgement.certificate.guarantee, comparison=True),
            *declared(judgement.held_out.models[0]).shortcuts(),
        ],
    }
    summary["verdict"] = comparison_verdict(summary)
    return Comparison(judgement.certificate, summary, made_model(table, judgement))


def matched_table(A: DataFrame, B: DataFrame, names: tuple[str, str]) -> LabelledTable:
    """Both samples in one table whose label is the sample, with a warning for what cannot match."""
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
    )
    kinds = [
        f"`{column.name}` holds numbers in one sample and text in the other; its type is "
        f"{column.type}."
        for column in table.columns
        if column.name in mixed
    ]
    return replace(
        table,
        target="sample",
        classes=names,
        warnings=(*map(Remark, left_out), *map(Remark, kinds), *table.warnings),
    )


def columns_importance(table: LabelledTable, model: Any, split: Split) -> list[dict[str, Any]]:
    """What each column carries of held-out J, jointly and alone, the most important first.

    ``importance`` is the J that is lost when the column is shuffled among held-out rows;
    ``divergence`` is that of the column alone, by a small tree judged on held-out rows.
    """
    rng = np.random.default_rng(0)
    train, test = (_some(rows, table.y, IMPORTANCE_ROWS, rng) for rows in split)
    X, y = table.X[test], table.y[test]
    whole = arc_length_score(y, predict_angle(model, X))
    repeats = int(np.clip(PREDICTIONS // table.encoder.n_features_in_, 1, MOST_REPEATS))
    entries = []
    for k, name in enumerate(table.encoder.feature_names_in_):
        block = np.flatnonzero(table.encoder.owner_ == k)
        if block.size == 0:
            continue
        shuffled = [_shuffled_score(model, X, y, block, rng) for _ in range(repeats)]
        entries.append(
            {
                "name": str(name),
                "importance": whole - float(np.mean(shuffled)),
                "divergence": _divergence_alone(table, block, train, test),
            }
        )
    return sorted(entries, key=lambda entry: (entry["importance"], entry["divergence"]))[::-1]


def _some(
    rows: NDArray[np.intp], y: NDArray[np.bool_], most: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """At most so many rows, half of them of each class where there are enough."""
    parts = [rows[y[rows]], rows[~y[rows]]]
    kept = [
        rng.permutation(part)[: max(most // 2, most - len(other))]
        for part, other in (parts, parts[::-1])
    ]
    return np.sort(np.concatenate(kept))


def _shuffled_score(
    model: Any,
    X: NDArray[np.float64],
    y: NDArray[np.bool_],
    block: NDArray[np.intp],
    rng: np.random.Generator,
) -> float:
    shuffled = X.copy()
    shuffled[:, block] = X[rng.permutation(len(X))][:, block]
    return arc_length_score(y, predict_angle(model, shuffled))


def _divergence_alone(
    table: LabelledTable, block: NDArray[np.intp], train: NDArray[np.intp], test: NDArray[np.intp]
) -> float:
    leaf = min(max(ROWS_PER_LEAF, len(train) // 100), max(len(train) // 4, 1))
    tree = DecisionTreeClassifier(max_leaf_nodes=LEAVES, min_samples_leaf=leaf, random_state=0)
    ratio = ClassifierRatio(tree).fit(table.X[np.ix_(train, block)], table.y[train])
    angle = ratio.predict_angle(table.X[np.ix_(test, block)])
    return max(arc_length_score(table.y[test], angle) - sqrt(2), 0.0)


def _share_different(held: HeldOut) -> float:
    """Share of held-out rows, each sample counting half, with a ratio beyond 2 or below ½."""
    angle, y = held.angle, held.y
    apart = (angle >= np.arctan(DENSER)) | (angle <= np.arctan(1 / DENSER))
    return float((apart[y].mean() + apart[~y].mean()) / 2)
