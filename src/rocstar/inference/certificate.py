"""How good could any classifier be, and how sure are we? Held-out lower bounds (theory §8, §9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from sklearn.utils import check_consistent_length

from rocstar.checks import (
    BoolArray,
    FloatArray,
    IntArray,
    binary_labels,
    class_totals,
    finite_scores,
    flat_labels,
    fraction,
    group_units,
    in_memory,
    is_collection,
    nonnegative_weights,
)
from rocstar.estimators.fits import drawn_seed, fitted_clone, seeded
from rocstar.estimators.protocol import declared
from rocstar.estimators.splits import CV, DEFAULT_FOLDS, Split, split_rows
from rocstar.estimators.unwrap import predict_angle, predicts_angles
from rocstar.fitting.rows import host_copy, is_foreign
from rocstar.geometry.bounds import auc_bounds, implied_bounds, tv_bounds
from rocstar.inference.held_out import HeldOut, held_out, ranking_score
from rocstar.inference.intervals import Estimate, dependent
from rocstar.inference.masses import (
    Draws,
    auc_draws,
    gain_draws,
    linear_auc,
    linear_gain,
    sum_draws,
)
from rocstar.scale import columns as lazy
from rocstar.sklearn_private import safe_indexing

SHORTEST = float(np.sqrt(2))  # arc length at identical laws
SEED = 0  # the same draws for the same data, whatever else is random
N_DRAWS = 4000
N_JOINT = 40_000
"""Normal draws behind the joint error of a certificate's bounds: 5 % ± 0.1 %."""

NEARLY_SEPARATED = 1.98
"""In-sample J above which a fit has all but separated its rows: its optimism tells nothing."""
LARGE_OPTIMISM = 0.25
"""In-sample minus held-out J above which the optimism is not of first order any more."""


@dataclass(frozen=True, repr=False)
class Certificate:
    """What the best possible classifier can certainly do, judged on held-out rows.

    Every ``low`` is a lower confidence bound, and they hold together (``side="lower"``). Every
    ``high`` is an estimate: no sample can bound these numbers from above without assumptions. Lower
    bounds from several folds are asymptotic; those of one held-out part treat the model as fixed.

    Attributes
    ----------
    arc_length : Estimate
        Of L*, the arc length of the optimal ROC curve, in [√2, 2].
    divergence : Estimate
        L* − √2.
    auc : Estimate
        Of AUC*, the largest AUC of any score.
    tv : Estimate
        Total variation distance.
    balanced_accuracy : Estimate
        Best balanced accuracy of any classifier, (1 + TV)/2.
    angle, score : ndarray of shape (n,)
        Held-out angle and unclipped score of each row, NaN where it was never held out. Scores of
        different folds come from different models: rank within a fold only.
    fold : ndarray of int, shape (n,)
        Which split held the row out; −1 for none.
    y : ndarray of shape (n,)
    level : float
    cv : str
        "holdout" or the number of splits.

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, laws
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(200, 200, random_state=0)
    >>> certify(ArctanRatio(), X, y, random_state=0)
    Certificate of 400 rows, 200 positive, judged out of 5 folds
      arc length         1.7...
    """

    arc_length: Estimate
    divergence: Estimate
    auc: Estimate
    tv: Estimate
    balanced_accuracy: Estimate
    angle: FloatArray
    score: FloatArray
    fold: IntArray
    y: npt.NDArray[Any]
    level: float
    cv: str
    sample_weight: FloatArray | None = field(default=None)
    groups: npt.NDArray[Any] | None = field(default=None)

    @property
    def strict(self) -> bool:
        """Whether one model was judged on rows held out once; several folds are asymptotic."""
        return self.cv == "holdout"

    def __repr__(self) -> str:
        positive, _ = binary_labels(self.y)
        judged = "on one held-out part" if self.strict else f"out of {self.cv} folds"
        lines = [
            f"Certificate of {positive.size:,} rows, {positive.sum():,} positive, judged {judged}",
            *(f"  {name:<18} {getattr(self, key)!s}" for key, name in _NAMES.items()),
        ]
        if not self.strict:
            lines.append(
                "Bounds from several folds are asymptotic; cv='holdout' is the strict one."
            )
        return "\n".join(lines)


_NAMES = {
    "arc_length": "arc length",
    "divergence": "divergence",
    "auc": "AUC",
    "tv": "total variation",
    "balanced_accuracy": "balanced accuracy",
}


def certify(
    estimator: Any,
    X: Any,
    y: npt.ArrayLike,
    *,
    cv: CV = 5,
    groups: npt.ArrayLike | None = None,
    level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: int | None = None,
) -> Certificate:
    """Lower bounds of what *any* classifier could reach, from a model's held-out predictions.

    Whatever the model, its held-out arc length, AUC and TPR − FPR estimate numbers that no optimal
    classifier falls short of. A poor model makes the bounds weak, never wrong.

    - **Arc length**: Dirichlet masses over all held-out sines and one atom at 0, and over all
      held-out cosines and one atom at 0; the ``1 − level`` quantile of the sum of means. J is
      additive, so folds are pooled.
    - **AUC**, "one atom a class, own-fold placements": one set of masses over all positives plus
      one atom and over all negatives plus one atom; each positive is placed among the negatives of
      its own fold only, whose masses are rescaled to one minus the atom's.
    - **Total variation**: TPR − FPR of the rule "angle above π/4", by masses over right decisions.

    Each bound is taken at the error at which all of them hold together, and raised to what the
    others imply (theory §8, §9).

    Parameters
    ----------
    estimator : estimator
        Anything with ``predict_angle``, also at the end of a pipeline or in a search; any other
        classifier is wrapped in `ClassifierRatio`. It is cloned, never fitted itself.
    X : array-like, dataframe, sparse matrix or Dask collection of shape (n, d)
        Of a Dask collection, half of the rows but at most about a million are held out and judged,
        at random, and only they are in the certificate; ``cv`` is then "holdout".
    y : array-like of shape (n,)
        Two labels, the larger one positive.
    cv : int, "holdout", splitter or iterable of splits, default=5
        Number of shuffled stratified folds, five for None; "holdout" trains on one half and judges
        on the other, which makes the bounds strict; or a scikit-learn splitter, or splits, that
        hold out no row twice. One split of any kind is a hold-out.
    groups : array-like of shape (n,), optional
        Rows of one group stay together, and count as one independent unit in the bounds. They are
        handed to estimators that make folds of their own, such as `ArctanRatioCV`, `StackedRatio`
        and searches whose ``cv`` uses groups.
    level : float, default=0.95
        Confidence that all lower bounds hold.
    sample_weight : array-like of shape (n,), optional
        How much of the population a row stands for, normalised within each class. In a bound a row
        stays one observation whatever its weight, except that a row of weight zero counts as
        absent: it is neither learnt from nor judged.
    n_jobs : int, optional
        Processes over the folds; None for a Dask collection.
    random_state : int, optional
        Shuffles the folds, and seeds the estimator wherever it leaves a ``random_state`` open: an
        integer fixes the answer, None draws a fresh seed per call.

    Returns
    -------
    Certificate
        Its ``value`` of the arc length is the weighted mean of in-sample and held-out J for smooth
        classes, which is nearly unbiased (theory §8). For a stack the in-sample J is that of its
        smooth members in sample with the others out of fold; for anything else the value is the
        held-out J. Of the AUC and TV likewise; a stack's are moved into the sharp range that its
        arc length leaves them (theory §9).

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, laws
    >>> law = laws.GaussianPair(0.0, 2.0)
    >>> X, y = law.sample(500, 500, random_state=0)
    >>> certificate = certify(ArctanRatio(), X, y, random_state=0)
    >>> certificate.arc_length.low < law.arc_length, certificate.auc.low < law.auc
    (True, True)
    """
    seed = drawn_seed(random_state)
    if is_collection(X):
        refuse_on_collections(cv=cv, n_jobs=n_jobs, groups=groups)
        return _certify_collection(estimator, X, y, level, sample_weight, seed)
    in_memory(y=y, sample_weight=sample_weight, groups=groups)
    labels = host_copy(y) if is_foreign(y) else flat_labels(y)
    positive, _ = binary_labels(labels)
    check_consistent_length(X, labels)
    error = 1 - fraction(level, "level")
    if is_foreign(sample_weight):
        sample_weight = host_copy(sample_weight)
    given = None if sample_weight is None else nonnegative_weights(sample_weight, positive.size)
    class_totals(positive, nonnegative_weights(given, positive.size))
    groups = None if groups is None else np.asarray(groups)
    units = None if groups is None else group_units(groups, positive.size)
    model = seeded(angle_estimator(estimator), seed)
    splits = split_rows(cv, positive, X=X, groups=groups, sample_weight=given, random_state=seed)
    judged = held_out(
        model, X, labels, splits, predict_angle, sample_weight=given, groups=units, n_jobs=n_jobs
    )
    rows = judged.rows
    sample = _Sample(
        positive[rows],
        nonnegative_weights(None if given is None else given[rows], int(rows.sum())),
        None if units is None else units[rows],
    )
    outside = sample.figures(judged.angle[rows], judged.score[rows], judged.fold[rows])
    if _is_smooth(model):
        inside = _in_sample(model, X, labels, given, units, judged, splits)
        values = _values(inside, outside, len(splits))
    else:
        # The very models that are judged, so in-sample and held-out figures count alike.
        values = _values(_partly_in_sample(judged.models), outside, 1)
        if values is not outside:
            values = _coherent(values)
    figures = _estimates(sample, judged, outside, values, error)
    name = "holdout" if len(splits) == 1 else str(len(splits))
    return _certificate(figures, judged, labels, level, name, given, groups)


def _certify_collection(
    estimator: Any,
    X: Any,
    y: Any,
    level: float,
    sample_weight: Any,
    seed: int,
) -> Certificate:
    """Fit on the workers to all rows but some, which are judged here."""
    fraction(level, "level")
    model = seeded(collection_estimator(estimator), seed)
    parted = lazy.Parted.of(y, sample_weight, seed)
    with parted.both_classes_on_both_sides():
        model.fit(X, y, sample_weight=parted.training_weights())
        return collection_certificate(model, X, parted, level)


def refuse_on_collections(*, cv: Any = None, n_jobs: Any = None, groups: Any = None) -> None:
    """Refuse what cannot be asked of a Dask collection, some of whose rows are held out once.

    Examples
    --------
    >>> refuse_on_collections(cv=10)
    Traceback (most recent call last):
    ValueError: `cv` must be 'holdout' for a Dask collection, some of whose rows are held out ...
    """
    if groups is not None:
        raise ValueError(
            "`groups` must be None for a Dask collection, whose rows are held out one by one; "
            "pass X.compute() to keep groups together."
        )
    if cv is not None and not (isinstance(cv, (str, int)) and cv in ("holdout", DEFAULT_FOLDS)):
        raise ValueError(
            "`cv` must be 'holdout' for a Dask collection, some of whose rows are held out once; "
            f"got {cv!r}: leave it out, or pass X.compute()."
        )
    if n_jobs is not None:
        raise ValueError(
            "`n_jobs` must be None for a Dask collection, whose client runs the tasks; "
            f"got {n_jobs!r}: leave it out."
        )


def collection_estimator(estimator: Any) -> Any:
    """The estimator itself, if it leaves the rows of a Dask collection where they are.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> collection_estimator(LogisticRegression())
    Traceback (most recent call last):
    TypeError: `estimator` must be an ArctanRatio, an ArctanRatioCV, ...
    """
    if not getattr(estimator, "takes_collections", False):
        raise TypeError(
            "`estimator` must be an ArctanRatio, an ArctanRatioCV, a MaximalAUCClassifier, a "
            "ClassifierRatio of a Dask classifier or a StackedRatio of these for a Dask "
            f"collection; got {type(estimator).__name__}: use one of these, or pass X.compute()."
        )
    estimator.check_collections()
    return estimator


def collection_certificate(model: Any, X: Any, parted: lazy.Parted, level: float) -> Certificate:
    """Certificate of a model that was fitted to the training rows of a parted collection."""
    error = 1 - fraction(level, "level")
    angle, score = model.predict_angle(X), model.decision_function(X)
    held, seen = parted.samples(angle, score)
    labels = held.y
    sample = _Sample(labels == model.classes_[1], held.weights, None)
    class_totals(sample.positive, sample.weights)
    fold = np.zeros(labels.size, dtype=np.intp)
    judged = HeldOut(held.angle, held.score, fold, [model])
    outside = sample.figures(held.angle, held.score, fold)
    inside = None
    if _is_smooth(model):
        own = _Sample(seen.y == model.classes_[1], seen.weights, None)
        class_totals(own.positive, own.weights)
        inside = own.figures(seen.angle, seen.score, np.zeros(seen.y.size, dtype=np.intp))
    figures = _estimates(sample, judged, outside, _values(inside, outside, 1), error)
    given = held.weights if parted.weighted else None
    return _certificate(figures, judged, labels, level, "holdout", given, None)


def _certificate(
    figures: tuple[Estimate, Estimate, Estimate],
    judged: HeldOut,
    labels: npt.NDArray[Any],
    level: float,
    cv: str,
    sample_weight: FloatArray | None,
    groups: Any,
) -> Certificate:
    arc_length, auc, tv = figures
    return Certificate(
        arc_length=arc_length,
        divergence=_moved(arc_length, 1.0, -SHORTEST),
        auc=auc,
        tv=tv,
        balanced_accuracy=_moved(tv, 0.5, 0.5),
        angle=judged.angle,
        score=judged.score,
        fold=judged.fold,
        y=labels,
        level=level,
        cv=cv,
        sample_weight=sample_weight,
        groups=None if groups is None else np.asarray(groups),
    )


def headroom(y: npt.ArrayLike, score: npt.ArrayLike, certificate: Certificate) -> Estimate:
    """AUC that a given model certainly leaves on the table: a bound of AUC* − AUC(score).

    Both scores are compared on the certificate's held-out rows, with the same random masses, each
    positive against the negatives of its own fold.

    A score that was trained on these very rows looks better here than it is, so the headroom is
    then *understated*: pass scores of rows the model has not seen.

    Parameters
    ----------
    y : array-like of shape (n,)
        The labels the certificate was made with.
    score : array-like of shape (n,)
        The model's score of each row; higher means more positive.
    certificate : Certificate
        From :func:`certify`; its level is used.

    Returns
    -------
    Estimate
        ``low`` is at least 0, and above 0 only if the score is surely not the best.

    Examples
    --------
    >>> from rocstar import ArctanRatio, certify, headroom, laws
    >>> X, y = laws.GaussianPair([2, 2], [0, 0]).sample(500, 500, random_state=0)
    >>> certificate = certify(ArctanRatio(), X, y, random_state=0)
    >>> print(headroom(y, X[:, 0], certificate))
    0.069, at least 0.05... with 95 % confidence
    """
    positive, _ = binary_labels(y)
    if not np.array_equal(positive, binary_labels(certificate.y)[0]):
        raise ValueError("`y` must be the labels the certificate was made with; it differs.")
    rows = certificate.fold >= 0
    values = finite_scores(score, positive.size, rows=rows)
    weights = nonnegative_weights(certificate.sample_weight, positive.size)[rows]
    up, ours, theirs = positive[rows], certificate.score[rows], values[rows]
    fold, rng = certificate.fold[rows], np.random.default_rng(SEED)
    linear = linear_gain(up, ours, theirs, weights, fold)
    units = None if certificate.groups is None else dependent(certificate.groups[rows], up.size)
    if units is None:
        draws = gain_draws(up, ours, theirs, weights, fold, rng, N_DRAWS)
    else:
        draws = linear.draws(weights, rng, N_DRAWS, units)
    gain = linear.values[up]
    own = linear_auc(up, theirs, weights, fold).values[up]
    error, splits = 1 - certificate.level, np.unique(fold).size
    judged = _Judged(draws, float(np.average(gain, weights=weights[up])), 1.0, splits)
    value = certificate.auc.value - float(np.average(own, weights=weights[up]))
    return judged.estimate(value, judged.low(error, 0.0, worst=-1.0), error, (0.0, 1.0))


def angle_estimator(estimator: Any) -> Any:
    """The estimator itself if it can predict angles, else wrapped so that it can.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> type(angle_estimator(LogisticRegression())).__name__
    'ClassifierRatio'
    """
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(
            f"`estimator` must be an estimator with a `fit` method; got {estimator!r}: "
            "pass an instance such as ArctanRatio()."
        )
    if predicts_angles(estimator):
        return estimator
    from rocstar.estimators.classifier import ClassifierRatio

    return ClassifierRatio(estimator)


class _Figures(NamedTuple):
    """Arc length, AUC and TPR − FPR of some angles on some rows."""

    arc_length: float
    auc: float
    youden: float


@dataclass(frozen=True)
class _Sample:
    """Held-out rows: their classes, weights and dependence."""

    positive: BoolArray
    weights: FloatArray
    groups: npt.NDArray[Any] | None

    def mean_sum(self, values: FloatArray) -> float:
        """Mean over the positives plus mean over the negatives."""
        up = self.positive
        return float(
            np.average(values[up], weights=self.weights[up])
            + np.average(values[~up], weights=self.weights[~up])
        )

    @property
    def units(self) -> IntArray | None:
        """Groups of dependent rows, if there are any."""
        return dependent(self.groups, self.positive.size)

    def sum_draws(self, values: FloatArray) -> Draws:
        rng = np.random.default_rng(SEED)
        return sum_draws(self.positive, values, self.weights, rng, N_DRAWS, self.units)

    def auc_draws(self, score: FloatArray, fold: IntArray) -> Draws:
        rng = np.random.default_rng(SEED)
        if self.units is None:
            return auc_draws(self.positive, score, self.weights, fold, rng, N_DRAWS)
        linear = linear_auc(self.positive, score, self.weights, fold)
        return linear.draws(self.weights, rng, N_DRAWS, self.units)

    def joint_error(self, figures: list[FloatArray], error: float) -> float:
        """The error of each bound at which all of them hold together, given each row's terms.

        Figures of the same rows move together. Their joint law is that of normal variables with
        the correlations of the rows' contributions; the error lies between an equal share of
        ``error`` and all of it.
        """
        up = self.positive
        rows = np.stack([self._contributions(values, up) for values in figures])
        if self.units is not None:
            rows = np.stack([np.bincount(self.units, row) for row in rows])
        size = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        rows /= np.where(size > 0, size, 1.0)
        # A figure that does not vary is taken to vary with none of the others.
        correlation = rows @ rows.T
        np.fill_diagonal(correlation, 1.0)
        noise = np.random.default_rng(SEED).standard_normal((N_JOINT, len(figures)))
        values, axes = np.linalg.eigh(correlation)
        drawn = noise @ (axes * np.sqrt(np.maximum(values, 0.0))).T
        share = float(np.quantile(norm.cdf(drawn.min(axis=1)), error))
        return float(np.clip(share, error / len(figures), error))

    def _contributions(self, values: FloatArray, up: BoolArray) -> FloatArray:
        """What each row adds to the sum of class means, less its class's average."""
        out = np.empty(values.size)
        for rows in (up, ~up):
            w = self.weights[rows] / self.weights[rows].sum()
            out[rows] = w * (values[rows] - w @ values[rows])
        return out

    def terms(self, angle: FloatArray) -> FloatArray:
        return np.where(self.positive, np.sin(angle), np.cos(angle))

    def correct(self, angle: FloatArray) -> FloatArray:
        return np.where(self.positive, angle > np.pi / 4, angle <= np.pi / 4).astype(np.float64)

    def figures(self, angle: FloatArray, score: FloatArray, fold: IntArray) -> _Figures:
        placed = linear_auc(self.positive, score, self.weights, fold).values[self.positive]
        return _Figures(
            self.mean_sum(self.terms(angle)),
            float(np.average(placed, weights=self.weights[self.positive])),
            self.mean_sum(self.correct(angle)) - 1,
        )


def _estimates(
    sample: _Sample, judged: HeldOut, outside: _Figures, values: _Figures, error: float
) -> tuple[Estimate, Estimate, Estimate]:
    """Lower bounds from the draws, put beside the point estimates."""
    rows, folds = judged.rows, len(judged.models)
    angle = judged.angle[rows]
    lengths = _Judged(sample.sum_draws(sample.terms(angle)), outside.arc_length, 0.5, folds)
    score, fold = judged.score[rows], judged.fold[rows]
    aucs = _Judged(sample.auc_draws(score, fold), outside.auc, 1.0, folds)
    rule = _Judged(sample.sum_draws(sample.correct(angle)), outside.youden + 1, 0.5, folds)
    placed = linear_auc(sample.positive, score, sample.weights, fold).values
    each = sample.joint_error([sample.terms(angle), placed, sample.correct(angle)], error)
    low = implied_bounds(lengths.low(each, SHORTEST), aucs.low(each, 0.5), rule.low(each, 1.0) - 1)
    return (
        lengths.estimate(values.arc_length, low[0], error, (SHORTEST, 2.0)),
        aucs.estimate(values.auc, low[1], error, (0.5, 1.0)),
        rule.estimate(values.youden, low[2], error, (0.0, 1.0)),
    )


class _Judged(NamedTuple):
    """Draws of a held-out figure, the figure itself, and how many folds it comes from."""

    draws: Draws
    figure: float
    atom: float  # share of the figure that one atom's row would have on average
    folds: int

    def low(self, error: float, floor: float, worst: float = 0.0) -> float:
        """Lower limit, at least the ``floor`` that holds for identical laws.

        At identical laws every model is the best one, so no slack protects the bound, and the
        variance of a cross-fitted figure is up to twice what its rows show: fold j's noise times
        the model that learnt fold k's noise comes back as fold k's noise times the model that
        learnt fold j's. So several folds must beat the floor with doubled variance before they may
        claim anything above it.
        """
        low = self.draws.low(error, worst)
        inflated = self.figure - np.sqrt(2) * (self.figure - low)
        return floor if self.folds > 1 and inflated <= floor else max(low, floor)

    def estimate(
        self, value: float, low: float, error: float, limits: tuple[float, float]
    ) -> Estimate:
        """A guaranteed lower end beside an estimated upper end, value between them."""
        se = self.draws.spread(self.atom * self.figure)
        value = max(float(np.clip(value, *limits)), low)
        high = min(value + float(norm.isf(error)) * se, limits[1])
        return Estimate(value, low, high, 1 - error, "lower")


def _moved(estimate: Estimate, scale: float, shift: float) -> Estimate:
    value, low, high = (
        scale * end + shift for end in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high, estimate.level, estimate.side)


def _is_smooth(estimator: Any) -> bool:
    return declared(estimator).smooth_class


def _in_sample(
    estimator: Any,
    X: Any,
    y: npt.NDArray[Any],
    sample_weight: FloatArray | None,
    groups: IntArray | None,
    judged: HeldOut,
    splits: list[Split],
) -> _Figures:
    """Figures of a model on its own training rows: all rows, or the only split's."""
    if len(splits) == 1:
        rows, model = splits[0][0], judged.models[0]
    else:
        rows = np.arange(y.size)
        if sample_weight is not None:
            rows = np.flatnonzero(sample_weight > 0)
        model = fitted_clone(estimator, X, y, sample_weight=sample_weight, groups=groups, rows=rows)
    weights = None if sample_weight is None else sample_weight[rows]
    table = safe_indexing(X, rows)
    positive, _ = binary_labels(y[rows])
    angle = np.asarray(predict_angle(model, table), dtype=np.float64)
    sample = _Sample(positive, nonnegative_weights(weights, rows.size), None)
    one_fold = np.zeros(rows.size, dtype=np.intp)
    return sample.figures(angle, ranking_score(model, table, angle), one_fold)


def _partly_in_sample(models: list[Any]) -> _Figures | None:
    """Mean figures of stacks on their own training rows, all but their smooth members held out."""
    asked = [declared(model).partly_in_sample_ for model in models]
    found = [figures for figures in asked if figures is not None]
    if len(found) < len(models):
        return None
    return _Figures(*(float(np.mean([f[name] for f in found])) for name in _Figures._fields))


def _coherent(values: _Figures) -> _Figures:
    """AUC and TPR − FPR moved into the sharp range that the arc length leaves them (theory §9).

    For estimates of a stack, whose arc length is close to L*. That of a poor class is not, and its
    AUC, which no monotone transform changes, may then be the better figure.
    """
    length = float(np.clip(values.arc_length, SHORTEST, 2.0))
    auc, tv = auc_bounds(length), tv_bounds(length)
    return _Figures(
        length,
        float(np.clip(values.auc, float(auc.low), float(auc.high))),
        float(np.clip(values.youden, float(tv.low), float(tv.high))),
    )


def _values(inside: _Figures | None, outside: _Figures, n_splits: int) -> _Figures:
    """Weighted means of in-sample and held-out figures where optimism is of first order."""
    if inside is None or inside.arc_length > NEARLY_SEPARATED:
        return outside
    if inside.arc_length - outside.arc_length > LARGE_OPTIMISM:
        return outside
    # With K folds the held-out models saw (K − 1)/K of the rows, so they fall short by K/(K − 1)
    # of what the full model exceeds. One split judges the very model whose training rows we take.
    share = 0.5 if n_splits == 1 else n_splits / (2 * n_splits - 1)
    mixed = (share * i + (1 - share) * o for i, o in zip(inside, outside, strict=True))
    return _Figures(*mixed)
