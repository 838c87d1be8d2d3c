"""Folds inside an estimator: stratified, shuffled, and whole groups where there are any."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from rocstar.checks import group_units
from rocstar.fits import takes_groups
from rocstar.folds import DEFAULT_FOLDS, Split, refuse_torn_groups, row_numbers


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
