"""The shares of several estimators' log ratios whose mixture has the largest J (theory §15)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from rocstar.checks import FloatArray, IntArray
from rocstar.fitting.directions import unit_directions

# Share that a member starts with where it leads.
LEAD = 0.8


class MixedLogRatios:
    """J of mixtures of log ratios: smooth in the shares, not concave."""

    def __init__(self, directions: list[FloatArray], codes: IntArray, weights: FloatArray) -> None:
        self.logs = np.stack([np.log(u) for u in directions])
        self.rows, self.codes, self.weights = np.arange(codes.size), codes, weights

    def arc_length(self, shares: FloatArray) -> float:
        return float(self.weights @ self._mixed(shares)[self.rows, self.codes])

    def gradient(self, shares: FloatArray) -> FloatArray:
        u = self._mixed(shares)
        own = self.weights * u[self.rows, self.codes]
        # d log u_c = the member's own log u_c less its mean under u².
        centred = self.logs[:, self.rows, self.codes] - np.einsum("mnk,nk->mn", self.logs, u**2)
        return np.asarray(centred @ own)

    def best_shares(self) -> FloatArray:
        """The best local optimum from the even mixture and from each member in the lead."""
        n = len(self.logs)
        if n == 1:
            return np.ones(1)
        rest = (1 - LEAD) / (n - 1)
        starts = [np.full(n, 1 / n), *(np.where(row > 0, LEAD, rest) for row in np.eye(n))]
        found = [self._climbed(start) for start in starts]
        return max(found, key=self.arc_length)

    def _climbed(self, start: FloatArray) -> FloatArray:
        found = minimize(  # type: ignore[call-overload]
            lambda a: -self.arc_length(a),
            start,
            jac=lambda a: -self.gradient(a),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * start.size,
            constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": np.ones_like},
            options={"ftol": 1e-9, "maxiter": 100},
        ).x
        shares = np.where(found < 1e-6, 0.0, found)
        return np.asarray(shares / shares.sum())

    def _mixed(self, shares: FloatArray) -> FloatArray:
        return unit_directions(np.tensordot(shares, self.logs, axes=1))
