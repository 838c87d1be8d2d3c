"""Linear classifiers that maximise the AUC by pairwise losses: the paper's rivals."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lstsq
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from rocstar.checks import FloatArray, class_totals, require_in_memory
from rocstar.estimators.angle import two_classes
from rocstar.estimators.numeric_input import validated
from rocstar.fitting.pairs import ClassRows, PairLoss, squared_hinge
from rocstar.sklearn_private import (
    Interval,
    LinearClassifierMixin,
    StrOptions,
    check_sample_weight,
    validates_parameters,
)

__all__ = ["SPAUC", "PairwiseHingeAUC", "PairwiseSquaredAUC"]


class _LinearRanker(LinearClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear score; `predict` cuts it midway between the class means."""

    def _two_classes(self, X: Any, y: Any) -> tuple[FloatArray, NDArray[np.bool_]]:
        require_in_memory(X=X, y=y)
        X, y = validated(self, X, y, dtype=np.float64)
        positive, self.classes_ = two_classes(y)
        # A mean of equal numbers may differ from them by rounding, which large ones magnify.
        largest = np.abs(X).max(axis=0, initial=0.0)
        constant = np.ptp(X, axis=0) <= 4 * np.finfo(np.float64).eps * largest
        return np.where(constant, 0.0, X) if constant.any() else X, positive

    def decision_function(self, X: Any) -> FloatArray:
        """The linear score of each row."""
        require_in_memory(X=X)
        return np.asarray(super().decision_function(X))

    def _store(self, w: FloatArray, middle: FloatArray) -> None:
        self.coef_ = w[None, :]
        self.intercept_ = np.array([-float(middle @ w)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class PairwiseSquaredAUC(_LinearRanker):
    r"""Least squares over all pairs of a positive and a negative, in closed form.

    Minimises the mean over pairs of :math:`(1 - w^\top(x_+ - x_-))^2` plus
    :math:`\alpha\|w\|^2`. The minimiser is :math:`(S_+ + S_- + \delta\delta^\top + \alpha I)^{-1}
    \delta` with the classes' covariances and the difference of their means: the direction of a
    linear discriminant analysis, in O(n d²) (theory §7).

    Parameters
    ----------
    alpha : float, default=1e-3
        Ridge penalty, at least 0.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from rocstar import laws
    >>> from rocstar.estimators.baselines import PairwiseSquaredAUC
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(500, 500, random_state=0)
    >>> model = PairwiseSquaredAUC().fit(X, y)
    >>> print(f"{roc_auc_score(y, model.decision_function(X)):.2f}")
    0.92
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")]
    }

    def __init__(self, alpha: float = 1e-3) -> None:
        self.alpha = alpha

    @validates_parameters(skip_nested=True)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PairwiseSquaredAUC:
        """Fit to positives and negatives; weights are frequencies within each class."""
        X, positive = self._two_classes(X, y)
        positives, negatives = _sides(X, positive, sample_weight)
        w, middle = _least_squares(positives, negatives, self.alpha)
        self._store(w, middle)
        return self


class PairwiseHingeAUC(_LinearRanker):
    r"""Squared hinge over all pairs, by Newton's method in O(n log n + n d²) a step.

    Minimises the mean over pairs of :math:`\max(0, 1 - w^\top(x_+ - x_-))^2` plus
    :math:`\alpha\|w\|^2`. Piecewise quadratic and once differentiable, so Newton with a line
    search ends after finitely many steps; sorting makes each step cheap.

    Parameters
    ----------
    alpha : float, default=1e-3
        Ridge penalty, at least 0.
    tol : float, default=1e-8
        Stop when the Newton step promises a decrease below this share of the value.
    max_iter : int, default=100

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
    n_iter_ : int
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from rocstar import laws
    >>> from rocstar.estimators.baselines import PairwiseHingeAUC
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(500, 500, random_state=0)
    >>> model = PairwiseHingeAUC().fit(X, y)
    >>> print(f"{roc_auc_score(y, model.decision_function(X)):.2f}")
    0.92
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, alpha: float = 1e-3, *, tol: float = 1e-8, max_iter: int = 100) -> None:
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter

    @validates_parameters(skip_nested=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PairwiseHingeAUC:
        """Fit to positives and negatives; weights are frequencies within each class."""
        X, positive = self._two_classes(X, y)
        sides = _sides(X, positive, sample_weight)
        w, middle = _least_squares(*sides, self.alpha)
        self._store(self._newton(w, *sides), middle)
        return self

    def _newton(self, w: FloatArray, positives: ClassRows, negatives: ClassRows) -> FloatArray:
        at = self._objective(w, positives, negatives)
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            step = -lstsq(at.hessian, at.gradient, check_finite=False)[0]
            promised = -float(at.gradient @ step)
            if promised <= self.tol * max(at.value, np.finfo(float).tiny):
                return w
            length = 1.0
            while length > 1e-12:
                moved = self._objective(w + length * step, positives, negatives)
                if moved.value <= at.value - 1e-4 * length * promised:
                    break
                length *= 0.5
            else:  # no decrease is left in floating point
                return w
            w, at = w + length * step, moved
        warnings.warn(
            f"PairwiseHingeAUC: no convergence in {self.max_iter} iterations; raise `max_iter` "
            "or `alpha`.",
            ConvergenceWarning,
            stacklevel=4,
        )
        return w

    def _objective(self, w: FloatArray, positives: ClassRows, negatives: ClassRows) -> PairLoss:
        value, gradient, hessian = squared_hinge(w, positives, negatives)
        ridge = self.alpha * np.eye(len(w))
        return PairLoss(value + float(w @ ridge @ w), gradient + 2 * ridge @ w, hessian + 2 * ridge)


class SPAUC(_LinearRanker):
    r"""Stochastic proximal AUC maximisation (Lei & Ying, JMLR 22, 2021).

    Minimises the same pairwise least squares as `PairwiseSquaredAUC`, scaled by p(1 − p) with p
    the share of positives, plus a penalty, from a stream of rows drawn one at a time. A row's
    gradient needs the class means and p; running averages of the rows seen so far stand for them,
    so that memory is O(d). A proximal step for the penalty follows each gradient step.

    Parameters
    ----------
    alpha : float, default=1e-3
        Weight of the penalty: :math:`\alpha\|w\|_2^2` or :math:`\alpha\|w\|_1`.
    penalty : {"l2", "l1"}, default="l2"
    eta0 : float or None, default=None
        Step t has length ``eta0/√t``. None takes 1/(4 m) with m the mean squared distance of the
        rows from their mean, which keeps single steps from overshooting.
    n_epochs : int, default=20
        Rows drawn, in multiples of the sample's size.
    random_state : int, RandomState or None, default=None
        Draws the rows.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features) and (1,)
        The average of the iterates of the second half, whose noise averages out.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from rocstar import laws
    >>> from rocstar.estimators.baselines import SPAUC
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(500, 500, random_state=0)
    >>> model = SPAUC(random_state=0).fit(X, y)
    >>> print(f"{roc_auc_score(y, model.decision_function(X)):.2f}")
    0.92
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "penalty": [StrOptions({"l1", "l2"})],
        "eta0": [Interval(Real, 0, None, closed="neither"), None],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        alpha: float = 1e-3,
        *,
        penalty: str = "l2",
        eta0: float | None = None,
        n_epochs: int = 20,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.penalty = penalty
        self.eta0 = eta0
        self.n_epochs = n_epochs
        self.random_state = random_state

    @validates_parameters(skip_nested=True)
    def fit(self, X: Any, y: ArrayLike) -> SPAUC:
        """Fit to positives and negatives."""
        X, positive = self._two_classes(X, y)
        middle = 0.5 * (X[positive].mean(axis=0) + X[~positive].mean(axis=0))
        w = self._stream(X - middle, positive)
        self._store(w, middle)
        return self

    def _stream(self, X: FloatArray, positive: NDArray[np.bool_]) -> FloatArray:
        n, d = X.shape
        # In units of the rows' mean distance from their middle: no step over- or underflows.
        largest = float(np.abs(X).max(initial=0.0))
        if largest == 0.0:
            return np.zeros(d)
        unit = largest * float(np.sqrt(np.einsum("ij,ij->", X / largest, X / largest) / n))
        X = X / unit
        eta0 = 0.25 if self.eta0 is None else self.eta0 * unit * unit
        with np.errstate(over="ignore"):
            root = np.float64(np.sqrt(self.alpha)) / unit
            alpha = root * root if self.penalty == "l2" else np.float64(self.alpha) / unit
        rng = check_random_state(self.random_state)
        w, total = np.zeros(d), np.zeros(d)
        # Running means of the negatives and of the positives, and how many of each were seen.
        means, seen = np.zeros((2, d)), np.zeros(2)
        steps = n * self.n_epochs
        for t, row in enumerate(rng.randint(n, size=steps), start=1):
            x, side = X[row], int(positive[row])
            seen[side] += 1
            means[side] += (x - means[side]) / seen[side]
            share = seen[1] / t
            apart = means[1] - means[0]
            off = x - means[side]
            gradient = (1 - share if side else share) * (off @ w) * off
            gradient += share * (1 - share) * (apart @ w - 1.0) * apart
            eta = eta0 / np.sqrt(t)
            w = self._proximal(w - 2 * eta * gradient, eta * alpha)
            if 2 * t > steps:
                total += w
        return np.asarray(total / (steps - steps // 2) / unit)

    def _proximal(self, w: FloatArray, shrinkage: float) -> FloatArray:
        if self.penalty == "l2":
            return w / (1 + 2 * shrinkage)
        return np.asarray(np.sign(w) * np.maximum(np.abs(w) - shrinkage, 0.0))


def _sides(
    X: FloatArray, positive: NDArray[np.bool_], sample_weight: ArrayLike | None
) -> tuple[ClassRows, ClassRows]:
    """The rows of each class, weights normalised within it, rows without weight left out."""
    weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    totals = class_totals(positive, weights)
    sides = []
    for rows, total in zip((positive, ~positive), totals, strict=True):
        rows = rows & (weights > 0)
        sides.append(ClassRows(X[rows], weights[rows] / total))
    return sides[0], sides[1]


def _least_squares(
    positives: ClassRows, negatives: ClassRows, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """The minimiser of the pairwise squared loss, and the middle of the class means."""
    means = [side.weights @ side.x for side in (positives, negatives)]
    delta = means[0] - means[1]
    system = np.outer(delta, delta) + alpha * np.eye(len(delta))
    for side, mean in zip((positives, negatives), means, strict=True):
        centred = (side.x - mean) * np.sqrt(side.weights)[:, None]
        system += centred.T @ centred
    # Least squares rather than a solve: without penalty the system may be singular.
    w: FloatArray = lstsq(system, delta, check_finite=False)[0]
    return w, 0.5 * (means[0] + means[1])
