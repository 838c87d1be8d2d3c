"""What every estimator of the angle v = atan(p/q) can answer, given its angles."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from rocstar.checks import (
    binary_labels,
    class_totals,
    effective_counts,
    finite_scores,
    fraction,
    in_memory,
    is_collection,
    nonnegative_weights,
)
from rocstar.estimators.fits import innermost
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
from rocstar.scale.labelled import LabelledRows

HALF_PI = pi / 2


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


def class_weights(positive: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that sum to one within each class: integer ones then mean repetition (theory §3)."""
    positives, negatives = class_totals(positive, weights)
    return np.asarray(weights / np.where(positive, positives, negatives))


def predict_angle(estimator: Any, X: Any) -> NDArray[Any]:
    """Angles from a fitted ratio estimator, also when a pipeline or a search is around it.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rocstar import ArctanRatio, predict_angle
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> model = make_pipeline(StandardScaler(), ArctanRatio()).fit(X, y)
    >>> predict_angle(model, X).shape
    (4,)
    """
    if hasattr(estimator, "predict_angle"):
        angle = estimator.predict_angle(X)
        return angle if is_collection(angle) else host_copy(angle)
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps[:-1]:
            X = X if step is None or step == "passthrough" else step.transform(X)
        return predict_angle(estimator.steps[-1][1], X)
    if hasattr(estimator, "best_estimator_"):
        return predict_angle(estimator.best_estimator_, X)
    raise TypeError(
        f"`estimator` must predict angles; got {type(estimator).__name__}: "
        "wrap a probabilistic classifier in rocstar.ClassifierRatio."
    )


class ArcLengthScorer:
    """Scorer of held-out J for ``cross_val_score`` and ``GridSearchCV``; higher is better.

    It is at hand as ``arc_length_scorer``.

    A classifier without ``predict_angle`` is scored by its probabilities, taken at their word for
    the share of positives among the rows it is judged on. That is the share it was trained with if
    the folds are stratified. Class weights inside it make the probabilities wrong and the score
    low: wrap it in `ClassifierRatio`, which accounts for them.

    Parameters
    ----------
    sample_weight : bool, str or None, default=None
        Whether scikit-learn's metadata routing passes weights on, or under which name; see
        ``set_score_request``.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from rocstar import ArctanRatio, arc_length_scorer, laws
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(200, 200, random_state=0)
    >>> bool(cross_val_score(ArctanRatio(), X, y, scoring=arc_length_scorer).mean() > 1.6)
    True
    """

    def __init__(self, sample_weight: bool | str | None = None) -> None:
        self.sample_weight = sample_weight

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """J of a fitted estimator's angles on these rows."""
        if hasattr(innermost(estimator), "predict_angle"):
            angle = predict_angle(estimator, X)
        else:
            angle = _angle_by_probability(estimator, X, y, sample_weight)
        return arc_length_score(y, angle, sample_weight=sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> ArcLengthScorer:
        """A scorer that asks scikit-learn's metadata routing for weights, or not to pass them."""
        return ArcLengthScorer(sample_weight)

    def get_metadata_routing(self) -> MetadataRequest:
        """What this scorer asks scikit-learn's metadata routing for."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self.sample_weight)
        return request

    def __repr__(self) -> str:
        asks = "" if self.sample_weight is None else f"sample_weight={self.sample_weight!r}"
        return f"ArcLengthScorer({asks})"


arc_length_scorer = ArcLengthScorer()


def _angle_by_probability(
    classifier: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> NDArray[Any]:
    """The angle that a classifier's probabilities stand for at these rows' share of positives."""
    if not hasattr(classifier, "predict_proba"):
        raise TypeError(
            f"`estimator` must predict angles or probabilities; got {type(classifier).__name__}: "
            'wrap it in rocstar.ClassifierRatio with calibration="isotonic".'
        )
    positive, _ = binary_labels(y)
    totals = class_totals(positive, nonnegative_weights(sample_weight, len(positive)))
    probability = np.asarray(classifier.predict_proba(X), dtype=np.float64)
    return np.arctan2(probability[:, 1] / totals[0], probability[:, 0] / totals[1])


def _both_shares(share: NDArray[Any]) -> NDArray[Any]:
    return np.stack([1 - share, share], axis=1)


class AngleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A binary classifier that knows the angle of the likelihood ratio.

    A subclass sets ``classes_``, ``prior_`` and ``effective_counts_`` when fitted and defines
    ``predict_angle``; all other predictions follow from these.
    """

    # Whether the in-sample optimism is small and symmetric enough for the midpoint of theory §8.
    smooth_class: bool = False
    # Whether `fit` leaves the rows of a Dask collection on their workers.
    takes_collections: bool = False

    classes_: NDArray[Any]
    prior_: float
    # Rows of each class, in the order of ``classes_``: see `effective_counts`.
    effective_counts_: NDArray[np.float64]

    def check_collections(self) -> None:
        """Raise an error if, as it is set up, `fit` needs all rows of a Dask collection here."""

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
        prior = self.prior_ if prior is None else fraction(prior, "prior")
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
        """Set ``classes_``, ``prior_`` and ``effective_counts_``.

        Returns the positives and class-normalised weights.
        """
        in_memory(y=y, sample_weight=sample_weight)
        y = _check_y(y)
        check_consistent_length(X, y)
        foreign = is_foreign(X)
        # The distinct labels tell all that the labels would, in far less time.
        numbers = is_foreign(y) or y.dtype.kind in "biuf"
        distinct = distinct_values(y) if numbers else np.unique(y)
        labels = host_copy(distinct)
        check_classification_targets(labels)
        kind = type_of_target(labels, input_name="y", raise_unknown=True)
        if kind == "multiclass":
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{kind}: fit one class against the rest, for example in OneVsRestClassifier."
            )
        binary_labels(labels)
        positive, self.classes_ = y == distinct[1], distinct
        if sample_weight is None and not foreign:
            up = int(np.count_nonzero(positive))
            self.prior_ = up / len(y)
            self.effective_counts_ = np.array([len(y) - up, up], dtype=np.float64)
            return positive, np.where(positive, 1 / up, 1 / (len(y) - up))
        dtype = namespace(X).float64 if foreign else np.float64
        weights = _check_sample_weight(sample_weight, X, dtype=dtype, ensure_non_negative=True)
        if foreign and not is_foreign(positive):
            positive = namespace(X).asarray(positive, device=X.device)
        return positive, self._normalised(positive, weights)

    def _normalised(self, positive: Array, weights: Array) -> Array:
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


def on_the_processor(estimator: Any, X: Any) -> None:
    """Refuse an array that scikit-learn was told to leave where it lives."""
    if is_foreign(X) and get_config()["array_api_dispatch"]:
        raise TypeError(
            f"{type(estimator).__name__} computes with NumPy; got an array of "
            f"{type(X).__module__}: pass a NumPy array, or use ArctanRatio."
        )


def lenient_input(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X for an estimator that only passes it on: frames as they come, else a 2-d array."""
    in_memory(X=X)
    if hasattr(X, "columns"):
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    return validate_data(
        estimator, X, reset=reset, dtype=None, accept_sparse="csr", ensure_all_finite=False
    )
