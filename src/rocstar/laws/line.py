"""Log ratios that are a function of one real coordinate, not necessarily a monotone one.

The real line is cut where the log ratio turns. On each piece it is monotone, so a level set
``{z ≤ t}`` is one interval a piece, found by root finding, and its mass is a difference of CDFs.
Integrals run over the coordinate itself, cut wherever ``z`` meets a turning value (there the CDF
of ``z`` has the singularity of a square root) and at ``p = q``; the tanh-sinh rule is exact to
rounding on such segments.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import FloatArray
from rocstar.laws.quadrature import Rule, refined, tanh_sinh
from rocstar.laws.ratio import Both, Nodes, RatioLaw, monotone_root


class Marginal(Protocol):
    """A law on the line."""

    @property
    def center(self) -> float:
        """A point in the bulk of the law."""

    @property
    def knots(self) -> FloatArray:
        """Points around which the density may change its shape quickly."""

    @property
    def scale(self) -> float:
        """Length of the narrowest feature of the density."""

    @property
    def window(self) -> tuple[float, float]:
        """Interval outside which the law has no mass that matters."""

    def logpdf(self, x: FloatArray) -> FloatArray:
        """Log density."""

    def score(self, x: FloatArray) -> FloatArray:
        """Derivative of the log density."""

    def cdf(self, x: FloatArray) -> FloatArray:
        """P(X ≤ x)."""

    def sf(self, x: FloatArray) -> FloatArray:
        """P(X > x)."""


def interval_mass(law: Marginal, low: FloatArray, high: FloatArray) -> FloatArray:
    """Mass of ``[low, high]``, from the tail in which nothing cancels."""
    right = law.sf(low) - law.sf(high)
    left = law.cdf(high) - law.cdf(low)
    return np.where(low > law.center, right, left)


class _Pieces(NamedTuple):
    """Monotone pieces of the log ratio, in the stretched coordinate."""

    start: FloatArray
    stop: FloatArray
    z_start: FloatArray
    z_stop: FloatArray

    @property
    def rising(self) -> NDArray[np.bool_]:
        return self.z_stop > self.z_start


class LineRatio(RatioLaw):
    """The log ratio of two laws on the line."""

    def __init__(self, pos: Marginal, neg: Marginal) -> None:
        self.pos, self.neg = pos, neg

    # The coordinate x = c + s·sinh(u) makes heavy tails short and leaves the bulk as it is.

    @cached_property
    def _center(self) -> float:
        return (self.pos.center + self.neg.center) / 2

    @cached_property
    def _scale(self) -> float:
        return max(self.pos.scale, self.neg.scale, abs(self.pos.center - self.neg.center) / 2)

    def _x(self, u: FloatArray) -> FloatArray:
        return self._center + self._scale * np.sinh(u)

    def _u(self, x: FloatArray) -> FloatArray:
        return np.arcsinh((x - self._center) / self._scale)

    def _z(self, u: FloatArray) -> FloatArray:
        x = self._x(u)
        return self.pos.logpdf(x) - self.neg.logpdf(x)

    def _slope(self, u: FloatArray) -> FloatArray:
        """dz/du."""
        x = self._x(u)
        return (self.pos.score(x) - self.neg.score(x)) * self._scale * np.cosh(u)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        lows, highs = zip(self.pos.window, self.neg.window, strict=True)
        low, high = self._u(np.array([min(lows), max(highs)]))
        return float(low), float(high)

    @cached_property
    def _pieces(self) -> _Pieces:
        low, high = self._ends
        grid = [np.linspace(low, high, 4001)]
        for law in (self.pos, self.neg):
            near = law.knots[:, None] + law.scale * np.linspace(-8, 8, 161)
            grid.append(self._u(near.ravel()))
        u = np.unique(np.clip(np.concatenate(grid), low, high))
        slope = self._slope(u)
        # A turn may fall on the grid itself: judge it by its neighbours.
        u, slope = u[slope != 0], slope[slope != 0]
        turn = np.flatnonzero(slope[:-1] * slope[1:] < 0)
        zero = np.zeros(len(turn))
        turns = monotone_root(lambda u, _: self._slope(u), u[turn], u[turn + 1], zero)
        edges = np.concatenate([[low], turns, [high]])
        edges = self._without_ripples(edges)
        z = self._z(edges)
        return _Pieces(edges[:-1], edges[1:], z[:-1], z[1:])

    def _without_ripples(self, edges: FloatArray) -> FloatArray:
        """Drop turns between which ``z`` moves by rounding only, as it does on a flat tail."""
        height = self._z(edges)
        kept = [0]
        for k in range(1, len(edges)):
            step = abs(height[k] - height[kept[-1]])
            if step > 1e-13 * max(1.0, abs(height[k])):
                kept.append(k)
            elif len(kept) > 1:
                kept.pop()
        inner = [k for k in kept if 0 < k < len(edges) - 1]
        return edges[[0, *inner, len(edges) - 1]]

    def _crossings(self, z: FloatArray) -> FloatArray:
        """Where each monotone piece meets level ``z``, clipped to the piece: (len(z), pieces)."""
        start, stop, z_start, z_stop = self._pieces
        start, stop = (np.broadcast_to(a, (len(z), len(a))) for a in (start, stop))
        # Infinite levels are as good as levels just out of reach, and can be subtracted.
        reach = np.concatenate([z_start, z_stop])
        level = np.clip(z, reach.min() - 1.0, reach.max() + 1.0)
        level = np.broadcast_to(level[:, None], start.shape)
        return monotone_root(lambda u, level: self._z(u) - level, start, stop, level)

    def _mass(self, u: FloatArray, *, above: bool) -> Both:
        """Masses of ``z`` above (below) the level whose crossings are ``u``."""
        pieces = self._pieces
        upper_part = pieces.rising == above
        low = self._x(np.where(upper_part, u, pieces.start))
        high = self._x(np.where(upper_part, pieces.stop, u))
        return Both(*(interval_mass(law, low, high).sum(axis=1) for law in (self.pos, self.neg)))

    def _levels(self, z: FloatArray, *, above: bool) -> Both:
        z = np.asarray(z, dtype=np.float64)
        masses = self._mass(self._crossings(z.ravel()), above=above)
        return Both(*(np.clip(mass, 0.0, 1.0).reshape(z.shape) for mass in masses))

    def cdf(self, z: FloatArray) -> Both:
        """Masses of the sublevel set."""
        return self._levels(z, above=False)

    def sf(self, z: FloatArray) -> Both:
        """Masses of the superlevel set."""
        return self._levels(z, above=True)

    def density(self, z: FloatArray) -> Both:
        """Sum over the crossings of density divided by speed."""
        z = np.asarray(z, dtype=np.float64)
        u = self._crossings(z.ravel())
        pieces = self._pieces
        inside = (u > pieces.start) & (u < pieces.stop)
        with np.errstate(divide="ignore"):
            stretch = self._scale * np.cosh(u) / np.abs(self._slope(u))
        x = self._x(u)
        laws = (self.pos, self.neg)
        parts = (np.where(inside, np.exp(law.logpdf(x)) * stretch, 0.0) for law in laws)
        return Both(*(part.sum(axis=1).reshape(z.shape) for part in parts))

    def coordinates_at(self, z: FloatArray) -> FloatArray:
        """Points at which the log ratio takes the values ``z``, ascending."""
        pieces = self._pieces
        u = self._crossings(z)
        return np.unique(self._x(u[(u > pieces.start) & (u < pieces.stop)]))

    def quadrature(self, *cuts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Points and weights that integrate ``dx``, exact to rounding between the cuts."""
        known = (self._rule.low, self._rule.high)
        edges = np.unique(np.concatenate([*known, *(self._u(cut) for cut in cuts)]))
        u, weight = (a.ravel() for a in tanh_sinh(edges[:-1], edges[1:]))
        return self._x(u), weight * self._scale * np.cosh(u)

    @cached_property
    def _cuts(self) -> FloatArray:
        """Where the integrands have knots or singularities, in the stretched coordinate."""
        pieces = self._pieces
        levels = np.unique(np.concatenate([pieces.z_start, pieces.z_stop, [0.0]]))
        knots = self._u(np.concatenate([self.pos.knots, self.neg.knots]))
        crossings = self._crossings(levels).ravel()
        edges = np.concatenate([crossings, pieces.start, pieces.stop, knots])
        edges = np.unique(np.clip(edges, *self._ends))
        apart = np.r_[True, np.diff(edges) > 1e-12 * np.maximum(1.0, np.abs(edges[1:]))]
        return np.asarray(edges[apart])

    @cached_property
    def _rule(self) -> Rule:
        return refined(self._rule_on, self._cuts)

    def _rule_on(self, low: FloatArray, high: FloatArray) -> Rule:
        u, weight = tanh_sinh(low, high)
        x = self._x(u)
        weight = weight * self._scale * np.cosh(u)
        log_pos, log_neg = self.pos.logpdf(x), self.neg.logpdf(x)
        z = log_pos - log_neg
        cdf = self._cdf_at(u.ravel(), z.ravel())
        pos, neg = np.exp(log_pos) * weight, np.exp(log_neg) * weight
        return Rule(low, high, z, pos, neg, *(side.reshape(z.shape) for side in cdf))

    def _cdf_at(self, u: FloatArray, z: FloatArray) -> Both:
        """CDFs of ``z`` at known coordinates: on its own piece each one is its own crossing."""
        pieces = self._pieces
        own = np.clip(np.searchsorted(pieces.start, u, side="right") - 1, 0, None)
        alone = len(pieces.start) == 1
        crossings = u[:, None].copy() if alone else self._crossings(z)
        crossings[np.arange(len(u)), own] = u
        return self._mass(crossings, above=False)

    @property
    def nodes(self) -> Nodes:
        """Tanh-sinh nodes on segments short enough."""
        return self._rule.nodes

    @cached_property
    def node_cdf(self) -> Both:
        """CDFs at the nodes, computed with them."""
        return self._rule.node_cdf
