"""`ArctanRatio`: the angle of the likelihood ratio in a linear class or a kernel's space."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from math import log
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import assert_all_finite

from rocstar.checks import FloatArray, is_collection, require_in_memory
from rocstar.estimators.directions import has_many_classes
from rocstar.estimators.function_class import (
    kernel_scores,
    landmark_points,
    linear_scores,
    on_device_of,
)
from rocstar.estimators.many_ratio import LogRatios
from rocstar.estimators.numeric_input import explained, validated
from rocstar.fitting.arrays import Array, double, host_copy, is_foreign, like, namespace, to_host
from rocstar.fitting.features import KERNELS, FeatureSpace, KernelMap, far_centre, kernel_params
from rocstar.fitting.path import angle_loss, solve_path
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import LONG_PASS_BYTES, Summable
from rocstar.fitting.solvers import Solution
from rocstar.fitting.solvers.newton import NotFinite
from rocstar.scale.columns import mapped_rows, store_features
from rocstar.scale.overview import overview
from rocstar.scale.partitions import partitions
from rocstar.scale.rows import ClusterRows
from rocstar.sklearn_private import (
    Interval,
    StrOptions,
    check_sample_weight,
    get_namespace,
    supported_float_dtypes,
    validates_parameters,
)


class ArctanRatio(LogRatios):
    r"""The arctangent of the likelihood ratio, v(x) = atan(p(x)/q(x)), from two samples.

    Maximises the empirical arc length of the optimal ROC curve over a class of functions z,

    .. math:: \frac1{n_+}\sum_+ \sin v(x_i) + \frac1{n_-}\sum_- \cos v(x_j)
              - \frac{\alpha}{2}\|z\|^2,

    where v is z clipped to [0, π/2] (``loss="tangent"``, ``"box"``) or atan(exp z) (``"log"``).

    Parameters
    ----------
    kernel : {"linear", "rbf", "laplacian", "poly", "cosine", "chi2"} or callable, default="linear"
        The class of z: linear in X, or the space of a positive definite kernel.
    loss : {"tangent", "log", "box"}, default="tangent"
        ``"tangent"``: the convex relaxation, unconstrained and Fisher consistent (theory §4).
        ``"log"``: z is the log ratio; well specified for exponential families, not convex
        (theory §5). ``"box"``: the exact problem of Liu (2022), every sample's z in [0, π/2].
    alpha : float, default=1e-3
        Weight of the squared norm, at least 0. The intercept is not penalised.
    gamma : float or {"median", "scale", "auto"}, default="median"
        Of the rbf, laplacian, polynomial and chi2 kernels; "median" is 1/(2 m²) with m the
        median distance between rows.
    degree, coef0 : float, default=3 and 1
        Of the polynomial kernel.
    kernel_params : dict, optional
        Further keyword arguments of the kernel; all of them, for a callable.
    n_components : int or None, default=200
        Landmarks that span the kernel's functions, half from each class; None uses all samples,
        which is exact by the representer theorem.
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        On the largest entry of the gradient, in units of each coefficient's curvature.
    max_iter : int, default=1000
    random_state : int, RandomState or None, default=None
        Draws the landmarks and the rows for the median distance.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
        Of z; ``coef_`` in the linear class only. One line per class where there are more than two.
    dual_coef_, components_ : ndarray of shape (1, n_landmarks) and (n_landmarks, n_features)
        ``z(x) = Σ dual_coef_ · k(x, components_) + intercept_``, for kernels.
    kernel_params_ : dict
        What the kernel was called with, ``gamma`` as a number.
    arc_length_ : float
        J on the training data. Optimistic: never a bound. See `rocstar.certify`.
    n_iter_ : int
    solution_ : Solution
        Status and gradient norm of the solver; the duality gap of the box problem.
    effective_counts_ : ndarray of shape (2,)
        Training rows of each class, in the order of ``classes_``; they limit `predict_ratio` and
        `predict_proba`. Weights that are whole multiples of the smallest one, up to a hundredfold,
        count as repetitions; others, and those that only weigh the classes, as (Σw)²/Σw².
    classes_, prior_, n_features_in_, feature_names_in_
        As in scikit-learn; ``prior_`` is the weighted share of positives.

    Examples
    --------
    >>> from rocstar import ArctanRatio, laws
    >>> law = laws.GaussianPair(0.0, 2.0)
    >>> X, y = law.sample(2000, 2000, random_state=0)
    >>> model = ArctanRatio("rbf", random_state=0).fit(X, y)
    >>> print(f"{model.score(*law.sample(2000, 2000, random_state=1)):.2f} of {law.arc_length:.2f}")
    1.75 of 1.75
    """

    smooth_class = True
    takes_collections = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(KERNELS)), callable],
        "loss": [StrOptions({"tangent", "log", "box"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "gamma": [StrOptions({"median", "scale", "auto"}), Interval(Real, 0, None, closed="left")],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: str | Callable[..., Any] = "linear",
        *,
        loss: str = "tangent",
        alpha: float = 1e-3,
        gamma: float | str = "median",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_components: int | None = 200,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.alpha = alpha
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def scores_are_angles(self) -> bool:  # type: ignore[override]
        """Unless they are log ratios."""
        return self.loss != "log"

    @validates_parameters(skip_nested=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        objective_weight: ArrayLike | None = None,
        init: ArctanRatio | None = None,
    ) -> ArctanRatio:
        """Fit to positives and negatives.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            Sparse in the linear class only. Arrays of PyTorch or CuPy are computed on where they
            live under scikit-learn's ``config_context(array_api_dispatch=True)``. With a Dask
            array or dataframe, y and the weights are Dask collections of the same partitions.
        y : array-like of shape (n_samples,)
            Two labels; the larger one is the positive class. With ``loss="log"`` and rows in
            memory also more than two: K log ratios are fitted then (theory §15).
        sample_weight : array-like of shape (n_samples,), optional
            Frequencies, normalised within each class: integer weights equal repetition, and class
            weights change nothing but the prior.
        objective_weight : array-like of shape (n_samples,), optional
            Multiplies each row's term after that normalisation, as the second step of
            `MaximalAUCClassifier` needs.
        init : ArctanRatio, optional
            A fitted estimator with the same kernel to start from; its landmarks are taken over.

        Returns
        -------
        self
        """
        if is_collection(X):
            return self._fit_collection(X, y, sample_weight, objective_weight, init)
        require_in_memory(y=y, sample_weight=sample_weight, objective_weight=objective_weight)
        if self.loss == "log" and not is_foreign(X) and has_many_classes(y):
            fitted: ArctanRatio = self._fit_many(
                X, y, sample_weight, objective_weight=objective_weight, init=init
            )
            return fitted
        X, y = validated(
            self,
            X,
            y,
            accept_sparse="csr" if self.kernel == "linear" else False,
            dtype=supported_float_dtypes(get_namespace(X)[0]),
            ensure_all_finite=not self._sees_all_values(X),
        )
        if self.loss == "box" and is_foreign(X):
            raise ValueError(
                "`loss='box'` solves its problem on the processor; got an array of "
                f"{type(X).__module__}: use loss='tangent', or pass a NumPy array."
            )
        positive, frequencies = self._fit_labels(y, sample_weight, X)
        if self.loss == "box" and not frequencies.all():
            # A row that counts zero times must not bind the box either.
            counted = frequencies > 0
            X, positive, frequencies = X[counted], positive[counted], frequencies[counted]
            if objective_weight is not None:
                objective_weight = np.asarray(objective_weight)[counted]
        space = self._feature_space(X, positive, frequencies, init)
        xp = namespace(frequencies)
        sign = xp.where(positive, like(1.0, frequencies), like(-1.0, frequencies))
        rows = space.rows(sign, frequencies)
        if objective_weight is None:
            return self._solve(space, rows, None, init)
        factor = check_sample_weight(
            objective_weight, X, dtype=frequencies.dtype, ensure_non_negative=True
        )
        return self._solve(space, replace(rows, weights=frequencies * factor), rows, init)

    def _sees_all_values(self, X: Any) -> bool:
        """Whether the first pass would notice a missing value: a look of its own takes as long."""
        smooth = self.kernel == "linear" and self.loss != "box"
        return smooth and isinstance(X, np.ndarray) and X.nbytes >= LONG_PASS_BYTES

    def check_collections(self) -> None:
        """Raise an error if the fit needs all rows in memory."""
        whole = self.kernel != "linear" and self.n_components is None
        if self.loss == "box" or whole:
            what = "loss='box'" if self.loss == "box" else "n_components=None"
            raise ValueError(
                f"`{what}` needs all rows in memory; got a Dask collection: use loss='tangent' and "
                "a number of components, or pass X.compute()."
            )

    def _fit_collection(
        self, X: Any, y: Any, sample_weight: Any, objective_weight: Any, init: ArctanRatio | None
    ) -> ArctanRatio:
        """Fit to Dask collections: one map over partitions and one tree of sums a pass."""
        if init is None or self.loss == "box":  # else the landmarks are known
            self.check_collections()
        linear = self.kernel == "linear"
        n_sampled, width = (1000, 1) if linear else (self.n_components or 0, self.n_components or 1)
        parts = partitions(X, y, sample_weight, objective_weight)
        seed = int(check_random_state(self.random_state).randint(2**31))
        seen = overview(parts, n_sampled, seed, width)
        self.classes_, totals = seen.classes(), seen.totals()
        self.prior_ = totals[0] / (totals[0] + totals[1])
        self.effective_counts_ = seen.effective_counts()
        store_features(self, X, seen.n_features)
        sample, positive, _ = seen.sample()
        space = self._feature_space(sample, positive, np.ones(len(positive)), init)
        rows = ClusterRows.of(parts, seen, space.map, space.shift)
        return self._solve(
            space, rows, rows.plain() if objective_weight is not None else None, init
        )

    def _solve(
        self, space: FeatureSpace, rows: Summable, plain: Summable | None, init: ArctanRatio | None
    ) -> ArctanRatio:
        """Solve and store; ``plain`` are the rows without their objective weights."""
        path = solve_path(
            rows,
            space.n_features,
            self.loss,
            [self.alpha],
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
            start=None if init is None else init.solution_.w,
        )
        try:
            fit = next(path)
        except NotFinite:
            if isinstance(space.x, np.ndarray):
                with explained(space.x, type(self).__name__):
                    assert_all_finite(space.x)
            raise ValueError(
                "`X` must hold finite numbers whose sums stay finite; got missing, infinite or "
                "enormous ones: drop those rows, or scale the columns."
            ) from None
        self._store(space, fit.solution)
        self.arc_length_ = fit.arc_length
        if plain is None and rows.n_blocks == 1:
            plain = rows  # to the last digit, where that costs next to nothing
        if plain is not None:
            judged = SmoothProblem(plain, angle_loss(self.loss), 0.0, self.fit_intercept)
            self.arc_length_ = judged.evaluate(fit.solution.w).arc_length
        return self

    def predict_angle(self, X: Any) -> Array:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        return angle_loss(self.loss).angle(self._scores(X))

    def predict_log_ratio(self, X: Any) -> Array:
        """The logarithm of the likelihood ratio, within the same limits as `predict_ratio`.

        For ``loss="log"`` this is the model's own score; `decision_function` is that score without
        limits, shifted.
        """
        if self.loss != "log":
            return super().predict_log_ratio(X)
        z = self._scores(X)
        low, high = self._ratio_limits()
        return namespace(z).clip(z, log(low), log(high))

    def decision_function(self, X: Any) -> Array:
        """The unclipped score z, shifted so that it is positive where `predict` says positive.

        Ranks rows also where their angle is clipped to 0 or π/2.
        """
        self._check_is_fitted()
        if self._many:
            return super().decision_function(X)
        z, even = self._scores(X), self._even_angle()
        return z - float(np.log(np.tan(even)) if self.loss == "log" else even)

    def _scores(self, X: Any) -> Array:
        """z of each row, in the precision of X."""
        self._require_two("predict_angle")
        if is_collection(X):
            return mapped_rows(self, X, self._block_scores)
        X = validated(
            self,
            X,
            reset=False,
            accept_sparse="csr" if self.kernel == "linear" else False,
            dtype=supported_float_dtypes(get_namespace(X)[0]),
        )
        return self._block_scores(X)

    def _block_scores(self, X: Array) -> Array:
        # Through the host: a model may have been fitted on another device, or in another library.
        intercept = float(self.intercept_[0])
        if self.kernel == "linear":
            return linear_scores(X, host_copy(self.coef_[0, :])) + intercept
        points, dual = to_host(self.components_), to_host(self.dual_coef_[0, :])
        return kernel_scores(X, points, dual, self.kernel, self.kernel_params_) + intercept

    def _feature_space(
        self, X: Any, positive: NDArray[np.bool_], weights: FloatArray, init: ArctanRatio | None
    ) -> FeatureSpace:
        if self.kernel == "linear":
            return FeatureSpace(X, None, far_centre(X) if self.fit_intercept else None)
        if init is not None:
            points, params = host_copy(init.components_), init.kernel_params_
        else:
            points = landmark_points(X, positive, weights, self.n_components, self.random_state)
            params = kernel_params(
                self.kernel,
                points,
                gamma=self.gamma,
                degree=self.degree,
                coef0=self.coef0,
                params=self.kernel_params,
                random_state=self.random_state,
            )
        points = np.asarray(points, dtype=np.float64)
        return FeatureSpace(X, KernelMap.spanned_by(points, self.kernel, params, X), None)

    def _store(self, space: FeatureSpace, solution: Solution) -> None:
        self.solution_ = solution
        self.n_iter_ = max(1, solution.n_iter)
        coef, intercept = space.coefficients(solution.w, self.fit_intercept)
        self.intercept_ = on_device_of(np.array([intercept]), space.x)
        if space.map is None:
            self.coef_ = on_device_of(coef[None, :], space.x)
        else:
            self.components_ = on_device_of(space.map.points, space.x)
            self.kernel_params_ = space.map.params
            # In double whatever X is: large terms of both signs cancel.
            self.dual_coef_ = on_device_of(coef[None, :], double(space.x[:1, :]))
        if not solution.status.ok:
            warnings.warn(
                f"ArctanRatio: {solution.status.value}: the gradient norm is "
                f"{solution.gradient_norm:.1e} after {solution.n_iter} iterations; raise "
                f"`max_iter` (now {self.max_iter}), raise `alpha`, or scale the features.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.loss == "log"
        tags.input_tags.sparse = self.kernel == "linear"
        tags.input_tags.positive_only = self.kernel == "chi2"
        return tags
