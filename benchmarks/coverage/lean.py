"""The linear tangent class without scikit-learn's validation, for simulations of many small fits.

Same problem and solver as ``ArctanRatio("linear")``; checking inputs would take most of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows
from rocstar.fitting.solvers import newton


class LeanLinear(BaseEstimator):
    smooth_class = True

    def __init__(self, alpha: float = 1e-3) -> None:
        self.alpha = alpha

    def fit(self, X: Any, y: Any) -> LeanLinear:
        positive = y == 1
        weights = 1 / np.where(positive, positive.sum(), (~positive).sum())
        rows = MemoryRows(X, np.where(positive, 1.0, -1.0), weights)
        problem = SmoothProblem(rows, LOSSES["tangent"], self.alpha, True)
        start = np.append(np.zeros(X.shape[1]), np.pi / 4)
        # Held-out J moves with the square of a coefficient's error.
        self.w_ = newton.minimize(problem, start, tol=1e-4, max_iter=50)[0].w
        return self

    def decision_function(self, X: Any) -> Any:
        return X @ self.w_[:-1] + self.w_[-1]

    def predict_angle(self, X: Any) -> Any:
        return np.clip(self.decision_function(X), 0, np.pi / 2)
