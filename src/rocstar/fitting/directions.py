r"""K log ratios that maximise the arc length of K classes (theory §15).

With scores z₁, …, z_K the direction is u = e^z/‖e^z‖, and J = Σ w u of every row's own class, with
weights that sum to one within each class. For two classes this is `loss="log"`, whose z is the
difference of the two.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from rocstar.checks import FloatArray, IntArray
from rocstar.fitting.arrays import is_sparse
from rocstar.fitting.features import row_keys
from rocstar.fitting.solvers import Solution, Status

# Relative decrease of the objective below which it is taken to be flat.
FLAT = 1e-9
# Below this, the gradient of a limited-memory method is noise of its line search.
LEAST_TOLERANCE = 1e-5


def unit_directions(log_ratio: FloatArray) -> FloatArray:
    """e^z/‖e^z‖ of each row."""
    return np.asarray(np.exp(log_ratio - logsumexp(2 * log_ratio, axis=1, keepdims=True) / 2))


def direction_arc_length(codes: IntArray, direction: FloatArray, weights: FloatArray) -> float:
    """J of directions, given weights that sum to one within each class."""
    return float(weights @ direction[np.arange(codes.size), codes])


class DirectionProblem(NamedTuple):
    r"""J less :math:`\alpha \sum_k \|z_k\|^2`, the penalty of two classes where K is two."""

    phi: Any  # (n, d): features, dense or sparse
    codes: IntArray
    weights: FloatArray  # they sum to one within each class
    n_classes: int
    fit_intercept: bool = True

    def solve(
        self, alpha: float, start: FloatArray | None = None, tol: float = 1e-6, max_iter: int = 1000
    ) -> Solution:
        """Coefficients of shape (K, d + 1), the intercepts last, summing to zero over classes."""
        scale, centre = self._columns(alpha)
        k, d = self.n_classes, self.phi.shape[1]
        w = np.zeros((k, d + 1)) if start is None else start.copy()
        # In these units the objective bends about alike along all columns.
        w[:, d] += w[:, :d] @ centre
        w[:, :d] *= scale
        penalty = alpha / scale**2
        found = minimize(
            self._objective,
            w.ravel(),
            args=(penalty, scale, centre),
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": max_iter,
                "maxfun": 2 * max_iter,
                "gtol": max(tol, LEAST_TOLERANCE),
                "ftol": FLAT,
                "maxcor": 20,
            },
        )
        w = found.x.reshape(k, d + 1)
        w[:, :d] /= scale
        w[:, d] -= w[:, :d] @ centre
        w -= w.mean(axis=0)
        ended = found.nit >= max_iter
        return Solution(
            w=np.asarray(w),
            status=Status.MAX_ITER if ended else Status.CONVERGED,
            n_iter=int(found.nit),
            gradient_norm=float(np.abs(found.jac).max()),
            value=-float(found.fun),
        )

    def scores(self, w: FloatArray) -> FloatArray:
        """z of every row and class."""
        return np.asarray(self.phi @ w[:, :-1].T + w[:, -1])

    def _columns(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Unit and centre of each column, each class counting alike."""
        share = self.weights / self.n_classes
        if is_sparse(self.phi):
            squares = self.phi.multiply(self.phi).T @ share
            centre = np.zeros(self.phi.shape[1])
        else:
            centre = share @ self.phi if self.fit_intercept else np.zeros(self.phi.shape[1])
            squares = share @ (self.phi - centre) ** 2
        bend = squares + 2 * alpha
        return np.where(bend > 0, np.sqrt(np.maximum(bend, 1e-300)), 1.0), centre

    def _objective(
        self, flat: FloatArray, penalty: FloatArray, scale: FloatArray, centre: FloatArray
    ) -> tuple[float, FloatArray]:
        """Penalty less J, and its gradient, in standardised coordinates."""
        w = flat.reshape(self.n_classes, -1)
        coef = w[:, :-1] / scale
        u = unit_directions(np.asarray(self.phi @ coef.T + (w[:, -1] - coef @ centre)))
        rows = np.arange(self.codes.size)
        own = self.weights * u[rows, self.codes]
        # d log u_c / d z_k = [k = c] − u_k².
        slope = -own[:, None] * u**2
        slope[rows, self.codes] += own
        total = slope.sum(axis=0)
        by_column = np.asarray(self.phi.T @ slope).T - np.outer(total, centre)
        gradient = np.empty_like(w)
        gradient[:, :-1] = 2 * penalty * w[:, :-1] - by_column / scale
        gradient[:, -1] = -total if self.fit_intercept else 0.0
        return float((penalty * w[:, :-1] ** 2).sum() - own.sum()), gradient.ravel()


def class_landmarks(
    codes: IntArray,
    weights: FloatArray,
    n_components: int | None,
    seed: int,
    x: FloatArray | None = None,
) -> IntArray:
    """Rows that count, or so many of them: as evenly from all classes as their sizes allow.

    With ``x``, a row that occurs several times in a class is drawn as one.
    """
    counted = np.flatnonzero(weights > 0)
    if n_components is None or n_components >= counted.size:
        return counted
    if x is not None:
        pairs = np.stack([codes[counted].astype(np.uint64), row_keys(x[counted])], axis=1)
        counted = np.sort(counted[np.unique(pairs, axis=0, return_index=True)[1]])
    order = np.random.default_rng(seed).permutation(counted)
    # How many rows of its class come before each: small numbers of all classes are taken first.
    turn = np.empty(order.size, dtype=np.intp)
    for k in np.unique(codes[order]):
        own = codes[order] == k
        turn[own] = np.arange(int(own.sum()))
    return np.sort(order[np.argsort(turn, kind="stable")[:n_components]])
