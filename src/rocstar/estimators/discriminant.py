"""`QuadraticRatio`: the angle of two normal laws whose covariances differ as far as rows show."""

from __future__ import annotations

from itertools import product
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.special import expit

from rocstar.checks import BoolArray, FloatArray, IntArray, class_totals, group_units
from rocstar.estimators.angle import AngleClassifier, on_the_processor
from rocstar.estimators.fits import derived_seed
from rocstar.estimators.numeric_input import validated
from rocstar.estimators.splits import split_rows
from rocstar.estimators.standardized import centre_and_scale
from rocstar.fitting.features import landmarks
from rocstar.fitting.losses import LOSSES
from rocstar.sklearn_private import Interval, validates_parameters
from rocstar.weights import class_weights

LIMIT = 6.0
"""Deviations at which values are cut off: a far row must not decide a covariance."""
RANKS = (0, 1, 4)
"""Numbers of directions that are tried, beside all."""
DAMPINGS = (0.0, 0.5)
RIDGES = (0.02, 0.2, 0.7)
FEWEST_ROWS, ROWS_PER_DIRECTION = 20, 10
"""Of the rarer class: fewer rows tell no directions in which variances differ, or not so many."""
MOST_COLUMNS = 50
MOST_TUNING_ROWS = 2000
LEAST_VARIANCE = 0.02
"""Of the largest: a covariance made of parts of others may have none along some direction."""
STEPS = 6
"""Of Newton's method for slopes and offsets, which need three digits."""
LARGEST_SLOPE, LARGEST_SCORE = 1.5, 30.0
TINY = 1e-9


class Shape(NamedTuple):
    """Which part of a difference of covariances is kept."""

    rank: int | None
    damping: float
    ridge: float


class QuadraticRatio(AngleClassifier):
    r"""The angle of a quadratic log ratio, from regularised discriminant analysis.

    Two normal laws with means :math:`m_\pm` and covariances :math:`P \pm D/2` are fitted to scaled
    columns. P is the mean of the two covariances, shrunk towards a multiple of the identity by
    ``ridge``. D is their difference: a multiple of the identity and the remainder in the ``rank``
    directions that differ most from the others, damped by ``damping``. The means are drawn
    together by as much as noise alone drives them apart (James & Stein 1961). The log ratio of the
    two laws, times ``slope`` and plus ``offset``, gives the angle. What is not given is chosen on
    held-out rows, so that the class reaches from a common covariance to one per class (Friedman
    1989).

    Parameters
    ----------
    rank : int, optional
        Directions in which the covariances differ; from the number of columns on, all.
    damping : float in [0, 1], optional
        How far the difference in these directions is taken back.
    ridge : float in [0, 1], optional
        Share of a multiple of the identity in the common covariance; 0 leaves the means, too.
    slope, offset : float, optional
        Of the log ratio.
    max_columns : int or None, default=50
        Of more columns, so many principal components are used.
    cv : int, splitter or iterable of splits, default=3
        Folds that choose what is not given.
    random_state : int, RandomState or None, default=None
        Shuffles those folds.

    Attributes
    ----------
    rank_, damping_, ridge_, slope_, offset_
        Those given or chosen; a ``rank_`` of None means all directions.
    centre_, scale_, components_ : ndarray
        Scaled columns, cut off at 6, times ``components_`` are the coordinates z.
    square_, linear_, constant_
        The log ratio of the two laws is z' square z + linear' z + constant.
    arc_length_ : float
        J on the training data.
    classes_, prior_, effective_counts_, n_features_in_, feature_names_in_
        As in `ArctanRatio`.

    Examples
    --------
    >>> from rocstar import QuadraticRatio, laws
    >>> law = laws.GaussianPair([0, 0, 0], [0, 0, 0], 1.0, 3.0)
    >>> X, y = law.sample(500, 500, random_state=0)
    >>> model = QuadraticRatio(random_state=0).fit(X, y)
    >>> fresh, labels = law.sample(5000, 5000, random_state=1)
    >>> print(f"J {model.score(fresh, labels):.3f}; arc length {law.arc_length:.3f}")
    J 1.592; arc length 1.601
    """

    smooth_class = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "rank": [Interval(Integral, 0, None, closed="left"), None],
        "damping": [Interval(Real, 0, 1, closed="both"), None],
        "ridge": [Interval(Real, 0, 1, closed="both"), None],
        "slope": [Interval(Real, 0, None, closed="left"), None],
        "offset": [Real, None],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        rank: int | None = None,
        damping: float | None = None,
        ridge: float | None = None,
        slope: float | None = None,
        offset: float | None = None,
        max_columns: int | None = MOST_COLUMNS,
        cv: Any = 3,
        random_state: Any = None,
    ) -> None:
        self.rank = rank
        self.damping = damping
        self.ridge = ridge
        self.slope = slope
        self.offset = offset
        self.max_columns = max_columns
        self.cv = cv
        self.random_state = random_state

    @property
    def keeps_choices(self) -> bool:
        """Whether anything is left to choose."""
        # A stack's folds make the choice anew, which costs little: of few rows of a class, the best
        # of several covariances is a lucky one.
        given = (self.rank, self.damping, self.ridge, self.slope, self.offset)
        return any(each is None for each in given)

    def frozen(self, share: float = 1.0) -> QuadraticRatio:
        """An unfitted copy that keeps what was chosen."""
        return QuadraticRatio(
            rank=self.n_features_in_ if self.rank_ is None else self.rank_,
            damping=self.damping_,
            ridge=self.ridge_,
            slope=self.slope_,
            offset=self.offset_,
            max_columns=self.max_columns,
        )

    @validates_parameters(skip_nested=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> QuadraticRatio:
        """Choose what is not given, then fit to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two labels, the larger one positive.
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            Rows of a group stay in one fold.

        Returns
        -------
        self
        """
        on_the_processor(self, X)
        X = validated(self, X, dtype=np.float64)
        positive, weights = self._fit_labels(y, sample_weight, X)
        units = None if groups is None else group_units(groups, len(positive))
        per_weight = self.effective_counts_ / class_totals(positive, weights)[::-1]
        moments = Moments.of(X, positive, weights, per_weight, self.max_columns)
        shape, self.slope_, self.offset_ = self._chosen(X, positive, weights, per_weight, units)
        self.rank_, self.damping_, self.ridge_ = shape
        self.centre_, self.scale_, self.components_ = moments[:3]
        self.square_, self.linear_, self.constant_ = moments.log_ratio(shape)
        self.arc_length_ = self.score(X, y, sample_weight)
        return self

    def predict_angle(self, X: Any) -> NDArray[Any]:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        return np.asarray(LOSSES["log"].angle(self._log_ratio(X)))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The log odds of the positive class at the training share of positives."""
        return np.asarray(self._log_ratio(X) + np.log(self.prior_ / (1 - self.prior_)))

    def _log_ratio(self, X: Any) -> FloatArray:
        self._check_is_fitted()
        X = validated(self, X, reset=False, dtype=np.float64)
        Z = scaled(X, self.centre_, self.scale_) @ self.components_
        quadratic = Quadratic(self.square_, self.linear_, self.constant_)
        return self.offset_ + self.slope_ * quadratic(Z)

    def _chosen(
        self,
        X: FloatArray,
        positive: BoolArray,
        weights: FloatArray,
        per_weight: FloatArray,
        units: IntArray | None,
    ) -> tuple[Shape, float, float]:
        """The shape, slope and offset of the largest held-out J."""
        shapes = self._shapes(X.shape[1])
        if self.slope is not None and self.offset is not None and len(shapes) == 1:
            return shapes[0], self.slope, self.offset
        rows = np.arange(positive.size)
        seed = derived_seed(self.random_state)
        if rows.size > MOST_TUNING_ROWS:
            rows = landmarks(positive, weights, MOST_TUNING_ROWS, seed)
        X, positive, weights = X[rows], positive[rows], weights[rows]
        units = None if units is None else units[rows]
        folds = split_rows(
            self.cv, positive, groups=units, sample_weight=weights, random_state=seed, inner=True
        )
        scores = np.full((len(shapes), positive.size), np.nan)
        for train, test in folds:
            moments = Moments.of(
                X[train], positive[train], weights[train], per_weight, self.max_columns
            )
            Z = moments.turned(X[test])
            for own, shape in zip(scores, shapes, strict=True):
                own[test] = moments.log_ratio(shape)(Z)
        held = ~np.isnan(scores[0])
        scores, positive = scores[:, held], positive[held]
        weights = class_weights(positive, weights[held])
        slopes, offsets = lines(scores, positive, weights, self.effective_counts_.sum())
        slopes = slopes if self.slope is None else np.full_like(slopes, self.slope)
        offsets = offsets if self.offset is None else np.full_like(offsets, self.offset)
        angle = LOSSES["log"].angle(offsets[:, None] + slopes[:, None] * scores)
        reached = np.where(positive, np.sin(angle), np.cos(angle)) @ weights
        best = int(np.argmax(reached))
        return shapes[best], float(slopes[best]), float(offsets[best])

    def _shapes(self, columns: int) -> list[Shape]:
        """All that may be chosen, each once."""
        used = min(columns, self.max_columns or columns)
        rows = float(self.effective_counts_.min())
        most = 0 if rows < FEWEST_ROWS else rows / ROWS_PER_DIRECTION
        tried: list[int | None] = [rank for rank in RANKS if rank < used and rank <= most]
        tried += [None] if used <= most else []
        if self.rank is not None:
            tried = [self.rank if self.rank < used else None]
        dampings = DAMPINGS if self.damping is None else (self.damping,)
        ridges = RIDGES if self.ridge is None else (self.ridge,)
        # The largest few of many directions need no damping, and none has nothing to damp.
        return [
            Shape(rank, damping, ridge)
            for rank, damping, ridge in product(tried, dampings, ridges)
            if rank is None or damping == dampings[0]
        ]


class Quadratic(NamedTuple):
    """z'Az + b'z + c."""

    square: FloatArray
    linear: FloatArray
    constant: float

    def __call__(self, Z: FloatArray) -> FloatArray:
        found = np.einsum("ij,ij->i", Z @ self.square + self.linear, Z) + self.constant
        return np.asarray(np.clip(found, -LARGEST_SCORE, LARGEST_SCORE))


class Moments(NamedTuple):
    """Means and covariances of both classes in scaled columns or their principal components."""

    centre: FloatArray
    scale: FloatArray
    components: FloatArray
    means: tuple[FloatArray, FloatArray]  # of the negative and the positive class
    noise: float  # of a mean difference, in variances: one over the rows of each class
    common: FloatArray
    spread: FloatArray  # eigenvalues of the common covariance, and its eigenvectors
    axes: FloatArray
    values: FloatArray  # eigenvalues of the difference of covariances, the most unusual first
    vectors: FloatArray

    @classmethod
    def of(
        cls,
        X: FloatArray,
        positive: BoolArray,
        weights: FloatArray,
        rows_per_weight: FloatArray,
        most: int | None = None,
    ) -> Moments:
        """Moments of weighted rows, so many of each class per unit of weight."""
        noise = float(np.sum(1 / (rows_per_weight * class_totals(positive, weights)[::-1])))
        weights = class_weights(positive, weights)
        centre, scale = centre_and_scale(X, weights)
        Z = scaled(X, centre, scale)
        sides = [(Z[side], weights[side]) for side in (~positive, positive)]
        means = [w @ z for z, w in sides]
        apart = [z - m for (z, _), m in zip(sides, means, strict=True)]
        down, up = (z.T @ (z * w[:, None]) for z, (_, w) in zip(apart, sides, strict=True))
        common, gap, d = (down + up) / 2, up - down, X.shape[1]
        components = np.eye(d)
        if most is not None and most < d:
            components = eigh(common, subset_by_index=[d - most, d - 1])[1]
            common, gap = (components.T @ each @ components for each in (common, gap))
            means = [m @ components for m in means]
        values, vectors = np.linalg.eigh(gap)
        order = np.argsort(-np.abs(values - np.median(values)))
        own = values[order], vectors[:, order]
        both = means[0], means[1]
        return cls(centre, scale, components, both, noise, common, *np.linalg.eigh(common), *own)

    def turned(self, X: FloatArray) -> FloatArray:
        """Rows in the coordinates of the moments."""
        return scaled(X, self.centre, self.scale) @ self.components

    def log_ratio(self, shape: Shape) -> Quadratic:
        """Of the two normal laws of a shape, the positive over the negative one."""
        rank, damping, ridge = shape
        same = np.eye(len(self.common))
        variance = float(np.trace(self.common)) / len(same) or 1.0
        common = (1 - ridge) * self.common + ridge * variance * same
        # Directions that are not kept have the mean difference of their own, not one to which the
        # kept ones add: one direction of fifty must not leave its trace in the others.
        even = float(np.mean(self.values if rank is None else self.values[rank:]))
        kept = (1 - damping) * (1 - ridge) * (self.values[:rank] - even)
        vectors = self.vectors[:, :rank]
        gap = (vectors * kept) @ vectors.T + even * same
        down, up = (_inverse(common + sign * gap / 2) for sign in (-1, 1))
        (below, size_below), (above, size_above) = down, up
        first, second = self.drawn_means(ridge) if ridge else self.means
        constant = first @ below @ first - second @ above @ second + size_below - size_above
        return Quadratic((below - above) / 2, above @ second - below @ first, float(constant) / 2)

    def drawn_means(self, ridge: float) -> tuple[FloatArray, FloatArray]:
        """The means, drawn together by as much as noise alone drives them apart."""
        first, second = self.means
        spread = (1 - ridge) * self.spread + ridge * (float(self.spread.mean()) or 1.0)
        apart = float(np.sum((self.axes.T @ (second - first)) ** 2 / spread))
        noise = self.noise * float(np.sum(self.spread / spread))
        kept = max(0.0, 1 - noise / apart) if apart > 0 else 1.0
        middle, half = (first + second) / 2, kept * (second - first) / 2
        return middle - half, middle + half


def scaled(X: FloatArray, centre: FloatArray, scale: FloatArray) -> FloatArray:
    """Columns in units of their spread, cut off where a row is far away."""
    return np.asarray(np.clip((X - centre) / scale, -LIMIT, LIMIT))


def _inverse(covariance: FloatArray) -> tuple[FloatArray, float]:
    """The inverse of a covariance, and the logarithm of its determinant."""
    # LAPACK itself: of few columns, what SciPy puts around it takes several times as long.
    factor, failed = dpotrf(covariance, lower=1)
    if failed:
        values, vectors = np.linalg.eigh(covariance)
        values = np.maximum(values, LEAST_VARIANCE * max(values[-1], LEAST_VARIANCE))
        return (vectors / values) @ vectors.T, float(np.log(values).sum())
    inverse, _ = dpotri(factor, lower=1)  # its lower triangle
    inverse += np.tril(inverse, -1).T
    return inverse, 2 * float(np.log(np.diag(factor)).sum())


def lines(
    scores: FloatArray, positive: BoolArray, weights: FloatArray, rows: float
) -> tuple[FloatArray, FloatArray]:
    """Slopes and offsets of logistic regressions on each line of scores, the classes of one size.

    A ridge worth one row draws slopes towards one half.
    """
    w = weights * rows / 2
    slope, offset = np.full(len(scores), 0.5), np.zeros(len(scores))
    for _ in range(STEPS):
        share = expit(offset[:, None] + slope[:, None] * scores)
        left, bend = w * (positive - share), w * share * (1 - share)
        b = bend.sum(axis=1) + TINY
        bz, bzz = (bend * scores).sum(axis=1), (bend * scores**2).sum(axis=1) + 1.0
        g, gz = left.sum(axis=1), (left * scores).sum(axis=1) - (slope - 0.5)
        determinant = b * bzz - bz**2 + TINY
        offset = offset + (bzz * g - bz * gz) / determinant
        slope = np.clip(slope + (b * gz - bz * g) / determinant, 0.0, LARGEST_SLOPE)
    return slope, offset
