"""A sum of smooth curves, one per column: what lies between a linear class and a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import BSpline
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rocstar.checks import FloatArray
from rocstar.estimators.numeric_input import validated
from rocstar.estimators.standardized import centre_and_scale

DEGREE = 3
# A column with fewer distinct quantiles, such as a yes or no, has no curve beside its line.
FEWEST_KNOTS = 4
# Curves follow more detail with more rows, by the cube root of their number.
KNOTS_PER_CUBE_ROOT, LEAST_KNOTS, MOST_KNOTS = 1.2, 8, 20
# Deviations at which lines end: a far row must not decide.
LIMIT = 10.0


class ColumnCurves(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Each column in units of its spread, and splines along it."""

    def fit(self, X: Any, y: Any = None) -> ColumnCurves:
        """Learn scales, and knots at quantiles."""
        X = validated(self, X, dtype=np.float64)
        self.centre_, self.scale_ = centre_and_scale(X)
        wanted = round(KNOTS_PER_CUBE_ROOT * np.cbrt(len(X)))
        shares = np.linspace(0.0, 1.0, int(np.clip(wanted, LEAST_KNOTS, MOST_KNOTS)))
        self.knots_ = [np.unique(column) for column in np.quantile(X, shares, axis=0).T]
        return self

    def transform(self, X: Any) -> FloatArray:
        """Lines, then the splines of each column that has them; flat beyond the knots."""
        X = validated(self, X, reset=False, dtype=np.float64)
        lines = np.clip((X - self.centre_) / self.scale_, -LIMIT, LIMIT)
        curves = [
            splines(column, knots)
            for column, knots in zip(X.T, self.knots_, strict=True)
            if knots.size >= FEWEST_KNOTS
        ]
        return np.hstack([lines, *curves])


def splines(x: FloatArray, knots: FloatArray) -> FloatArray:
    """Cubic B-splines at points, cut off at the outer knots."""
    ends = np.repeat(knots[[0, -1]], DEGREE)
    padded = np.concatenate([ends[:DEGREE], knots, ends[DEGREE:]])
    inside = np.clip(x, knots[0], knots[-1])
    return np.asarray(BSpline.design_matrix(inside, padded, DEGREE).toarray())


def additive_classifier() -> Any:
    """Logistic regression on lines and curves."""
    return make_pipeline(ColumnCurves(), LogisticRegression(max_iter=300))
