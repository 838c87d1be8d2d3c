"""ROC curves as polygons, and what measures may ask of any ROC curve (theory §13)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray

PointValue = Callable[[FloatArray, FloatArray], FloatArray]
_Polygon = TypeVar("_Polygon", bound="Polygon")


class RocCurve(Protocol):
    """What a measure may ask of a curve: polygons answer exactly, laws by their own formulas."""

    def height(self, fpr: float) -> float:
        """True positive rate at a false positive rate; the upper end of a jump."""

    def rate(self, tpr: float) -> float:
        """Smallest false positive rate with at least this true positive rate."""

    def area(self, max_fpr: float = 1.0) -> float:
        """Area under the curve up to a false positive rate."""

    def best(self, value: PointValue) -> float:
        """Largest of ``value(fpr, tpr)`` along the curve, for values monotone on straight lines."""

    def reach(self, slope: float) -> float:
        """Largest true positive rate of a point with ``tpr >= slope * fpr``."""

    def precision_area(self, odds: float) -> float:
        """Integral of ``tpr / (tpr + odds * fpr)`` over the true positive rate."""


@dataclass(frozen=True, eq=False)
class Polygon:
    """A curve of straight lines from (0, 0) to (1, 1): concave, or a staircase, or neither."""

    fpr: FloatArray
    tpr: FloatArray

    @classmethod
    def through(cls: type[_Polygon], fpr: npt.ArrayLike, tpr: npt.ArrayLike) -> _Polygon:
        """The polygon through these points in their order; its two ends are added if missing."""
        x, y = (np.asarray(rates, dtype=np.float64) for rates in (fpr, tpr))
        if x.ndim != 1 or x.shape != y.shape:
            raise ValueError(
                f"`fpr` and `tpr` must be vectors of one length; got shapes {x.shape} and "
                f"{y.shape}."
            )
        for name, rates in (("fpr", x), ("tpr", y)):
            inside = (rates >= 0) & (rates <= 1)
            if not inside.all() or (np.diff(rates) < 0).any():
                raise ValueError(
                    f"`{name}` must rise from 0 to 1; got {rates[~inside][0]:.4g}."
                    if not inside.all()
                    else f"`{name}` must be in ascending order; it falls somewhere."
                )
        if x.size == 0 or x[0] > 0 or y[0] > 0:
            x, y = np.append(0.0, x), np.append(0.0, y)
        if x[-1] < 1 or y[-1] < 1:
            x, y = np.append(x, 1.0), np.append(y, 1.0)
        return cls(x, y)

    @classmethod
    def staircase(cls: type[_Polygon], fpr: FloatArray, tpr: FloatArray) -> _Polygon:
        """Steps that have height ``tpr[k]`` from ``fpr[k]`` up to the next rate."""
        x = np.append(np.repeat(fpr, 2), 1.0)
        y = np.concatenate([[0.0], np.repeat(tpr, 2)])
        return cls.through(x, y)

    def height(self, fpr: float) -> float:
        """True positive rate at a false positive rate; the upper end of a jump."""
        left = int(np.searchsorted(self.fpr, fpr, side="right")) - 1
        if self.fpr[left] == fpr:
            return float(self.tpr[left])
        share = (fpr - self.fpr[left]) / (self.fpr[left + 1] - self.fpr[left])
        return float(self.tpr[left] + share * (self.tpr[left + 1] - self.tpr[left]))

    def rate(self, tpr: float) -> float:
        """Smallest false positive rate with at least this true positive rate."""
        right = int(np.searchsorted(self.tpr, tpr, side="left"))
        if right == 0:
            return 0.0
        share = (self.tpr[right] - tpr) / (self.tpr[right] - self.tpr[right - 1])
        return float(self.fpr[right] - share * (self.fpr[right] - self.fpr[right - 1]))

    def area(self, max_fpr: float = 1.0) -> float:
        """Area under the curve up to a false positive rate."""
        inside = self.fpr <= max_fpr
        x = np.append(self.fpr[inside], max_fpr)
        return float(np.trapezoid(np.append(self.tpr[inside], self.height(max_fpr)), x))

    def best(self, value: PointValue) -> float:
        """Largest of ``value(fpr, tpr)`` over the vertices."""
        return float(np.max(value(self.fpr, self.tpr)))

    def reach(self, slope: float) -> float:
        """Largest true positive rate of a point with ``tpr >= slope * fpr``."""
        if np.isinf(slope):
            return self.height(0.0)
        above = self.tpr - slope * self.fpr
        last = int(np.flatnonzero(above >= 0)[-1])
        if last == above.size - 1:
            return 1.0
        share = above[last] / (above[last] - above[last + 1])
        return float(self.tpr[last] + share * (self.tpr[last + 1] - self.tpr[last]))

    def precision_area(self, odds: float) -> float:
        """Integral of ``tpr / (tpr + odds * fpr)`` over the true positive rate."""
        called = self.tpr + odds * self.fpr  # in proportion to all that are called positive
        rises = np.flatnonzero(np.diff(self.tpr) > 0)
        start, rise = called[rises], np.diff(self.tpr)[rises]
        more, t = np.diff(called)[rises], self.tpr[rises]
        first = start < 1e-200  # from (0, 0) the precision is constant
        x = more / np.where(first, 1.0, start)
        # ∫ (t + u·rise)/(start + u·more) du over [0, 1], in terms that are all positive.
        logs = np.log1p(x) / x
        rest = np.where(x < 1e-4, 0.5 - x / 3, (1 - logs) / x)
        inner = (t * logs + rise * rest) / np.where(first, 1.0, start)
        return float(rise @ np.where(first, rise / more, inner))


def concave_majorant(fpr: FloatArray, tpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Vertices of the least concave curve from (0, 0) to (1, 1) above these points."""
    order = np.lexsort((tpr, fpr))
    points = [(0.0, 0.0), *zip(fpr[order].tolist(), tpr[order].tolist(), strict=True), (1.0, 1.0)]
    kept: list[tuple[float, float]] = []
    for x, y in points:
        while len(kept) > 1 and _turns_left(kept[-2], kept[-1], (x, y)):
            kept.pop()
        if not kept or (x, y) != kept[-1]:
            kept.append((x, y))
    vertices = np.array(kept)
    return vertices[:, 0], vertices[:, 1]


def _turns_left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Whether the way from a over b to c bends upwards or not at all."""
    return (b[0] - a[0]) * (c[1] - a[1]) >= (b[1] - a[1]) * (c[0] - a[0])
