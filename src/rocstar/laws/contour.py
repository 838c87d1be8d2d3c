"""Inversion of moment generating functions along hyperbolas through the saddle point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import FloatArray

# Slope of the hyperbola's asymptotes against the vertical. Less than one, for then exp(s²) decays.
BEND = 0.5
# Shares of that slope to try. Where singularities at very different distances pull to different
# sides, the integrand may climb along the first hyperbola; on the vertical line it never does.
BENDS = (1.0, -1.0, 0.25, -0.25, 0.05)
# exp(−LOST) is below what double precision can notice.
LOST = 40.0
# Trapezoidal step along the contour. The integrand is analytic within 0.8 of the real line, so
# the error is exp(−2π·0.8·12), far below rounding.
STEP = 1 / 12


class Saddles(NamedTuple):
    """Points ``c`` where the integrands exp(K(s) − s·xi)/(s − pole) cross the real line."""

    # `width` is the scale of the bump there, `top` is K(c) − c·xi, and `side` is the sign of the
    # direction in which the integrand falls a few widths above the real line.

    xi: FloatArray
    c: FloatArray
    width: FloatArray
    top: FloatArray
    side: FloatArray

    def rows(self, chosen: NDArray[np.intp]) -> Saddles:
        """Some of the saddles."""
        return Saddles(*(part[chosen] for part in self))


def contour_integral(
    log_transform: Callable[[Any], Any],
    saddles: Saddles,
    pole: float | None,
    last: Callable[[Saddles, float], FloatArray],
) -> FloatArray:
    """Integrals of exp(K(s) − s·xi − top)/(s − pole) ds/(2πi) upward through the saddles."""
    total = np.empty_like(saddles.xi)
    rows = np.arange(len(total))
    for share in BENDS:
        part = saddles.rows(rows)
        total[rows], tame = _along(log_transform, part, pole, last(part, share), share)
        rows = rows[~tame]
        if len(rows) == 0:
            break
    return total


def _along(
    log_transform: Callable[[Any], Any],
    saddles: Saddles,
    pole: float | None,
    last: FloatArray,
    share: float,
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Integrals along hyperbolas, and whether each can be trusted."""
    v = np.linspace(0.0, 1.0, int(np.ceil(last.max() / STEP)) + 1) * last[:, None]
    xi, c, w, top, bend = (part[:, None] for part in saddles)
    bend = share * BEND * bend
    s = c + w * (1j * np.sinh(v) + bend * (np.cosh(v) - 1.0))
    speed = w * (1j * np.cosh(v) + bend * np.sinh(v))
    factor = speed if pole is None else speed / (s - pole)
    exponent = log_transform(s) - s * xi - top
    log_size = exponent.real + np.log(np.abs(factor) / np.abs(factor[:, :1]))
    # Past the point where nothing is left a path may climb again: cut it off there.
    gone = np.logical_or.accumulate(log_size < -LOST, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        value = np.where(gone, 0.0, np.exp(exponent) * factor)
        integral = (np.sum(value.imag, axis=1) - value[:, 0].imag / 2) * v[:, 1] / np.pi
    dies = gone[:, -1] | (log_size[:, -1] < -30.0)
    climbs = np.max(np.where(gone, 0.0, exponent.real), axis=1) > 1.0
    turning = np.abs(np.diff(exponent.imag, axis=1)) > 2.0
    unresolved = np.any(turning & (np.where(gone, -LOST, log_size)[:, 1:] > -9.0), axis=1)
    return integral, dies & ~climbs & ~unresolved
