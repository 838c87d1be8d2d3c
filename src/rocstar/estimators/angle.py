"""What every estimator of the angle v = atan(p/q) can answer, given its angles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from rocstar.checks import (
    BoolArray,
    binary_labels,
    check_fraction,
    class_totals,
    finite_scores,
    is_collection,
    nonnegative_weights,
    require_in_memory,
)
from rocstar.estimators.protocol import AnglePredictor
from rocstar.fitting.arrays import (
    Array,
    cast,
    distinct_values,
    dot,
    host_copy,
    is_foreign,
    is_numpy,
    like,
    namespace,
    to_host,
)
from rocstar.fitting.losses import HALF_PI
from rocstar.scale.labelled import LabelledRows
from rocstar.sklearn_private import check_sample_weight, check_y
from rocstar.weights import class_weights, effective_counts


def two_classes(labels: NDArray[Any]) -> tuple[BoolArray, NDArray[Any]]:
    """Which rows are positive, and the two labels in sorted order."""
    check_classification_targets(labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind == "multiclass":  # a sentence that scikit-learn's contract tests know
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{kind}: use StackedRatio, or ArctanRatio or ArctanRatioCV with loss='log', on NumPy "
            "arrays or data frames; or fit one class against the rest, for example in "
            "OneVsRestClassifier."
        )
    return binary_labels(labels)


def arc_length_score(
    y: ArrayLike, angle: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""J of theory §2: mean sine over the positives plus mean cosine over the negatives.

    On data the angle was not fitted to, an unbiased estimate of a number that is at most the arc
    length of the optimal ROC curve. Between 0 and 2; √2 for the angle π/4 everywhere.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Two labels, the larger one positive.
    angle : array-like of shape (n_samples,)
        Angles in [0, π/2].
    sample_weight : array-like of shape (n_samples,), optional
        Frequencies, normalised within each class.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> round(arc_length_score([0, 0, 1, 1], np.full(4, np.pi / 4)), 4)
    1.4142
    """
    positive, _ = binary_labels(y)
    v = finite_scores(angle, len(positive), "angle")
    if v.min() < 0 or v.max() > HALF_PI + 1e-6:  # π/2 of float32 exceeds that of float64
        raise ValueError(
            f"`angle` must lie in [0, π/2]; got values from {v.min():.4g} to {v.max():.4g}: "
            "use predict_angle, not a score or a probability."
        )
    weights = class_weights(positive, nonnegative_weights(sample_weight, len(positive)))
    return float(weights @ np.where(positive, np.sin(v), np.cos(v)))


def _both_shares(share: NDArray[Any]) -> NDArray[Any]:
    return np.stack([1 - share, share], axis=1)


class AngleClassifier(AnglePredictor, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A binary classifier that knows the angle of the likelihood ratio.

    A subclass sets ``classes_``, ``prior_`` and ``effective_counts_`` when fitted and defines
    ``predict_angle``; all other predictions follow from these.
    """

    classes_: NDArray[Any]
    prior_: float
    # Rows of each class, in the order of ``classes_``: see `effective_counts`.
    effective_counts_: NDArray[np.float64]

    def predict_angle(self, X: Any) -> Array:
        raise NotImplementedError

    def predict_ratio(self, X: Any) -> Array:
        """The likelihood ratio p/q of each row, within what the training rows can know.

        Between 1/(n₊ + 1) and n₋ + 1, with n± the effective numbers of training rows of each class
        (``effective_counts_``): a place where n rows of a class have none may have a share of up to
        about 1/(n + 1) of that class. `predict_angle` has no such limits.
        """
        return self.ratio_given_angle(self.predict_angle(X))

    def predict_log_ratio(self, X: Any) -> Array:
        """The logarithm of the likelihood ratio, within the same limits as `predict_ratio`."""
        ratio = self.predict_ratio(X)
        return namespace(ratio).log(ratio)

    def predict_proba(self, X: Any, prior: float | None = None) -> Array:
        """Class probabilities at the training share of positives, or at another ``prior``.

        They follow from `predict_ratio`, so that none is exactly 0 or 1.
        """
        return self.proba_given_angle(self.predict_angle(X), prior)

    def ratio_given_angle(self, angle: Array) -> Array:
        """What `predict_ratio` would say of rows whose angles are known already."""
        low, high = self._ratio_limits()
        xp = namespace(angle)
        # Beyond the float nearest π/2 the tangent is negative.
        steep = angle >= like(HALF_PI, angle)
        return xp.clip(xp.where(steep, like(high, angle), xp.tan(angle)), low, high)

    def proba_given_angle(self, angle: Array, prior: float | None = None) -> Array:
        """What `predict_proba` would say of rows whose angles are known already."""
        prior = self.prior_ if prior is None else check_fraction(prior, "prior")
        odds = prior * self.ratio_given_angle(angle)
        share = odds / (odds + (1 - prior))
        if is_collection(share):  # of unknown length, perhaps
            return share.map_blocks(_both_shares, new_axis=1, chunks=(*share.chunks, (2,)))
        return namespace(share).stack([1 - share, share], axis=1)

    def _ratio_limits(self) -> tuple[float, float]:
        """The smallest and the largest ratio that the training rows can tell from 0 and ∞."""
        if not hasattr(self, "effective_counts_"):
            raise NotFittedError(
                f"This {type(self).__name__} does not know how many rows it was fitted to "
                "(`effective_counts_`), since another version of rocstar fitted it: fit it again."
            )
        negatives, positives = self.effective_counts_
        return float(1 / (positives + 1)), float(negatives + 1)

    def decision_function(self, X: Any) -> Array:
        """A score that ranks by the ratio and is positive where the positive class is likelier."""
        return self.predict_angle(X) - self._even_angle()

    def predict(self, X: Any) -> Array:
        """The likelier class at the training share of positives."""
        likelier = self.decision_function(X) > 0
        classes = self.classes_
        if is_collection(likelier):
            return likelier.map_blocks(lambda part: classes[part.astype(int)], dtype=classes.dtype)
        if is_numpy(classes):
            return np.asarray(classes[host_copy(likelier).astype(int)])
        xp = namespace(classes)
        index = xp.asarray(host_copy(likelier).astype(int), device=classes.device)
        return xp.take(classes, index)

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """J on the data given: see `arc_length_score`."""
        if is_collection(X):
            labelled = LabelledRows.of(y, sample_weight, self.classes_[1])
            return labelled.mean_sum(labelled.terms(self.predict_angle(X)))
        y, angle = (host_copy(a) if is_foreign(a) else a for a in (y, self.predict_angle(X)))
        return arc_length_score(y, angle, sample_weight=sample_weight)

    def _even_angle(self) -> float:
        """The angle at which both classes are equally likely: tan v = (1 − prior)/prior."""
        return float(np.arctan2(1 - self.prior_, self.prior_))

    def _fit_labels(self, y: Any, sample_weight: Any, X: Any) -> tuple[Array, Array]:
        """The positives and class-normalised weights; sets the attributes that follow from them."""
        require_in_memory(y=y, sample_weight=sample_weight)
        y = check_y(y)
        check_consistent_length(X, y)
        foreign = is_foreign(X)
        # The distinct labels tell all that the labels would, in far less time.
        numbers = is_foreign(y) or y.dtype.kind in "biuf"
        distinct = distinct_values(y) if numbers else np.unique(y)
        labels = host_copy(distinct)
        # Two whole numbers or truth values are two classes; the check takes as long as a small fit.
        if labels.size != 2 or labels.dtype.kind not in "biu":
            two_classes(labels)
        positive, self.classes_ = y == distinct[1], distinct
        if sample_weight is None and not foreign:
            up = int(np.count_nonzero(positive))
            self.prior_ = up / len(y)
            self.effective_counts_ = np.array([len(y) - up, up], dtype=np.float64)
            return positive, np.where(positive, 1 / up, 1 / (len(y) - up))
        dtype = namespace(X).float64 if foreign else np.float64
        weights = check_sample_weight(sample_weight, X, dtype=dtype, ensure_non_negative=True)
        if foreign and not is_foreign(positive):
            positive = namespace(X).asarray(positive, device=X.device)
        return positive, self._normalised(positive, weights, given=sample_weight is not None)

    def _normalised(self, positive: Array, weights: Array, *, given: bool) -> Array:
        """Weights that sum to one within each class; sets what follows from them on the way."""
        if not is_foreign(weights):
            positives, negatives = class_totals(positive, weights)
            self.prior_ = positives / (positives + negatives)
            self.effective_counts_ = effective_counts(positive, weights)
            return weights / np.where(positive, positives, negatives)
        share = cast(positive, weights.dtype)
        sums = np.array([float(dot(weights, share)), float(dot(weights, 1.0 - share))])
        totals = class_totals(np.array([True, False]), sums)
        self.prior_ = totals[0] / (totals[0] + totals[1])
        up, down = (like(t, weights) for t in totals)
        # Rows of a device travel only where their weights have to be looked at.
        self.effective_counts_ = np.array(totals[::-1])
        if given:
            self.effective_counts_ = effective_counts(host_copy(positive), to_host(weights))
        return weights / namespace(weights).where(positive, up, down)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _lenient_input(self, X: Any, *, reset: bool) -> Any:
        return lenient_input(self, X, reset=reset)

    def _check_is_fitted(self) -> None:
        check_is_fitted(self, "classes_")


def refuse_on_workers(given: dict[str, bool]) -> None:
    """Refuse arguments that were given and need all rows of a Dask collection in memory."""
    for name, is_given in given.items():
        if is_given:
            raise ValueError(
                f"`{name}` needs all rows in memory; got a Dask collection: leave it out, or pass "
                "X.compute()."
            )


def on_the_processor(estimator: Any, X: Any) -> None:
    """Refuse an array that scikit-learn was told to leave where it lives."""
    if is_foreign(X) and get_config()["array_api_dispatch"]:
        raise TypeError(
            f"{type(estimator).__name__} computes with NumPy; got an array of "
            f"{type(X).__module__}: pass a NumPy array, or use ArctanRatio."
        )


def lenient_input(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X for an estimator that only passes it on: frames as they come, else a 2-d array."""
    require_in_memory(X=X)
    if hasattr(X, "columns"):
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    return validate_data(
        estimator, X, reset=reset, dtype=None, accept_sparse="csr", ensure_all_finite=False
    )
