"""`ClassifierRatio`: the angle from any classifier."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from sklearn.base import _fit_context, is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_random_state, compute_class_weight, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from rocstar.checks import group_units, is_collection
from rocstar.estimators.angle import AngleClassifier, arc_length_score, class_weights
from rocstar.estimators.fits import fitted_clone, seeded
from rocstar.estimators.splits import inner_folds
from rocstar.fitting.arrays import Array, is_sparse
from rocstar.scale.columns import aligned, mapped_rows, store_features
from rocstar.scale.labelled import LabelledRows
from rocstar.scale.overview import overview
from rocstar.scale.partitions import partitions
from rocstar.scale.trees import (
    fit_on_workers,
    keeps_the_prior,
    local_probability,
    trains_on_workers,
)

# Classifiers whose probabilities, under class weights, are at the weighted share of positives.
LINEAR = (LinearClassifierMixin, LinearDiscriminantAnalysis)
# A mean probability differs from the share of positives if it does by more than three standard
# errors, and if the log ratios would have to move by more than a tenth: a shift s costs at most
# s²/8 of each row's part of the arc length.
Z_BY_CHANCE, MATERIAL = 3.0, 0.1
# Where the log odds of another prior are looked for, around those of the stated one: a part of J
# that belongs to one row changes over about two units.
GRID_STEP = 0.5
GRID = GRID_STEP * np.arange(-30, 31)


class ClassifierRatio(AngleClassifier):
    r"""The angle of the likelihood ratio from any scikit-learn classifier (theory §6).

    A classifier fitted to classes of total weight :math:`W_\pm` that answers the probability c
    says that :math:`p/q = (c/W_+) / ((1-c)/W_-)`.

    Parameters
    ----------
    estimator : classifier, optional
        Histogram gradient boosting without early stopping by default. Any classifier with
        ``predict_proba``; with ``calibration="isotonic"`` one with ``decision_function`` will do.
    calibration : {None, "isotonic"}, default=None
        "isotonic" replaces the classifier's probabilities by the best non-decreasing function of
        its out-of-fold scores: pool-adjacent-violators, whose J is the length of the ROC convex
        hull.
    prior : float or None, default=None
        The share of positives the classifier saw in effect. None takes it from the sample weights
        and from the ``class_weight`` of a linear classifier; where the classifier weighs or
        resamples the classes in another way, it is estimated out of fold (see Notes).
    cv : int, splitter or iterable of splits, default=5
        Folds for the calibration, or for the estimate of the prior.
    random_state : int, RandomState or None, default=None
        Shuffles those folds, and seeds ``estimator`` wherever it leaves a ``random_state`` open.
        Without one, the folds for the prior are the same in every fit.

    Attributes
    ----------
    estimator_ : classifier
    calibrator_ : IsotonicRegression or None
    fitted_prior_ : float
        The share of positives used to turn probabilities into ratios.
    arc_length_ : float
        J on the training data: for flexible classifiers far too optimistic.
    classes_, prior_, effective_counts_, n_features_in_, feature_names_in_
        As in `ArctanRatio`.

    Notes
    -----
    Class weights, over- and undersampling move the probabilities of a classifier, and by how much
    depends on the classifier: those of a linear one move to the weighted share of positives, those
    of a fully grown forest hardly move at all. So the ratio is not derived from the setting alone.
    If ``estimator`` has class weights and is not linear, or if its mean probability on the training
    rows differs from the share of positives by more than chance allows, the classifier is fitted
    once more per fold of ``cv``, and ``fitted_prior_`` is the one under which the out-of-fold
    angles have the largest J. An ordinary classifier is fitted once. State ``prior`` to skip both,
    or use ``calibration="isotonic"``, which needs no prior. One case escapes the check: a
    classifier without class weights that repeats rows of the rarer class and then fits its training
    rows exactly.

    Dask collections are taken with ``lightgbm.DaskLGBMClassifier`` or
    ``xgboost.dask.DaskXGBClassifier``, which train on the workers of the active client; not with
    ``calibration``, and with class weights of their own only if ``prior`` is stated.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from rocstar import ClassifierRatio, laws
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(500, 500, random_state=0)
    >>> model = ClassifierRatio(LogisticRegression(class_weight="balanced")).fit(X, y)
    >>> print(f"{model.predict_ratio([[1.0]])[0]:.1f}")
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"]), None],
        "calibration": [StrOptions({"isotonic"}), None],
        "prior": [Interval(Real, 0, 1, closed="neither"), None],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        calibration: str | None = None,
        prior: float | None = None,
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.calibration = calibration
        self.prior = prior
        self.cv = cv
        self.random_state = random_state

    @property
    def smooth_class(self) -> bool:  # type: ignore[override]
        """Linear classifiers are smooth; trees, neighbours and calibrated ones are not."""
        last = _last_step(self._unfitted())
        return isinstance(last, LINEAR) and self.calibration is None

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> ClassifierRatio:
        """Fit the classifier, and its calibration if asked.

        Parameters
        ----------
        X : array-like
            Whatever the classifier takes.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Passed on; an error if the classifier cannot take it.
        groups : array-like of shape (n_samples,), optional
            Rows of a group stay in one fold, also in the folds of a classifier that makes its own.

        Returns
        -------
        self
        """
        if is_collection(X) and self.takes_collections:
            return self._fit_collection(X, y, sample_weight, groups)
        if not is_classifier(self._unfitted()):
            raise TypeError(
                "`estimator` must be a classifier; got "
                f"{type(self.estimator).__name__}, which predicts no classes."
            )
        X = self._lenient_input(X, reset=True)
        positive, weights = self._fit_labels(y, sample_weight, X)
        labels = self.classes_[positive.astype(int)]
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight)
        units = None if groups is None else group_units(groups, len(labels))
        self.calibrator_ = None
        if self.calibration == "isotonic":
            self.calibrator_ = self._calibrated(X, labels, positive, sample_weight, weights, units)
        self.estimator_ = self._fitted(X, labels, sample_weight, units)
        self.fitted_prior_ = self._stated_prior(labels)
        if self.calibrator_ is None:
            probability = _probability(self.estimator_, X)
            if self.prior is None and not self._explained(probability, positive, weights):
                scores = self._out_of_fold(
                    X, labels, positive, sample_weight, weights, units, self._fixed_seed()
                )
                self.fitted_prior_ = self._best_prior(scores, positive, weights)
            angle = self._angle(probability)
        else:
            angle = self.predict_angle(X)
        self.arc_length_ = arc_length_score(positive, angle, sample_weight=sample_weight)
        return self

    def _fitted(
        self,
        X: Any,
        y: NDArray[Any],
        sample_weight: NDArray[Any] | None,
        groups: NDArray[np.intp] | None,
        rows: NDArray[np.intp] | None = None,
    ) -> Any:
        """The classifier fitted to some rows, its open seeds set."""
        classifier = seeded(self._unfitted(), self.random_state)
        return fitted_clone(classifier, X, y, sample_weight=sample_weight, groups=groups, rows=rows)

    def _fit_collection(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> ClassifierRatio:
        """Fit a classifier that trains where the partitions of Dask collections are."""
        if groups is not None:
            raise ValueError(
                "`groups` needs all rows in memory; got a Dask collection: leave it out, or pass "
                "X.compute()."
            )
        seen = overview(partitions(X, y, sample_weight), 0, 0)
        self.classes_ = seen.classes()
        positives, negatives = seen.totals()
        self.prior_ = positives / (positives + negatives)
        self.effective_counts_ = seen.effective_counts()
        self.fitted_prior_ = self.prior_ if self.prior is None else self.prior
        store_features(self, X, seen.n_features)
        labelled = LabelledRows.of(y, sample_weight, self.classes_[1])
        features = mapped_rows(self, X, lambda x: x, width=seen.n_features, finite=False)
        up, weights = aligned(features, labelled.up, labelled.weights)[1:]
        self.calibrator_ = None
        self.estimator_ = fit_on_workers(self._unfitted(), features, up.astype(np.int64), weights)
        self.arc_length_ = self.score(X, y, sample_weight)
        return self

    @property
    def takes_collections(self) -> bool:  # type: ignore[override]
        """Whether the classifier trains where the rows of a Dask collection are."""
        classifier = self._unfitted()
        if not trains_on_workers(classifier) or self.calibration is not None:
            return False
        return self.prior is not None or keeps_the_prior(classifier)

    def predict_angle(self, X: Any) -> Array:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        self._check_is_fitted()
        if trains_on_workers(self.estimator_):
            return self._angle_by_trees(X)
        X = self._lenient_input(X, reset=False)
        if self.calibrator_ is not None:
            share = self.calibrator_.predict(_ranking(self.estimator_, X))
            return np.asarray(np.arctan2(share, 1 - share))
        return self._angle(_probability(self.estimator_, X))

    def _angle(self, probability: NDArray[Any]) -> NDArray[Any]:
        c = np.asarray(probability, dtype=np.float64)
        return np.asarray(np.arctan2(c * (1 - self.fitted_prior_), (1 - c) * self.fitted_prior_))

    def _angle_by_trees(self, X: Any) -> Array:
        """Of a Dask collection lazily, partition by partition; of rows in memory at once."""
        probability, angle = local_probability(self.estimator_), self._angle
        if is_collection(X):
            return mapped_rows(self, X, lambda x: angle(probability(x)), finite=False)
        X = self._lenient_input(X, reset=False)
        return angle(probability(X.toarray() if is_sparse(X) else np.asarray(X)))

    def score_given_angle(self, X: Any, angle: NDArray[Any]) -> NDArray[Any]:
        """What `decision_function` would say of rows whose angles are known already."""
        return angle - self._even_angle()

    def _unfitted(self) -> Any:
        if self.estimator is None:
            # As many trees from ten thousand rows on, where scikit-learn begins to stop early.
            return HistGradientBoostingClassifier(early_stopping=False, random_state=0)
        return self.estimator

    def _stated_prior(self, y: NDArray[Any]) -> float:
        """The prior that was given, or the share of positives after stated class weights."""
        if self.prior is not None:
            return self.prior
        class_weight = getattr(_unwrapped(self.estimator_), "class_weight", None)
        if class_weight is None:
            return self.prior_
        if class_weight == "balanced_subsample":
            class_weight = "balanced"
        negative, positive = compute_class_weight(class_weight, classes=self.classes_, y=y)
        # "balanced" divides by counts of rows, so sample weights stay in the product.
        positives, negatives = self.prior_ * positive, (1 - self.prior_) * negative
        return float(positives / (positives + negatives))

    def _explained(
        self,
        probability: NDArray[Any],
        positive: NDArray[np.bool_],
        weights: NDArray[np.float64],
    ) -> bool:
        """Whether the stated prior fits the probabilities, or no other could be found."""
        if min(np.count_nonzero(weights[side] > 0) for side in (positive, ~positive)) < 2:
            return True
        classifier = _unwrapped(self.estimator_)
        if not (keeps_the_prior(classifier) or isinstance(classifier, LINEAR)):
            return False
        share = np.where(positive, self.prior_, 1 - self.prior_) * weights

        def posterior(shift: float) -> NDArray[np.float64]:
            odds = np.exp(shift) * self.prior_ / (1 - self.prior_)
            angle = self._angle(probability)
            up, down = odds * np.sin(angle), np.cos(angle)
            return np.asarray(up / (up + down))

        expected = posterior(0.0)
        chance = np.sqrt(np.sum(share**2 * expected * (1 - expected)))
        low, high = (float(share @ posterior(shift)) for shift in (-MATERIAL, MATERIAL))
        by_chance = abs(float(share @ expected) - self.prior_) <= Z_BY_CHANCE * chance
        return bool(by_chance or low <= self.prior_ <= high)

    def _best_prior(
        self,
        probability: NDArray[np.float64],
        positive: NDArray[np.bool_],
        weights: NDArray[np.float64],
    ) -> float:
        """The prior under which the angles of these probabilities have the largest J.

        J is largest at the true ratio, so that among its multiples this finds the right one. To
        match the mean probability with the share of positives would be as right for a calibrated
        classifier, but rests on the few rows of a rare class whose probability is near one half.
        """
        held = ~np.isnan(probability)
        c, up = probability[held], positive[held]
        w = class_weights(up, weights[held])

        def deficit(log_odds: float) -> float:
            prior = expit(log_odds)
            a, b = c * (1 - prior), (1 - c) * prior
            return -float(w @ (np.where(up, a, b) / np.hypot(a, b)))

        grid = logit(self.fitted_prior_) + GRID
        coarse = np.array([deficit(log_odds) for log_odds in grid])
        if np.ptp(coarse) < 1e-9:  # probabilities of 0 and 1 say nothing of the prior
            return self.fitted_prior_
        best = grid[np.argmin(coarse)]
        bounds = (best - GRID_STEP, best + GRID_STEP)
        return float(expit(minimize_scalar(deficit, bounds=bounds, method="bounded").x))

    def _out_of_fold(
        self,
        X: Any,
        y: NDArray[Any],
        positive: NDArray[np.bool_],
        sample_weight: NDArray[Any] | None,
        weights: NDArray[np.float64],
        groups: NDArray[np.intp] | None,
        seed: int,
    ) -> NDArray[np.float64]:
        """Scores of rows that the scoring model has not seen; NaN in rows never held out."""
        scores = np.full(len(y), np.nan)
        for train, test in inner_folds(self.cv, positive, groups, seed, weights):
            model = self._fitted(X, y, sample_weight, groups, train)
            scores[test] = _ranking(model, _safe_indexing(X, test))
        return scores

    def _fixed_seed(self) -> int:
        """A seed for the folds of the prior: the same answer each time unless asked otherwise."""
        if self.random_state is None:
            return 0
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _calibrated(
        self,
        X: Any,
        y: NDArray[Any],
        positive: NDArray[np.bool_],
        sample_weight: NDArray[Any] | None,
        weights: NDArray[np.float64],
        groups: NDArray[np.intp] | None,
    ) -> IsotonicRegression:
        """Pool-adjacent-violators on scores of rows that the scoring model has not seen."""
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        scores = self._out_of_fold(X, y, positive, sample_weight, weights, groups, seed)
        # The isotonic share a/(a + b) of class-normalised weights is tan v / (1 + tan v).
        isotonic = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        scored = ~np.isnan(scores)
        weights = class_weights(positive[scored], weights[scored])
        return isotonic.fit(scores[scored], positive[scored], sample_weight=weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._unfitted())
        tags.input_tags = inner.input_tags
        return tags


def _last_step(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _unwrapped(fitted: Any) -> Any:
    """The classifier at the end of pipelines and inside searches, with the settings found."""
    last = _last_step(fitted)
    return _unwrapped(last.best_estimator_) if hasattr(last, "best_estimator_") else last


def _probability(model: Any, X: Any) -> NDArray[Any]:
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"`estimator` must have predict_proba; {type(_last_step(model)).__name__} has not: "
            'use calibration="isotonic".'
        )
    return np.asarray(model.predict_proba(X)[:, 1])


def _ranking(model: Any, X: Any) -> NDArray[Any]:
    if hasattr(model, "predict_proba"):
        return _probability(model, X)
    return np.asarray(model.decision_function(X))
