r"""Pointwise losses of the angle model: value, slope and curvature of each sample's term.

Swapping the classes reflects the angle at π/4, so one function of a *margin* serves both classes:
``u = c + s (z − c)`` with ``s = ±1`` the class and ``c`` the score at which the ratio is one. A
positive has ``u = z``; a negative has the mirrored score. The term being maximised is the sine of
the angle at ``u``, which for a negative is the cosine of the angle at ``z`` (theory §4, §5).
"""

from __future__ import annotations

from math import log, pi
from typing import NamedTuple, Protocol

from rocstar.fitting.arrays import Array, into, namespace
from rocstar.fitting.rows import NO_WORKSPACE, Workspace

HALF_PI = pi / 2


class Pointwise(NamedTuple):
    """The loss at each margin: minus the sine that enters the arc length, plus a charge or none."""

    term: Array
    slope: Array
    curvature: Array | None
    charge: Array | None

    @property
    def value(self) -> Array:
        return -self.term if self.charge is None else self.charge - self.term


class Loss(Protocol):
    """What a problem needs of a loss; add one by writing these members."""

    center: float

    def pointwise(self, u: Array, order: int, memory: Workspace = NO_WORKSPACE) -> Pointwise: ...

    def angle(self, z: Array) -> Array: ...


class Tangent:
    """The sine, continued past the box by its tangent: convex, C¹, 1-Lipschitz (theory §4)."""

    # ψ(u) = −sin u on [0, π/2], −u below and −1 above.

    center = pi / 4

    def pointwise(self, u: Array, order: int, memory: Workspace = NO_WORKSPACE) -> Pointwise:
        xp = namespace(u)
        slope = into(memory.slope, xp.clip, u, 0.0, HALF_PI)
        slope = into(memory.slope, xp.cos, slope)
        slope *= -1.0
        # One trigonometric function per row: the sine's last digits near 0 are not worth a second.
        term = into(memory.term, xp.multiply, slope, slope)
        term -= 1.0
        term = into(memory.term, xp.sqrt, into(memory.term, xp.negative, term))
        curvature = xp.where(u > HALF_PI, 0.0, term) if order > 1 else None
        # Only the overshoot below the box is charged.
        charge = into(memory.charge, xp.clip, into(memory.charge, xp.negative, u), 0.0, None)
        return Pointwise(term, slope, curvature, charge)

    def angle(self, z: Array) -> Array:
        return namespace(z).clip(z, 0.0, HALF_PI)


class LogRatio:
    """The log-ratio model, angle = atan(exp z): unconstrained but not convex (theory §5)."""

    # With s = sin v and c = cos v at the margin, the loss is −s, its slope −s c² and its curvature
    # s c² (2 s² − c²).

    center = 0.0

    def pointwise(self, u: Array, order: int, memory: Workspace = NO_WORKSPACE) -> Pointwise:
        xp = namespace(u)
        # exp(-|u|) never overflows; below exp(-350) its square would leave the normal numbers.
        decay = xp.exp(-xp.clip(xp.abs(u), 0.0, 350.0))
        norm = xp.sqrt(1.0 + decay * decay)
        large, small = 1.0 / norm, decay / norm
        ahead = u >= 0
        sine, cosine = xp.where(ahead, large, small), xp.where(ahead, small, large)
        cosine2 = cosine * cosine
        slope = -sine * cosine2
        curvature = slope * (cosine2 - 2.0 * sine * sine) if order > 1 else None
        return Pointwise(sine, slope, curvature, None)

    def angle(self, z: Array) -> Array:
        xp = namespace(z)
        # Just before exp overflows; atan is π/2 to the last bit long before.
        limit = 0.98 * log(float(xp.finfo(z.dtype).max))
        return xp.atan(xp.exp(xp.clip(z, -limit, limit)))


LOSSES: dict[str, Loss] = {"tangent": Tangent(), "log": LogRatio()}
