"""Template: a loss of your own, here the log loss, in an estimator that `certify` takes.

Copy this file, change `LogLoss.pointwise`, keep the checks at the end. A loss is a function of the
margin: a positive row has its score as margin, a negative one the mirrored score. It states the
sine of the angle at the margin (`term`), the derivatives of the loss, and what the loss is above
minus that sine (`charge`). The solver and the problem are those of the library.

    python examples/extensions/own_loss.py
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rocstar import certify
from rocstar.fitting.losses import Pointwise
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import NO_WORKSPACE, MemoryRows
from rocstar.fitting.solvers import newton
from rocstar.laws import GaussianPair


class LogLoss:
    """log(1 + exp(-u)), whose score is the log ratio."""

    center = 0.0  # the score at which the ratio is one

    def pointwise(self, u, order, memory=NO_WORKSPACE):
        share = expit(u)
        term = np.sin(self.angle(u))
        curvature = share * (1 - share) if order > 1 else None
        return Pointwise(term, share - 1, curvature, np.logaddexp(0, -u) + term)

    def angle(self, z):
        return np.arctan(np.exp(np.clip(z, -700, 700)))


class LogLossRatio(ClassifierMixin, BaseEstimator):
    """A linear model of the log ratio, both classes weighted alike."""

    def __init__(self, alpha=1e-3):
        self.alpha = alpha

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.classes_, label = np.unique(y, return_inverse=True)
        weights = np.where(label == 1, 1 / label.sum(), 1 / (1 - label).sum())
        rows = MemoryRows(X, np.where(label == 1, 1.0, -1.0), weights)
        problem = SmoothProblem(rows, LogLoss(), self.alpha, True)
        self.solution_ = newton.minimize(problem, np.zeros(X.shape[1] + 1)).solution
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False) @ self.solution_.w[:-1] + self.solution_.w[-1]

    def predict_angle(self, X):
        return LogLoss().angle(self.decision_function(X))

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def check() -> None:
    """Derivatives by differences, the angle of the ratio at a point, and a certificate."""
    loss, u, eps = LogLoss(), np.linspace(-3, 3, 13), 1e-6
    here = loss.pointwise(u, 2)
    ahead, behind = loss.pointwise(u + eps, 1), loss.pointwise(u - eps, 1)
    np.testing.assert_allclose(here.slope, (ahead.value - behind.value) / (2 * eps), atol=1e-8)
    np.testing.assert_allclose(here.curvature, (ahead.slope - behind.slope) / (2 * eps), atol=1e-8)
    # With p = 3 q the slope of p loss(z) + q loss(-z) vanishes where the angle is atan(3).
    z = np.log([3.0])
    risk = 3 * loss.pointwise(z, 1).slope - loss.pointwise(-z, 1).slope
    np.testing.assert_allclose(risk, 0, atol=1e-12)
    np.testing.assert_allclose(loss.angle(z), np.arctan(3))
    law = GaussianPair.shifted(1.5, dim=3)
    X, y = law.sample(300, 300, random_state=0)
    found = certify(LogLossRatio(), X, y, random_state=0)
    assert 0.7 < found.auc.low < law.auc


if __name__ == "__main__":
    check()
    X, y = GaussianPair.shifted(1.5, dim=3).sample(300, 300, random_state=0)
    print(certify(LogLossRatio(), X, y, random_state=0))
