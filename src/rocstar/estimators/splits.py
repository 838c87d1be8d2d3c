"""Who is judged by a model of whom: splits for certificates, and folds inside estimators.

Every part holds every class, no group is on both sides, and rows of weight zero are on neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils import check_random_state

from rocstar.checks import BoolArray, FloatArray, IntArray, group_units
from rocstar.estimators.fits import takes_groups

Split: TypeAlias = tuple[IntArray, IntArray]
CV: TypeAlias = int | Literal["holdout"] | Any

DEFAULT_FOLDS = 5

# With few rows of a class, bounds depend on who happens to share a fold with whom: the deviation of
# the AUC's bound over seeds was 0.03 and more with 25 rows and 0.01 with 60. So many repeats keep
# it below 0.01 where the bound is clear of one half.
STABLE_SQUARE, MOST_REPEATS = 10_000, 16
# Rows judged in all repeats: beyond these, fits take too long to be made more often than once.
MOST_REPEATED_ROWS = 20_000


def default_repeats(rarer: int, rows: int) -> int:
    """How often the default folds are repeated: by numbers of rows alone, never by a result."""
    return max(1, min(STABLE_SQUARE // rarer**2, MOST_REPEATS, MOST_REPEATED_ROWS // rows))


def split_rows(
    cv: CV,
    y: BoolArray | IntArray,
    *,
    X: Any = None,
    groups: npt.ArrayLike | None = None,
    sample_weight: FloatArray | None = None,
    random_state: Any = None,
    classes: Sequence[str] | None = None,
    inner: bool = False,
) -> list[Split]:
    """Splits in which every part holds every class and rows are held out equally often.

    ``y`` marks the positive rows, or holds numbers of classes that messages call by ``classes``.
    """
    # `inner` is for folds on which an estimator chooses something: a number of folds is then the
    # most that there may be, fewer if a class has few rows or groups, and given splits may hold a
    # row out more than once or overlap.
    units = None if groups is None else group_units(groups, y.size)
    present = np.ones(y.size, dtype=bool) if sample_weight is None else sample_weight > 0
    names = Names(classes, weighted=not present.all())
    if units is not None:
        _check_groups(None if inner else np.asarray(groups), units, y, present, names)
    if cv is None or isinstance(cv, (str, Integral)):
        rows = np.flatnonzero(present)
        group = None if units is None else units[rows]
        folds = DEFAULT_FOLDS if cv is None else cv
        few = int(min(class_sizes(y[rows], group)))
        if cv is None and not inner:
            check_two_rows(y[rows], group, names)
        fewer = inner or cv is None
        parts = _number_of_parts(folds, y[rows], group, fewer, names)
        seeds = [random_state]
        # A fit of K log ratios costs K times one, and every class has a K-th part of the figures.
        if cv is None and not inner and classes is None:
            seeds = _seeds(random_state, default_repeats(few, rows.size))
        own = _different(
            y[rows], [_own_splits(folds, parts, y[rows], group, fewer, seed) for seed in seeds]
        )
        splits = [(rows[train], rows[test]) for train, test in own]
    else:
        splits = [
            (train[present[train]], test[present[test]])
            for train, test in given_splits(cv, y, X, units)
        ]
    _check_splits(splits, y, units, names, inner)
    return splits


def named(classes: npt.ArrayLike, noun: str = "class") -> list[str]:
    """What messages call classes of these labels."""
    return [f"{noun} {label}" for label in np.asarray(classes).tolist()]


class Names:
    """What messages call the rows of a class."""

    def __init__(self, classes: Any = None, *, weighted: bool = False) -> None:
        self.classes = classes
        self.counted = " of positive weight" if weighted else ""

    def rows(self, code: int, rows: str = "rows") -> str:
        if self.classes is None:
            return f"{('negative', 'positive')[code]} {rows}"
        return f"{rows} of {self.classes[code]}"

    def rarest(self, sizes: IntArray) -> tuple[int, str]:
        """How many rows the class of fewest has, and what they are called."""
        code = sizes.size - 1 - int(np.argmin(sizes[::-1]))
        return int(sizes[code]), f"{self.rows(code)}{self.counted}"


def _number_of_parts(
    cv: Any, y: BoolArray | IntArray, units: IntArray | None, fewer: bool, names: Names
) -> int:
    """How many parts ``cv`` asks for, or, if there may be fewer, as many as the rows allow."""
    if isinstance(cv, str) and cv != "holdout":
        raise ValueError(f"`cv` must be a number, 'holdout' or a splitter; got {cv!r}.")
    parts = 2 if isinstance(cv, str) else int(cv)
    if parts < 2:
        remedy = "" if fewer else ": use cv='holdout' for one split"
        raise ValueError(f"`cv` must be at least 2 folds; got {cv}{remedy}.")
    have, kind = names.rarest(class_sizes(y, units))
    if fewer and have < 2:
        raise ValueError(
            "`cv` needs at least two rows of each class to choose anything on held-out rows; "
            f"got {have} {kind}: use ArctanRatio with a fixed `alpha`, or add rows."
        )
    if not fewer and have < parts:
        needed = kind if units is None else f"groups with {kind}"
        remedy = f"use cv={have}" if have >= 2 else "add rows of that class"
        raise ValueError(f"`cv={cv!r}` needs at least {parts} {needed}; got {have}: {remedy}.")
    return min(parts, have)


def check_two_rows(y: BoolArray | IntArray, units: IntArray | None, names: Names) -> None:
    """Refuse a class of one row, or one group: it cannot be learnt from and judged."""
    have, kind = names.rarest(class_sizes(y, units))
    if have < 2:
        needed = kind if units is None else f"groups with {kind}"
        raise ValueError(
            f"At least 2 {needed} are needed, one to learn from and one to judge; got {have}: add "
            "rows of that class, or leave it out."
        )


def class_sizes(y: BoolArray | IntArray, units: IntArray | None = None) -> IntArray:
    """Rows of each class, or groups that hold one."""
    codes = y.astype(np.intp)
    n_classes = max(int(codes.max(initial=0)) + 1, 2)
    if units is not None:
        codes = np.unique(np.stack([codes, units]), axis=1)[0]
    return np.bincount(codes, minlength=n_classes)


def _seeds(random_state: Any, repeats: int) -> list[Any]:
    """Seeds of the repeats; the first is the one given, whatever their number."""
    if not isinstance(random_state, Integral):
        return [random_state] * repeats
    more = check_random_state(random_state).randint(2**31 - 1, size=repeats - 1)
    return [random_state, *more.tolist()]


def _different(y: BoolArray | IntArray, repeats: list[list[Split]]) -> list[Split]:
    """Splits of the first repeat, and of those that neither equal another nor lack a class."""
    # Where groups are of many sizes, there are few balanced ways to deal them into folds.
    out: list[Split] = []
    seen = set()
    for splits in repeats:
        folds = frozenset(test.tobytes() for _, test in splits)
        if not out or (folds not in seen and _complete(y, splits)):
            out += splits
        seen.add(folds)
    return out


def _own_splits(
    cv: Any,
    parts: int,
    y: BoolArray | IntArray,
    units: IntArray | None,
    inner: bool,
    random_state: Any,
) -> list[Split]:
    """Shuffled stratified folds, or one half."""
    table = np.zeros((y.size, 1))
    halves = isinstance(cv, str)
    if units is None and halves:
        half = StratifiedShuffleSplit(1, test_size=0.5, random_state=random_state)
        return list(half.split(table, y))
    if units is None:
        folds = StratifiedKFold(parts, shuffle=True, random_state=random_state)
        return list(folds.split(table, y))
    while True:
        whole = StratifiedGroupKFold(parts, shuffle=True, random_state=random_state)
        splits = list(whole.split(table, y, units))[: 1 if halves else None]
        # Whole groups may leave a part without one of the classes; larger parts then hold all.
        if not inner or parts == 2 or _complete(y, splits):
            return splits
        parts -= 1


def given_splits(cv: Any, y: BoolArray | IntArray, X: Any, units: IntArray | None) -> list[Split]:
    """Splits of the caller's own splitter, which sees all rows."""
    splitter = check_cv(cv)
    table = np.zeros((y.size, 1)) if X is None else X
    splits = splitter.split(table, y, units if takes_groups(splitter) else None)
    return [(_row_numbers(train), _row_numbers(test)) for train, test in splits]


def _row_numbers(rows: npt.ArrayLike) -> IntArray:
    """Rows as scikit-learn takes them, by number or marked in a mask, by number."""
    array = np.asarray(rows)
    return np.flatnonzero(array) if array.dtype == np.bool_ else array.astype(np.intp)


def _check_groups(
    given: npt.NDArray[Any] | None,
    units: IntArray,
    y: BoolArray | IntArray,
    present: BoolArray,
    names: Names,
) -> None:
    sizes = class_sizes(y[present], units[present])
    for code in np.flatnonzero(sizes == 1)[::-1]:
        rows = (y == code) & present
        group = "one group" if given is None else f"group {given[rows][0]!s}"
        raise ValueError(
            f"`groups` must spread each class over two or more groups; {group} holds every "
            f"{names.rows(code, 'row')}, so no model could be trained on that class and judged on "
            "it: use finer groups."
        )


def _check_splits(
    splits: list[Split],
    y: BoolArray | IntArray,
    units: IntArray | None,
    names: Names,
    inner: bool,
) -> None:
    if not splits:
        raise ValueError("`cv` must give at least one split; got none.")
    times = np.zeros(y.size, dtype=int)
    for k, (train, test) in enumerate(splits):
        times += np.bincount(test, minlength=y.size)
        if (lacking := _lacking(y, (train, test))) is not None:
            part, code = lacking
            every = "both classes" if names.classes is None else "every class"
            raise ValueError(
                f"`cv` must leave {every} in every part; the {part} part of split {k} "
                f"has no {names.rows(code, 'row')}: use fewer folds, stratify, or use finer groups."
            )
        if not inner and np.intersect1d(train, test).size:
            raise ValueError(f"`cv` must not hold out training rows; split {k} does.")
        torn = 0 if units is None else np.intersect1d(units[train], units[test]).size
        if torn:
            raise ValueError(
                f"`cv` must keep the rows of a group on one side; split {k} tears "
                f"{torn} {'group' if torn == 1 else 'groups'} apart: use a number of folds, or a "
                "splitter such as StratifiedGroupKFold."
            )
    often = np.unique(times[times > 0])
    if not inner and often.size > 1:
        raise ValueError(
            f"`cv` must hold out each row equally often; got between {often[0]} and {often[-1]} "
            "times: use complete folds, such as RepeatedStratifiedKFold, or cv='holdout'."
        )


def _complete(y: BoolArray | IntArray, splits: list[Split]) -> bool:
    """Whether every part of every split holds every class."""
    return all(_lacking(y, split) is None for split in splits)


def _lacking(y: BoolArray | IntArray, split: Split) -> tuple[str, int] | None:
    """The part of a split that lacks a class, and the class; None if both parts hold all."""
    n_classes = class_sizes(y).size
    for rows, part in zip(split, ("training", "held-out"), strict=True):
        missing = np.flatnonzero(np.bincount(y[rows].astype(np.intp), minlength=n_classes) == 0)
        if missing.size:
            return part, int(missing[-1])
    return None
