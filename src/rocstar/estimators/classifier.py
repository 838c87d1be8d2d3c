"""`ClassifierRatio`: the angle from any classifier."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.utils import get_tags

from rocstar.checks import BoolArray, FloatArray, IntArray, group_units, is_collection
from rocstar.estimators.angle import arc_length_score, refuse_on_workers
from rocstar.estimators.directions import has_many_classes, takes_many_classes
from rocstar.estimators.fits import derived_seed, fitted, seeded
from rocstar.estimators.many_classifier import ManyClassifier
from rocstar.estimators.prior import LINEAR, angle_of, best_prior, is_explained, weighted_prior
from rocstar.estimators.protocol import AnglePredictor
from rocstar.estimators.splits import split_rows
from rocstar.estimators.unwrap import predicts_angles, unwrap
from rocstar.fitting.arrays import Array, is_sparse
from rocstar.fitting.features import landmarks
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
from rocstar.sklearn_private import (
    HasMethods,
    Interval,
    StrOptions,
    safe_indexing,
    validates_parameters,
)
from rocstar.weights import class_weights

# So many rows, half of them of either class where there are enough, tell the prior that a
# classifier stands for and its J in sample. On all rows, this would take a fifth of the fit's time.
MOST_JUDGED_ROWS = 5_000


class TrainingRows(NamedTuple):
    """What a classifier is fitted to."""

    X: Any
    labels: NDArray[Any]
    positive: BoolArray
    sample_weight: NDArray[Any] | None
    # Normalised within each class.
    weights: FloatArray
    units: IntArray | None

    def judged(self) -> TrainingRows:
        """Rows that show what the classifier says of its training rows: all, or enough of them."""
        if len(self.labels) <= MOST_JUDGED_ROWS:
            return self
        some = landmarks(self.positive, self.weights, MOST_JUDGED_ROWS, 0)
        return TrainingRows(
            safe_indexing(self.X, some),
            self.labels[some],
            self.positive[some],
            None if self.sample_weight is None else self.sample_weight[some],
            class_weights(self.positive[some], self.weights[some]),
            None if self.units is None else self.units[some],
        )


class ClassifierRatio(ManyClassifier):
    r"""The angle of the likelihood ratio from any scikit-learn classifier (theory §6).

    A classifier fitted to classes of total weight :math:`W_\pm` that answers the probability c
    says that :math:`p/q = (c/W_+) / ((1-c)/W_-)`. Of more than two classes, probabilities
    :math:`c_k` say that their densities are as :math:`c_k/W_k` (theory §15).

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
        resamples the classes in another way, it is estimated out of fold (see Notes). None for
        more than two classes, as ``calibration``.
    cv : int, splitter or iterable of splits, default=5
        Folds for the calibration, or for the estimate of the prior.
    random_state : int, RandomState or None, default=None
        Shuffles those folds, and seeds ``estimator`` wherever it leaves a ``random_state`` open.

    Attributes
    ----------
    estimator_ : classifier
    calibrator_ : IsotonicRegression or None
    fitted_prior_ : float
        The share of positives used to turn probabilities into ratios; of more than two classes,
        the shares of all.
    arc_length_ : float
        J on the training data, or on 5,000 of their rows: for flexible classifiers far too
        optimistic.
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

    inside = ("estimator", "estimator_")

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
        return isinstance(unwrap(self._unfitted()), LINEAR) and self.calibration is None

    @validates_parameters(skip_nested=False)
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
        if has_many_classes(y):
            fitted: ClassifierRatio = self._fit_many(X, y, sample_weight, groups)
            return fitted
        rows = self._training_rows(X, y, sample_weight, groups)
        self.calibrator_ = self._calibrated(rows) if self.calibration == "isotonic" else None
        self.estimator_ = self._fitted(rows)
        self.fitted_prior_ = self._stated_prior(rows)
        judged = rows.judged()
        if self.calibrator_ is not None:
            angle = self.predict_angle(judged.X)
        else:
            probability = _probability(self.estimator_, judged.X)
            if self.prior is None and not self._is_explained(judged, probability):
                seed = derived_seed(self.random_state)
                self.fitted_prior_ = best_prior(
                    self._out_of_fold(rows, seed), rows.positive, rows.weights, self.fitted_prior_
                )
            angle = angle_of(probability, self.fitted_prior_)
        w = judged.sample_weight
        self.arc_length_ = arc_length_score(judged.positive, angle, sample_weight=w)
        return self

    def _training_rows(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> TrainingRows:
        X = self._lenient_input(X, reset=True)
        positive, weights = self._fit_labels(y, sample_weight, X)
        return TrainingRows(
            X,
            self.classes_[positive.astype(int)],
            positive,
            None if sample_weight is None else np.asarray(sample_weight),
            weights,
            None if groups is None else group_units(groups, len(positive)),
        )

    def _fitted(self, rows: TrainingRows, some: IntArray | None = None) -> Any:
        """The classifier fitted to all rows or to some, its open seeds set."""
        return fitted(
            seeded(self._unfitted(), self.random_state),
            rows.X,
            rows.labels,
            sample_weight=rows.sample_weight,
            groups=rows.units,
            rows=some,
        )

    def _stated_prior(self, rows: TrainingRows) -> float:
        """The prior that was given, or the share of positives after stated class weights."""
        if self.prior is not None:
            return self.prior
        return weighted_prior(self.estimator_, self.prior_, self.classes_, rows.labels)

    def _is_explained(self, rows: TrainingRows, probability: NDArray[Any]) -> bool:
        priors = self.prior_, self.fitted_prior_
        return is_explained(self.estimator_, probability, rows.positive, rows.weights, *priors)

    def _fit_collection(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> ClassifierRatio:
        """Fit a classifier that trains where the partitions of Dask collections are."""
        refuse_on_workers({"groups": groups is not None})
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
        self._require_two("predict_angle")
        if trains_on_workers(self.estimator_):
            return self._angle_by_trees(X)
        X = self._lenient_input(X, reset=False)
        if self.calibrator_ is not None:
            share = self.calibrator_.predict(_ranking(self.estimator_, X))
            return np.asarray(np.arctan2(share, 1 - share))
        return angle_of(_probability(self.estimator_, X), self.fitted_prior_)

    def _angle_by_trees(self, X: Any) -> Array:
        """Of a Dask collection lazily, partition by partition; of rows in memory at once."""
        probability, prior = local_probability(self.estimator_), self.fitted_prior_
        if is_collection(X):
            return mapped_rows(self, X, lambda x: angle_of(probability(x), prior), finite=False)
        X = self._lenient_input(X, reset=False)
        return angle_of(probability(X.toarray() if is_sparse(X) else np.asarray(X)), prior)

    def score_given_angle(self, X: Any, angle: NDArray[Any]) -> NDArray[Any]:
        """What `decision_function` would say of rows whose angles are known already."""
        return angle - self._even_angle()

    def _unfitted(self) -> Any:
        if self.estimator is None:
            # As many trees from ten thousand rows on, where scikit-learn begins to stop early.
            return HistGradientBoostingClassifier(early_stopping=False, random_state=0)
        return self.estimator

    def _out_of_fold(self, rows: TrainingRows, seed: int) -> FloatArray:
        """Scores of rows that the scoring model has not seen; NaN in rows never held out."""
        scores = np.full(len(rows.labels), np.nan)
        folds = split_rows(
            self.cv,
            rows.positive,
            groups=rows.units,
            sample_weight=rows.weights,
            random_state=seed,
            inner=True,
        )
        for train, test in folds:
            scores[test] = _ranking(self._fitted(rows, train), safe_indexing(rows.X, test))
        return scores

    def _calibrated(self, rows: TrainingRows) -> IsotonicRegression:
        """Pool-adjacent-violators on scores of rows that the scoring model has not seen."""
        scores = self._out_of_fold(rows, derived_seed(self.random_state))
        # The isotonic share a/(a + b) of class-normalised weights is tan v / (1 + tan v).
        isotonic = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        scored = ~np.isnan(scores)
        weights = class_weights(rows.positive[scored], rows.weights[scored])
        return isotonic.fit(scores[scored], rows.positive[scored], sample_weight=weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._unfitted())
        many = takes_many_classes(self._unfitted()) and self.calibration is None
        tags.classifier_tags.multi_class = many and self.prior is None
        tags.input_tags = inner.input_tags
        return tags


def with_angles(estimator: Any) -> Any:
    """The estimator itself if it predicts angles, else one in which its classifier is wrapped."""
    if predicts_angles(estimator):
        return estimator
    model = clone(estimator)
    if not isinstance(unwrap(model), AnglePredictor):
        return ClassifierRatio(estimator)
    # Its angles are those of the classifier that it was given.
    inside = unwrap(model)
    inside.set_params(estimator=with_angles(inside.estimator))
    return model


def _probability(model: Any, X: Any) -> NDArray[Any]:
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"`estimator` must have predict_proba; {type(unwrap(model)).__name__} has not: "
            'use calibration="isotonic".'
        )
    return np.asarray(model.predict_proba(X)[:, 1])


def _ranking(model: Any, X: Any) -> NDArray[Any]:
    if hasattr(model, "predict_proba"):
        return _probability(model, X)
    return np.asarray(model.decision_function(X))
