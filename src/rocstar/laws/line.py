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

from rocstar.laws.ratio import Both, Nodes, RatioLaw
from rocstar.laws.roots import Array, monotone_root


class Marginal(Protocol):
    """A law on the line."""

    @property
    def center(self) -> float:
        """A point in the bulk of the law."""

    @property
    def knots(self) -> Array:
        """Points around which the density may change its shape quickly."""

    @property
    def scale(self) -> float:
        """Length of the narrowest feature of the density."""

    @property
    def window(self) -> tuple[float, float]:
        """Interval outside which the law has no mass that matters."""

    def logpdf(self, x: Array) -> Array:
        """Log density."""

    def score(self, x: Array) -> Array:
        """Derivative of the log density."""

    def cdf(self, x: Array) -> Array:
        """P(X ≤ x)."""

    def sf(self, x: Array) -> Array:
        """P(X > x)."""


def interval_mass(law: Marginal, low: Array, high: Array) -> Array:
    """Mass of ``[low, high]``, from the tail in which nothing cancels."""
    right = law.sf(low) - law.sf(high)
    left = law.cdf(high) - law.cdf(low)
    return np.where(low > law.center, right, left)


def tanh_sinh(edges: Array, step: float = 1 / 16) -> tuple[Array, Array]:
    """Nodes and weights of the tanh-sinh rule on each segment between ``edges``, concatenated."""
    t = np.arange(-int(3.2 / step), int(3.2 / step) + 1) * step
    share = 1.0 / (1.0 + np.exp(-np.pi * np.sinh(t)))
    weight = step * np.pi * np.cosh(t) * share * (1.0 - share)
    # Measure each node from the nearer edge: next to a large edge its offset would be lost.
    low, width = edges[:-1, None], np.diff(edges)[:, None]
    high = edges[1:, None]
    rest = 1.0 / (1.0 + np.exp(np.pi * np.sinh(t)))
    nodes = np.where(share < 0.5, low + width * share, high - width * rest)
    return nodes.ravel(), (width * weight).ravel()


class _Pieces(NamedTuple):
    """Monotone pieces of the log ratio, in the stretched coordinate."""

    start: Array
    stop: Array
    z_start: Array
    z_stop: Array

    @property
    def rising(self) -> NDArray[np.bool_]:
        return self.z_stop > self.z_start


class LineRatio(RatioLaw):
    """The log ratio of two laws on the line.

    Parameters
    ----------
    pos, neg : Marginal
        The two laws; they must not be equal.
    """

    def __init__(self, pos: Marginal, neg: Marginal) -> None:
        self.pos, self.neg = pos, neg

    # The coordinate x = c + s·sinh(u) makes heavy tails short and leaves the bulk as it is.

    @cached_property
    def _center(self) -> float:
        return (self.pos.center + self.neg.center) / 2

    @cached_property
    def _scale(self) -> float:
        return max(self.pos.scale, self.neg.scale, abs(self.pos.center - self.neg.center) / 2)

    def _x(self, u: Array) -> Array:
        return self._center + self._scale * np.sinh(u)

    def _u(self, x: Array) -> Array:
        return np.arcsinh((x - self._center) / self._scale)

    def _z(self, u: Array) -> Array:
        x = self._x(u)
        return self.pos.logpdf(x) - self.neg.logpdf(x)

    def _slope(self, u: Array) -> Array:
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

    def _without_ripples(self, edges: Array) -> Array:
        """Drop pairs of turns between which ``z`` moves by rounding only."""
        kept = [edges[0]]
        height = self._z(edges)
        level = height[0]
        for edge, z in zip(edges[1:-1], height[1:-1], strict=True):
            if abs(z - level) > 1e-11 * max(1.0, abs(z)):
                kept.append(edge)
                level = z
            elif len(kept) > 1:
                level = self._z(np.array([kept[-2]]))[0]
                kept.pop()
        return np.array([*kept, edges[-1]])

    def _crossings(self, z: Array) -> Array:
        """Where each monotone piece meets level ``z``, clipped to the piece: (len(z), pieces)."""
        start, stop, _, _ = (np.broadcast_to(a, (len(z), len(a))) for a in self._pieces)
        level = np.broadcast_to(z[:, None], start.shape)
        return monotone_root(lambda u, level: self._z(u) - level, start, stop, level)

    def _mass(self, u: Array, *, above: bool) -> Both:
        """Masses of ``z`` above (below) the level whose crossings are ``u``."""
        pieces = self._pieces
        upper_part = pieces.rising == above
        low = self._x(np.where(upper_part, u, pieces.start))
        high = self._x(np.where(upper_part, pieces.stop, u))
        return Both(*(interval_mass(law, low, high).sum(axis=1) for law in (self.pos, self.neg)))

    def _levels(self, z: Array, *, above: bool) -> Both:
        z = np.asarray(z, dtype=np.float64)
        masses = self._mass(self._crossings(z.ravel()), above=above)
        return Both(*(np.clip(mass, 0.0, 1.0).reshape(z.shape) for mass in masses))

    def cdf(self, z: Array) -> Both:
        """Masses of the sublevel set."""
        return self._levels(z, above=False)

    def sf(self, z: Array) -> Both:
        """Masses of the superlevel set."""
        return self._levels(z, above=True)

    def density(self, z: Array) -> Both:
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

    def coordinates_at(self, z: Array) -> Array:
        """Points at which the log ratio takes the values ``z``, ascending."""
        pieces = self._pieces
        u = self._crossings(z)
        return np.unique(self._x(u[(u > pieces.start) & (u < pieces.stop)]))

    def quadrature(self, *cuts: Array) -> tuple[Array, Array]:
        """Points and weights that integrate ``dx``, exact to rounding between the cuts."""
        u, weight = self._stretched_quadrature(*(self._u(cut) for cut in cuts))
        return self._x(u), weight * self._scale * np.cosh(u)

    def _stretched_quadrature(self, *cuts: Array) -> tuple[Array, Array]:
        pieces = self._pieces
        levels = np.unique(np.concatenate([pieces.z_start, pieces.z_stop, [0.0]]))
        knots = self._u(np.concatenate([self.pos.knots, self.neg.knots]))
        crossings = self._crossings(levels).ravel()
        edges = np.concatenate([crossings, pieces.start, pieces.stop, knots, *cuts])
        edges = np.unique(np.clip(edges, *self._ends))
        apart = np.r_[True, np.diff(edges) > 1e-12 * np.maximum(1.0, np.abs(edges[1:]))]
        return tanh_sinh(edges[apart])

    @cached_property
    def _node_coordinates(self) -> tuple[Array, Array]:
        return self._stretched_quadrature()

    @cached_property
    def nodes(self) -> Nodes:
        """Tanh-sinh nodes on the segments between all cuts."""
        u, weight = self._node_coordinates
        x = self._x(u)
        weight = weight * self._scale * np.cosh(u)
        log_pos, log_neg = self.pos.logpdf(x), self.neg.logpdf(x)
        return Nodes(log_pos - log_neg, np.exp(log_pos) * weight, np.exp(log_neg) * weight)

    @cached_property
    def node_cdf(self) -> Both:
        """CDFs at the nodes: on its own piece each node is its own crossing."""
        u, _ = self._node_coordinates
        pieces = self._pieces
        own = np.clip(np.searchsorted(pieces.start, u, side="right") - 1, 0, None)
        if len(pieces.start) == 1:
            crossings = u[:, None].copy()
        else:
            crossings = self._crossings(self.nodes.z)
            crossings[np.arange(len(u)), own] = u
        return self._mass(crossings, above=False)
