"""Would more rows help? The held-out figures of an audit's models, refitted to fewer rows.

The model of every fold is refitted to nested parts of its training rows, drawn at random, with all
that it has tuned kept, and judged on the rows that the fold holds out: differences between the
points are paired. The last point is the certificate's own held-out figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.utils.parallel import Parallel, delayed

from rocstar.audits.doubling import LEVEL, differences, doubling_gain, more_rows
from rocstar.checks import FloatArray, IntArray, group_units
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.protocol import declared, frozen, tunes_itself
from rocstar.estimators.splits import Split, class_sizes, split_rows
from rocstar.inference.held_entries import HeldEntries
from rocstar.report.words import FIGURE_NAMES
from rocstar.tables.class_table import AnyTable

# The smallest models learn from one part in so many, the next ones from two and from four.
MOST_PARTS = 8
FEWEST_ROWS_PER_CLASS = 20
# Of more than two classes the rarest may have so many times fewer.
RARE = 10
# Above MANY_ROWS two folds are enough, above MOST_ROWS one. A model whose refits cost as much as
# its fits must do with two above fewer rows.
MANY_ROWS, MOST_ROWS, MANY_ROWS_OF_COSTLY_MODELS, FEW_FOLDS = 10_000, 40_000, 2_000, 2
# Cost of a fit that tunes nothing, as a share of one that does.
REFIT_COST = 0.25


@dataclass(frozen=True)
class LearningCurve:
    """Points of a learning curve, the last one the certificate's, and what twice the rows add."""

    points: list[dict[str, float]]
    more_rows: dict[str, Any] | None  # None where there are too few rows for a second point


def learning_entries(curve: LearningCurve) -> dict[str, Any]:
    """What a summary says about more rows."""
    return {"learning_curve": curve.points, "more_rows": curve.more_rows}


def learning_curve(
    table: AnyTable,
    held: HeldEntries,
    splits: Sequence[Split],
    *,
    random_state: int,
    n_jobs: int | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> LearningCurve:
    """Curve of the models that judged a table; ``report`` gets each refit's share of the work."""
    rng = np.random.RandomState(random_state % 2**32)
    nested = [nested_parts(table, train, rng) for train, _ in splits]
    sizes = max(map(len, nested))
    # Where folds differ, as stretches of time do, the last ones have the most rows to learn from.
    able = [k for k in range(len(splits)) if len(nested[k]) == sizes]
    # Repeats of folds judge the same rows again: one of them is enough.
    folds = len(splits) // held.n_repeats
    followed = able[-folds_used(held.models[0], len(table.y), folds) :]
    jobs = [
        delayed(_judged_by_fewer)(table, held, k, nested[k][j], splits[k])
        for j in range(sizes - 1)
        for k in followed
    ]
    if not jobs:
        report(1.0)
    said = []
    for one in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        said.append(one)
        report(1 / len(jobs))
    judged = held.entries(np.isin(held.fold, followed))
    smaller = []
    for first in range(0, len(said), len(followed)):
        of_one_size = said[first : first + len(followed)]
        columns = zip(*of_one_size, strict=True)
        smaller.append(judged.with_said(tuple(np.concatenate(column) for column in columns)))
    rows = np.mean([[part.size for part in nested[k]] for k in followed], axis=0)
    # A stack of many rows keeps some from its members, which their refits then learn from.
    rows[-1] -= np.mean([declared(held.models[k]).n_stacking_rows_ for k in followed])
    return curve_of(np.rint(rows).astype(int).tolist(), [*smaller, judged], held)


def curve_of(
    rows: Sequence[int], judged: Sequence[HeldEntries], held: HeldEntries
) -> LearningCurve:
    """Curve of models of so many rows that judged the same entries; it ends at ``held``.

    Where only some folds were followed, all points are moved by what the others add to the last.
    """
    figures = np.array([one.followed_figures() for one in judged])
    lengths, values = (held.followed_figures() + (figures - figures[-1])).T
    last, name = judged[-1], held.followed
    fewest = min(np.unique(last.row[last.y == k]).size for k in range(last.n_classes))
    error, gain = np.zeros(len(rows)), None
    if len(rows) > 1:
        covariance = followed_covariance(judged)
        error[:-1] = np.sqrt(differences(values, covariance, fewest)[1].diagonal())
        shares = np.asarray(rows, dtype=np.float64) / rows[-1]
        folds = np.unique(last.fold).size * np.unique(last.row).size // last.row.size
        gain = doubling_gain(shares, values, covariance, folds=folds, fewest=fewest)
    bar = norm.isf((1 - LEVEL) / 2) * error
    low, high = np.clip([values - bar, values + bar], 0.0, 1.0)
    names = ("rows", "arc_length", name, f"{name}_low", f"{name}_high")
    columns = (rows, *(column.tolist() for column in (lengths, values, low, high)))
    points = [dict(zip(names, point, strict=True)) for point in zip(*columns, strict=True)]
    return LearningCurve(points, None if gain is None else more_rows(gain, FIGURE_NAMES[name]))


def followed_covariance(judged: Sequence[HeldEntries]) -> FloatArray:
    """Covariance of a figure of several models of the same entries, for a new draw of the rows."""
    parts = np.stack([one.contributions(one.followed_values()) for one in judged])
    return np.asarray(parts @ parts.T)


def folds_used(model: Any, rows: int, folds: int) -> int:
    """How many folds are followed: all of a small table, few of a large one."""
    if rows > MOST_ROWS:
        return 1
    most = MANY_ROWS if tunes_itself(model) else MANY_ROWS_OF_COSTLY_MODELS
    return folds if rows <= most else min(folds, FEW_FOLDS)


def learning_cost(model: Any, rows: int, folds: int) -> float:
    """Expected cost of the curve, in fits of the model to the training rows of a fold."""
    smaller = sum(2.0**-k for k in range(1, MOST_PARTS.bit_length()))
    return folds_used(model, rows, folds) * smaller * (REFIT_COST if tunes_itself(model) else 1.0)


def nested_parts(table: AnyTable, train: IntArray, rng: np.random.RandomState) -> list[IntArray]:
    """An eighth, a quarter, a half and all of the rows: classes in proportion, groups whole."""
    y = table.y[train]
    groups = None if table.groups is None else table.groups[train]
    units = None if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes, wanted = class_sizes(y), MOST_PARTS
    # Of many classes one may be rare; the figure is a mean over all of them.
    enough = sizes.min() if sizes.size == 2 else min(sizes.mean(), RARE * sizes.min())
    while wanted > 1 and enough < wanted * FEWEST_ROWS_PER_CLASS:
        wanted //= 2
    if min(wanted, *class_sizes(y, units)) == 1:
        return [train]
    splits = split_rows(
        wanted, y, groups=groups, random_state=rng, classes=table.class_names, inner=True
    )
    parts = [train[part] for _, part in splits]
    # Whole groups may allow fewer parts than were asked for.
    counts = [n for n in (1, 2, 4) if 2 * n <= len(parts)]
    return [*(np.sort(np.concatenate(parts[:n])) for n in counts), train]


def _judged_by_fewer(
    table: AnyTable, held: HeldEntries, fold: int, rows: IntArray, split: Split
) -> tuple[FloatArray, ...]:
    """What a fold's model says of its held-out rows when refitted to some of its own."""
    train, test = split
    fit = partial(
        fitted_clone,
        X=table.X,
        y=table.y,
        sample_weight=table.sample_weight,
        groups=None if table.groups is None else group_units(table.groups, len(table.y)),
        rows=rows,
    )
    model = frozen(held.models[fold], rows.size / train.size)
    return held.said_by(fit(model), table.X[test])
