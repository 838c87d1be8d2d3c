"""More than two classes: directions u = p/‖p‖ in place of angles (theory §15)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length

from rocstar.checks import (
    MANY_NUMBERS,
    FloatArray,
    IntArray,
    is_collection,
    require_in_memory,
)
from rocstar.estimators.angle import AngleClassifier
from rocstar.estimators.unwrap import inner_rows, unwrap
from rocstar.fitting.arrays import host_copy, is_foreign
from rocstar.fitting.directions import direction_arc_length
from rocstar.sklearn_private import check_sample_weight, check_y
from rocstar.weights import class_effective_counts


class DirectionClassifier(AngleClassifier):
    """An `AngleClassifier` that also takes more than two classes, and predicts directions then.

    A subclass defines ``_direction``, which is asked for rows where there are more than two.
    """

    # Share of each class in the training rows, where these are more than two.
    priors_: FloatArray

    def _direction(self, X: Any) -> FloatArray:
        raise NotImplementedError

    @property
    def _many(self) -> bool:
        """Whether it was fitted to more than two classes."""
        return bool(self.classes_.shape[0] > 2)  # some array libraries have no len

    def _require_two(self, asked: str) -> None:
        """Refuse a question about two classes."""
        self._check_is_fitted()
        if self._many:
            raise ValueError(
                f"`{asked}` compares two classes; this model was fitted to {len(self.classes_)}: "
                "use predict_direction or predict_proba."
            )

    def predict_direction(self, X: Any) -> FloatArray:
        """Densities of the classes at each row, scaled to unit vectors of shape (n, n_classes).

        Of two classes, the cosine and the sine of the angle.
        """
        self._check_is_fitted()
        return self._direction(X) if self._many else _of_angle(self.predict_angle(X))

    def predict_proba(self, X: Any, prior: Any = None) -> Any:
        """Class probabilities at the training shares of the classes, or at another ``prior``.

        None is exactly 0 or 1: of a class with n training rows, a place without any of them may
        hold a share of up to about 1/(n + 1). ``prior`` is the share of positives or, of more
        than two classes, the shares of all.
        """
        self._check_is_fitted()
        if not self._many:
            return super().predict_proba(X, prior)
        return self._proba_given_direction(self._direction(X), prior)

    def _proba_given_direction(self, direction: FloatArray, prior: ArrayLike | None) -> FloatArray:
        shares = self.priors_ if prior is None else np.asarray(prior, dtype=np.float64)
        if shares.shape != self.priors_.shape or not (shares > 0).all():
            raise ValueError(
                f"`prior` must hold {self.priors_.size} positive shares, one per class; got "
                f"{prior!r}."
            )
        relative = direction / direction.max(axis=1, keepdims=True)
        joint = shares * np.maximum(relative, 1 / (self.effective_counts_ + 1))
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def decision_function(self, X: Any) -> Any:
        """A score that is positive where the positive class is likelier; of more than two classes,
        the logarithm of each one's probability."""
        self._check_is_fitted()
        return np.log(self.predict_proba(X)) if self._many else super().decision_function(X)

    def predict(self, X: Any) -> Any:
        """The likeliest class at the training shares of the classes."""
        self._check_is_fitted()
        if not self._many:
            return super().predict(X)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """J on the data given: the sum over classes of the mean of their own component."""
        self._check_is_fitted()
        if not self._many:
            return super().score(X, y, sample_weight)
        labels = np.asarray(y)
        direction = self._direction(X)
        weights = np.ones(labels.size) if sample_weight is None else np.asarray(sample_weight)
        total = 0.0
        for k, label in enumerate(self.classes_):
            rows = labels == label
            if not weights[rows].sum() > 0:
                raise ValueError(f"`y` must hold rows of every class; got none of {label!s}.")
            total += float(np.average(direction[rows, k], weights=weights[rows]))
        return total

    def _fit_class_labels(self, y: Any, sample_weight: Any, X: Any) -> tuple[IntArray, FloatArray]:
        """Numbers of the classes, and weights that sum to one within each; sets what follows."""
        require_in_memory(y=y, sample_weight=sample_weight)
        y = check_y(y)
        check_classification_targets(y)
        check_consistent_length(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        totals = np.bincount(codes, weights)
        if not (totals > 0).all():
            empty = self.classes_[int(np.argmin(totals))]
            raise ValueError(
                f"`sample_weight` must give each class some weight; class {empty!s} has none."
            )
        self.priors_ = totals / totals.sum()
        self.effective_counts_ = class_effective_counts(codes, weights)
        return codes, weights / totals[codes]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def has_many_classes(y: Any) -> bool:
    """Whether labels in memory are of more than two classes; others are left to later checks."""
    if is_collection(y) or is_foreign(y):
        return False
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or labels.size == 0:
        return False
    if labels.dtype.kind in "biuf":
        # Two passes instead of a sort: labels come by the ten million.
        low, high = labels.min(), labels.max()
        if not np.isfinite(float(low) + float(high)) or ((labels == low) | (labels == high)).all():
            return False
    try:
        return bool(type_of_target(labels) == "multiclass")
    except (TypeError, ValueError):
        return False


def has_many_labels(y: Any) -> bool:
    """The same, with fractions: 0, ½ and 1 are labels too, many of them a measurement."""
    if has_many_classes(y):
        return True
    values = _fractions(y)
    if values is None:
        return False
    if values.size > MANY_NUMBERS:
        raise ValueError(
            f"`y` must hold labels; got {values.size:,} distinct numbers, which look like a "
            "measurement: pass ranges of it, or whether it exceeds its median, "
            f"{float(np.median(np.asarray(y))):g}."
        )
    return True


def has_fractions(y: Any) -> bool:
    """Whether labels are more than two numbers, some of them not whole."""
    return _fractions(y) is not None


def _fractions(y: Any) -> NDArray[Any] | None:
    if is_collection(y) or is_foreign(y):
        return None
    labels = np.asarray(y)
    if labels.dtype.kind != "f" or labels.size == 0 or not np.isfinite(labels).all():
        return None
    values = np.unique(labels)
    return values if values.size > 2 and (values % 1 != 0).any() else None


def takes_many_classes(estimator: Any) -> bool:
    """Whether a classifier says that it takes more than two classes."""
    tags = get_tags(estimator).classifier_tags
    return tags is not None and bool(tags.multi_class)


def predict_direction(estimator: Any, X: Any) -> FloatArray:
    """Unit vectors of the classes' densities from a fitted ratio estimator, of shape (n, K).

    Also when a pipeline or a search is around it. Of two classes these are the cosine and the sine
    of its angle.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rocstar import ArctanRatio, laws, predict_direction
    >>> X, y = laws.GaussianFamily([[0.0], [2.0], [4.0]]).sample(50, random_state=0)
    >>> model = make_pipeline(StandardScaler(), ArctanRatio(loss="log")).fit(X, y)
    >>> predict_direction(model, X).shape
    (150, 3)
    """
    model = unwrap(estimator)
    if not (hasattr(model, "predict_direction") or hasattr(model, "predict_angle")):
        raise TypeError(
            f"`estimator` must predict directions; got {type(model).__name__}: wrap a "
            "probabilistic classifier in rocstar.ClassifierRatio."
        )
    rows = inner_rows(estimator, X)
    if hasattr(model, "predict_direction"):
        return np.asarray(model.predict_direction(rows), dtype=np.float64)
    return _of_angle(model.predict_angle(rows))


def _of_angle(angle: Any) -> FloatArray:
    v = np.asarray(host_copy(angle), dtype=np.float64)
    return np.stack([np.cos(v), np.sin(v)], axis=1)


def mixed_directions(directions: list[FloatArray], shares: NDArray[Any]) -> FloatArray:
    """Directions whose log ratios are mixed by these shares."""
    from rocstar.fitting.directions import unit_directions

    logs = sum(a * np.log(u) for a, u in zip(shares, directions, strict=True) if a > 0)
    return unit_directions(np.asarray(logs))


def class_figures(codes: IntArray, direction: FloatArray, weights: FloatArray) -> dict[str, float]:
    """Arc length and balanced accuracy of directions, weights summing to one within classes."""
    right = direction.argmax(axis=1) == codes
    return {
        "arc_length": direction_arc_length(codes, direction, weights),
        "balanced_accuracy": float(weights @ right) / direction.shape[1],
    }
