"""Who is judged by a model of whom: splits for certificates, and folds inside estimators.

No row is held out twice, every part holds both classes, no group is on both sides, and rows of
weight zero are on neither.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from rocstar.checks import BoolArray, FloatArray, IntArray, group_units
from rocstar.estimators.fits import takes_groups

Split: TypeAlias = tuple[IntArray, IntArray]
CV: TypeAlias = int | Literal["holdout"] | Any

DEFAULT_FOLDS = 5


def split_rows(
    cv: CV,
    positive: BoolArray,
    *,
    X: Any = None,
    groups: npt.ArrayLike | None = None,
    sample_weight: FloatArray | None = None,
    random_state: int | None = None,
) -> list[Split]:
    """Splits in which no row is held out twice and every part holds both classes.

    Parameters
    ----------
    cv : int, None, "holdout", splitter or iterable of splits
        Shuffled stratified folds, five for None; one stratified half; or anything scikit-learn can
        split by.
    positive : ndarray of bool, shape (n,)
    X : array-like, optional
        For splitters that look at it.
    groups : array-like of shape (n,), optional
        Kept together on one side of every split; a splitter that does not is an error.
    sample_weight : ndarray of shape (n,), optional
        Rows of weight zero count as absent: they are on neither side of any split.
    random_state : int, optional

    Returns
    -------
    list of (train, test)

    Examples
    --------
    >>> [(train, test)] = split_rows("holdout", np.array([True, False] * 5), random_state=0)
    >>> train.size, test.size
    (5, 5)
    """
    units = None if groups is None else group_units(groups, positive.size)
    present = np.ones(positive.size, dtype=bool) if sample_weight is None else sample_weight > 0
    if units is not None:
        _check_groups(np.asarray(groups), positive, present)
    if cv is None:
        cv = DEFAULT_FOLDS
    if isinstance(cv, (str, Integral)):
        splits = _own_splits(cv, positive, units, present, random_state)
    else:
        splits = [
            (train[present[train]], test[present[test]])
            for train, test in _given_splits(cv, positive, X, units)
        ]
    _check_splits(splits, positive, units)
    return splits


def _own_splits(
    cv: Any,
    positive: BoolArray,
    units: IntArray | None,
    present: BoolArray,
    random_state: int | None,
) -> list[Split]:
    """Shuffled stratified folds, or one half, of the rows that are present."""
    rows = np.flatnonzero(present)
    labels, group = positive[rows], None if units is None else units[rows]
    halves = isinstance(cv, str)
    if halves and cv != "holdout":
        raise ValueError(f"`cv` must be a number, 'holdout' or a splitter; got {cv!r}.")
    parts = 2 if halves else int(cv)
    if parts < 2:
        raise ValueError(
            f"`cv` must be at least 2 folds; got {cv}: use cv='holdout' for one split."
        )
    _enough_rows(parts, labels, group, f"cv={cv!r}", weighted=not present.all())
    splitter: Any = StratifiedKFold(parts, shuffle=True, random_state=random_state)
    if group is not None:
        splitter = StratifiedGroupKFold(parts, shuffle=True, random_state=random_state)
    elif halves:
        splitter = StratifiedShuffleSplit(1, test_size=0.5, random_state=random_state)
    splits = list(splitter.split(np.zeros((rows.size, 1)), labels, group))
    return [(rows[train], rows[test]) for train, test in splits[: 1 if halves else None]]


def _given_splits(cv: Any, positive: BoolArray, X: Any, units: IntArray | None) -> list[Split]:
    """Splits of the caller's own splitter, which sees all rows."""
    splitter = check_cv(cv)
    table = np.zeros((positive.size, 1)) if X is None else X
    splits = splitter.split(table, positive, units if takes_groups(splitter) else None)
    return [(row_numbers(train), row_numbers(test)) for train, test in splits]


def row_numbers(rows: npt.ArrayLike) -> IntArray:
    """Rows as scikit-learn takes them, by number or marked in a mask, by number.

    Examples
    --------
    >>> row_numbers([True, False, True])
    array([0, 2])
    """
    array = np.asarray(rows)
    return np.flatnonzero(array) if array.dtype == np.bool_ else array.astype(np.intp)


def _enough_rows(
    parts: int, positive: BoolArray, units: IntArray | None, what: str, *, weighted: bool
) -> None:
    for rows, name in ((positive, "positive"), (~positive, "negative")):
        kind = f"{name} rows of positive weight" if weighted else f"{name} rows"
        have, needed = int(rows.sum()), kind
        if units is not None:
            have, needed = np.unique(units[rows]).size, f"groups with {kind}"
        if have < parts:
            remedy = f"use cv={have}" if have >= 2 else "more data are needed"
            raise ValueError(f"`{what}` needs at least {parts} {needed}; got {have}: {remedy}.")


def _check_groups(names: npt.NDArray[Any], positive: BoolArray, present: BoolArray) -> None:
    for rows, name in ((positive & present, "positive"), (~positive & present, "negative")):
        if np.unique(names[rows]).size == 1:
            raise ValueError(
                f"`groups` must spread each class over two or more groups; group "
                f"{names[rows][0]!s} holds every {name} row, so no model could be trained on that "
                "class and judged on it: use finer groups."
            )


def _check_splits(splits: list[Split], positive: BoolArray, units: IntArray | None) -> None:
    if not splits:
        raise ValueError("`cv` must give at least one split; got none.")
    times = np.zeros(positive.size, dtype=int)
    for k, (train, test) in enumerate(splits):
        times += np.bincount(test, minlength=positive.size)
        for rows, part in ((train, "training"), (test, "held-out")):
            if positive[rows].all() or not positive[rows].any():
                lacking = "negative" if positive[rows].all() else "positive"
                raise ValueError(
                    f"`cv` must leave both classes in every part; the {part} part of split {k} "
                    f"has no {lacking} row: use fewer folds, stratify, or use finer groups."
                )
        if np.intersect1d(train, test).size:
            raise ValueError(f"`cv` must not hold out training rows; split {k} does.")
        if units is not None:
            refuse_torn_groups(units, train, test, k)
    if times.max(initial=0) > 1:
        raise ValueError(
            "`cv` must hold out each row at most once; this one repeats rows: "
            "use one repetition, or cv='holdout'."
        )


def refuse_torn_groups(units: IntArray, train: IntArray, test: IntArray, k: int) -> None:
    """Refuse a split with rows of one group on both sides.

    Examples
    --------
    >>> refuse_torn_groups(np.array([0, 0, 1]), np.array([0]), np.array([1, 2]), 0)
    Traceback (most recent call last):
    ValueError: `cv` must keep the rows of a group on one side; split 0 tears 1 group apart: ...
    """
    torn = np.intersect1d(units[train], units[test]).size
    if torn:
        raise ValueError(
            f"`cv` must keep the rows of a group on one side; split {k} tears "
            f"{torn} {'group' if torn == 1 else 'groups'} apart: use a number of folds, or a "
            "splitter such as StratifiedGroupKFold."
        )


def inner_folds(
    cv: Any,
    positive: NDArray[np.bool_],
    groups: NDArray[Any] | None,
    random_state: Any,
    weights: NDArray[np.float64] | None = None,
) -> list[Split]:
    """Splits with both classes in each part; fewer than asked if a class has few rows.

    Parameters
    ----------
    cv : int, None, splitter or iterable of splits
        None stands for five folds.
    positive : ndarray of bool
    groups : ndarray, optional
        No split may put rows of one group on both sides.
    random_state : int or RandomState
        Shuffles the folds that an integer asks for.
    weights : ndarray of float, optional
        Rows of weight zero count as absent: they are on neither side of any split.
    """
    units = None if groups is None else group_units(groups, len(positive))
    present = np.ones(len(positive), dtype=bool) if weights is None else weights > 0
    cv = DEFAULT_FOLDS if cv is None else cv
    if isinstance(cv, Integral):
        rows = np.flatnonzero(present)
        group = None if units is None else units[rows]
        return [
            (rows[train], rows[test])
            for train, test in _own_folds(int(cv), positive[rows], group, random_state)
        ]
    splitter = check_cv(cv)
    group = units if takes_groups(splitter) else None
    given = splitter.split(np.zeros(len(positive)), positive, group)
    numbered = [(row_numbers(train), row_numbers(test)) for train, test in given]
    splits = [(train[present[train]], test[present[test]]) for train, test in numbered]
    if not all(_both_classes(positive, split) for split in splits):
        raise ValueError(
            "`cv` must put rows of both classes into each part; got a part with one class: "
            "use fewer folds, or check that no group holds a whole class."
        )
    if units is not None:
        for k, (train, test) in enumerate(splits):
            refuse_torn_groups(units, train, test, k)
    return splits


def _own_folds(
    folds: int, positive: NDArray[np.bool_], units: NDArray[np.intp] | None, random_state: Any
) -> list[Split]:
    """Shuffled stratified folds, as many as asked or as the rows allow."""
    rarer = int(min(positive.sum(), (~positive).sum()))
    if rarer < 2:
        raise ValueError(
            "`cv` needs at least two rows of each class to choose anything on held-out rows; "
            "got a class with one row: use ArctanRatio with a fixed `alpha`."
        )
    if units is None:
        splitter = StratifiedKFold(
            max(2, min(folds, rarer)), shuffle=True, random_state=random_state
        )
        return list(splitter.split(positive, positive))
    most = min(np.unique(units[side]).size for side in (positive, ~positive))
    # Whole groups may leave a part without one of the classes; larger parts then hold both.
    for parts in range(min(folds, rarer, most), 1, -1):
        grouped = StratifiedGroupKFold(parts, shuffle=True, random_state=random_state)
        splits = list(grouped.split(positive, positive, units))
        if all(_both_classes(positive, split) for split in splits):
            return splits
    raise ValueError(
        "`groups` must spread each class over two or more groups to choose anything on held-out "
        "groups; got a class that no two parts can share: use finer groups, or ArctanRatio with a "
        "fixed `alpha`."
    )


def _both_classes(positive: NDArray[np.bool_], split: Split) -> bool:
    return all(positive[part].any() and not positive[part].all() for part in split)
