"""Newton's method that reuses its matrix, for smooth problems of few coefficients and many rows.

A pass over the rows for the gradient is cheap, one for the Hessian is not. So the matrix is kept
for as long as the gradient shrinks well, improved by BFGS updates that cost no pass at all, and a
large problem starts from the solution *and the matrix* of a tenth of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dpotrf, dpotrs

from rocstar.checks import FloatArray
from rocstar.fitting.problem import Evaluation, SmoothFunction
from rocstar.fitting.solvers import Solution, Status

# Armijo's constant: the usual one; a full Newton step on a quadratic passes up to 1/2.
SUFFICIENT_DECREASE = 1e-4
# A step that shrinks the gradient less than this is worth a new Hessian on the next pass.
GOOD_CONTRACTION = 0.25
# What a step with the matrix of a tenth of the rows can be expected to achieve.
LIKELY_CONTRACTION = 0.1
# Relative to a matrix scaled to unit diagonal; makes collinear columns harmless.
JITTER = 1e-10
# Relative to the largest: the least curvature that a step trusts where a Hessian is indefinite.
LEAST_CURVATURE = 1e-3
# Least curvature of a row in a new matrix. It bounds steps where the losses are flat; full steps
# that succeed lower it, as flat losses far away would otherwise slow the others down.
DAMPING, LEAST_DAMPING = 1e-3, 1e-12
# Changes of the objective below this share of it do not show.
FLAT = 1e-14
# A thinned problem differs from the whole by its sampling error, above this for up to 10⁵ rows.
THIN_TOL = 3e-3


@dataclass
class Metric:
    """A positive definite model of the Hessian: a Cholesky factor and the BFGS pairs since."""

    hessian: FloatArray
    factor: FloatArray  # LAPACK's, of which the lower triangle counts
    scale: FloatArray
    pairs: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)

    @classmethod
    def of(cls, hessian: FloatArray) -> Metric:
        """Factor a Hessian; where it is not positive definite, without its eigenvalues' signs."""
        # So a direction of negative curvature is left downhill, by a step its curvature bounds.
        # Jacobi scaling: the damping below then means the same whatever the columns' units.
        scale = np.sqrt(np.abs(np.diag(hessian)))
        scale[scale == 0] = 1.0
        unit = hessian / scale / scale[:, None]
        np.einsum("ii->i", unit)[:] += JITTER
        # LAPACK itself: on small matrices SciPy's functions around it take longer than it does.
        factor, failed = dpotrf(unit.T, lower=1, clean=0)
        if failed:
            values, vectors = eigh(unit, check_finite=False)
            values = np.maximum(np.abs(values), LEAST_CURVATURE * np.abs(values).max())
            factor, _ = dpotrf((vectors * values) @ vectors.T, lower=1, clean=0)
        return cls(hessian, factor, scale)

    def norm(self, gradient: FloatArray) -> float:
        """The largest gradient entry, each measured in its coefficient's own unit."""
        return float(np.max(np.abs(gradient) / self.scale, initial=0.0))

    def solve(self, gradient: FloatArray) -> FloatArray:
        """The two-loop recursion around the Cholesky solve (Nocedal & Wright, algorithm 7.4)."""
        q = gradient.copy()
        steps = []
        for s, y in reversed(self.pairs):
            a = (s @ q) / (y @ s)
            steps.append(a)
            q -= a * y
        q = np.asarray(dpotrs(self.factor, q / self.scale, lower=1)[0]) / self.scale
        for (s, y), a in zip(self.pairs, reversed(steps), strict=True):
            q += (a - (y @ q) / (y @ s)) * s
        return q

    def update(self, s: FloatArray, y: FloatArray) -> None:
        """Learn from a step, if it went through positive curvature."""
        if y @ s > 1e-10 * np.linalg.norm(y * (1 / self.scale)) * np.linalg.norm(s * self.scale):
            self.pairs.append((s, y))


class NotFinite(ArithmeticError):
    """The first pass met infinite or missing values, or overflowed."""


class Result(NamedTuple):
    """The solution, the evaluation at it, and the matrix that served last."""

    solution: Solution
    last: Evaluation
    metric: Metric


def minimize(
    problem: SmoothFunction,
    w: FloatArray,
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    hessian: FloatArray | None = None,
    fresh: bool = False,
) -> Result:
    """Minimise from ``w`` until the scaled gradient is at most ``tol``."""
    # The objective never rises, up to rounding: each step passes Armijo's rule along a direction of
    # descent, and a convex problem therefore reaches its minimum from anywhere. ``hessian`` may be
    # a guess of the Hessian near the solution, such as that of a neighbouring problem. ``fresh``
    # asks for the matrix at the end, which a pass that is likely to be the last brings along.
    # No gradient is better known than the rounding of its rows' terms leaves it.
    tol = max(tol, problem.rounding)
    w, metric = _start(problem, w, hessian, tol, max_iter)
    here = problem.evaluate(w, 1 if metric else 2, DAMPING)
    if not np.all(np.isfinite(here.gradient)):
        raise NotFinite
    metric = metric or metric_of(here)
    # A warm start may be close enough for its first matrix to last; a cold one tells at once.
    stale, damping = False, DAMPING
    status, n_iter = Status.MAX_ITER, 0
    for n_iter in range(max_iter + 1):
        norm = metric.norm(here.gradient)
        if norm <= tol:
            status = Status.CONVERGED
            break
        if n_iter == max_iter:
            break
        # 1. A direction of descent, and a step along it; the trial pass is the next gradient.
        direction = -metric.solve(here.gradient)
        order = 2 if stale or (fresh and norm <= tol / LIKELY_CONTRACTION) else 1
        step, trial = line_search(problem, w, here, direction, order, damping)
        if step == 0.0:
            # Along a fresh matrix's direction there is no further descent that floats can show.
            if metric.pairs or stale:
                metric, stale = metric_of(problem.evaluate(w, 2, damping)), False
                continue
            decrement = -float(here.gradient @ direction)
            at_floor = decrement <= 1e-12 * max(1.0, abs(here.value))
            status = Status.CONVERGED if at_floor else Status.STALLED
            break
        damping = min(DAMPING, 10 * damping) if step < 1 else max(0.1 * damping, LEAST_DAMPING)
        # 2. A new matrix if the trial brought one, else what the step has taught.
        s, y = step * direction, trial.gradient - here.gradient
        w = w + s
        if trial.hessian is not None:
            metric = metric_of(trial)
        elif stale:
            metric = metric_of(problem.evaluate(w, 2, damping))
        else:
            metric.update(s, y)
        stale = metric.norm(trial.gradient) / norm > GOOD_CONTRACTION
        here = trial
    if not fresh:
        w = _one_more_step(w, here, metric, status)
    elif here.hessian is None:
        metric = metric_of(problem.evaluate(w, 2, DAMPING))
    norm = metric.norm(here.gradient)
    return Result(Solution(w, status, n_iter, norm, here.value), here, metric)


def _start(
    problem: SmoothFunction, w: FloatArray, hessian: FloatArray | None, tol: float, max_iter: int
) -> tuple[FloatArray, Metric | None]:
    """A start, and a matrix, from a tenth of the rows where that is worth its while."""
    if hessian is not None:
        return w, Metric.of(hessian)
    thin = problem.thinned()
    if thin is None:
        return w, None
    # A tenth's pass for a matrix that fits saves two or more passes over all rows.
    start = minimize(thin, w, tol=max(tol, THIN_TOL), max_iter=max_iter, fresh=True)
    w = start.solution.w
    if start.solution.status is Status.CONVERGED:
        w = w - start.metric.solve(start.last.gradient)  # one more step costs no pass
    return w, start.metric


def _one_more_step(w: FloatArray, here: Evaluation, metric: Metric, status: Status) -> FloatArray:
    """A last step where the objective is flat to rounding."""
    # It costs no pass, as its gradient is known, and brings two digits: answers then agree between
    # blockings and starts.
    step = metric.solve(here.gradient)
    flat = here.gradient @ step <= FLAT * max(1.0, abs(here.value))
    return w - step if status is Status.CONVERGED and flat else w


def metric_of(evaluation: Evaluation) -> Metric:
    assert evaluation.hessian is not None  # it was asked for
    return Metric.of(evaluation.hessian)


def line_search(
    problem: SmoothFunction,
    w: FloatArray,
    here: Evaluation,
    direction: FloatArray,
    order: int,
    damping: float,
) -> tuple[float, Evaluation]:
    """Backtrack to a step that descends; 0 if none does. Returns the evaluation at its end."""
    slope = float(here.gradient @ direction)
    # Differences of the objective below this are rounding, not progress.
    slack = problem.rounding * max(1.0, abs(here.value))
    for step in backtracking_steps():
        # A full step mostly succeeds, so its pass may bring the Hessian; a shorter one may not.
        trial = problem.evaluate(w + step * direction, order if step == 1.0 else 1, damping)
        descends = trial.value <= here.value + SUFFICIENT_DECREASE * step * slope
        # Near the minimum the values agree to rounding and only the slopes still tell
        # (the approximate Wolfe rule of Hager & Zhang 2005).
        flat = trial.value <= here.value + slack
        flattens = abs(float(trial.gradient @ direction)) < 0.9 * abs(slope)
        if descends or (flat and flattens):
            return step, trial
    return 0.0, here


def backtracking_steps(n: int = 40) -> Iterator[float]:
    """1, then ever smaller; thirds, since an overlong Newton step is often far too long."""
    return (3.0**-k for k in range(n))
