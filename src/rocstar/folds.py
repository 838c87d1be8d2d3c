"""Out-of-fold angles: every row judged by a model that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from rocstar.blocks import to_host
from rocstar.checks import BoolArray, FloatArray

IntArray = npt.NDArray[np.intp]
Split: TypeAlias = tuple[IntArray, IntArray]
CV: TypeAlias = int | Literal["holdout"] | Any


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
    sample_weight : ndarray of shape (n,), optional
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
        delayed(_fit_and_judge)(estimator, X, y, split, angle_of, sample_weight) for split in splits
    )
    out = HeldOut(np.full(y.size, np.nan), np.full(y.size, np.nan), np.full(y.size, -1), [])
    for k, ((_, test), (model, angle, score)) in enumerate(zip(splits, judged, strict=True)):
        out.angle[test], out.score[test], out.fold[test] = angle, score, k
        out.models.append(model)
    return out


def fit_weighted(estimator: Any, X: Any, y: Any, sample_weight: FloatArray | None) -> Any:
    """Fit, handing weights to the last step of a pipeline.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(LogisticRegression())
    >>> fit_weighted(model, [[0.0], [1.0]], [0, 1], np.ones(2)).predict([[1.0]]).tolist()
    [1]
    """
    if sample_weight is None:
        return estimator.fit(X, y)
    if isinstance(estimator, Pipeline):
        last = estimator.steps[-1][0]
        return estimator.fit(X, y, **{f"{last}__sample_weight": sample_weight})
    return estimator.fit(X, y, sample_weight=sample_weight)


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
    random_state: int | None = None,
) -> list[Split]:
    """Splits in which no row is held out twice and every part holds both classes.

    Parameters
    ----------
    cv : int, "holdout" or splitter
        Shuffled stratified folds, one stratified half, or anything scikit-learn can split by.
    positive : ndarray of bool, shape (n,)
    X : array-like, optional
        For splitters that look at it.
    groups : array-like of shape (n,), optional
        Kept together on one side of every split.
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
    if groups is not None:
        groups = _checked_groups(groups, positive)
    splitter = _splitter(cv, positive, groups, random_state)
    table = np.zeros((positive.size, 1)) if X is None else X
    splits = list(splitter.split(table, positive, groups))
    if cv == "holdout":
        splits = splits[:1]
    _check_splits(splits, positive)
    return splits


def _splitter(cv: CV, positive: BoolArray, groups: Any, random_state: int | None) -> Any:
    if isinstance(cv, str):
        if cv != "holdout":
            raise ValueError(f"`cv` must be a number, 'holdout' or a splitter; got {cv!r}.")
        _enough_rows(2, positive, groups, "cv='holdout'")
        if groups is not None:
            return StratifiedGroupKFold(2, shuffle=True, random_state=random_state)
        return StratifiedShuffleSplit(1, test_size=0.5, random_state=random_state)
    if not isinstance(cv, (int, np.integer)):
        return check_cv(cv)
    if cv < 2:
        raise ValueError(
            f"`cv` must be at least 2 folds; got {cv}: use cv='holdout' for one split."
        )
    _enough_rows(int(cv), positive, groups, f"cv={cv}")
    folds = StratifiedKFold if groups is None else StratifiedGroupKFold
    return folds(int(cv), shuffle=True, random_state=random_state)


def _enough_rows(parts: int, positive: BoolArray, groups: Any, what: str) -> None:
    for rows, name in ((positive, "positive"), (~positive, "negative")):
        if groups is None:
            have, unit = int(rows.sum()), "rows"
        else:
            have, unit = np.unique(groups[rows]).size, "groups"
        if have < parts:
            remedy = f"use cv={have}" if have >= 2 else "more data are needed"
            raise ValueError(
                f"`{what}` needs at least {parts} {unit} with {name} rows; got {have}: {remedy}."
            )


def _checked_groups(groups: npt.ArrayLike, positive: BoolArray) -> npt.NDArray[Any]:
    names = np.asarray(groups)
    if names.shape != positive.shape:
        raise ValueError(
            f"`groups` must name one group for each of the {positive.size} rows; "
            f"got shape {names.shape}."
        )
    for rows, name in ((positive, "positive"), (~positive, "negative")):
        if np.unique(names[rows]).size == 1:
            raise ValueError(
                f"`groups` must spread each class over two or more groups; group "
                f"{names[rows][0]!s} holds every {name} row, so no model could be trained on that "
                "class and judged on it: use finer groups."
            )
    return names


def _check_splits(splits: Iterable[Split], positive: BoolArray) -> None:
    times = np.zeros(positive.size, dtype=int)
    for k, (train, test) in enumerate(splits):
        times[test] += 1
        for rows, part in ((train, "training"), (test, "held-out")):
            if positive[rows].all() or not positive[rows].any():
                lacking = "negative" if positive[rows].all() else "positive"
                raise ValueError(
                    f"`cv` must leave both classes in every part; the {part} part of split {k} "
                    f"has no {lacking} row: use fewer folds, stratify, or use finer groups."
                )
        if np.intersect1d(train, test).size:
            raise ValueError(f"`cv` must not hold out training rows; split {k} does.")
    if times.max(initial=0) > 1:
        raise ValueError(
            "`cv` must hold out each row at most once; this one repeats rows: "
            "use one repetition, or cv='holdout'."
        )


def _fit_and_judge(
    estimator: Any,
    X: Any,
    y: npt.NDArray[Any],
    split: Split,
    angle_of: Callable[[Any, Any], npt.NDArray[Any]],
    sample_weight: FloatArray | None,
) -> tuple[Any, FloatArray, FloatArray]:
    train, test = split
    weights = None if sample_weight is None else sample_weight[train]
    model = fit_weighted(clone(estimator), _safe_indexing(X, train), y[train], weights)
    held = _safe_indexing(X, test)
    angle = np.asarray(angle_of(model, held), dtype=np.float64)
    return model, angle, ranking_score(model, held, angle)
