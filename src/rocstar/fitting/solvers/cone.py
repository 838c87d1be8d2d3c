"""Which rows of ``A x ≥ 0`` can be made strictly positive, and by which x."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import linprog
from scipy.special import expit

from rocstar.checks import BoolArray, FloatArray

__all__ = ["Face", "positive_face"]

_NEWTON_STEPS = 40
# Least share of the largest margin that counts as strictly positive, rows at unit length.
_STRICT = 1e-8
# A certificate y > 0 with Aᵀy = 0 is trusted when exact to this share of its least entry.
_CERTIFIED = 1e-7


class Face(NamedTuple):
    """The smallest face of ``{x : A x ≥ 0}`` worth keeping."""

    free: BoolArray  # rows that some feasible x makes positive; the others are zero for every one
    point: FloatArray  # feasible and positive on every free row; zero if no row is free


def positive_face(a: FloatArray) -> Face:
    """Split the rows of ``A x ≥ 0`` into those that can be positive and those that cannot."""
    # Minimising ``Σ log(1 + exp(−aᵢx))`` decides both common cases in a few Newton steps, as in
    # Albert and Anderson (1984) on the existence of logistic fits: it diverges along an x
    # with ``A x > 0`` if there is one, and a finite minimum is a ``y > 0`` with ``Aᵀy = 0``, which
    # leaves ``A x = 0`` as the only feasible value. What is neither goes to a linear program.
    norms = np.linalg.norm(a, axis=1)
    alive = norms > 0
    nobody = Face(np.zeros(len(a), dtype=bool), np.zeros(a.shape[1]))
    if not alive.any():
        return nobody
    unit = a[alive] / norms[alive, None]
    face = _by_newton(unit)
    if face is None:
        face = _by_linear_program(unit)
    free = alive.copy()
    free[alive] = face.free
    return Face(free, face.point) if free.any() else nobody


def _by_newton(unit: FloatArray) -> Face | None:
    n, p = unit.shape
    x = unit.T @ np.ones(n)
    x /= np.linalg.norm(x) + 1.0
    for _ in range(_NEWTON_STEPS):
        margin = unit @ x
        if margin.min() > _STRICT * np.abs(margin).max():
            return Face(np.ones(n, dtype=bool), x)
        y = expit(-margin)
        gradient = -unit.T @ y
        if np.linalg.norm(gradient) <= _CERTIFIED * y.min():
            return Face(np.zeros(n, dtype=bool), np.zeros(p))
        curvature = y * expit(margin)
        hessian = (unit.T * curvature) @ unit
        hessian[np.diag_indices(p)] += 1e-14 * np.trace(hessian) + 1e-300
        step: FloatArray = -cho_solve(cho_factor(hessian), gradient)
        x = x + _armijo(margin, unit @ step, float(gradient @ step)) * step
    return None


def _armijo(margin: FloatArray, change: FloatArray, slope: float) -> float:
    value = np.logaddexp(0.0, -margin).sum()
    length = 1.0
    while length > 1e-10:
        if np.logaddexp(0.0, -margin - length * change).sum() <= value + 1e-4 * length * slope:
            return length
        length *= 0.5
    return 0.0


def _by_linear_program(unit: FloatArray) -> Face:
    """Maximise Σtᵢ with aᵢx ≥ tᵢ, 0 ≤ tᵢ ≤ 1: by scaling, tᵢ is one where it can be positive."""
    n, p = unit.shape
    result = linprog(
        np.concatenate([np.zeros(p), -np.ones(n)]),
        A_ub=np.hstack([-unit, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * p + [(0.0, 1.0)] * n,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
    )
    if result.x is None:
        return Face(np.zeros(n, dtype=bool), np.zeros(p))
    free = result.x[p:] > 0.5
    # Rounding leaves the other rows near zero; make them zero, and give up rows that this upsets.
    point = result.x[:p] - np.linalg.pinv(unit[~free]) @ (unit[~free] @ result.x[:p])
    if free.any() and (unit[free] @ point).min() <= _STRICT:
        return Face(np.zeros(n, dtype=bool), np.zeros(p))
    return Face(free, point)
