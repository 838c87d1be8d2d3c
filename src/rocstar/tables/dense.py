"""Matrices with codes and gaps: what makes them dense, and a ratio estimator behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import gen_batches

from rocstar.checks import FloatArray, group_units, require_in_memory
from rocstar.estimators.directions import (
    DirectionClassifier,
    has_many_classes,
    predict_direction,
    takes_many_classes,
)
from rocstar.estimators.fits import fitted, seeded
from rocstar.estimators.numeric_input import validated
from rocstar.estimators.protocol import declared
from rocstar.fitting.directions import class_landmarks
from rocstar.fitting.features import landmarks

# Linear and kernel members have a few hundred coefficients at most: more rows than this, half of
# them of either class where there are enough, move their angle little and cost much.
MAX_ROWS = 20_000
BATCH = 10_000
# A category rarer than the first thirty shares one column with the others like it.
MAX_COLUMNS_PER_CATEGORY = 30
# Numbers end up within so many units of the median; further ones are cut off before, as a square of
# them would overflow.
MOST_UNITS, LARGEST_UNITS = 3.0, 1e100


class DenseRatio(DirectionClassifier):
    """A ratio estimator in front of which codes become columns and gaps are filled."""

    inside = ("ratio", "ratio_")

    def __init__(
        self,
        ratio: Any,
        *,
        categorical: Sequence[int] = (),
        max_rows: int | None = MAX_ROWS,
        random_state: Any = 0,
    ) -> None:
        self.ratio = ratio
        self.categorical = categorical
        self.max_rows = max_rows
        self.random_state = random_state

    @property
    def smooth_class(self) -> bool:  # type: ignore[override]
        """As smooth as the estimator behind it."""
        return declared(self.ratio).smooth_class

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> DenseRatio:
        """Learn medians, scales and categories, then fit the estimator behind them."""
        require_in_memory(X=X, y=y, groups=groups)
        self._check_parameters()
        X, labels = validated(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        rows = self._counted_rows(labels, sample_weight, X)
        self.dense_ = DenseColumns(self.categorical)
        dense = self.dense_.fit(X[rows]).transform(X[rows])
        self.ratio_ = fitted(
            seeded(self.ratio, self.random_state),
            dense,
            labels[rows],
            sample_weight=None if sample_weight is None else np.asarray(sample_weight)[rows],
            groups=None if groups is None else group_units(groups, len(labels))[rows],
        )
        # Of the rows that were used; a pipeline does not count them.
        self.effective_counts_ = getattr(self.ratio_, "effective_counts_", self.effective_counts_)
        self.arc_length_ = float(self.ratio_.arc_length_)
        return self

    def _counted_rows(self, labels: NDArray[Any], sample_weight: Any, X: Any) -> NDArray[np.intp]:
        """All rows, or as many as move the fit, evenly from the classes."""
        if has_many_classes(labels):
            codes, weights = self._fit_class_labels(labels, sample_weight, X)
            drawn = class_landmarks(codes, weights, self.max_rows, 0)
        else:
            positive, weights = self._fit_labels(labels, sample_weight, X)
            drawn = landmarks(positive, weights, self.max_rows, 0)
        few = self.max_rows is None or len(labels) <= self.max_rows
        return np.arange(len(labels)) if few else drawn

    def _direction(self, X: Any) -> FloatArray:
        return self._in_batches(X, lambda dense: predict_direction(self.ratio_, dense))

    def predict_angle(self, X: Any) -> NDArray[Any]:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        return self._in_batches(X, lambda dense: self.ratio_.predict_angle(dense))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The score of the estimator behind the columns: unclipped where it has one."""
        self._check_is_fitted()
        if self._many:
            return np.asarray(super().decision_function(X))
        return self._in_batches(X, lambda dense: self.ratio_.decision_function(dense))

    def shortcuts(self) -> list[str]:
        """Those of the estimator behind the columns."""
        return declared(self.ratio_).shortcuts()

    def _check_parameters(self) -> None:
        if not hasattr(self.ratio, "fit"):
            raise TypeError(f"`ratio` must be an estimator of the angle; got {self.ratio!r}.")
        most: Any = self.max_rows
        if most is not None and not (isinstance(most, (int, np.integer)) and most >= 1):
            raise ValueError(
                f"`max_rows` must be a whole number of 1 or more, or None; got {most!r}."
            )

    def _in_batches(self, X: Any, answer: Callable[[FloatArray], NDArray[Any]]) -> NDArray[Any]:
        self._check_is_fitted()
        require_in_memory(X=X)
        X = validated(self, X, reset=False, ensure_all_finite="allow-nan", dtype=np.float64)
        parts = [answer(self.dense_.transform(X[b])) for b in gen_batches(len(X), BATCH)]
        return np.concatenate(parts)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_class = takes_many_classes(self.ratio)
        return tags


class Squashed(BaseEstimator):  # type: ignore[misc]
    """Columns in units of their interquartile range around the median, softly kept within ±3.

    So outliers neither set the scale nor dominate (Holzmüller et al. 2024, arXiv 2407.04491). Half
    of the whole range is the unit where both quartiles are equal; a constant is zero; gaps stay.
    """

    def fit(self, X: FloatArray, y: Any = None) -> Squashed:
        """Learn the median and the unit of each column."""
        self.n_features_in_ = X.shape[1]
        at, finite = [0, 25, 50, 75, 100], np.isfinite(X)
        if finite.all():  # which sorts all columns at once
            found = np.percentile(X, at, axis=0)
        else:
            found = np.nanpercentile(np.where(finite, X, np.nan), at, axis=0)
        least, low, self.median_, high, most = found
        with np.errstate(over="ignore"):
            unit = np.where(high > low, high - low, (most - least) / 2)
        self.unit_ = np.where(unit > 0, unit, np.inf)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Each number between -3 and 3."""
        with np.errstate(over="ignore", invalid="ignore"):
            z = np.clip((X - self.median_) / self.unit_, -LARGEST_UNITS, LARGEST_UNITS)
            # Where the unit is infinite, so may be the difference: a constant stays zero.
            z = np.where(np.isinf(self.unit_) & ~np.isnan(X), 0.0, z)
        return np.asarray(z / np.sqrt(1.0 + (z / MOST_UNITS) ** 2))


class DenseColumns(BaseEstimator):  # type: ignore[misc]
    """Numbers and flags of their gaps squashed, gaps filled, codes as one column per category.

    Columns with gaps come first, then their flags, the other numbers and the categories. A gap is
    zero, as the median is, whether or not its column had one before.
    """

    # One transformer in place of a `ColumnTransformer` of pipelines: a stack is fitted to some
    # thousand rows a hundred times per audit, and most of their time went into its bookkeeping.

    def __init__(self, categorical: Sequence[int] | NDArray[np.intp] = ()) -> None:
        self.categorical = categorical

    def fit(self, X: FloatArray, y: Any = None) -> DenseColumns:
        """Learn medians, units and categories."""
        self.n_features_in_ = X.shape[1]
        codes = np.asarray(self.categorical, dtype=np.intp)
        numbers = np.setdiff1d(np.arange(X.shape[1]), codes)
        gaps = np.isnan(X[:, numbers]).any(axis=0)
        self.n_gaps_ = int(gaps.sum())
        self.numbers_ = np.concatenate([numbers[gaps], numbers[~gaps]])
        n = self.n_gaps_
        known = self._flagged(X)
        known[:, :n] = filled(known[:, :n])
        self.squashed_ = Squashed().fit(known)
        self.categories_ = None
        if codes.size:
            self.categories_ = OneHotEncoder(
                handle_unknown="infrequent_if_exist",
                max_categories=MAX_COLUMNS_PER_CATEGORY,
                sparse_output=False,
            ).fit(X[:, codes])
        return self

    @property
    def width(self) -> int:
        """Columns that come out."""
        spread = self.categories_
        one_hot = 0 if spread is None else len(spread.get_feature_names_out())
        return self.numbers_.size + self.n_gaps_ + one_hot

    def transform(self, X: FloatArray) -> FloatArray:
        """A dense matrix without gaps."""
        flagged = self._flagged(X)
        numbers = np.where(np.isnan(flagged), 0.0, self.squashed_.transform(flagged))
        if self.categories_ is None:
            return numbers
        codes = np.asarray(self.categorical, dtype=np.intp)
        return np.hstack([numbers, self.categories_.transform(X[:, codes])])

    def _flagged(self, X: FloatArray) -> FloatArray:
        """Numbers, and behind those that had gaps the flags of their gaps."""
        numbers, n = np.take(X, self.numbers_, axis=1), self.n_gaps_
        if not n:
            return numbers
        return np.hstack([numbers[:, :n], np.isnan(numbers[:, :n]), numbers[:, n:]])


def filled(X: FloatArray) -> FloatArray:
    """Columns whose gaps are their medians, or zero where there is nothing else."""
    middle = [np.median(known) if known.size else 0.0 for known in (x[~np.isnan(x)] for x in X.T)]
    return np.where(np.isnan(X), middle, X) if middle else X
