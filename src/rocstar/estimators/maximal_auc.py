"""`MaximalAUCClassifier`: the paper's two steps towards the largest AUC (Algorithm 1)."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from rocstar.checks import group_units, is_collection
from rocstar.estimators.angle import AngleClassifier, arc_length_score, refuse_on_workers
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.protocol import declared, frozen
from rocstar.estimators.ratio import ArctanRatio
from rocstar.fitting.arrays import Array, host_copy, is_foreign, like, to_host
from rocstar.fitting.losses import HALF_PI
from rocstar.geometry.curves import ecdf_weights
from rocstar.scale.columns import aligned, store_features
from rocstar.scale.labelled import LabelledRows
from rocstar.sklearn_private import HasMethods, validates_parameters


class MaximalAUCClassifier(AngleClassifier):
    r"""Two-step classifier: fit the angle, weight rows by effect on the AUC, refit (theory §7).

    The largest AUC of any score is :math:`\tfrac12 + \tfrac{\sqrt2}{2} A` with

    .. math:: A = \sup_v E_p[w \sin v] + E_q[w \cos v],\quad
              w = \sin(v^* + \pi/4)\,|F_+(v^*) - F_-(v^*)|.

    Step one fits v\*, step two maximises this with the weights of step one. Both steps have the
    same target v\*: the weights are divided by one constant for both classes, so that a penalty
    means the same in both. They are computed from mid-distribution functions of the unclipped
    scores.

    Parameters
    ----------
    ratio : ratio estimator, optional
        `ArctanRatio` by default; any whose ``fit`` takes ``objective_weight``. An `ArctanRatioCV`
        keeps in step two what it has chosen in step one.

    Attributes
    ----------
    first_step_, second_step_ : ratio estimators
        Fitted; the same object if step one is constant, so that no row matters.
    weights_ : ndarray of shape (n_samples,)
        Weights of step two; the mean of their two class means is one.
    weights_error_ : float
        0, or for more than a million rows of a Dask collection, whose distribution functions come
        from histograms: the largest error of ``|F₊ − F₋|`` in the weights.
    objective_ : float
        The paper's ``½ + √2/2 Â`` on the training data. It is neither a bound of an AUC nor an
        AUC: it may exceed 1. For a bound of the maximal AUC see `rocstar.certify`.
    arc_length_ : float
        J of the second step on the training data. Optimistic: never a bound.
    classes_, prior_, effective_counts_, n_features_in_, feature_names_in_
        As in `ArctanRatio`.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from rocstar import MaximalAUCClassifier, laws
    >>> law = laws.GaussianPair(0.0, 2.0)
    >>> model = MaximalAUCClassifier().fit(*law.sample(500, 500, random_state=0))
    >>> X, y = law.sample(5000, 5000, random_state=1)
    >>> print(f"{roc_auc_score(y, model.decision_function(X)):.2f} of {law.auc:.2f}")
    0.92 of 0.92
    """

    takes_collections = True
    inside = ("ratio", "first_step_")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ratio": [HasMethods(["fit", "predict_angle", "decision_function"]), None]
    }

    def __init__(self, ratio: Any = None) -> None:
        self.ratio = ratio

    @property
    def smooth_class(self) -> bool:  # type: ignore[override]
        """As the ratio estimator's class."""
        return declared(self._unfitted()).smooth_class

    @validates_parameters(skip_nested=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> MaximalAUCClassifier:
        """Fit both steps.

        Parameters
        ----------
        X, y
            As the ratio estimator takes them.
        sample_weight : array-like of shape (n_samples,), optional
            Frequencies: integer weights equal repetition, in both steps.
        groups : array-like of shape (n_samples,), optional
            Rows of a group stay in one fold of what ``ratio`` tunes.

        Returns
        -------
        self
        """
        ratio = self._unfitted()
        if not has_fit_parameter(ratio, "objective_weight"):
            raise TypeError(
                "`ratio` must take `objective_weight` in fit, which the second step needs; "
                f"{type(ratio).__name__} does not: use ArctanRatio or ArctanRatioCV."
            )
        if is_collection(X):
            refuse_on_workers({"groups": groups is not None})
            return self._fit_collection(ratio, X, y, sample_weight)
        X = self._lenient_input(X, reset=True)
        given, shares = self._fit_labels(y, sample_weight, X)
        # Ranks are found on the host, wherever the rows are.
        positive, frequencies = host_copy(given), to_host(shares)
        labels: Any = y if is_foreign(X) else self.classes_[positive.astype(int)]
        units = None if groups is None else group_units(groups, len(positive))
        self.first_step_ = fitted_clone(ratio, X, labels, sample_weight=sample_weight, groups=units)
        self.weights_error_ = 0.0
        importance = self._importance(X, positive, frequencies)
        # One constant for both classes, or the target would be another ratio's angle.
        scale = 0.5 * float(frequencies @ importance)
        weights = importance / scale if scale > 0 else np.ones(len(positive))
        self.weights_ = like(weights, shares)
        self._second_step(X, labels, sample_weight, scale)
        v = to_host(self.second_step_.predict_angle(X))
        matter = frequencies * importance
        self.objective_ = float(
            0.5 + np.sqrt(0.5) * matter @ np.where(positive, np.sin(v), np.cos(v))
        )
        self.arc_length_ = arc_length_score(positive, v, sample_weight=frequencies)
        return self

    def check_collections(self) -> None:
        """Raise an error if the steps need all rows in memory."""
        declared(self._unfitted()).check_collections()

    def _fit_collection(
        self, ratio: Any, X: Any, y: Any, sample_weight: Any
    ) -> MaximalAUCClassifier:
        """Fit to Dask collections; the weights stay lazy."""
        if not declared(ratio).takes_collections:
            raise TypeError(
                "`ratio` must be an ArctanRatio or an ArctanRatioCV to be fitted to a Dask "
                f"collection; got {type(ratio).__name__}."
            )
        first = self.first_step_ = clone(ratio).fit(X, y, sample_weight=sample_weight)
        self.classes_, self.prior_ = first.classes_, first.prior_
        self.effective_counts_ = first.effective_counts_
        store_features(self, X, first.n_features_in_)
        z, v = first.decision_function(X), first.predict_angle(X)
        labelled = LabelledRows.of(y, sample_weight, self.classes_[1])
        ranks = labelled.ranks(z)
        self.weights_error_ = ranks.error
        importance = np.sin(v + np.pi / 4) * z.map_blocks(ranks, dtype=np.float64)
        scale = 0.5 * labelled.mean_sum(importance)
        self.weights_ = importance / (scale if scale > 0 else 1.0)
        self._second_step(X, y, sample_weight, scale)
        terms = labelled.terms(self.second_step_.predict_angle(X))
        importance, terms = aligned(importance, terms)
        value = labelled.mean_sum(importance * terms)
        self.objective_ = float(0.5 + np.sqrt(0.5) * value)
        self.arc_length_ = self.second_step_.arc_length_
        return self

    def predict_angle(self, X: Any) -> Array:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        return self._step_two(X).predict_angle(X)

    def predict_log_ratio(self, X: Any) -> Array:
        """The logarithm of the likelihood ratio, within the same limits as `predict_ratio`."""
        return self._step_two(X).predict_log_ratio(X)

    def decision_function(self, X: Any) -> Array:
        """The unclipped score of step two, positive where `predict` says positive."""
        return self._step_two(X).decision_function(X)

    def _unfitted(self) -> Any:
        return ArctanRatio() if self.ratio is None else self.ratio

    def _importance(
        self, X: Any, positive: NDArray[np.bool_], frequencies: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """How much each row matters to the AUC, by the angles and the ranks of step one."""
        return ecdf_weights(
            positive,
            host_copy(self.first_step_.decision_function(X)),
            angle=np.clip(to_host(self.first_step_.predict_angle(X)), 0.0, HALF_PI),
            sample_weight=frequencies,
        )

    def _second_step(self, X: Any, y: Any, sample_weight: Any, scale: float) -> None:
        first = self.first_step_
        if scale <= 0:
            self.second_step_ = first
            warnings.warn(
                "MaximalAUCClassifier: step one ranks no row above another, so there is no second "
                "step and the first is returned; lower the penalty of `ratio` or check X.",
                UserWarning,
                stacklevel=3,
            )
            return
        again = frozen(first)
        warm = {"init": first} if has_fit_parameter(again, "init") else {}
        self.second_step_ = again.fit(
            X, y, sample_weight=sample_weight, objective_weight=self.weights_, **warm
        )

    def _step_two(self, X: Any) -> Any:
        self._check_is_fitted()
        if not is_collection(X):
            self._lenient_input(X, reset=False)
        return self.second_step_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._unfitted()).input_tags
        return tags
