"""Folds inside an estimator: stratified, shuffled, and whole groups where there are any."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def inner_folds(
    cv: Any, positive: NDArray[np.bool_], groups: NDArray[Any] | None, random_state: Any
) -> list[Split]:
    """Splits with both classes in each part; fewer than asked if a class has few rows.

    Parameters
    ----------
    cv : int, splitter or iterable of splits
    positive : ndarray of bool
    groups : ndarray, optional
    random_state : int or RandomState
        Shuffles the folds that an integer asks for.
    """
    if isinstance(cv, Integral):
        rarer = int(min(positive.sum(), (~positive).sum()))
        if rarer < 2:
            raise ValueError(
                "`cv` needs at least two rows of each class to choose anything on held-out rows; "
                "got a class with one row: use ArctanRatio with a fixed `alpha`."
            )
        splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
        most = rarer if groups is None else min(rarer, len(np.unique(groups)))
        cv = splitter(max(2, min(int(cv), most)), shuffle=True, random_state=random_state)
    splits = list(
        check_cv(cv, positive, classifier=True).split(np.zeros(len(positive)), positive, groups)
    )
    for train, test in splits:
        if any(positive[part].all() or not positive[part].any() for part in (train, test)):
            raise ValueError(
                "`cv` must put rows of both classes into each part; got a part with one class: "
                "use fewer folds, or check that no group holds a whole class."
            )
    return splits
