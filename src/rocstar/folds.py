"""Out-of-fold angles: every row judged by a model that has not seen it."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

from rocstar.blocks import to_host
from rocstar.checks import BoolArray, FloatArray, group_units
from rocstar.fits import fitted_clone, takes_groups

IntArray = npt.NDArray[np.intp]
Split: TypeAlias = tuple[IntArray, IntArray]
CV: TypeAlias = int | Literal["holdout"] | Any

DEFAULT_FOLDS = 5


class HeldOut(NamedTuple):
    """What models said about rows they had not seen, and about rows they had.

    Attributes
    ----------
    angle : ndarray of shape (n,)
        NaN in rows that were never held out.
    score : ndarray of shape (n,)
        What ranks rows within a fold; not comparable between folds.
    fold : ndarray of int, shape (n,)
        Which split held the row out; −1 for none.
    models : list
        The fitted model of each split.

    Examples
    --------
    >>> HeldOut(np.array([0.1]), np.array([2.0]), np.array([0]), []).rows
    array([ True])
    """

    angle: FloatArray
    score: FloatArray
    fold: IntArray
    models: list[Any]

    @property
    def rows(self) -> BoolArray:
        """Which rows were held out."""
        return np.asarray(self.fold >= 0)


def held_out(
    estimator: Any,
    X: Any,
    y: npt.NDArray[Any],
    splits: list[Split],
    angle_of: Callable[[Any, Any], npt.NDArray[Any]],
    *,
    sample_weight: FloatArray | None = None,
    groups: npt.NDArray[Any] | None = None,
    n_jobs: int | None = None,
) -> HeldOut:
    """Fit a clone on the training rows of each split and judge its held-out rows.

    Parameters
    ----------
    estimator : estimator
    X : array-like, dataframe or sparse matrix of n rows
    y : ndarray of shape (n,)
    splits : list of (train, test)
        As :func:`split_rows` returns them: no row is held out twice.
    angle_of : callable
        ``angle_of(model, X)`` gives angles.
    sample_weight, groups : ndarray of shape (n,), optional
        Handed to `fit`, groups for the folds that it makes itself.
    n_jobs : int, optional
        Processes over the splits, as in scikit-learn.

    Returns
    -------
    HeldOut

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    >>> splits = split_rows(2, y == 1, random_state=0)
    >>> steepness = lambda model, X: np.arctan(np.exp(model.decision_function(X)))
    >>> np.bincount(held_out(LogisticRegression(), X, y, splits, steepness).fold).tolist()
    [4, 4]
    """
    judged = Parallel(n_jobs=n_jobs)(
        delayed(_fit_and_judge)(estimator, X, y, split, angle_of, sample_weight, groups)
        for split in splits
    )
    out = HeldOut(np.full(y.size, np.nan), np.full(y.size, np.nan), np.full(y.size, -1), [])
    for k, ((_, test), (model, angle, score)) in enumerate(zip(splits, judged, strict=True)):
        out.angle[test], out.score[test], out.fold[test] = angle, score, k
        out.models.append(model)
    return out


def ranking_score(model: Any, X: Any, angle: FloatArray) -> FloatArray:
    """The unclipped score of a model if it has one, else its angle.

    Examples
    --------
    >>> ranking_score(object(), None, np.array([0.3]))
    array([0.3])
    """
    if hasattr(model, "score_given_angle"):
        return to_host(model.score_given_angle(X, angle))
    if not hasattr(model, "decision_function"):
        return angle
    return to_host(model.decision_function(X))


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


def _fit_and_judge(
    estimator: Any,
    X: Any,
    y: npt.NDArray[Any],
    split: Split,
    angle_of: Callable[[Any, Any], npt.NDArray[Any]],
    sample_weight: FloatArray | None,
    groups: npt.NDArray[Any] | None,
) -> tuple[Any, FloatArray, FloatArray]:
    train, test = split
    model = fitted_clone(estimator, X, y, sample_weight=sample_weight, groups=groups, rows=train)
    held = _safe_indexing(X, test)
    angle = np.asarray(angle_of(model, held), dtype=np.float64)
    return model, angle, ranking_score(model, held, angle)
