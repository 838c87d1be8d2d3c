"""Splits of rows of more than two classes: every part holds every class.

Folds are those of `rocstar.estimators.splits`, without repeats.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, StratifiedShuffleSplit

from rocstar.checks import FloatArray, IntArray, group_units
from rocstar.estimators.splits import DEFAULT_FOLDS, Split, given_splits


def split_class_rows(
    cv: Any,
    codes: IntArray,
    *,
    X: Any = None,
    groups: npt.ArrayLike | None = None,
    sample_weight: FloatArray | None = None,
    random_state: Any = None,
    inner: bool = False,
) -> list[Split]:
    """Splits in which every part holds every class and rows are held out equally often."""
    # `inner` is for folds on which an estimator chooses something: a number of folds is then the
    # most that there may be.
    units = None if groups is None else group_units(groups, codes.size)
    present = np.ones(codes.size, dtype=bool) if sample_weight is None else sample_weight > 0
    if cv is None or isinstance(cv, (str, Integral)):
        rows = np.flatnonzero(present)
        group = None if units is None else units[rows]
        own = _own_splits(cv, codes[rows], group, random_state, fewer=inner or cv is None)
        splits = [(rows[train], rows[test]) for train, test in own]
    else:
        splits = [
            (train[present[train]], test[present[test]])
            for train, test in given_splits(cv, codes, X, units)
        ]
    _check(splits, codes, units, inner)
    return splits


def rarest(codes: IntArray, units: IntArray | None = None) -> tuple[int, int]:
    """The class of fewest rows, or of fewest groups that hold one, and how many these are."""
    if units is not None:
        codes = np.unique(np.stack([codes, units]), axis=1)[0]
    counts = np.bincount(codes)
    return int(np.argmin(counts)), int(counts.min())


def _own_splits(
    cv: Any, codes: IntArray, units: IntArray | None, random_state: Any, *, fewer: bool
) -> list[Split]:
    """Shuffled stratified folds, or one half."""
    if isinstance(cv, str) and cv != "holdout":
        raise ValueError(f"`cv` must be a number, 'holdout' or a splitter; got {cv!r}.")
    halves = isinstance(cv, str)
    parts = 2 if halves else int(DEFAULT_FOLDS if cv is None else cv)
    if parts < 2:
        raise ValueError(
            f"`cv` must be at least 2 folds; got {cv}: use cv='holdout' for one split."
        )
    code, have = rarest(codes, units)
    if have < parts and not (fewer and have >= 2):
        unit = "rows" if units is None else "groups with rows"
        raise ValueError(
            f"`cv` needs at least {parts if not fewer else 2} {unit} of each class; class number "
            f"{code} has {have}: add rows, or leave that class out."
        )
    parts = min(parts, have)
    table = np.zeros((codes.size, 1))
    if units is not None:
        folds = StratifiedGroupKFold(parts, shuffle=True, random_state=random_state)
        return list(folds.split(table, codes, units))[: 1 if halves else None]
    if halves:
        half = StratifiedShuffleSplit(1, test_size=0.5, random_state=random_state)
        return list(half.split(table, codes))
    return list(StratifiedKFold(parts, shuffle=True, random_state=random_state).split(table, codes))


def _check(splits: list[Split], codes: IntArray, units: IntArray | None, inner: bool) -> None:
    if not splits:
        raise ValueError("`cv` must give at least one split; got none.")
    n_classes = int(codes.max()) + 1
    times = np.zeros(codes.size, dtype=int)
    for k, (train, test) in enumerate(splits):
        times += np.bincount(test, minlength=codes.size)
        for part, rows in (("training", train), ("held-out", test)):
            missing = np.flatnonzero(np.bincount(codes[rows], minlength=n_classes) == 0)
            if missing.size:
                raise ValueError(
                    f"`cv` must leave every class in every part; the {part} part of split {k} has "
                    f"no row of class number {missing[0]}: use fewer folds, stratify, or use finer "
                    "groups."
                )
        if units is not None and np.intersect1d(units[train], units[test]).size:
            raise ValueError(f"`cv` must keep groups together; split {k} has one on both sides.")
    often = np.unique(times[times > 0])
    if not inner and often.size > 1:
        raise ValueError(
            f"`cv` must hold out each row equally often; got between {often[0]} and {often[-1]} "
            "times: use complete folds, such as RepeatedStratifiedKFold, or cv='holdout'."
        )
