"""`ArctanRatioCV`: the angle with its penalty and bandwidth chosen by held-out J."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import _fit_context
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from rocstar.checks import FloatArray, group_units, in_memory, is_collection
from rocstar.estimators.angle import (
    AngleClassifier,
    arc_length_score,
    class_weights,
    on_the_processor,
)
from rocstar.estimators.ratio import ArctanRatio
from rocstar.estimators.splits import Split, inner_folds
from rocstar.fitting.arrays import Array
from rocstar.fitting.features import KERNELS, FeatureSpace, distance_quantiles, landmarks
from rocstar.fitting.path import angle_loss, solve_path
from rocstar.fitting.rows import MemoryRows
from rocstar.fitting.threads import one_blas_thread
from rocstar.scale.columns import mapped_rows, store_features
from rocstar.scale.overview import overview
from rocstar.scale.partitions import partitions

# From a penalty that leaves little but a constant, as a class of a few dozen rows needs, to one
# that hardly matters; half a decade apart each.
DEFAULT_ALPHAS = tuple(10.0 ** (-k / 2) for k in range(-1, 11))
# Shares of the median distance.
BANDWIDTHS = (0.25, 0.5, 1.0, 2.0)
# Held-out J moves with the square of a coefficient's error, so a rough optimum ranks the grid.
TUNING_TOL = 1e-3
# Of a difference in held-out J: what rough optima leave.
LEAST_ERROR = 1e-6
# Scores closer than this are equal but for rounding, which must not choose between them.
TIE = 1e-9


def first_best(scores: FloatArray) -> int:
    """The first of the largest scores, up to rounding: the same with any number of threads."""
    return int(np.argmax(scores >= scores.max() - TIE))


class Sample(NamedTuple):
    """The rows the search is made on: frequencies, and weights of their terms in the objective."""

    x: Any
    positive: NDArray[np.bool_]
    weights: FloatArray
    objective: FloatArray


class ArctanRatioCV(AngleClassifier):
    """`ArctanRatio` on standardised features, with ``alpha`` and ``gamma`` chosen by held-out J.

    Parameters
    ----------
    kernel, loss, degree, coef0, kernel_params, n_components, fit_intercept, tol, max_iter
        As in `ArctanRatio`.
    alphas : array-like, optional
        Penalties to try; the best is taken. By default twelve from 10⁻⁵ to 10⁰·⁵, of which a
        kernel takes the geometric mean, each counting exp(−its gap to the best / that gap's
        standard error): where held-out J cannot tell penalties apart, the middle errs least.
    gammas : array-like, optional
        Of the kernels that have one; the best is taken. By default 1/(2 h²) for bandwidths h of a
        quarter, a half, once and twice the median distance between rows, and the median itself is
        kept unless another is better by two standard errors: held-out J is noisy, and a bandwidth
        that is too small costs more than one that is too large.
    cv : int, splitter or iterable of splits, default=5
        An integer makes shuffled stratified folds, which keep groups together if `fit` has any.
    standardize : bool, default=True
        Centre and scale each column, each class counting half.
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
        grid. The pair was chosen for a large J: certify it anew.
    cv_results_ : dict of ndarray
        The whole surface: ``param_alpha``, ``param_gamma``, ``mean_test_score``,
        ``std_test_score``, ``rank_test_score`` and ``split<k>_test_score``.
    estimator_ : ArctanRatio
        Fitted to all rows, standardised if asked.
    scaler_ : StandardScaler or None
    arc_length_, classes_, prior_, effective_counts_, n_iter_, n_features_in_, feature_names_in_
        As in `ArctanRatio`.

    Examples
    --------
    >>> from rocstar import ArctanRatioCV, laws
    >>> X, y = laws.GaussianPair([0, 0], [1, 0]).sample(300, 300, random_state=0)
    >>> model = ArctanRatioCV("rbf", random_state=0).fit(X, y)
    >>> len(model.cv_results_["mean_test_score"])
    48
    """

    smooth_class = True
    takes_collections = True

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
        max_tuning_rows: int | None = 5000,
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
        self.max_tuning_rows = max_tuning_rows
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
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
        in_memory(y=y, sample_weight=sample_weight, objective_weight=objective_weight)
        on_the_processor(self, X)
        X, y = validate_data(
            self, X, y, accept_sparse=self._sparse(), dtype=[np.float64, np.float32]
        )
        positive, weights = self._fit_labels(y, sample_weight, X)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        self.scaler_ = None
        if self.standardize:
            scaler = StandardScaler(with_mean=not sparse.issparse(X))
            # The weighted variance of a constant may round to just below zero; scikit-learn then
            # divides by one, as it should.
            with np.errstate(invalid="ignore"):
                self.scaler_ = scaler.fit(X, sample_weight=weights)
            X = self.scaler_.transform(X)
        extra = np.ones(len(weights)) if objective_weight is None else np.asarray(objective_weight)
        rows = self._tuning_rows(positive, weights, seed)
        sample = Sample(X[rows], positive[rows], weights[rows], extra[rows])
        group = None if groups is None else group_units(groups, len(positive))[rows]
        folds = inner_folds(self.cv, sample.positive, group, seed, sample.weights)
        self._search(sample, folds, seed)
        self.estimator_ = self._chosen(self.alpha_, self.gamma_, seed).fit(
            X, positive, sample_weight=weights, objective_weight=objective_weight
        )
        # Normalised within each class, weights no longer show which were repetitions.
        self.estimator_.effective_counts_ = self.effective_counts_
        self.arc_length_ = self.estimator_.arc_length_
        self.n_iter_ = self.estimator_.n_iter_
        return self

    def check_collections(self) -> None:
        """Raise an error if the fits need all rows in memory."""
        one = ArctanRatio(self.kernel, loss=self.loss, n_components=self.n_components)
        one.check_collections()

    def _fit_collection(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, objective_weight: Any
    ) -> ArctanRatioCV:
        """Choose on a sample that is brought here; fit where the rows of the collection are."""
        self.check_collections()
        if groups is not None or self.max_tuning_rows is None:
            what = "max_tuning_rows=None" if groups is None else "groups"
            raise ValueError(
                f"`{what}` needs all rows in memory; got a Dask collection: leave it out, or pass "
                "X.compute()."
            )
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        seen = overview(partitions(X, y, sample_weight), self.max_tuning_rows, seed)
        store_features(self, X, seen.n_features)
        x, positive, weights = seen.sample()
        weights = class_weights(positive, weights)
        self.scaler_ = None
        if self.standardize:
            self.scaler_ = StandardScaler().fit(x, sample_weight=weights)
            x = self.scaler_.transform(x)
        rows = self._tuning_rows(positive, weights, seed)
        sample = Sample(x[rows], positive[rows], weights[rows], np.ones(len(rows)))
        self._search(
            sample, inner_folds(self.cv, sample.positive, None, seed, sample.weights), seed
        )
        self.classes_ = seen.classes()
        self.estimator_ = self._chosen(self.alpha_, self.gamma_, seed).fit(
            self._standardised(X), y, sample_weight, objective_weight=objective_weight
        )
        self.prior_ = self.estimator_.prior_
        self.effective_counts_ = self.estimator_.effective_counts_
        self.arc_length_ = self.estimator_.arc_length_
        self.n_iter_ = self.estimator_.n_iter_
        return self

    def predict_angle(self, X: Any) -> Array:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        X = self._standardised(X)
        return self.estimator_.predict_angle(X)

    def predict_log_ratio(self, X: Any) -> Array:
        """The logarithm of the likelihood ratio, within the same limits as `predict_ratio`."""
        X = self._standardised(X)
        return self.estimator_.predict_log_ratio(X)

    def decision_function(self, X: Any) -> Array:
        """The unclipped score, positive where `predict` says positive."""
        X = self._standardised(X)
        z = self.estimator_._scores(X)
        even = self._even_angle()
        return z - z.dtype.type(np.log(np.tan(even)) if self.loss == "log" else even)

    def frozen(self) -> ArctanRatioCV:
        """An unfitted copy whose grid is the chosen pair, for refits that need no new search."""
        gammas = None if self.gamma_ is None else [self.gamma_]
        return ArctanRatioCV(**{**self.get_params(), "alphas": [self.alpha_], "gammas": gammas})

    def _standardised(self, X: Any) -> Any:
        self._check_is_fitted()
        if is_collection(X):
            # What is missing stays so, and is an error in the next step.
            return mapped_rows(self, X, self._block, self.n_features_in_, finite=False)
        X = validate_data(
            self, X, reset=False, accept_sparse=self._sparse(), dtype=[np.float64, np.float32]
        )
        return X if self.scaler_ is None else self.scaler_.transform(X)

    def _block(self, x: NDArray[Any]) -> NDArray[Any]:
        """Some rows standardised; there may be none, which a scaler would refuse."""
        return x if self.scaler_ is None else (x - self.scaler_.mean_) / self.scaler_.scale_

    def _sparse(self) -> str | bool:
        return "csr" if self.kernel == "linear" else False

    def _has_gamma(self) -> bool:
        return isinstance(self.kernel, str) and "gamma" in KERNELS[self.kernel]

    def _tuning_rows(
        self, positive: NDArray[np.bool_], weights: FloatArray, seed: int
    ) -> NDArray[np.intp]:
        """All rows, or a stratified sample of them; at most half of it is spent on a rare class."""
        everything = np.arange(len(positive))
        if self.max_tuning_rows is None or len(positive) <= self.max_tuning_rows:
            return everything
        return landmarks(positive, weights, self.max_tuning_rows, seed)

    def _search(self, sample: Sample, folds: list[Split], seed: int) -> None:
        """Score the grid and keep the best pair; of equals, the one that penalises most."""
        alphas = np.sort(np.asarray(DEFAULT_ALPHAS if self.alphas is None else self.alphas))[::-1]
        gammas = self._gammas(sample, seed)
        spaces = [self._space(sample, gamma, seed) for gamma in gammas]
        jobs = [(space, fold) for space in spaces for fold in folds]
        # The problems are small: a second BLAS thread would spin more than it helps.
        with one_blas_thread():
            surface = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._fold_scores)(space, sample, fold, alphas) for space, fold in jobs
            )
        by_fold = np.array(surface).reshape(len(gammas), len(folds), len(alphas))
        scores = by_fold.transpose(0, 2, 1).reshape(-1, len(folds))
        mean = scores.mean(axis=1)
        best = first_best(mean)
        if self._has_gamma() and self.gammas is None:
            best = self._unless_surely_better(scores, best, len(alphas))
        self.cv_results_ = {
            "param_gamma": np.repeat(np.array(gammas), len(alphas)),
            "param_alpha": np.tile(alphas, len(gammas)),
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": rankdata(-mean, method="min").astype(int),
            **{f"split{k}_test_score": scores[:, k] for k in range(len(folds))},
        }
        row = slice(best - best % len(alphas), best - best % len(alphas) + len(alphas))
        settled = self.kernel == "linear" or self.alphas is not None or len(folds) < 2
        self.alpha_ = float(alphas[best % len(alphas)])
        if not settled:
            self.alpha_ = middle_of_the_best(alphas, scores[row])
        self.gamma_ = self.cv_results_["param_gamma"][best]
        self.best_score_ = float(mean[best])
        if self.alpha_ not in alphas:
            space, alpha = spaces[best // len(alphas)], np.array([self.alpha_])
            with one_blas_thread():
                anew = [self._fold_scores(space, sample, fold, alpha) for fold in folds]
            self.best_score_ = float(np.mean(anew))

    def _unless_surely_better(self, scores: FloatArray, best: int, n_alphas: int) -> int:
        """The best pair, or the best at the median bandwidth if that is not surely worse."""
        first = BANDWIDTHS.index(1.0) * n_alphas
        usual = first + first_best(scores[first : first + n_alphas].mean(axis=1))
        gain = scores[best] - scores[usual]
        if len(gain) < 2:
            return best
        return best if gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(len(gain)) else usual

    def _gammas(self, sample: Sample, seed: int) -> list[float | None]:
        if not self._has_gamma():
            return [None]
        if self.gammas is not None:
            return [float(gamma) for gamma in np.atleast_1d(np.asarray(self.gammas))]
        distinct = np.unique(sample.x[sample.weights > 0], axis=0)
        median = distance_quantiles(distinct, [0.5], seed)[0]
        return [float(0.5 / (share * median) ** 2) for share in BANDWIDTHS]

    def _space(self, sample: Sample, gamma: float | None, seed: int) -> FeatureSpace:
        """Features of all tuning rows, made once for all folds and penalties."""
        model = self._chosen(1.0, gamma, seed)
        space = model._feature_space(sample.x, sample.positive, sample.weights, None)
        return space if space.map is None else FeatureSpace(space.map(space.x), None, None)

    def _fold_scores(
        self, space: FeatureSpace, sample: Sample, fold: Split, alphas: FloatArray
    ) -> list[float]:
        """Held-out J at each penalty, from the largest to the smallest."""
        train, test = fold
        positive = sample.positive[train]
        weights = class_weights(positive, sample.weights[train]) * sample.objective[train]
        phi = space.x[test] if space.shift is None else space.x[test] - space.shift
        rows = MemoryRows(space.x[train], np.where(positive, 1.0, -1.0), weights, shift=space.shift)
        path = solve_path(
            rows,
            space.n_features,
            self.loss,
            list(alphas),
            fit_intercept=self.fit_intercept,
            tol=max(self.tol, TUNING_TOL),
            max_iter=self.max_iter,
        )
        scores = []
        for w in (fit.solution.w for fit in path):
            z = phi @ w[: space.n_features] + (w[-1] if self.fit_intercept else 0.0)
            angle = angle_loss(self.loss).angle(z)
            weight = sample.weights[test]
            scores.append(arc_length_score(sample.positive[test], angle, sample_weight=weight))
        return scores

    def _chosen(self, alpha: float, gamma: float | None, seed: int) -> ArctanRatio:
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
            random_state=seed,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel == "linear"
        return tags


def middle_of_the_best(alphas: FloatArray, scores: FloatArray) -> float:
    """The geometric mean of penalties, each weighed by how well it does beside the best.

    Parameters
    ----------
    alphas : ndarray of shape (n,)
    scores : ndarray of shape (n, folds)
        Held-out J; two folds or more.

    Returns
    -------
    float

    Examples
    --------
    >>> scores = np.array([[1.2, 1.3], [1.5, 1.6], [1.5, 1.6]])
    >>> print(f"{middle_of_the_best(np.array([1.0, 1e-2, 1e-4]), scores):.0e}")
    1e-03
    """
    gaps = scores[first_best(scores.mean(axis=1))] - scores
    errors = gaps.std(axis=1, ddof=1) / np.sqrt(gaps.shape[1])
    weights = np.exp(-np.maximum(gaps.mean(axis=1), 0.0) / np.maximum(errors, LEAST_ERROR))
    return float(np.exp(np.average(np.log(alphas), weights=weights)))
