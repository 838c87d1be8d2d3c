"""`ClassifierRatio` of more than two classes: directions from probabilities (theory §15)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.utils import compute_class_weight

from rocstar.checks import FloatArray, IntArray, group_units
from rocstar.estimators.directions import DirectionClassifier
from rocstar.estimators.fits import derived_seed, fitted_clone, seeded
from rocstar.estimators.prior import LINEAR, MATERIAL, Z_BY_CHANCE
from rocstar.estimators.splits import named, split_rows
from rocstar.estimators.unwrap import unwrap
from rocstar.fitting.directions import direction_arc_length
from rocstar.scale.trees import keeps_the_prior
from rocstar.sklearn_private import safe_indexing


class ManyClassifier(DirectionClassifier):
    """Probabilities of any classifier, divided by the shares of classes that they stand for."""

    estimator_: Any
    fitted_prior_: Any
    arc_length_: float

    def _fit_many(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
        own: Any = self
        for name in ("calibration", "prior"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"Only binary classification is supported with `{name}`; leave it None for "
                    "more than two classes."
                )
        X = self._lenient_input(X, reset=True)
        codes, weights = self._fit_class_labels(y, sample_weight, X)
        labels = self.classes_[codes]
        given = None if sample_weight is None else np.asarray(sample_weight)
        units = None if groups is None else group_units(groups, codes.size)
        model = seeded(own._unfitted(), own.random_state)

        def fitted(rows: IntArray | None = None) -> Any:
            return fitted_clone(model, X, labels, sample_weight=given, groups=units, rows=rows)

        own.calibrator_ = None
        self.estimator_ = fitted()
        self.fitted_prior_ = weighted_priors(self.estimator_, self.priors_, self.classes_, labels)
        probability = class_probabilities(self.estimator_, X, self.classes_)
        if not self._priors_fit(probability, codes, weights):
            held = np.full(probability.shape, np.nan)
            folds = split_rows(
                own.cv,
                codes,
                groups=units,
                sample_weight=weights,
                random_state=derived_seed(own.random_state),
                classes=named(self.classes_),
                inner=True,
            )
            for train, test in folds:
                held[test] = class_probabilities(
                    fitted(train), safe_indexing(X, test), self.classes_
                )
            self.fitted_prior_ = best_priors(held, codes, weights, self.fitted_prior_)
        direction = directions_of(probability, self.fitted_prior_)
        self.arc_length_ = direction_arc_length(codes, direction, weights)
        return self

    def _direction(self, X: Any) -> FloatArray:
        X = self._lenient_input(X, reset=False)
        probability = class_probabilities(self.estimator_, X, self.classes_)
        return directions_of(probability, self.fitted_prior_)

    def _priors_fit(self, probability: FloatArray, codes: IntArray, weights: FloatArray) -> bool:
        """Whether the stated shares fit the probabilities of the training rows."""
        classifier = unwrap(self.estimator_)
        if not (keeps_the_prior(classifier) or isinstance(classifier, LINEAR)):
            return False
        if np.bincount(codes).min() < 2:
            return True
        row = self.priors_[codes] * weights
        direction = directions_of(probability, self.fitted_prior_)
        expected = self.priors_ * direction
        expected /= expected.sum(axis=1, keepdims=True)
        chance = np.sqrt(row**2 @ (expected * (1 - expected)))
        gap = np.abs(row @ expected - self.priors_)
        # A shift s of the log ratios moves a mean probability by at most s times its variance.
        material = MATERIAL * (row @ (expected * (1 - expected)))
        return bool(np.all((gap <= Z_BY_CHANCE * chance) | (gap <= material)))


def directions_of(probability: FloatArray, priors: FloatArray) -> FloatArray:
    """Directions that probabilities stand for at these shares of the classes."""
    u = probability / priors
    size = np.linalg.norm(u, axis=1, keepdims=True)
    return np.asarray(np.divide(u, size, out=np.full_like(u, u.shape[1] ** -0.5), where=size > 0))


def class_probabilities(model: Any, X: Any, classes: Any) -> FloatArray:
    """Probabilities of all classes; none of those that the model has not seen."""
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"`estimator` must have predict_proba for more than two classes; "
            f"{type(unwrap(model)).__name__} has not: wrap it in CalibratedClassifierCV."
        )
    out = np.zeros((X.shape[0], len(classes)))
    out[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    return out


def weighted_priors(fitted: Any, priors: FloatArray, classes: Any, y: Any) -> FloatArray:
    """The shares of the classes after the class weights that a fitted classifier states."""
    class_weight = getattr(unwrap(fitted), "class_weight", None)
    if class_weight is None:
        return priors
    if class_weight == "balanced_subsample":
        class_weight = "balanced"
    shares = priors * compute_class_weight(class_weight, classes=classes, y=y)
    return np.asarray(shares / shares.sum())


def best_priors(
    probability: FloatArray, codes: IntArray, weights: FloatArray, stated: FloatArray
) -> FloatArray:
    """The shares under which the directions of out-of-fold probabilities have the largest J."""
    held = ~np.isnan(probability[:, 0])
    p, c = probability[held], codes[held]
    w = weights[held] / np.bincount(c, weights[held])[c]
    rows = np.arange(c.size)

    def deficit(shift: FloatArray) -> tuple[float, FloatArray]:
        u = directions_of(p, stated * np.exp(-shift))
        own = w * u[rows, c]
        slope = own @ u**2
        np.subtract.at(slope, c, own)
        return -float(own.sum()), slope

    found = minimize(deficit, np.zeros(stated.size), jac=True, method="L-BFGS-B")
    shares = stated * np.exp(-found.x)
    return np.asarray(shares / shares.sum())
