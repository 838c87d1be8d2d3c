r"""The smooth problem: a sum of pointwise losses over blocks of rows, plus a ridge.

.. math:: \min_w \sum_i c_i\, \psi(u_i) + \tfrac{\alpha}{2} \|w\|^2,
          \quad u_i = c + s_i (\phi_i^\top w + b - c)

with :math:`c_i` the row weights (each class sums to one unless the objective is weighted),
:math:`s_i = \pm 1` the class, and an unpenalised intercept :math:`b` (theory §3, §4).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from rocstar.checks import FloatArray
from rocstar.fitting.arrays import dot, double, double_sum, into, like, namespace, on_host, to_host
from rocstar.fitting.gram import weighted_gram
from rocstar.fitting.losses import Loss
from rocstar.fitting.rows import Block, Summable


@dataclass(frozen=True)
class Evaluation:
    """Value and derivatives at one point; evaluations of disjoint blocks add up."""

    # Those of blocks stay in float64 where the block lives, so that a device is asked for one small
    # copy per pass and not for one per block; `on_host` makes that copy.

    value: Any
    gradient: Any
    hessian: Any
    arc_length: Any  # Σ c sin: the part of the arc length these rows give

    def __add__(self, other: Evaluation) -> Evaluation:
        hessian = None
        if self.hessian is not None and other.hessian is not None:
            hessian = self.hessian + other.hessian
        return Evaluation(
            self.value + other.value,
            self.gradient + other.gradient,
            hessian,
            self.arc_length + other.arc_length,
        )

    def on_host(self) -> Evaluation:
        """The same in NumPy's numbers."""
        hessian = None if self.hessian is None else to_host(self.hessian)
        return Evaluation(
            float(self.value), to_host(self.gradient), hessian, float(self.arc_length)
        )


class SmoothFunction(Protocol):
    """What a solver needs of a problem; ``rounding`` is the relative noise of its value."""

    @property
    def rounding(self) -> float: ...

    def evaluate(self, w: FloatArray, order: int, damping: float = 0.0) -> Evaluation: ...

    def thinned(self) -> SmoothFunction | None: ...


def evaluate_block(
    block: Block, w: FloatArray, loss: Loss, fit_intercept: bool, order: int, damping: float
) -> Evaluation:
    """Evaluate one block's share: the whole of what runs where the rows live."""
    phi, sign, weights, memory = block
    kernel = None if on_host(phi) else _fused_kernel()
    if kernel is not None and kernel.takes(block, loss, order):
        return Evaluation(*kernel.sums_of(block, w, loss, fit_intercept, order, damping))
    xp = namespace(sign)
    n_features = phi.shape[1]
    intercept = float(w[n_features]) if fit_intercept else 0.0
    slopes = like(w[:n_features], sign)
    u = phi @ slopes if memory.margin is None else np.matmul(phi, slopes, out=memory.margin)
    # In place: these vectors would otherwise cost as much as the product above.
    u += intercept - loss.center
    u *= sign
    u += loss.center
    point = loss.pointwise(u, order, memory)
    pull = into(memory.pull, xp.multiply, weights, point.slope)
    pull *= sign
    gradient = double(phi.T @ pull)
    if fit_intercept:
        gradient = xp.concat([gradient, xp.reshape(double_sum(pull), (1,))])
    hessian = None
    if point.curvature is not None:
        flat = xp.abs(point.curvature) < damping
        curvature = weights * xp.where(flat, damping, point.curvature)
        hessian = weighted_gram(phi, curvature)
        if fit_intercept:
            edge = double(phi.T @ curvature)[:, None]
            corner = xp.reshape(double_sum(curvature), (1, 1))
            lower = xp.concat([edge.T, corner], axis=1)
            hessian = xp.concat([xp.concat([hessian, edge], axis=1), lower])
    arc_length = dot(weights, point.term)
    charge = 0.0 if point.charge is None else dot(weights, point.charge)
    return Evaluation(charge - arc_length, gradient, hessian, arc_length)


def add_to_diagonal(matrix: FloatArray, values: FloatArray) -> FloatArray:
    """The sum of a square matrix and a diagonal one, which need not be made."""
    total = matrix.copy()
    np.einsum("ii->i", total)[:] += values
    return total


@cache
def _fused_kernel() -> Any:
    """The module of the Triton kernel, None where Triton is not installed."""
    return import_module("rocstar.fitting.fused") if find_spec("triton") else None


@dataclass(frozen=True)
class SmoothProblem:
    """Rows, a loss and a ridge."""

    rows: Summable
    loss: Loss
    alpha: float
    fit_intercept: bool = True

    # A start on a hundredth, then a tenth of the blocks leaves few passes over all rows.
    thinning = 10
    min_blocks_to_thin = 40

    def evaluate(self, w: FloatArray, order: int = 1, damping: float = 0.0) -> Evaluation:
        """Value, gradient and, at order 2, the Hessian."""
        # A row whose loss is flatter than ``damping`` enters the Hessian with that curvature: the
        # losses are flat in places, and such a damping does not depend on the features' units.
        # Not a method or a closure over self: workers would be sent the rows they already hold.
        share = partial(
            evaluate_block,
            w=w,
            loss=self.loss,
            fit_intercept=self.fit_intercept,
            order=order,
            damping=damping,
        )
        total = self.rows.total(share).on_host()
        ridge = np.full(len(w), self.alpha)
        if self.fit_intercept:
            ridge[-1] = 0.0
        hessian = None if total.hessian is None else add_to_diagonal(total.hessian, ridge)
        return Evaluation(
            # Rooted first: the square of a coefficient alone can overflow.
            total.value + 0.5 * float(np.sum((np.sqrt(ridge) * w) ** 2)),
            total.gradient + ridge * w,
            hessian,
            total.arc_length,
        )

    @property
    def rounding(self) -> float:
        return self.rows.rounding

    def thinned(self) -> SmoothProblem | None:
        """A tenth of the problem to start from, or None when there is little to gain."""
        if self.rows.n_blocks < self.min_blocks_to_thin:
            return None
        rows = self.rows.thinned(self.rows.step * self.thinning)
        return (
            None if rows is None else SmoothProblem(rows, self.loss, self.alpha, self.fit_intercept)
        )
