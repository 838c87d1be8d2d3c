"""`StandardizedRatio`: `ArctanRatio` on standardised columns, and what the tuned one shares."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils.extmath import randomized_svd

from rocstar.checks import BoolArray, FloatArray, IntArray, is_collection, require_in_memory
from rocstar.estimators.angle import on_the_processor
from rocstar.estimators.directions import has_many_classes
from rocstar.estimators.fits import derived_seed
from rocstar.estimators.many_ratio import ManyOnStandardColumns
from rocstar.estimators.numeric_input import validated
from rocstar.estimators.ratio import ArctanRatio
from rocstar.fitting.arrays import Array
from rocstar.scale.columns import mapped_rows, store_features
from rocstar.scale.overview import overview
from rocstar.scale.partitions import partitions
from rocstar.sklearn_private import Interval, validates_parameters
from rocstar.weights import class_weights

# Power iterations of a sketch of the principal components.
SKETCHES = 2

QUARTILES = (0.25, 0.5, 0.75)
QUARTILES_PER_DEVIATION = 1.349


class OnStandardColumns(ManyOnStandardColumns):
    """An `ArctanRatio` behind a scaler: a subclass says which, and what it chooses on the way."""

    smooth_class = True
    takes_collections = True

    standardize: bool
    max_columns: int | None
    scaler_: StandardScaler | None
    # Of the standardised columns, one per column of the matrix; None if all columns are used.
    components_: FloatArray | None = None
    estimator_: ArctanRatio

    def _ratio(self) -> ArctanRatio:
        """The estimator behind the scaler, not fitted."""
        raise NotImplementedError

    @property
    def scores_are_angles(self) -> bool:  # type: ignore[override]
        """As those of the estimator behind the scaler."""
        return self._ratio().scores_are_angles

    def check_collections(self) -> None:
        """Raise an error if the fit needs all rows in memory."""
        self._ratio().check_collections()

    def _scaled_rows(
        self, X: Any, y: Any, sample_weight: Any, objective_weight: Any
    ) -> tuple[Any, BoolArray, FloatArray]:
        """Rows in memory on standardised columns, which are positive, and their frequencies."""
        require_in_memory(y=y, sample_weight=sample_weight, objective_weight=objective_weight)
        on_the_processor(self, X)
        X, y = validated(
            self, X, y, accept_sparse=self._accept_sparse(), dtype=[np.float64, np.float32]
        )
        positive, weights = self._fit_labels(y, sample_weight, X)
        return self._fit_scaler(X, weights), positive, weights

    def _fit_estimator(
        self, ratio: ArctanRatio, x: Any, positive: BoolArray, weights: FloatArray, objective: Any
    ) -> None:
        self.estimator_ = ratio.fit(x, positive, sample_weight=weights, objective_weight=objective)
        # Normalised within each class, weights no longer show which were repetitions.
        self.estimator_.effective_counts_ = self.effective_counts_
        self.arc_length_ = self.estimator_.arc_length_
        self.n_iter_ = self.estimator_.n_iter_

    def _scaled_sample(
        self, X: Any, y: Any, sample_weight: Any, most_rows: int, seed: int
    ) -> tuple[FloatArray, BoolArray, FloatArray]:
        """Some rows of a Dask collection, on columns standardised by them."""
        seen = overview(partitions(X, y, sample_weight), most_rows, seed)
        store_features(self, X, seen.n_features)
        self.classes_ = seen.classes()
        x, positive, weights = seen.sample()
        weights = class_weights(positive, weights)
        return self._fit_scaler(x, weights), positive, weights

    def _fit_estimator_on_workers(
        self, ratio: ArctanRatio, X: Any, y: Any, sample_weight: Any, objective: Any
    ) -> None:
        fitted = ratio.fit(self._standardised(X), y, sample_weight, objective_weight=objective)
        self.estimator_, self.prior_ = fitted, fitted.prior_
        self.effective_counts_ = fitted.effective_counts_
        self.arc_length_, self.n_iter_ = fitted.arc_length_, fitted.n_iter_

    def _fit_scaler(self, x: Any, weights: FloatArray) -> Any:
        """Rows on columns that are standardised, each class counting half, if they are to be."""
        self.scaler_ = self.components_ = None
        if not self.standardize:
            return x
        scaler = StandardScaler(with_mean=not sparse.issparse(x))
        # The weighted variance of a constant may round to just below zero; scikit-learn then
        # divides by one, as it should.
        with np.errstate(invalid="ignore"):
            self.scaler_ = scaler.fit(x, sample_weight=weights)
        x = self.scaler_.transform(x)
        most = self.max_columns
        if most is None or x.shape[1] <= most or sparse.issparse(x) or not self._is_linear():
            return x
        # A sketch that the draws of its seed hardly move.
        _, _, directions = randomized_svd(
            np.sqrt(weights)[:, None] * x, most, n_iter=SKETCHES, random_state=0
        )
        self.components_ = directions.T
        return x @ self.components_

    def shortcuts(self) -> list[str]:
        """Whether principal components took the place of the columns."""
        if self.components_ is None:
            return []
        columns, used = self.components_.shape
        return [
            f"The linear model was fitted to the {used} largest principal components of its "
            f"{columns:,} columns, since all of them would take too long."
        ]

    def predict_angle(self, X: Any) -> Array:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        self._require_two("predict_angle")
        X = self._standardised(X)
        return self.estimator_.predict_angle(X)

    def predict_log_ratio(self, X: Any) -> Array:
        """The logarithm of the likelihood ratio, within the same limits as `predict_ratio`."""
        X = self._standardised(X)
        return self.estimator_.predict_log_ratio(X)

    def decision_function(self, X: Any) -> Array:
        """The unclipped score, positive where `predict` says positive."""
        self._check_is_fitted()
        if self._many:
            return super().decision_function(X)
        X = self._standardised(X)
        z = self.estimator_._scores(X)
        even = self._even_angle()
        return z - z.dtype.type(np.log(np.tan(even)) if self.estimator_.loss == "log" else even)

    def _standardised(self, X: Any) -> Any:
        self._check_is_fitted()
        if is_collection(X):
            # What is missing stays so, and is an error in the next step.
            return mapped_rows(self, X, self._standardised_block, self.n_features_in_, finite=False)
        X = validated(
            self,
            X,
            reset=False,
            accept_sparse=self._accept_sparse(),
            dtype=[np.float64, np.float32],
        )
        if self.scaler_ is None:
            return X
        X = self.scaler_.transform(X)
        return X if self.components_ is None else X @ self.components_

    def _standardised_block(self, x: NDArray[Any]) -> NDArray[Any]:
        """Some rows standardised; there may be none, which a scaler would refuse."""
        return x if self.scaler_ is None else (x - self.scaler_.mean_) / self.scaler_.scale_

    def _is_linear(self) -> bool:
        return bool(self._ratio().kernel == "linear")

    def _accept_sparse(self) -> str | bool:
        return "csr" if self._is_linear() else False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._ratio().loss == "log"
        tags.input_tags.sparse = self._is_linear()
        return tags


class StandardizedRatio(OnStandardColumns):
    """`ArctanRatio` on standardised columns: what `ArctanRatioCV` fits once it has chosen."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ratio": [ArctanRatio],
        "standardize": ["boolean"],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "max_scaling_rows": [Interval(Integral, 10, None, closed="left")],
    }

    def __init__(
        self,
        ratio: ArctanRatio,
        *,
        standardize: bool = True,
        max_columns: int | None = None,
        max_scaling_rows: int = 5000,
    ) -> None:
        self.ratio = ratio
        self.standardize = standardize
        self.max_columns = max_columns
        self.max_scaling_rows = max_scaling_rows

    @validates_parameters(skip_nested=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        objective_weight: ArrayLike | None = None,
    ) -> StandardizedRatio:
        """Learn the scales of the columns and fit; see `ArctanRatio.fit`."""
        ratio = clone(self.ratio)
        seed = derived_seed(ratio.random_state)
        ratio.set_params(random_state=seed)
        if is_collection(X):
            self.check_collections()
            self._scaled_sample(X, y, sample_weight, self.max_scaling_rows, seed)
            self._fit_estimator_on_workers(ratio, X, y, sample_weight, objective_weight)
            return self
        if ratio.loss == "log" and has_many_classes(y):
            fitted: StandardizedRatio = self._fit_many(X, y, sample_weight)
            return fitted
        rows = self._scaled_rows(X, y, sample_weight, objective_weight)
        self._fit_estimator(ratio, *rows, objective_weight)
        return self

    def _chosen_ratio(
        self, x: Any, codes: IntArray, weights: FloatArray, units: IntArray | None, seed: int
    ) -> ArctanRatio:
        ratio: ArctanRatio = clone(self.ratio).set_params(random_state=seed)
        return ratio

    def _ratio(self) -> ArctanRatio:
        return self.ratio


def centre_and_scale(
    X: FloatArray, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Medians, and the deviations that quartiles tell; of a rare value, how far it is away."""
    if weights is None:
        low, centre, high = np.quantile(X, QUARTILES, axis=0)
    else:
        X, weights = X[weights > 0], weights[weights > 0]
        low, centre, high = _weighted_quartiles(X, weights)
    spread = (high - low) / QUARTILES_PER_DEVIATION
    reach = np.abs(X - centre).max(axis=0)
    return centre, np.where(spread > 0, spread, np.where(reach > 0, reach, 1.0))


def _weighted_quartiles(X: FloatArray, weights: FloatArray) -> FloatArray:
    """The first values at which the cumulative weight reaches each quarter."""
    columns = np.ascontiguousarray(X.T)  # a column at a time, in memory too
    order = np.argsort(columns, axis=1)
    below = np.cumsum(weights[order], axis=1)
    # Weights are sums of rounded shares: a quarter that is met exactly must count as met.
    below /= below[:, -1:] * (1 - 1e-12)
    places = np.stack([np.searchsorted(own, QUARTILES) for own in below])
    return np.take_along_axis(columns, np.take_along_axis(order, places, axis=1), axis=1).T
