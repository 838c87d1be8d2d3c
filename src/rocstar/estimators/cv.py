"""`ArctanRatioCV`: the angle with its penalty and bandwidth chosen by held-out J."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rocstar.checks import BoolArray, FloatArray, IntArray, group_units, is_collection
from rocstar.estimators.angle import refuse_on_workers
from rocstar.estimators.directions import has_many_classes
from rocstar.estimators.fits import derived_seed
from rocstar.estimators.many_ratio import search_directions
from rocstar.estimators.ratio import ArctanRatio
from rocstar.estimators.splits import named, split_rows
from rocstar.estimators.standardized import OnStandardColumns, StandardizedRatio
from rocstar.estimators.tuning import (
    TUNING_TOL,
    WEAK_ALPHA,
    TuningRows,
    search,
    with_fewer_landmarks,
)
from rocstar.fitting.directions import class_landmarks
from rocstar.fitting.features import landmarks
from rocstar.sklearn_private import Interval, validates_parameters

MOST_TUNING_ROWS = 5000


class ArctanRatioCV(OnStandardColumns):
    """`ArctanRatio` on standardised features, with ``alpha`` and ``gamma`` chosen by held-out J.

    Parameters
    ----------
    kernel, loss, degree, coef0, kernel_params, n_components, fit_intercept, tol, max_iter
        As in `ArctanRatio`.
    alphas : array-like, optional
        Penalties to try; the best is taken. By default twelve from 10⁰·⁵ to 10⁻⁵, up to the first
        that is two standard errors below the best. A kernel tries every other of these and takes
        their geometric mean, each counting exp(−its gap to the best / that gap's standard error):
        where held-out J cannot tell penalties apart, the middle errs least.
    gammas : array-like, optional
        Of the kernels that have one; the best is taken. By default 1/(2 h²) for bandwidths h of an
        eighth, a quarter, a half, once and twice the median distance between rows, and the median
        itself is kept unless another is better by two standard errors: held-out J is noisy, and a
        bandwidth that is too small costs more than one that is too large. A quarter is tried only
        if a half does better than the median, and an eighth only if a quarter does better still.
    cv : int, splitter or iterable of splits, default=5
        An integer makes shuffled stratified folds, which keep groups together if `fit` has any.
    standardize : bool, default=True
        Centre and scale each column, each class counting half.
    max_columns : int or None, default=None
        Of the linear class on dense rows in memory: with more columns than this, so many of their
        principal components are used, which take far less time.
    max_tuning_rows : int or None, default=5000
        With more rows than this, the grid is searched on a stratified subsample of this size; the
        chosen model is then fitted to all rows.
    n_jobs : int, optional
        Threads over the folds and bandwidths.
    random_state : int, RandomState or None, default=None
        Of the folds, landmarks and tuning rows: an integer fixes the fit, None draws a fresh seed
        per fit.

    Attributes
    ----------
    alpha_, gamma_ : float
        The chosen pair; ``gamma_`` is None for kernels without.
    best_score_ : float
        Mean held-out J of the chosen pair, also where ``alpha_`` lies between the penalties of the
        grid; with the usual penalties of a kernel, in the span of at most 100 landmarks. The pair
        was chosen for a large J: certify it anew.
    cv_results_ : dict of ndarray
        All that was tried: ``param_alpha``, ``param_gamma``, ``mean_test_score``,
        ``std_test_score``, ``rank_test_score`` and ``split<k>_test_score``.
    estimator_ : ArctanRatio
        Fitted to all rows, standardised if asked.
    scaler_ : StandardScaler or None
    components_ : ndarray of shape (n_features, max_columns) or None
        Of the standardised columns, if those are more than ``max_columns``.
    arc_length_, classes_, prior_, effective_counts_, n_iter_, n_features_in_, feature_names_in_
        As in `ArctanRatio`.

    Examples
    --------
    >>> from rocstar import ArctanRatioCV, laws
    >>> X, y = laws.GaussianPair([0, 0], [1, 0]).sample(300, 300, random_state=0)
    >>> model = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    >>> print(f"{model.best_score_:.2f}")
    1.55
    """

    tunes_itself = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: constraint
            for name, constraint in ArctanRatio._parameter_constraints.items()
            if name not in ("alpha", "gamma")
        },
        "alphas": ["array-like", None],
        "gammas": ["array-like", None],
        "cv": ["cv_object"],
        "standardize": ["boolean"],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "max_tuning_rows": [Interval(Integral, 10, None, closed="left"), None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        kernel: str | Callable[..., Any] = "linear",
        *,
        loss: str = "tangent",
        alphas: ArrayLike | None = None,
        gammas: ArrayLike | None = None,
        cv: Any = 5,
        standardize: bool = True,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_components: int | None = 200,
        max_columns: int | None = None,
        max_tuning_rows: int | None = MOST_TUNING_ROWS,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.alphas = alphas
        self.gammas = gammas
        self.cv = cv
        self.standardize = standardize
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.max_columns = max_columns
        self.max_tuning_rows = max_tuning_rows
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @validates_parameters(skip_nested=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        objective_weight: ArrayLike | None = None,
    ) -> ArctanRatioCV:
        """Choose ``alpha`` and ``gamma``, then fit to all rows.

        Parameters
        ----------
        X, y, sample_weight, objective_weight
            As in `ArctanRatio.fit`; ``objective_weight`` weighs the fits, not the choice. Of a
            Dask collection, a sample of at most ``max_tuning_rows`` of each class gives the
            scales of the columns and the choice; the chosen model is fitted to all rows where
            they are.
        groups : array-like of shape (n_samples,), optional
            Rows of a group stay in one fold.

        Returns
        -------
        self
        """
        if is_collection(X):
            return self._fit_collection(X, y, sample_weight, groups, objective_weight)
        if self.loss == "log" and has_many_classes(y):
            fitted: ArctanRatioCV = self._fit_many(X, y, sample_weight, groups)
            return fitted
        x, positive, weights = self._scaled_rows(X, y, sample_weight, objective_weight)
        seed = derived_seed(self.random_state)
        units = None if groups is None else group_units(groups, len(positive))
        self._choose(x, positive, weights, objective_weight, units, seed)
        ratio = self._ratio(self.alpha_, self.gamma_, seed)
        self._fit_estimator(ratio, x, positive, weights, objective_weight)
        return self

    def _fit_collection(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, objective_weight: Any
    ) -> ArctanRatioCV:
        """Choose on a sample that is brought here; fit where the rows of the collection are."""
        self.check_collections()
        most = self.max_tuning_rows
        refuse_on_workers({"groups": groups is not None, "max_tuning_rows=None": most is None})
        seed = derived_seed(self.random_state)
        sample = self._scaled_sample(X, y, sample_weight, most or 0, seed)
        self._choose(*sample, None, None, seed)
        ratio = self._ratio(self.alpha_, self.gamma_, seed)
        self._fit_estimator_on_workers(ratio, X, y, sample_weight, objective_weight)
        return self

    def _chosen_ratio(
        self, x: Any, codes: IntArray, weights: FloatArray, units: IntArray | None, seed: int
    ) -> ArctanRatio:
        # Splits that were given count all rows, those without weight too.
        rows = np.arange(codes.size)
        if self.max_tuning_rows is not None and self.max_tuning_rows < codes.size:
            rows = class_landmarks(codes, weights, self.max_tuning_rows, seed)
        folds = split_rows(
            self.cv,
            codes[rows],
            groups=None if units is None else units[rows],
            sample_weight=weights[rows],
            random_state=seed,
            classes=named(self.classes_),
            inner=True,
        )
        self.alpha_, self.gamma_, self.best_score_, self.cv_results_ = search_directions(
            self._ratio(random_state=seed),
            x[rows],
            codes[rows],
            weights[rows],
            folds,
            alphas=self.alphas,
            gammas=self.gammas,
            seed=seed,
        )
        return self._ratio(self.alpha_, self.gamma_, seed)

    def frozen(self, share: float = 1.0) -> StandardizedRatio:
        """An unfitted estimator that keeps the chosen pair and makes no search.

        For a share of the rows ``alpha`` is divided by it: the best one falls as rows are added.
        """
        return StandardizedRatio(
            self._ratio(self.alpha_ / share, self.gamma_, self.random_state),
            standardize=self.standardize,
            max_columns=self.max_columns,
            max_scaling_rows=self.max_tuning_rows or MOST_TUNING_ROWS,
        )

    def stand_in(self) -> StandardizedRatio | None:
        """A kernel at the median bandwidth, a weak penalty and few landmarks."""
        if self.kernel == "linear" or self.alphas is not None or self.gammas is not None:
            return None
        # Few landmarks hardly overfit; a stronger penalty hides what a tuned kernel would find.
        cheap = with_fewer_landmarks(self._ratio(WEAK_ALPHA, None, self.random_state))
        cheap.set_params(tol=max(self.tol, TUNING_TOL))
        return StandardizedRatio(
            cheap,
            standardize=self.standardize,
            max_columns=self.max_columns,
            max_scaling_rows=self.max_tuning_rows or MOST_TUNING_ROWS,
        )

    def _choose(
        self,
        x: Any,
        positive: BoolArray,
        weights: FloatArray,
        objective_weight: Any,
        units: IntArray | None,
        seed: int,
    ) -> None:
        """The best pair on all rows, or on a sample of which a rare class is at most half."""
        rows = np.arange(len(positive))
        if self.max_tuning_rows is not None and len(rows) > self.max_tuning_rows:
            rows = landmarks(positive, weights, self.max_tuning_rows, seed)
        extra = np.ones(len(positive)) if objective_weight is None else np.asarray(objective_weight)
        sample = TuningRows(x[rows], positive[rows], weights[rows], extra[rows])
        folds = split_rows(
            self.cv,
            sample.positive,
            groups=None if units is None else units[rows],
            sample_weight=sample.frequencies,
            random_state=seed,
            inner=True,
        )
        self.alpha_, self.gamma_, self.best_score_, self.cv_results_ = search(
            self._ratio(random_state=seed),
            sample,
            folds,
            alphas=self.alphas,
            gammas=self.gammas,
            n_jobs=self.n_jobs,
        )

    def _ratio(
        self, alpha: float = 1.0, gamma: float | None = None, random_state: Any = None
    ) -> ArctanRatio:
        return ArctanRatio(
            self.kernel,
            loss=self.loss,
            alpha=alpha,
            gamma="median" if gamma is None else gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            n_components=self.n_components,
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
            random_state=random_state,
        )
