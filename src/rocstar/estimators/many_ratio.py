"""`ArctanRatio` of more than two classes, alone and behind a scaler (theory §15)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches

from rocstar.checks import FloatArray, IntArray, group_units, require_in_memory
from rocstar.estimators.directions import DirectionClassifier
from rocstar.estimators.fits import derived_seed
from rocstar.estimators.numeric_input import validated
from rocstar.estimators.splits import Split
from rocstar.fitting.directions import (
    DirectionProblem,
    class_landmarks,
    direction_arc_length,
    unit_directions,
)
from rocstar.fitting.features import (
    FEATURE_BYTES,
    KERNELS,
    KernelMap,
    kernel_params,
    kernel_values,
    median_gamma,
)
from rocstar.fitting.solvers import Solution

# Penalties that are tried by default. Where the best are hard to tell apart, held-out J is flat.
ALPHAS = 10.0 ** np.arange(0.5, -5.5, -1.0)
# Tuning needs no more digits than held-out J can tell apart.
TUNING_TOLERANCE, TUNING_ITERATIONS = 1e-4, 100
# A fall of held-out J, per class, that is more than its noise.
FALLEN = 1e-3


class LogRatios(DirectionClassifier):
    """K log ratios, linear in X or in the space of a kernel: what `ArctanRatio` fits then."""

    kernel: Any
    loss: str
    coef_: Any
    dual_coef_: Any
    components_: Any
    intercept_: Any
    kernel_params_: dict[str, Any]
    solution_: Solution
    arc_length_: float
    n_iter_: int

    def _fit_many(self, X: Any, y: Any, sample_weight: Any, **others: Any) -> Any:
        """Fit to more than two classes; no other argument of `fit` has a meaning there."""
        _require_log(self.loss)
        for name, value in others.items():
            if value is not None:
                raise ValueError(f"`{name}` is for two classes; leave it out for more than two.")
        settings: Any = self
        X, y = validated(
            self, X, y, accept_sparse="csr" if self.kernel == "linear" else False, dtype=np.float64
        )
        codes, weights = self._fit_class_labels(y, sample_weight, X)
        seed = derived_seed(settings.random_state)
        mapped = None
        if self.kernel != "linear":
            mapped = kernel_map(self, X, codes, weights, settings.gamma, seed)
        phi = X if mapped is None else mapped(X)
        problem = DirectionProblem(phi, codes, weights, self.priors_.size, settings.fit_intercept)
        solution = problem.solve(settings.alpha, None, settings.tol, settings.max_iter)
        self._store_many(solution, mapped)
        direction = unit_directions(problem.scores(solution.w))
        self.arc_length_ = direction_arc_length(codes, direction, weights)
        return self

    def _store_many(self, solution: Solution, mapped: KernelMap | None) -> None:
        self.solution_, self.n_iter_ = solution, max(1, solution.n_iter)
        self.intercept_ = solution.w[:, -1]
        if mapped is None:
            self.coef_ = solution.w[:, :-1]
        else:
            self.components_, self.kernel_params_ = mapped.points, mapped.params
            self.dual_coef_ = solution.w[:, :-1] @ mapped.basis.T
        if not solution.status.ok:
            warnings.warn(
                f"ArctanRatio: {solution.status.value}: the gradient norm is "
                f"{solution.gradient_norm:.1e} after {solution.n_iter} iterations; raise "
                "`max_iter`, raise `alpha`, or scale the features.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _direction(self, X: Any) -> FloatArray:
        X = validated(
            self,
            X,
            reset=False,
            accept_sparse="csr" if self.kernel == "linear" else False,
            dtype=np.float64,
        )
        if self.kernel == "linear":
            return unit_directions(np.asarray(X @ self.coef_.T + self.intercept_))
        rows = max(1, FEATURE_BYTES // 8 // len(self.components_))
        z = [
            kernel_values(X[batch], self.components_, self.kernel, self.kernel_params_)
            @ self.dual_coef_.T
            for batch in gen_batches(X.shape[0], rows)
        ]
        return unit_directions(np.concatenate(z) + self.intercept_)


class ManyOnStandardColumns(DirectionClassifier):
    """More than two classes behind a scaler: what `ArctanRatioCV` and its frozen form share."""

    def _fit_many(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Any:
        require_in_memory(X=X, y=y, sample_weight=sample_weight)
        own: Any = self
        _require_log(own._ratio().loss)
        X, y = validated(
            self, X, y, accept_sparse=own._accept_sparse(), dtype=[np.float64, np.float32]
        )
        codes, weights = self._fit_class_labels(y, sample_weight, X)
        x = own._fit_scaler(X, weights)
        units = None if groups is None else group_units(groups, codes.size)
        # A search has a seed of its own; its frozen form that of the ratio it was given.
        seed = derived_seed(getattr(own, "random_state", own._ratio().random_state))
        ratio = self._chosen_ratio(x, codes, weights, units, seed)
        own.estimator_ = ratio.fit(x, codes, sample_weight=weights)
        # Normalised within each class, weights no longer show which were repetitions.
        own.estimator_.effective_counts_ = self.effective_counts_
        own.arc_length_, own.n_iter_ = own.estimator_.arc_length_, own.estimator_.n_iter_
        return self

    def _chosen_ratio(
        self, x: Any, codes: IntArray, weights: FloatArray, units: IntArray | None, seed: int
    ) -> Any:
        """The estimator behind the scaler, not fitted."""
        raise NotImplementedError

    def _direction(self, X: Any) -> FloatArray:
        own: Any = self
        return np.asarray(own.estimator_.predict_direction(own._standardised(X)))


def search_directions(
    ratio: LogRatios,
    x: Any,
    codes: IntArray,
    weights: FloatArray,
    folds: Sequence[Split],
    *,
    alphas: Any,
    gammas: Any,
    seed: int,
) -> tuple[float, float | None, float, dict[str, Any]]:
    """The penalty and bandwidth with the largest held-out J, that J, and the whole surface."""
    grid = np.sort(np.asarray(ALPHAS if alphas is None else alphas, dtype=np.float64))[::-1]
    takes_gamma = isinstance(ratio.kernel, str) and "gamma" in KERNELS[ratio.kernel]
    widths: list[float | None] = [None]
    if takes_gamma and gammas is not None:
        widths = [float(g) for g in np.asarray(gammas).ravel()]
    elif takes_gamma:
        # Of the rows that count, each once: weights then are repetitions.
        widths = [median_gamma(np.unique(x[weights > 0], axis=0), seed)]
    scores = np.array(
        [_path_scores(ratio, x, codes, weights, folds, grid, g, seed) for g in widths]
    )
    means = scores.mean(axis=2)
    place = np.unravel_index(int(np.nanargmax(means)), means.shape)
    flat = scores.reshape(-1, len(folds))
    results = {
        "param_alpha": np.tile(grid, len(widths)),
        "param_gamma": np.repeat(np.array(widths, dtype=object), grid.size),
        "mean_test_score": flat.mean(axis=1),
        "std_test_score": flat.std(axis=1),
        "rank_test_score": (-flat.mean(axis=1)).argsort().argsort() + 1,  # untried ones last
        **{f"split{k}_test_score": flat[:, k] for k in range(len(folds))},
    }
    return float(grid[place[1]]), widths[int(place[0])], float(means[place]), results


def _path_scores(
    ratio: Any,
    x: Any,
    codes: IntArray,
    weights: FloatArray,
    folds: Sequence[Split],
    alphas: FloatArray,
    gamma: float | None,
    seed: int,
) -> FloatArray:
    """Held-out J of every penalty (lines) in every fold, each solved from the one before.

    Weak penalties take longest. Once J has fallen for two of them, the others are not tried: NaN.
    """
    problems = [_fold_problems(ratio, x, codes, weights, split, gamma, seed) for split in folds]
    starts: list[FloatArray | None] = [None] * len(folds)
    out = np.full((alphas.size, len(folds)), np.nan)
    for a, alpha in enumerate(alphas):
        for k, (train, test) in enumerate(problems):
            found = train.solve(float(alpha), starts[k], TUNING_TOLERANCE, TUNING_ITERATIONS)
            starts[k] = found.w
            u = unit_directions(test.scores(found.w))
            out[a, k] = direction_arc_length(test.codes, u, test.weights)
        means = out[: a + 1].mean(axis=1)
        if a >= 2 and means[-3] - FALLEN * test.n_classes > means[-2] > means[-1]:
            break
    return out


def _fold_problems(
    ratio: Any,
    x: Any,
    codes: IntArray,
    weights: FloatArray,
    split: Split,
    gamma: float | None,
    seed: int,
) -> tuple[DirectionProblem, DirectionProblem]:
    """The training and the held-out rows of a fold, in the features of the former."""
    mapped = None
    if ratio.kernel != "linear":
        own = _normalised(codes[split[0]], weights[split[0]])
        mapped = kernel_map(ratio, x[split[0]], codes[split[0]], own, gamma, seed)

    def problem(rows: IntArray) -> DirectionProblem:
        phi = x[rows] if mapped is None else mapped(x[rows])
        w = _normalised(codes[rows], weights[rows])
        n_classes = int(codes.max()) + 1
        return DirectionProblem(phi, codes[rows], w, n_classes, ratio.fit_intercept)

    return problem(split[0]), problem(split[1])


def kernel_map(
    ratio: Any, X: FloatArray, codes: IntArray, weights: FloatArray, gamma: Any, seed: int
) -> KernelMap:
    """Features spanned by the kernel at rows of all classes."""
    rows = class_landmarks(codes, weights, ratio.n_components, seed, X)
    points = np.asarray(np.unique(X[rows], axis=0), dtype=np.float64)
    params = kernel_params(
        ratio.kernel,
        points,
        gamma="median" if gamma is None else gamma,
        degree=ratio.degree,
        coef0=ratio.coef0,
        params=ratio.kernel_params,
        random_state=seed,
    )
    return KernelMap.spanned_by(points, ratio.kernel, params)


def _normalised(codes: IntArray, weights: FloatArray) -> FloatArray:
    return np.asarray(weights / np.bincount(codes, weights)[codes])


def _require_log(loss: str) -> None:
    if loss != "log":
        raise ValueError(
            f"`loss` must be 'log' for more than two classes; got {loss!r}: use loss='log', or "
            "compare one class with the rest. Only binary classification is supported otherwise."
        )
