"""Solve one set of rows at one penalty or along several: what all ratio estimators call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rocstar.checks import FloatArray
from rocstar.fitting.box import BoxProblem
from rocstar.fitting.losses import LOSSES, Loss
from rocstar.fitting.problem import SmoothProblem, add_to_diagonal
from rocstar.fitting.rows import MemoryRows, Summable
from rocstar.fitting.solvers import Solution, interior_point, newton

# The tangent solution only starts the log model, so digits beyond the third are wasted on it.
START_TOL = 1e-3
# Least duality gap worth asking of the box problem: a few rounding errors of the objective.
BOX_GAP = 1e-14


class Fit(NamedTuple):
    """A solution and J with the weights it was fitted with."""

    solution: Solution
    arc_length: float


def angle_loss(loss: str) -> Loss:
    """The loss whose link turns scores into angles: the box problem clips like the tangent one."""
    return LOSSES["log" if loss == "log" else "tangent"]


def solve_path(
    rows: Summable,
    n_features: int,
    loss: str,
    alphas: Sequence[float],
    *,
    fit_intercept: bool,
    tol: float,
    max_iter: int,
    start: FloatArray | None = None,
) -> Iterator[Fit]:
    """Fits at each penalty in turn, each from the last; the first from ``start`` or v = π/4."""
    w = start
    if w is None:
        w = np.zeros(n_features + fit_intercept)
        if fit_intercept:
            w[-1] = angle_loss(loss).center
    if loss == "box":
        assert isinstance(rows, MemoryRows)  # estimators refuse others
        yield from _box_path(rows, alphas, fit_intercept, w, tol, max_iter)
        return
    if loss == "log":
        w = _log_start(rows, alphas[0], fit_intercept, w, max_iter)
    hessian, last_alpha = None, 0.0
    for alpha in alphas:
        if hessian is not None:
            # The rows' curvature changes little along the path; the ridge's share is known.
            ridge = np.full(len(w), alpha - last_alpha)
            ridge[n_features:] = 0.0
            hessian = add_to_diagonal(hessian, ridge)
        problem = SmoothProblem(rows, LOSSES[loss], alpha, fit_intercept)
        result = newton.minimize(problem, w, tol=tol, max_iter=max_iter, hessian=hessian)
        w, hessian, last_alpha = result.solution.w, result.metric.hessian, alpha
        yield Fit(result.solution, result.last.arc_length)


def _box_path(
    rows: MemoryRows,
    alphas: Sequence[float],
    fit_intercept: bool,
    w: FloatArray,
    tol: float,
    max_iter: int,
) -> Iterator[Fit]:
    phi = rows.dense()
    positive = rows.sign > 0
    first = BoxProblem(phi, positive, rows.weights, alphas[0], fit_intercept)
    for alpha in alphas:
        problem = first.with_alpha(alpha)
        # `tol` is one on gradients; the duality gap goes to zero like their square.
        gap = max(tol**2, BOX_GAP)
        solution = interior_point.solve(problem, init=w, tol=gap, max_iter=max_iter)
        w = solution.w
        z = phi @ w[: phi.shape[1]] + (w[-1] if fit_intercept else 0.0)
        v = LOSSES["tangent"].angle(z)
        yield Fit(solution, float(rows.weights @ np.where(positive, np.sin(v), np.cos(v))))


def _log_start(
    rows: Summable, alpha: float, fit_intercept: bool, start: FloatArray, max_iter: int
) -> FloatArray:
    """A start for the log model from the convex relaxation, unless ``start`` is better."""
    # At ratio one the slope of log tan v in v is 2, so z_log ≈ 2 (z_tangent − π/4).
    centre = LOSSES["tangent"].center
    w = start / 2
    if fit_intercept:
        w[-1] += centre
    relaxed = SmoothProblem(rows, LOSSES["tangent"], alpha, fit_intercept)
    guess = 2 * newton.minimize(relaxed, w, tol=START_TOL, max_iter=max_iter).solution.w
    if fit_intercept:
        guess[-1] -= 2 * centre
    model = SmoothProblem(rows, LOSSES["log"], alpha, fit_intercept)
    return min((start, guess), key=lambda w: model.evaluate(w).value)
