"""Rows judged by models of earlier rows only: what makes a certificate by betting a theorem.

Rows are parted once, by sizes and a seed. The first parts only train; then each part is judged by
a model of all parts before it, and joins them. So whatever the learner, no row is judged by a model
that has seen it or any row judged later (theory §12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from rocstar.checks import BoolArray, FloatArray, IntArray, group_units
from rocstar.estimators.members import class_rows
from rocstar.estimators.splits import (
    CV,
    Names,
    Split,
    check_two_rows,
    class_sizes,
    split_rows,
)
from rocstar.estimators.stack import StackedRatio
from rocstar.inference.held_out import HeldOut, held_out, judged_by, of_splits
from rocstar.sklearn_private import safe_indexing

PARTS = 8
"""Parts of the rows, of which the last four are judged two at a time: five models that learn from
twice the rows in all, where those of five folds learn from four times the rows."""
TRAINING_SHARE = 0.125
"""Share of the parts that only train."""


def prequential_splits(
    cv: CV,
    y: BoolArray | IntArray,
    *,
    X: Any = None,
    groups: npt.ArrayLike | None = None,
    random_state: Any = None,
    classes: Sequence[str] | None = None,
) -> list[Split]:
    """Splits that train on rows before those they judge; ``cv`` is the number of parts."""
    units = np.arange(y.size) if groups is None else group_units(groups, y.size)
    how: dict[str, Any] = {"groups": groups, "random_state": random_state, "classes": classes}
    if cv is None or isinstance(cv, Integral):
        parts = cv
        if cv is None:
            check_two_rows(y, None if groups is None else units, Names(classes))
            parts = min(PARTS, *class_sizes(y, units).tolist())
        folds = split_rows(parts, y, **how)
        tests = [test for _, test in folds]
        if cv is None and len(tests) == PARTS:
            tests[4:] = [np.concatenate(tests[4:6]), np.concatenate(tests[6:])]
        first = _training_parts(tests, y)
        return [(np.sort(np.concatenate(tests[:k])), tests[k]) for k in range(first, len(tests))]
    splits = split_rows(cv, y, X=X, **how)
    seen = np.zeros(units.max() + 1, dtype=np.bool_)
    for k, (train, test) in enumerate(splits):
        seen[units[train]] = True
        if seen[units[test]].any():
            raise ValueError(
                "`cv` must train on earlier rows than it judges for method='betting'; an earlier "
                f"split has trained on rows that split {k} judges: use a number of parts, "
                "'holdout' or a splitter such as TimeSeriesSplit."
            )
        seen[units[test]] = True
    return splits


def _training_parts(parts: list[IntArray], y: BoolArray | IntArray) -> int:
    """How many parts only train: an eighth, or as many as hold two rows of each class."""
    first = max(1, round(TRAINING_SHARE * len(parts)))
    while first < len(parts) - 1 and min(class_sizes(y[np.concatenate(parts[:first])])) < 2:
        first += 1
    return first


def held_out_in_turn(
    estimator: Any,
    X: Any,
    positive: BoolArray,
    splits: Sequence[Split],
    *,
    labels: npt.NDArray[Any],
    groups: IntArray | None,
    n_jobs: int | None,
    report: Callable[[], None] | None = None,
) -> HeldOut:
    """Every split's rows as its model judged them; a stack is shared out by earlier splits."""
    if isinstance(estimator, StackedRatio) and len(splits) > 1:
        return _stacked_in_turn(estimator, X, positive, splits, labels, groups, n_jobs, report)
    held = held_out(
        estimator,
        X,
        positive,
        splits,
        labels=labels,
        groups=groups,
        n_jobs=n_jobs,
        in_sample=True,
        report=report,
    )
    if held.in_sample is None or held.in_sample.stacked or len(splits) == 1:
        return held
    # Models fall short by what the full model exceeds, times all rows over their training rows.
    short = np.average(
        [positive.size / train.size for train, _ in splits],
        weights=[test.size for _, test in splits],
    )
    return replace(held, in_sample=held.in_sample._replace(share=float(short / (1 + short))))


def _stacked_in_turn(
    stack: StackedRatio,
    X: Any,
    positive: BoolArray,
    splits: Sequence[Split],
    labels: npt.NDArray[Any],
    groups: IntArray | None,
    n_jobs: int | None,
    report: Callable[[], None] | None,
) -> HeldOut:
    """Members fitted once per split, without folds of their own for the shares."""
    rows, rarer = class_rows(positive)
    fit = partial(_members_of, stack, X, labels, groups, rows=rows, rarer=rarer)
    # Members tune themselves again whenever the rows to learn from have doubled.
    tuned = [0]
    for k, (train, _) in enumerate(splits):
        if train.size >= 2 * splits[tuned[-1]][0].size:
            tuned.append(k)

    def run(jobs: Iterator[Any]) -> Iterator[StackedRatio]:
        for model in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
            if report is not None:
                report()
            yield model

    models: dict[int, StackedRatio] = dict(
        zip(tuned, run(delayed(fit)(splits[k][0]) for k in tuned), strict=True)
    )
    rest = [k for k in range(len(splits)) if k not in models]
    latest = [max(t for t in tuned if t < k) for k in rest]
    jobs = (
        delayed(fit)(splits[k][0], models[t], splits[k][0].size / splits[t][0].size)
        for k, t in zip(rest, latest, strict=True)
    )
    models |= dict(zip(rest, run(jobs), strict=True))
    return _shared_in_turn([models[k] for k in range(len(splits))], X, positive, splits, groups)


def _shared_in_turn(
    models: list[StackedRatio],
    X: Any,
    positive: BoolArray,
    splits: Sequence[Split],
    groups: IntArray | None,
) -> HeldOut:
    """Stacks whose shares are the best for the rows judged before their own."""
    past: list[FloatArray] = []
    judged: list[IntArray] = []
    angles, scores = [], []
    for model, (_, test) in zip(models, splits, strict=True):
        rows = safe_indexing(X, test)
        if past:
            model.share_out(np.concatenate(past, axis=1), positive[np.concatenate(judged)])
        angle, score = judged_by(model, rows)
        angles.append(angle)
        scores.append(score)
        past.append(model.member_angles(rows))
        judged.append(test)
    return of_splits(positive, splits, models, angles, scores, groups)


def _members_of(
    stack: StackedRatio,
    X: Any,
    labels: npt.NDArray[Any],
    groups: IntArray | None,
    train: IntArray,
    like: StackedRatio | None = None,
    share: float = 1.0,
    **sizes: int,
) -> StackedRatio:
    of_groups = None if groups is None else groups[train]
    part = safe_indexing(X, train)
    model: StackedRatio = clone(stack)
    return model.fit_members(part, labels[train], groups=of_groups, like=like, share=share, **sizes)
