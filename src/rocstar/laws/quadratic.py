r"""Log ratios that are quadratic forms of many Gaussian coordinates.

In canonical coordinates ``q`` is N(0, I) and ``p`` is N(m, diag λ). The transform

.. math:: M(s) = \int p^s q^{1-s}, \qquad \log M(s) = -\frac12 \sum_i \Big[(s-1)\log\lambda_i
          + \log D_i + \frac{s(1-s)m_i^2}{D_i}\Big], \quad D_i = \lambda_i + s(1-\lambda_i),

is the moment generating function of ``z`` under ``q``, and :math:`M(1+s)` that under ``p``. Its
only singularities lie on the real line outside [0, 1]. Densities and tails of ``z`` are contour
integrals of :math:`M(s) e^{-sz}`, taken along a hyperbola through the saddle point (Helstrom's
method): the integrand is a single bump there, so far tails keep their relative accuracy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from rocstar.checks import FloatArray
from rocstar.laws.contour import BEND, LOST, STEP, Saddles, contour_integral
from rocstar.laws.quadrature import Rule, refined, tanh_sinh
from rocstar.laws.ratio import Both, Nodes, RatioLaw, monotone_root

# Above this m²/|1−λ| a coordinate's own turning value is so far out that measuring from it would
# cost digits; such a coordinate is nearly Gaussian and needs no such care.
FAR = 1e4


def _log(d: Any) -> Any:
    """Principal logarithm; by its parts, which NumPy computes ten times faster."""
    return np.log(np.abs(d)) + 1j * np.angle(d) if np.iscomplexobj(d) else np.log(d)


def _stretch(low: float, high: float) -> tuple[Callable[[FloatArray], FloatArray], float, float]:
    """An increasing map of the line onto (low, high), and how far to follow it."""
    # Finite ends are singular: stop where rounding would put the image on them.
    width = (
        high - low if np.isfinite(high - low) else max(1.0, abs(low if np.isinf(high) else high))
    )
    near_low, near_high = (
        np.log(width / 1e-13 / max(1.0, abs(end))) if np.isfinite(end) else 45.0
        for end in (low, high)
    )
    if np.isinf(low):
        return lambda y: high - width * np.exp(-y), -near_low, near_high
    if np.isinf(high):
        return lambda y: low + width * np.exp(y), -near_low, near_high

    def between(y: FloatArray) -> FloatArray:
        share = 1.0 / (1.0 + np.exp(np.abs(y)))
        return np.where(y < 0, low + width * share, high - width * share)

    return between, -near_low, near_high


class QuadraticRatio(RatioLaw):
    """The log ratio of N(shift, diag variance) × N(delta, 1) against the standard normal law."""

    method_accuracy = 1e-9

    def __init__(self, shift: FloatArray, variance: FloatArray, delta: float) -> None:
        self.delta = delta
        # Coordinates of one variance enter through their number and their total shift.
        distinct, group = np.unique(np.round(variance, 12), return_inverse=True)
        self.groups = [
            (float(v), int(np.sum(group == k)), float(np.sum(shift[group == k] ** 2)))
            for k, v in enumerate(distinct)
        ]
        poles = -distinct / (1.0 - distinct)
        self.s_min = float(np.max(poles[poles < 0], initial=-np.inf))
        self.s_max = float(np.min(poles[poles > 0], initial=np.inf))
        self.degrees = len(variance)
        # log M(s) = s·z0 + O(log s) for large s (if delta = 0): the turning value of the form.
        self.z0 = -(delta**2) / 2
        # log M(s) falls like −gaussian_part·|s|²/2 until far groups show their curvature.
        self.gaussian_part = delta**2 + sum(
            m2 / v for v, _, m2 in self.groups if self._is_far(v, m2)
        )
        for v, n, m2 in self.groups:
            self.z0 -= n * np.log(v) / 2
            self.z0 += 0.0 if self._is_far(v, m2) else m2 / (1.0 - v) / 2

    @staticmethod
    def _is_far(v: float, m2: float) -> bool:
        return m2 > FAR * abs(1.0 - v)

    # K(s) = log M(s) − s·z0 and its derivatives

    def _log_transform(self, s: Any) -> Any:
        total = self.delta**2 * s**2 / 2
        for v, n, m2 in self.groups:
            e = 1.0 - v
            d = v + s * e
            total = total + n * (np.log(v) - _log(d)) / 2
            total = total - m2 * s * ((1 - s) if self._is_far(v, m2) else 1 / e) / d / 2
        return total

    def _slope(self, s: Any) -> Any:
        total = self.delta**2 * s
        for v, n, m2 in self.groups:
            e = 1.0 - v
            d = v + s * e
            polynomial = m2 / e / 2 if self._is_far(v, m2) else 0.0
            total = total + polynomial - n * e / d / 2 - m2 * v / e / d**2 / 2
        return total

    def _curvature(self, s: FloatArray) -> FloatArray:
        total = np.full_like(s, self.delta**2)
        for v, n, m2 in self.groups:
            d = v + s * (1.0 - v)
            total = total + n * ((1.0 - v) / d) ** 2 / 2 + m2 * v / d**3
        return total

    # Saddle points

    def _solve(
        self,
        rising: Callable[[FloatArray, FloatArray], FloatArray],
        goal: FloatArray,
        low: float,
        high: float,
    ) -> FloatArray:
        """Solve ``rising(s, goal) = 0`` for s in (low, high); to an end where there is none."""
        stretch, first, last = _stretch(low, high)
        # The contour may pass a little beside the saddle, but (low, high) may be long.
        y = monotone_root(
            lambda y, goal: rising(stretch(y), goal),
            np.full(goal.shape, first),
            np.full(goal.shape, last),
            goal,
            atol=1e-10,
            rtol=1e-10,
        )
        return stretch(y)

    # Contour integrals

    def _contour(
        self, xi: FloatArray, pole: float | None, low: float, high: float
    ) -> tuple[FloatArray, FloatArray]:
        """Integrate exp(K(s) − s·xi)/(s − pole) ds/(2πi) over a path crossing (low, high)."""
        # Returns the log of the integrand's size at the saddle, and the integral relative to it.

        def rising(s: FloatArray, xi: FloatArray) -> FloatArray:
            attraction = 0.0 if pole is None else 1.0 / (s - pole)
            return np.asarray(self._slope(s) - xi - attraction)

        c = self._solve(rising, xi, low, high)
        curvature = self._curvature(c) + (0.0 if pole is None else 1.0 / (c - pole) ** 2)
        width = 1.0 / np.sqrt(curvature)
        top = np.asarray(self._log_transform(c) - c * xi)
        slope_above = self._slope(c + 4j * width).real
        side = np.where(slope_above > xi, -1.0, 1.0)

        def last(saddles: Saddles, share: float) -> FloatArray:
            return self._path_end(saddles, share, self.degrees / 2 - (pole is None))

        saddles = Saddles(xi, c, width, top, side)
        return top, contour_integral(self._log_transform, saddles, pole, last)

    def _path_end(self, saddles: Saddles, share: float, rate: float) -> FloatArray:
        """Contour parameter at which the integrand, falling like |s|^−rate at least, is lost."""
        ends = []
        if rate > 0:
            ends.append(np.full_like(saddles.xi, LOST / rate))
        if rate <= 0 or share == 1:
            pull = saddles.width * BEND * np.abs(share * saddles.xi)
            ends.append(np.arccosh(1.0 + LOST / np.maximum(pull, 1e-300)))
        if self.gaussian_part > 0:
            # Re s² = −(1 − BEND²)|Im s|² along the asymptote.
            decay = self.gaussian_part * (1 - BEND**2) / 2
            ends.append(np.arcsinh(np.sqrt(LOST / decay) / saddles.width))
        # Until the asymptotes take over, the bump itself falls like exp(−v²/2).
        return np.asarray(np.minimum.reduce(ends) + 3.0)

    def _log_density(self, xi: FloatArray) -> FloatArray:
        """Log density of ``z`` under ``q``, at z0 + xi."""
        inside = self._supported(xi)
        top, total = self._contour(xi[inside], None, self.s_min, self.s_max)
        log_density = np.full(xi.shape, -np.inf)
        with np.errstate(divide="ignore"):
            log_density[inside] = top + np.log(np.maximum(total, 0.0))
        return log_density

    def density(self, z: FloatArray) -> Both:
        """Densities by inversion."""
        z = np.asarray(z, dtype=np.float64)
        xi = z.ravel() - self.z0
        log_neg = self._log_density(xi)
        return Both(*(np.exp(log_neg + a).reshape(z.shape) for a in (z.ravel(), 0.0)))

    def _supported(self, xi: FloatArray) -> NDArray[np.bool_]:
        low, high = self._support
        return (xi > low) & (xi < high)

    @property
    def _support(self) -> tuple[float, float]:
        """Range of xi: a form with all λ on one side of one is bounded."""
        smooth = self.gaussian_part > 0
        low = 0.0 if np.isinf(self.s_min) and not smooth else -np.inf
        high = 0.0 if np.isinf(self.s_max) and not smooth else np.inf
        return low, high

    def _tail(self, xi: FloatArray, pole: float, *, above: bool) -> FloatArray:
        """P(Z > z0 + xi), or P(Z < z0 + xi); under ``q`` for pole 0, under ``p`` for pole 1."""
        ends = (pole, self.s_max) if above else (self.s_min, pole)
        top, total = self._contour(xi, pole, *ends)
        # Under p the integrand is that of q times exp(z).
        tail = np.exp(top + pole * (xi + self.z0)) * np.abs(total)
        return np.asarray(np.minimum(tail, 1.0))

    def _tails(self, z: FloatArray, pole: float) -> tuple[FloatArray, FloatArray]:
        """(P(Z < z), P(Z > z)): the smaller one by inversion, the other by difference."""
        xi = np.asarray(z, dtype=np.float64).ravel() - self.z0
        cdf = np.where(xi >= self._support[1], 1.0, 0.0)
        sf = 1.0 - cdf
        supported = self._supported(xi) & np.isfinite(xi)
        cdf[xi == np.inf], sf[xi == np.inf] = 1.0, 0.0
        upper = supported & (xi > self._slope(np.array([pole]))[0])
        lower = supported & ~upper
        if upper.any():
            sf[upper] = self._tail(xi[upper], pole, above=True)
            cdf[upper] = 1.0 - sf[upper]
        if lower.any():
            cdf[lower] = self._tail(xi[lower], pole, above=False)
            sf[lower] = 1.0 - cdf[lower]
        return cdf.reshape(np.shape(z)), sf.reshape(np.shape(z))

    def cdf(self, z: FloatArray) -> Both:
        """CDFs by inversion."""
        return Both(self._tails(z, 1.0)[0], self._tails(z, 0.0)[0])

    def sf(self, z: FloatArray) -> Both:
        """Survival functions by inversion."""
        return Both(self._tails(z, 1.0)[1], self.negative_sf(z))

    def negative_sf(self, z: FloatArray) -> FloatArray:
        """Survival function under ``q``."""
        return self._tails(z, 0.0)[1]

    # Quadrature of z

    @cached_property
    def _window(self) -> tuple[float, float]:
        """Range of xi that holds all but exp(−LOST) of both laws."""
        low, high = self._support
        if np.isinf(low):
            low = self._tail_end(0.0, self.s_min)
        if np.isinf(high):
            high = self._tail_end(1.0, self.s_max)
        return low, high

    def _tail_end(self, pole: float, limit: float) -> float:
        """The xi at which Chernoff's bound of the tail towards ``limit`` is exp(−LOST)."""

        def excess(s: float) -> float:
            slope = float(self._slope(np.array([s]))[0])
            return float(self._log_transform(s)) + self.z0 * pole - (s - pole) * slope + LOST

        def towards(reach: float) -> float:
            # From the pole, at most to the limit.
            return pole + float(np.copysign(reach / (1 + reach / abs(limit - pole)), limit))

        reach = 1.0 / float(np.sqrt(self._curvature(np.array([pole]))[0]))
        while excess(towards(reach)) > 0:
            reach *= 2
        s = optimize.brentq(excess, pole, towards(reach), xtol=1e-9)
        return float(self._slope(np.array([s]))[0])

    @cached_property
    def _rule(self) -> Rule:
        """Segments between the turning value, the means, ``p = q`` and the far tails."""
        low, high = self._window
        cuts = np.concatenate([[0.0, -self.z0], self._slope(np.array([0.0, 1.0]))])
        return refined(self._rule_on, np.unique(np.clip(np.r_[low, cuts, high], low, high)))

    def _rule_on(self, low: FloatArray, high: FloatArray) -> Rule:
        xi, weight = tanh_sinh(low, high)
        z = (xi + self.z0).ravel()
        log_neg = self._log_density(xi.ravel())
        pos, neg = (np.exp(part).reshape(xi.shape) * weight for part in (log_neg + z, log_neg))
        nothing = np.zeros_like(xi)
        return Rule(low, high, z.reshape(xi.shape), pos, neg, nothing, nothing)

    @property
    def nodes(self) -> Nodes:
        """Tanh-sinh nodes on segments short enough."""
        return self._rule.nodes

    @cached_property
    def auc(self) -> float:
        r"""AUC* by Parseval's formula, :math:`1 - \frac1{4\pi}\int |M(½+it)|^2/(¼+t^2)\,dt`."""
        # The difference of independent log ratios of a positive and a negative has moment
        # generating function M(1+s)M(−s), which on the line Re s = −½ is |M(½+it)|²: smooth and
        # positive.
        width = min(0.5, 1.0 / np.sqrt(self._curvature(np.array([0.5]))[0]))
        v = np.arange(0.0, 45.0, STEP)
        t = width * np.sinh(v)
        log_size = 2 * np.real(self._log_transform(0.5 + 1j * t)) + self.z0
        value = np.exp(log_size) / (0.25 + t**2) * width * np.cosh(v)
        return float(1.0 - STEP * (np.sum(value) - value[0] / 2) / (2 * np.pi))
