"""Out-of-fold angles: every row judged by a model that has not seen it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.parallel import Parallel, delayed

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.splits import Split
from rocstar.fitting.rows import to_host
from rocstar.sklearn_private import safe_indexing


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
    >>> from rocstar.estimators.splits import split_rows
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
    held = safe_indexing(X, test)
    angle = np.asarray(angle_of(model, held), dtype=np.float64)
    return model, angle, ranking_score(model, held, angle)
