"""What every pair of laws offers: samples, the true ratio, exact truths, geometry of ROC*."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocstar.checks import FloatArray
from rocstar.geometry.measures import Epsilon, Measure
from rocstar.laws.line import Marginal
from rocstar.laws.measured import star_curve
from rocstar.laws.ratio import Both, RatioLaw

RandomState = int | np.random.Generator | None


class Law(ABC):
    """A positive law ``p`` and a negative law ``q`` whose differences are known exactly.

    A family supplies `dim`, `log_ratio`, one sampler a class, and the law of its log ratio
    (`ratio_law`); truths and geometry follow from the latter.

    Examples
    --------
    >>> from rocstar.laws import GaussianPair, Law
    >>> law = GaussianPair(2.0)
    >>> isinstance(law, Law), f"L* = {law.arc_length:.3f}, AUC* = {law.auc:.3f}, TV = {law.tv:.3f}"
    (True, 'L* = 1.750, AUC* = 0.921, TV = 0.683')
    """

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of columns of a sample."""

    @property
    @abstractmethod
    def ratio_law(self) -> RatioLaw:
        """The law of ``log p/q`` under both classes."""

    @property
    def marginals(self) -> tuple[Marginal, Marginal] | None:
        """Densities and CDFs of ``p`` and ``q`` where the family has them in one dimension."""
        return None

    @abstractmethod
    def _log_ratio(self, X: FloatArray) -> FloatArray:
        """log p(x)/q(x) for the rows of a checked matrix."""

    @abstractmethod
    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        """``n`` rows of one class."""

    # Samples and the true ratio

    def sample(
        self, n_pos: int, n_neg: int, random_state: RandomState = None
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Draw independent rows, the positives first.

        Parameters
        ----------
        n_pos, n_neg : int
            Rows of each class.
        random_state : int, numpy.random.Generator or None
            Seed, generator, or fresh entropy.

        Returns
        -------
        X : array of shape (n_pos + n_neg, dim)
        y : array of int
            1 for the positives, 0 for the negatives.

        Examples
        --------
        >>> from rocstar.laws import GaussianPair
        >>> X, y = GaussianPair(2.0).sample(2, 3, random_state=0)
        >>> X.shape, y.tolist()
        ((5, 1), [1, 1, 0, 0, 0])
        """
        for name, n in (("n_pos", n_pos), ("n_neg", n_neg)):
            if n < 0 or int(n) != n:
                raise ValueError(f"`{name}` must be a non-negative integer; got {n!r}.")
        rng = np.random.default_rng(random_state)
        X = np.concatenate([self._draw(int(n_pos), True, rng), self._draw(int(n_neg), False, rng)])
        y = np.repeat(np.array([1, 0], dtype=np.int64), [int(n_pos), int(n_neg)])
        return X, y

    def log_ratio(self, X: ArrayLike) -> FloatArray:
        """Return log p(x)/q(x) of each row; infinite where one density is zero.

        Examples
        --------
        >>> from rocstar.laws import GaussianPair
        >>> GaussianPair(2.0).log_ratio([[0.0], [1.0], [2.0]])
        array([-2.,  0.,  2.])
        """
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.dim:
            raise ValueError(
                f"`X` must have shape (n, {self.dim}); got {rows.shape}. "
                "Reshape one-dimensional data with `X[:, None]`."
            )
        return self._log_ratio(rows)

    def angle(self, X: ArrayLike) -> FloatArray:
        """Return the optimal angle v* = atan(p/q) of each row, in [0, π/2].

        Examples
        --------
        >>> from rocstar.laws import GaussianPair
        >>> GaussianPair(2.0).angle([[1.0]]) == np.pi / 4
        array([ True])
        """
        return angle_of(self.log_ratio(X))

    # Truths

    @property
    def accuracy(self) -> float:
        """Bound of the relative error of the truths below."""
        return self.ratio_law.accuracy

    @property
    def arc_length(self) -> float:
        """Length of ROC*, L* = ∫ √(p² + q²), in [√2, 2] (theory §1)."""
        return 2.0 - self.ratio_law.overlap

    @property
    def divergence(self) -> float:
        """ROC divergence, L* − √2 (theory §1)."""
        return self.ratio_law.divergence

    @property
    def tv(self) -> float:
        """Total variation distance, ``½ ∫ |p − q|``."""
        return self.ratio_law.tv

    @property
    def auc(self) -> float:
        """Area under ROC*, the largest AUC of any score; ties count one half."""
        return self.ratio_law.auc

    @property
    def balanced_accuracy(self) -> float:
        """Best balanced accuracy of any classifier, (1 + TV)/2."""
        return (1.0 + self.tv) / 2

    def measure(self, measure: Measure) -> float:
        """Return the value of ROC* in any measure of `rocstar.measures`: the best of any rule.

        Parameters
        ----------
        measure : Measure
            An `Epsilon` needs a positive ``delta`` where the ratio has a density, since the ratio
            may then be unbounded.

        Examples
        --------
        >>> from rocstar.laws import GaussianPair
        >>> from rocstar.measures import NetBenefit, RocAuc
        >>> law = GaussianPair(2.0)
        >>> law.measure(RocAuc()) == law.auc
        True
        >>> f"{law.measure(NetBenefit(threshold=0.1, prevalence=0.05)):.4f}"
        '0.0278'
        """
        if isinstance(measure, Epsilon) and measure.delta == 0 and self.ratio_law.continuous:
            raise ValueError(
                "`measure` must have a positive `delta` for a law whose ratio has a density; got "
                "Epsilon(delta=0)."
            )
        return measure.of(star_curve(self.ratio_law))

    @property
    def kl(self) -> float:
        """Kullback–Leibler divergence KL(p‖q) in nats; may be infinite."""
        return self.ratio_law.kl

    @property
    def js(self) -> float:
        """Jensen–Shannon divergence in nats, in [0, log 2]."""
        return self.ratio_law.js

    @property
    def hellinger(self) -> float:
        """Hellinger *distance* H in [0, 1], not squared: H² = 1 − ∫√(pq)."""
        return self.ratio_law.hellinger

    @cached_property
    def wasserstein(self) -> float:
        """Wasserstein distance W₁ in one dimension; may be infinite."""
        if self.dim != 1:
            raise NotImplementedError(
                f"`wasserstein` is known in one dimension only; this law has {self.dim}."
            )
        return self._wasserstein()

    def _wasserstein(self) -> float:
        raise NotImplementedError(f"`wasserstein` of {type(self).__name__} is not known exactly.")

    # Geometry. Thresholds τ are angles in [0, π/2]; ``mix`` in [0, ½] blends the two laws, from
    # ROC* at 0 to the diagonal at ½ (theory §7).

    def roc(self, fpr: ArrayLike) -> FloatArray:
        """Return the height of ROC* at each false positive rate (its upper end at a jump).

        Examples
        --------
        >>> from rocstar.laws import UniformPair
        >>> UniformPair((0, 1), (0.5, 1.5)).roc([0.0, 0.25, 0.5])
        array([0.5 , 0.75, 1.  ])
        """
        level = _within(fpr, 1.0, "fpr")
        return self.ratio_law.roc(level.ravel()).reshape(level.shape)

    def roc_star(self, n: int = 201) -> Curve:
        """Return points of ROC* from (0, 0) to (1, 1), about evenly spaced along it.

        Parameters
        ----------
        n : int
            Number of points, at least two; corners of a polygonal ROC* are added.

        Examples
        --------
        >>> from rocstar.laws import GaussianPair
        >>> fpr, tpr = GaussianPair(2.0).roc_star(101)
        >>> f"{np.trapezoid(tpr, fpr):.3f}"
        '0.921'
        """
        if n < 2:
            raise ValueError(f"`n` must be at least 2; got {n}.")
        return Curve(*self.ratio_law.curve(n))

    def tangent(self, fpr: ArrayLike) -> Tangent:
        """Return ROC* and the angle of its slope at each false positive rate.

        The slope is the likelihood ratio at the threshold, so its angle is the optimal angle there;
        ``(cos(angle), sin(angle))`` is the tangent vector. At a corner it is that of the piece to
        the right.

        Examples
        --------
        >>> from rocstar.laws import DiscretePair
        >>> fpr, tpr, angle = DiscretePair([0.75, 0.25], [0.25, 0.75]).tangent(0.1)
        >>> float(tpr).__round__(6), float(np.tan(angle)).__round__(6)
        (0.3, 3.0)
        """
        level = _within(fpr, 1.0, "fpr")
        z = self.ratio_law.threshold(level.ravel()).reshape(level.shape)
        return Tangent(level, self.roc(level), angle_of(z))

    def mixture_densities(self, tau: ArrayLike, mix: ArrayLike = 0.0) -> Both:
        """Return the densities f₊(τ, mix) and f₋(τ, mix) of the optimal angle under blended laws.

        Blending replaces p by (1 − mix)p + mix·q and q by (1 − mix)q + mix·p; the angle is always
        that of the laws themselves.

        Examples
        --------
        >>> from rocstar.laws import GaussianPair
        >>> pos, neg = GaussianPair(2.0).mixture_densities(np.pi / 4, [0.0, 0.5])
        >>> np.allclose(pos, neg)
        True
        """
        angle, share = np.broadcast_arrays(_within(tau, np.pi / 2, "tau"), _within(mix, 0.5, "mix"))
        inside = (angle > 0) & (angle < np.pi / 2)
        z = log_tan(np.where(inside, angle, np.pi / 4))
        speed = np.sin(2 * np.where(inside, angle, np.pi / 4)) / 2
        pos, neg = (np.where(inside, side / speed, 0.0) for side in self.ratio_law.density(z))
        return Both((1 - share) * pos + share * neg, (1 - share) * neg + share * pos)

    def surface(self, tau: ArrayLike, mix: ArrayLike = 0.0) -> Curve:
        """Return r(τ, mix): the point of the blended laws' ROC curve at threshold τ.

        As ``tau`` runs over [0, π/2] and ``mix`` over [0, ½] it sweeps the region between ROC* and
        the diagonal.

        Examples
        --------
        >>> from rocstar.laws import GaussianPair
        >>> fpr, tpr = GaussianPair(2.0).surface(np.pi / 4, [0.0, 0.5])
        >>> fpr.round(4).tolist(), tpr.round(4).tolist()
        ([0.1587, 0.5], [0.8413, 0.5])
        """
        angle, share = np.broadcast_arrays(_within(tau, np.pi / 2, "tau"), _within(mix, 0.5, "mix"))
        pos, neg = self.ratio_law.sf(log_tan(angle))
        return Curve((1 - share) * neg + share * pos, (1 - share) * pos + share * neg)

    @property
    def surface_area(self) -> float:
        """Area of `surface`, ∬‖∂r/∂τ × ∂r/∂mix‖, which is AUC* − ½ (theory §7)."""
        return self.ratio_law.surface_area


class Curve(NamedTuple):
    """Points in the ROC plane.

    Examples
    --------
    >>> from rocstar.laws import UniformPair
    >>> curve = UniformPair((0, 1), (0.5, 1.5)).roc_star(2)
    >>> curve.fpr, curve.tpr
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """

    fpr: FloatArray
    tpr: FloatArray


class Tangent(NamedTuple):
    """Points of ROC* with the angle of the slope there.

    Examples
    --------
    >>> from rocstar.laws import GaussianPair
    >>> point = GaussianPair(2.0).tangent(0.5)
    >>> f"{point.tpr:.3f}, slope {np.tan(point.angle):.3f}"
    '0.977, slope 0.135'
    """

    fpr: FloatArray
    tpr: FloatArray
    angle: FloatArray


def log_tan(angle: FloatArray) -> FloatArray:
    """log tan on [0, π/2], infinite at the ends."""
    with np.errstate(divide="ignore"):
        low = np.log(np.tan(np.minimum(angle, np.pi / 4)))
        high = -np.log(np.tan(np.minimum(np.pi / 2 - angle, np.pi / 4)))
    return np.where(angle <= np.pi / 4, low, high)


def _within(value: ArrayLike, most: float, name: str) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    if not np.all((array >= 0) & (array <= most)):
        raise ValueError(f"`{name}` must lie in [0, {most:.6g}]; clip it first.")
    return array


def angle_of(z: FloatArray) -> FloatArray:
    """atan(exp(z)) without overflow."""
    small = np.arctan(np.exp(-np.abs(z)))
    return np.where(z > 0, np.pi / 2 - small, small)
