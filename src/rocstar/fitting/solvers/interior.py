"""Where an interior-point method may move: off which walls, and from which point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr, solve_triangular

from rocstar.checks import BoolArray, FloatArray
from rocstar.fitting.box import BoxProblem, RowLosses
from rocstar.fitting.coordinates import Coordinates
from rocstar.fitting.solvers.cone import positive_face

Factor = tuple[FloatArray, bool]

# Share of the centre's slack that a warm start must keep.
_WARM_SLACK = 0.05
# Singular values of rows of an orthonormal basis below this are rounding.
_RANK = 1e-10


class Penalty(NamedTuple):
    """A quadratic form; mostly a diagonal one, which is then all that is stored."""

    form: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray) -> Penalty:
        diagonal = np.diag(matrix)
        return cls(diagonal if np.count_nonzero(matrix) == np.count_nonzero(diagonal) else matrix)

    def times(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.form * x if self.form.ndim == 1 else self.form @ x)

    def diagonal(self) -> FloatArray:
        return self.form if self.form.ndim == 1 else np.diag(self.form)

    def plus(self, matrix: FloatArray) -> FloatArray:
        """Add the form to a matrix, in place."""
        if self.form.ndim == 1:
            matrix[np.diag_indices(len(matrix))] += self.form
        else:
            matrix += self.form.T  # symmetric; so it is in the order of the matrix
        return matrix


class Interior(NamedTuple):
    """The problem on its free rows, with a strictly feasible point; metric factors basisᵀbasis."""

    free: BoolArray

    basis: FloatArray
    penalty: Penalty
    back: FloatArray
    losses: RowLosses
    start: FloatArray
    metric: Factor


def interior_of(problem: BoxProblem, init: FloatArray | None) -> Interior:
    """Take out the rows that cannot move, and find a point strictly inside for the others."""
    space = problem.coordinates
    losses = problem.losses
    if space.constant is not None:
        start = 0.5 * losses.upper * space.constant
        free = np.ones(len(space.basis), dtype=bool)
        metric = cho_factor(space.gram, check_finite=False)
        penalty = Penalty.of(problem.penalty)
        inside = Interior(free, space.basis, penalty, space.back, losses, start, metric)
    else:
        inside = _without_implied_zeros(space, problem.penalty, losses)
    if init is None or inside.basis.shape[1] == 0:
        return inside
    return inside._replace(start=_pulled_inside(inside, problem.angles(init)))


def _without_implied_zeros(space: Coordinates, penalty: FloatArray, losses: RowLosses) -> Interior:
    """Without intercept zero is feasible, and rows may be zero at every feasible point."""
    free, point = positive_face(space.basis)
    basis, back, gram = space.basis[free], space.back, space.gram
    if not free.all():
        turn = _no_effect_on(space.basis[~free], bool(free.any()))
        basis, triangle = np.linalg.qr(basis @ turn)
        turn = solve_triangular(triangle, turn.T, trans="T").T
        # Turned once more, so that no penalty is a small difference of large ones.
        sizes, apart = np.linalg.eigh(turn.T @ penalty @ turn)
        turn, basis, penalty = turn @ apart, basis @ apart, np.diag(np.maximum(sizes, 0.0))
        point = basis.T @ (space.basis[free] @ point)
        back, gram = back @ turn, basis.T @ basis
    if basis.shape[1]:
        point = point * (0.5 * losses.upper / (basis @ point).max())
    metric = cho_factor(gram, check_finite=False)
    return Interior(free, basis, Penalty.of(penalty), back, losses[free], point, metric)


def _no_effect_on(implied: FloatArray, anything: bool) -> FloatArray:
    """Orthonormal coordinates of the x with ``implied x = 0``, none unless ``anything`` is free."""
    p = implied.shape[1]
    r = qr(implied, mode="r")[0][:p]
    _, s, vt = np.linalg.svd(r)
    return vt[int((s > _RANK).sum()) :].T if anything else np.zeros((p, 0))


def _pulled_inside(inside: Interior, angles: FloatArray) -> FloatArray:
    """The point nearest the warm start on its way to the centre with some slack at every wall."""
    centre = inside.basis @ inside.start
    x = cho_solve(inside.metric, inside.basis.T @ angles[inside.free])
    # A coordinate whose penalty alone outweighs every loss is rounding, magnified by its unit.
    x[inside.penalty.diagonal() * x**2 > 2 * np.abs(inside.losses.value(centre)).sum()] = 0.0
    v = inside.basis @ x
    share = 0.0
    for now, aim in ((v, centre), (inside.losses.upper - v, inside.losses.upper - centre)):
        short = now < _WARM_SLACK * aim
        lack = (_WARM_SLACK * aim[short] - now[short]) / (aim[short] - now[short])
        share = max(share, lack.max(initial=0.0))
    return x + share * (inside.start - x)
