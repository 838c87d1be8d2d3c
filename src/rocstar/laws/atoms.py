"""Log ratios that take finitely many values: discrete and uniform pairs, and identical laws."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rocstar.checks import FloatArray
from rocstar.laws.ratio import Both, Nodes, RatioLaw


class AtomicRatio(RatioLaw):
    """Finitely many log ratios, infinite ones included, each with its mass under both laws."""

    method_accuracy = 1e-14
    continuous = False

    def __init__(self, pos: FloatArray, neg: FloatArray) -> None:
        used = (pos > 0) | (neg > 0)
        self._pos, self._neg = pos[used], neg[used]

    @cached_property
    def nodes(self) -> Nodes:
        """The atoms, by increasing log ratio."""
        with np.errstate(divide="ignore"):
            z = np.log(self._pos) - np.log(self._neg)
        order = np.argsort(z, kind="stable")
        z, pos, neg = z[order], self._pos[order], self._neg[order]
        # Ratios equal but for rounding are one point of the curve's slope, hence one atom.
        with np.errstate(invalid="ignore"):
            new = np.r_[True, ~((z[1:] == z[:-1]) | (np.abs(np.diff(z)) < 1e-13))]
        first = np.flatnonzero(new)
        return Nodes(z[first], np.add.reduceat(pos, first), np.add.reduceat(neg, first))

    @classmethod
    def identical(cls) -> AtomicRatio:
        """The log ratio of two equal laws: zero."""
        return cls(np.ones(1), np.ones(1))

    def cdf(self, z: FloatArray) -> Both:
        """Mid-CDFs."""
        return Both(self._below(z, self.nodes.pos), self._below(z, self.nodes.neg))

    def sf(self, z: FloatArray) -> Both:
        """Mid-survival functions."""
        return Both(*(1.0 - side for side in self.cdf(z)))

    def _below(self, z: FloatArray, mass: FloatArray) -> FloatArray:
        total = np.r_[0.0, np.cumsum(mass)]
        left = np.searchsorted(self.nodes.z, z, side="left")
        right = np.searchsorted(self.nodes.z, z, side="right")
        return np.asarray((total[left] + total[right]) / 2)

    def density(self, z: FloatArray) -> Both:
        """Refuse: atoms have no density."""
        raise ValueError(
            "The ratio of this law takes finitely many values, so its angle has no density; "
            "ask for `roc_star` or `surface` instead."
        )

    @cached_property
    def corners(self) -> Both:
        """Vertices of ROC*, from (0, 0) to (1, 1): (tpr, fpr)."""
        _, pos, neg = self.nodes
        tpr = np.r_[0.0, np.cumsum(pos[::-1])]
        fpr = np.r_[0.0, np.cumsum(neg[::-1])]
        return Both(tpr / tpr[-1], fpr / fpr[-1])

    def threshold(self, fpr: FloatArray) -> FloatArray:
        """Log ratio of the segment of ROC* that holds ``fpr``."""
        # The last segment that starts at or before fpr, steepest first.
        segment = np.searchsorted(self.corners.neg, fpr, side="right") - 1
        return self.nodes.z[::-1][np.clip(segment, 0, len(self.nodes.z) - 1)]

    def roc(self, fpr: FloatArray) -> FloatArray:
        """Height of the polygon at ``fpr``; its upper end where it rises vertically."""
        tpr, corner = self.corners
        # np.interp takes an arbitrary end of a vertical segment: drop its lower ones.
        last = np.r_[corner[1:] > corner[:-1], True]
        return np.interp(fpr, corner[last], tpr[last])

    def curve(self, n: int) -> tuple[FloatArray, FloatArray]:
        """Corners, and points between them."""
        tpr, fpr = self.corners
        length = np.r_[0.0, np.cumsum(np.hypot(np.diff(fpr), np.diff(tpr)))]
        # Positions along the polygon, since several corners may share one rate.
        place = np.union1d(length, np.linspace(0.0, length[-1], n))
        return np.interp(place, length, fpr), np.interp(place, length, tpr)
