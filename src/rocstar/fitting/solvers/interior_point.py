"""A primal–dual interior-point method for one convex loss per row and every row inside a box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rocstar.checks import FloatArray
from rocstar.fitting.box import BoxProblem
from rocstar.fitting.gram import gram_triangle
from rocstar.fitting.solvers import Solution, Status
from rocstar.fitting.solvers.interior import Factor, Interior, interior_of

__all__ = ["solve"]

# Never go nearer a wall than this share of the way to it (the usual fraction-to-the-boundary rule).
_TO_WALL = 0.995
# Multipliers stay within this factor of μ/slack, which bounds the primal–dual Hessian on the
# central path; Wächter & Biegler (2006), eq. 16.
_MULTIPLIER_RANGE = 1e10
_ARMIJO = 1e-4
# Rows may end this far outside the box; a tenth of what is promised.
_ROUNDING = 1e-10
# Iterations without a better duality gap after which rounding is taken to rule.
_PATIENCE = 25


class Iterate(NamedTuple):
    """A point, its distances to both walls, their multipliers, the barrier weight, the slopes."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    z_low: FloatArray
    z_high: FloatArray
    mu: float
    slope: FloatArray

    @property
    def complementarity(self) -> float:
        """The duality gap, once the point is stationary for its multipliers."""
        return float(self.low @ self.z_low + self.high @ self.z_high)


class Step(NamedTuple):
    """A direction in x and what it does to the angles and the multipliers."""

    x: FloatArray
    v: FloatArray
    z_low: FloatArray
    z_high: FloatArray


def solve(
    problem: BoxProblem, *, init: FloatArray | None = None, tol: float = 1e-9, max_iter: int = 200
) -> Solution:
    """Minimise a sum of convex row losses plus a quadratic, every row inside its box."""
    # Rows that no feasible point can move off the wall are found first and taken out (`cone`), so a
    # strictly feasible point always exists. From there on every iterate is strictly feasible, each
    # step decreases the barrier function, and the stopping rule is a duality gap that holds for any
    # multipliers, because the box is inside the conjugate losses: at most ``tol`` times the sum of
    # the weights, which is the largest size the losses can have.
    inside = interior_of(problem, init)
    scale = float(problem.weights.sum())
    if inside.basis.shape[1] == 0 or scale == 0.0:
        return _solution(problem, inside, inside.start, tol, Status.CONVERGED, 0, 0.0, 0.0)

    at = _first_iterate(inside, scale)
    best, best_gap, since_best, length = at, np.inf, 0, 1.0
    # On the central path the gap is 2nμ, so a smaller μ than this would only lose digits.
    least_mu = 0.1 * tol * scale / (2 * len(at.low))
    status = Status.MAX_ITER
    n_iter = 0
    for n_iter in range(max_iter + 1):
        # 1. How far from optimal is this point at most? The bound is only worth its price near
        #    the end; before that the complementarity stands for it.
        gap = at.complementarity
        if gap <= tol * scale:
            gap = _duality_gap(inside, at)
        since_best = 0 if gap < 0.9 * best_gap else since_best + 1
        if gap < best_gap:
            best, best_gap = at, gap
        if gap <= tol * scale:
            status = Status.CONVERGED
            break
        if since_best > _PATIENCE:
            status = Status.STALLED
            break
        if n_iter == max_iter:
            break
        # 2. One Gram matrix and one factor serve predictor and corrector.
        factor = _factor(inside, at)
        predictor = _direction(inside, at, factor, 0.0)
        mu = max(_next_mu(at, predictor, length), least_mu)
        # 3. Step, second-order correction first, the plain Newton step if that is no descent.
        for correction in (predictor, None):
            step = _direction(inside, at, factor, mu, correction)
            length = _line_search(inside, at, step, mu)
            if length > 0.1:
                break
        at = _advance(inside, at, step, length, mu)
    return _solution(problem, inside, best.x, tol, status, n_iter, *_optimality(inside, best))


def _first_iterate(inside: Interior, scale: float) -> Iterate:
    v = inside.basis @ inside.start
    low, high = v, inside.losses.upper - v
    mu = 0.1 * scale / len(v)
    return Iterate(inside.start, low, high, mu / low, mu / high, mu, inside.losses.slope(v))


def _multipliers(inside: Interior, at: Iterate) -> tuple[FloatArray, FloatArray]:
    """Row duals y and how far they are from stationarity, ``basisᵀ y + penalty x``."""
    y = at.slope - at.z_low + at.z_high
    return y, inside.basis.T @ y + inside.penalty.times(at.x)


def _duality_gap(inside: Interior, at: Iterate) -> float:
    """Value minus the Fenchel dual at the nearest feasible y: a bound for any multipliers."""
    y, residual = _multipliers(inside, at)
    y = y - inside.basis @ cho_solve(inside.metric, residual)
    # Once more, since the bound holds only as far as this residual is zero.
    residual = inside.basis.T @ y + inside.penalty.times(at.x)
    y = y - inside.basis @ cho_solve(inside.metric, residual)
    return float(inside.losses.young_gap(at.low, y).sum())


def _optimality(inside: Interior, at: Iterate) -> tuple[float, float]:
    return float(np.linalg.norm(_multipliers(inside, at)[1])), _duality_gap(inside, at)


def _factor(inside: Interior, at: Iterate) -> Factor:
    """Cholesky factor of the primal–dual Hessian, with the least damping that makes it exist."""
    curvature = inside.losses.curvature(at.low) + at.z_low / at.low + at.z_high / at.high
    damping = 0.0
    while True:
        hessian = inside.penalty.plus(gram_triangle(inside.basis, curvature))
        hessian[np.diag_indices(len(hessian))] *= 1.0 + damping
        try:
            # In place; damping is needed so rarely that the matrix is then formed again.
            return cho_factor(hessian, overwrite_a=True, check_finite=False)
        except LinAlgError:
            damping = max(1e-14, 100.0 * damping)


def _direction(
    inside: Interior,
    at: Iterate,
    factor: Factor,
    mu: float,
    correction: Step | None = None,
) -> Step:
    """Newton's step towards ``slack × multiplier = mu``, with Mehrotra's second-order term."""
    aim_low, aim_high = mu / at.low, mu / at.high
    if correction is not None:
        aim_low = aim_low - correction.v * correction.z_low / at.low
        aim_high = aim_high + correction.v * correction.z_high / at.high
    gradient = at.slope - aim_low + aim_high
    downhill = inside.basis.T @ gradient + inside.penalty.times(at.x)
    dx = -cho_solve(factor, downhill, check_finite=False)
    dv = inside.basis @ dx
    return Step(
        dx,
        dv,
        aim_low - at.z_low - at.z_low / at.low * dv,
        aim_high - at.z_high + at.z_high / at.high * dv,
    )


def _to_wall(slack: FloatArray, change: FloatArray) -> float:
    """Largest step in [0, 1] that keeps every slack non-negative."""
    return 1.0 / max(float(np.max(-change / slack)), 1.0)


def _reach(at: Iterate, step: Step) -> tuple[float, float]:
    primal = min(_to_wall(at.low, step.v), _to_wall(at.high, -step.v))
    dual = min(_to_wall(at.z_low, step.z_low), _to_wall(at.z_high, step.z_high))
    return primal, dual


def _next_mu(at: Iterate, predictor: Step, last_length: float) -> float:
    """Mehrotra's rule; after a poor step the target is held, so that plain Newton can centre."""
    primal, dual = _reach(at, predictor)
    now = at.complementarity
    low, high = at.low + primal * predictor.v, at.high - primal * predictor.v
    then = low @ (at.z_low + dual * predictor.z_low) + high @ (at.z_high + dual * predictor.z_high)
    left = min(max(float(then) / now, 0.0), 1.0)
    mu = now / (2 * len(at.low)) * left**3
    return max(mu, at.mu) if last_length < 0.1 else mu


def _barrier(
    inside: Interior, x: FloatArray, low: FloatArray, high: FloatArray, mu: float
) -> float:
    quadratic = 0.5 * x @ inside.penalty.times(x)
    walls = np.log(low).sum() + np.log(high).sum()
    return float(inside.losses.value(low).sum() + quadratic - mu * walls)


def _line_search(inside: Interior, at: Iterate, step: Step, mu: float) -> float:
    """Backtrack until the barrier function has decreased enough; zero if it never does."""
    gradient = at.slope - mu / at.low + mu / at.high
    slope = float(gradient @ step.v + step.x @ inside.penalty.times(at.x))
    if slope >= 0:
        return 0.0
    value = _barrier(inside, at.x, at.low, at.high, mu)
    length = min(1.0, _TO_WALL * _reach(at, step)[0])
    while length > 1e-12:
        moved = _barrier(
            inside,
            at.x + length * step.x,
            at.low + length * step.v,
            at.high - length * step.v,
            mu,
        )
        if moved <= value + _ARMIJO * length * slope + 1e-15 * abs(value):
            return length
        length *= 0.5
    return 0.0


def _advance(inside: Interior, at: Iterate, step: Step, length: float, mu: float) -> Iterate:
    dual = min(1.0, _TO_WALL * _reach(at, step)[1])
    low, high = at.low + length * step.v, at.high - length * step.v
    z_low = _near_path(at.z_low + dual * step.z_low, mu / low)
    z_high = _near_path(at.z_high + dual * step.z_high, mu / high)
    x = at.x + length * step.x
    return Iterate(x, low, high, z_low, z_high, mu, inside.losses.slope(low))


def _near_path(z: FloatArray, centred: FloatArray) -> FloatArray:
    return np.clip(z, centred / _MULTIPLIER_RANGE, centred * _MULTIPLIER_RANGE)


def _solution(
    problem: BoxProblem,
    inside: Interior,
    x: FloatArray,
    tol: float,
    status: Status,
    n_iter: int,
    gradient_norm: float,
    gap: float,
) -> Solution:
    """Coefficients of ``x``, drawn towards the centre by what rounding took out of the box."""
    w = inside.back @ x
    before = problem.value(w)
    # Rounding may undo a small pull, so each is a greater multiple of what seems needed.
    for attempt in range(60):
        centre = inside.back @ inside.start if attempt < 3 else problem.safe
        share = _share_outside(problem.angles(w), problem.angles(centre), problem.losses.upper)
        if share == 0.0:
            break
        w = w + min(2.0**attempt * share, 1.0) * (centre - w)
    value = problem.value(w)
    lost = max(value - before, 0.0)
    if status is Status.CONVERGED and lost > tol * problem.weights.sum():
        status = Status.STALLED
    return Solution(w, status, n_iter, gradient_norm, value, gap + lost)


def _share_outside(v: FloatArray, centre: FloatArray, upper: float) -> float:
    """How far v must go towards the centre until no row is outside by more than rounding."""
    shares = [0.0]
    for slack, aim in ((v, centre), (upper - v, upper - centre)):
        out = slack < -_ROUNDING
        needed = np.divide(-_ROUNDING - slack[out], np.maximum(aim[out] - slack[out], _ROUNDING))
        shares.append(float(needed.max(initial=0.0)))
    return min(max(shares), 1.0)
