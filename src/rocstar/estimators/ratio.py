"""`ArctanRatio`: the angle of the likelihood ratio in a linear class or a kernel's space."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import gen_batches
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, validate_data

from rocstar.blocks import Floats, Rows
from rocstar.estimators.angle import AngleClassifier
from rocstar.features import KERNELS, KernelMap, kernel_params, landmarks
from rocstar.losses import LOSSES
from rocstar.problem import Problem
from rocstar.solvers import Solution, newton

# Features of all rows are kept when they take less than this; else each block makes its own.
FEATURE_BYTES = 256 * 1024**2
# Columns whose mean is this many standard deviations from zero are centred block by block.
FAR_FROM_ZERO = 100.0


class ArctanRatio(AngleClassifier):
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
    max_iter : int, default=100
    random_state : int, RandomState or None, default=None
        Draws the landmarks and the rows for the median distance.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
        Of z; ``coef_`` in the linear class only.
    dual_coef_, components_ : ndarray of shape (1, n_landmarks) and (n_landmarks, n_features)
        z(x) = Σ dual_coef_ · k(x, components_) + intercept_, for kernels.
    kernel_params_ : dict
        What the kernel was called with, ``gamma`` as a number.
    arc_length_ : float
        J on the training data. Optimistic: never a bound. See `rocstar.certify`.
    n_iter_ : int
    solution_ : Solution
        Status and gradient norm of the solver; the duality gap of the box problem.
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
        max_iter: int = 100,
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

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
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
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Sparse in the linear class only.
        y : array-like of shape (n_samples,)
            Two labels; the larger one is the positive class.
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
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr" if self.kernel == "linear" else False,
            dtype=[np.float64, np.float32],
        )
        positive, frequencies = self._fit_labels(y, sample_weight, X)
        weights = frequencies
        if objective_weight is not None:
            weights = frequencies * _check_sample_weight(
                objective_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        space = self._feature_space(X, positive, frequencies, init)
        start = self._start(space, init)
        solution, value = self._solve(space, positive, weights, start)
        self._store(space, solution)
        if objective_weight is not None:
            value = _mean_term(self.predict_angle(X), positive, frequencies)
        self.arc_length_ = value
        return self

    def predict_angle(self, X: Any) -> NDArray[Any]:
        """The angle atan(p/q) of each row, in [0, π/2]."""
        z = self._scores(X)
        angle = LOSSES["log" if self.loss == "log" else "tangent"].angle(z)
        return np.asarray(angle)

    def predict_log_ratio(self, X: Any) -> NDArray[Any]:
        """The logarithm of the likelihood ratio; the model's own score for ``loss="log"``."""
        return self._scores(X) if self.loss == "log" else super().predict_log_ratio(X)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """The unclipped score z, shifted so that it is positive where `predict` says positive.

        Ranks rows also where their angle is clipped to 0 or π/2.
        """
        z = self._scores(X)
        even = self._even_angle()
        return z - z.dtype.type(np.log(np.tan(even)) if self.loss == "log" else even)

    def _scores(self, X: Any) -> NDArray[Any]:
        """z of each row, in the precision of X."""
        self._check_is_fitted()
        linear = self.kernel == "linear"
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr" if linear else False,
            dtype=[np.float64, np.float32],
        )
        if linear:
            z = X @ self.coef_[0].astype(X.dtype)
        else:
            z = np.empty(X.shape[0], dtype=X.dtype)
            rows = max(1, FEATURE_BYTES // 8 // len(self.components_))
            for batch in gen_batches(X.shape[0], rows):
                kernel = pairwise_kernels(
                    X[batch], self.components_, metric=self.kernel, **self.kernel_params_
                )
                z[batch] = kernel @ self.dual_coef_[0]
        return np.asarray(z + X.dtype.type(self.intercept_[0]))

    def _feature_space(
        self, X: Any, positive: NDArray[np.bool_], weights: Floats, init: ArctanRatio | None
    ) -> FeatureSpace:
        if self.kernel == "linear":
            return FeatureSpace(X, None, self._far_centre(X))
        if init is not None:
            points, params = init.components_, init.kernel_params_
        else:
            drawn = X[landmarks(positive, weights, self.n_components, self.random_state)]
            # Repeated rows span nothing new, and sorting makes the order of the rows immaterial.
            points = np.unique(drawn, axis=0)
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
        return FeatureSpace(X, KernelMap.spanned_by(points, self.kernel, params), None)

    def _far_centre(self, X: Any) -> Floats | None:
        """A centre to subtract, if some column lies so far from zero that digits would be lost."""
        if sparse.issparse(X) or not self.fit_intercept:
            return None
        some = np.asarray(X[:: max(1, X.shape[0] // 1000)], dtype=np.float64)
        centre, spread = some.mean(axis=0), some.std(axis=0)
        return centre if np.any(np.abs(centre) > FAR_FROM_ZERO * spread) else None

    def _start(self, space: FeatureSpace, init: ArctanRatio | None) -> Floats:
        """Where the solver begins: the angle π/4 everywhere, or a fitted estimator's solution."""
        n_features = space.n_features
        w = np.zeros(n_features + self.fit_intercept)
        if init is not None and len(init.solution_.w) == len(w):
            return init.solution_.w.copy()
        if self.fit_intercept:
            w[-1] = LOSSES["log" if self.loss == "log" else "tangent"].center
        return w

    def _solve(
        self, space: FeatureSpace, positive: NDArray[np.bool_], weights: Floats, start: Floats
    ) -> tuple[Solution, float]:
        """The solution, and J with the weights it was fitted with."""
        if self.loss == "box":
            from rocstar import box
            from rocstar.solvers import interior_point

            phi = space.materialised()
            exact = box.BoxProblem(phi, positive, weights, self.alpha, self.fit_intercept)
            solution = interior_point.solve(exact, init=start)
            z = phi @ solution.w[: phi.shape[1]] + (solution.w[-1] if self.fit_intercept else 0.0)
            return solution, _mean_term(LOSSES["tangent"].angle(z), positive, weights)
        sign = np.where(positive, 1.0, -1.0)
        rows = space.rows(sign, weights)
        if self.loss == "log":
            # Not convex: the convex relaxation's minimum is a start near the best valley.
            start = self._log_start(rows, start)
        problem = Problem(rows, LOSSES[self.loss], self.alpha, self.fit_intercept)
        solution, last = newton.minimize(problem, start, tol=self.tol, max_iter=self.max_iter)
        return solution, last.arc_length

    def _log_start(self, rows: Rows, start: Floats) -> Floats:
        """A start for the log model from the tangent solution, unless ``start`` is better.

        At ratio one the slope of log tan v in v is 2, so z_log ≈ 2 (z_tangent − π/4).
        """
        tangent, log = LOSSES["tangent"], LOSSES["log"]
        angle = start / 2
        if self.fit_intercept:
            angle[-1] += tangent.center
        relaxed, _ = newton.minimize(
            Problem(rows, tangent, self.alpha, self.fit_intercept),
            angle,
            tol=max(self.tol, 1e-3),
            max_iter=self.max_iter,
        )
        guess = 2 * relaxed.w
        if self.fit_intercept:
            guess[-1] -= 2 * tangent.center
        model = Problem(rows, log, self.alpha, self.fit_intercept)
        return min((start, guess), key=lambda w: model.evaluate(w, 1).value)

    def _store(self, space: FeatureSpace, solution: Solution) -> None:
        self.solution_ = solution
        self.n_iter_ = max(1, solution.n_iter)
        coef, intercept = space.coefficients(solution.w, self.fit_intercept)
        self.intercept_ = np.array([intercept])
        if space.map is None:
            self.coef_ = coef[None, :]
        else:
            self.components_ = space.map.points
            self.kernel_params_ = space.map.params
            self.dual_coef_ = coef[None, :]
        if not solution.status.ok:
            warnings.warn(
                f"ArctanRatio: {solution.status.value}: the gradient norm is "
                f"{solution.gradient_norm:.1e} after {solution.n_iter} iterations; raise `max_iter` "
                f"(now {self.max_iter}), raise `alpha`, or scale the features.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel == "linear"
        tags.input_tags.positive_only = self.kernel == "chi2"
        return tags


def _mean_term(angle: Floats, positive: NDArray[np.bool_], weights: Floats) -> float:
    """J with weights that are normalised already."""
    return float(weights @ np.where(positive, np.sin(angle), np.cos(angle)))


@dataclass(frozen=True)
class FeatureSpace:
    """Training rows with the map to their features: None for the linear class."""

    x: Any
    map: KernelMap | None
    shift: Floats | None

    @property
    def n_features(self) -> int:
        return int(self.x.shape[1] if self.map is None else self.map.basis.shape[1])

    def materialised(self) -> Any:
        """Features of all rows."""
        if self.map is not None:
            return self.map(self.x)
        x = self.x.toarray() if sparse.issparse(self.x) else np.asarray(self.x, dtype=np.float64)
        return x if self.shift is None else x - self.shift

    def rows(self, sign: Floats, weights: Floats) -> Rows:
        if self.map is None:
            return Rows(self.x, sign, weights, shift=self.shift)
        if 8 * self.x.shape[0] * self.n_features <= FEATURE_BYTES:
            return Rows(self.map(self.x), sign, weights)
        return Rows(self.x, sign, weights, features=self.map)

    def coefficients(self, w: Floats, fit_intercept: bool) -> tuple[Floats, float]:
        """Coefficients of the columns of X, or of the kernel at each point, and the intercept."""
        coef = w[: self.n_features]
        intercept = float(w[-1]) if fit_intercept else 0.0
        if self.map is not None:
            return self.map.basis @ coef, intercept
        return coef, intercept - (float(self.shift @ coef) if self.shift is not None else 0.0)
