"""What every solver returns. Solvers know a problem, never an array library."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rocstar.checks import FloatArray


class Status(Enum):
    """How a solver ended; the value is a sentence fit for a warning.

    Examples
    --------
    >>> Status.CONVERGED.ok, Status.MAX_ITER.ok
    (True, False)
    """

    CONVERGED = "the stopping rule was met"
    STALLED = "no further decrease is possible in floating point, so the tolerance was not reached"
    MAX_ITER = "the iteration limit was reached before the tolerance"

    @property
    def ok(self) -> bool:
        """Whether the tolerance asked for was reached."""
        return self is Status.CONVERGED


@dataclass(frozen=True)
class Solution:
    """Coefficients and how they were reached.

    Attributes
    ----------
    w : ndarray of shape (n_coefficients,)
        The coefficients, the intercept last where there is one.
    status : Status
        Whether the tolerance was reached, and if not, why.
    n_iter : int
        Iterations, each one pass over the rows or more.
    gradient_norm : float
        Norm of what the solver drives to zero, as it stood at the end.
    value : float
        The objective at ``w``.
    duality_gap : float or None
        An upper bound of ``value`` minus the optimum, from solvers that have one.

    Examples
    --------
    >>> import numpy as np
    >>> Solution(np.zeros(2), Status.CONVERGED, 3, 1e-12, -1.5).status.ok
    True
    """

    w: FloatArray
    status: Status
    n_iter: int
    gradient_norm: float
    value: float
    duality_gap: float | None = None
