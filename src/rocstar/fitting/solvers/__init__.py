"""What every solver returns. Solvers know a problem, never an array library."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rocstar.checks import FloatArray


class Status(Enum):
    """How a solver ended; the value is a sentence fit for a warning."""

    CONVERGED = "the stopping rule was met"
    STALLED = "no further decrease is possible in floating point, so the tolerance was not reached"
    MAX_ITER = "the iteration limit was reached before the tolerance"

    @property
    def ok(self) -> bool:
        """Whether the tolerance asked for was reached."""
        return self is Status.CONVERGED


@dataclass(frozen=True)
class Solution:
    """Coefficients and how they were reached."""

    w: FloatArray  # the intercept last where there is one
    status: Status
    n_iter: int  # each one pass over the rows or more
    gradient_norm: float  # of what the solver drives to zero, as it stood at the end
    value: float  # the objective at w
    duality_gap: float | None = None  # bounds value − optimum, from solvers that have one
