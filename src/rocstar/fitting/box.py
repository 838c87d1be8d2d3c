"""The paper's exact problem, held in memory: every angle inside the box [0, π/2] (theory §3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocstar.checks import BoolArray, FloatArray
from rocstar.fitting.coordinates import Coordinates, coordinates_of

__all__ = ["BoxProblem", "RowLosses"]

RIGHT_ANGLE = np.pi / 2


@dataclass(frozen=True)
class RowLosses:
    """One convex loss per row: ``−weight·sin v`` of positives, ``−weight·cos v`` of negatives."""

    positive: BoolArray
    weights: FloatArray

    upper = RIGHT_ANGLE

    def value(self, v: FloatArray) -> FloatArray:
        """Each row's loss."""
        return -self.weights * np.sin(self._turned(v))

    def slope(self, v: FloatArray) -> FloatArray:
        """Each row's first derivative."""
        slope = self.weights * np.cos(self._turned(v))
        return np.negative(slope, out=slope, where=self.positive)

    def _turned(self, v: FloatArray) -> FloatArray:
        """The angle from the other axis for negatives: one sine or cosine per row is enough."""
        return np.where(self.positive, v, RIGHT_ANGLE - v)

    def curvature(self, v: FloatArray) -> FloatArray:
        """Each row's second derivative, which is minus its loss."""
        return -self.value(v)

    def young_gap(self, v: FloatArray, y: FloatArray) -> FloatArray:
        """Fenchel–Young gap ``f(v) + f*(y) − y v`` of each row, with the box inside ``f``."""
        # It is non-negative, and zero exactly where y is a subgradient of f at v, so its sum bounds
        # how far v is from optimal once y is a feasible dual point. The conjugate ``f*(y) = max of
        # y u − f(u) over the box`` is attained where ``f'(u) = y``, or at an end.
        c = self.weights
        k = np.clip(np.where(self.positive, -y, y), 0.0, c)
        other = np.sqrt((c - k) * (c + k))
        u = np.where(self.positive, np.arctan2(other, k), np.arctan2(k, other))
        u = np.where(y > np.where(self.positive, 0.0, c), RIGHT_ANGLE, u)
        return np.maximum(self.value(v) - self.value(u) - y * (v - u), 0.0)

    def __getitem__(self, rows: BoolArray) -> RowLosses:
        return RowLosses(self.positive[rows], self.weights[rows])


@dataclass(frozen=True)
class BoxProblem:
    """Arc length over functions that keep every sample inside the box."""

    # min −Σ₊ cᵢ sin vᵢ − Σ₋ cᵢ cos vᵢ + α/2 ‖w‖² with 0 ≤ vᵢ = φᵢᵀw + b ≤ π/2: convex on the box
    # (theory §3). The intercept b is not penalised.

    phi: FloatArray
    positive: BoolArray
    weights: FloatArray  # c, with class normalisation and objective weights multiplied in
    alpha: float
    fit_intercept: bool = True

    def __post_init__(self) -> None:
        phi, weights = (np.asarray(x, dtype=np.float64) for x in (self.phi, self.weights))
        positive = np.asarray(self.positive, dtype=bool)
        if phi.ndim != 2:
            raise ValueError(f"`phi` must have two dimensions; got {phi.ndim}.")
        if positive.shape != phi.shape[:1] or weights.shape != phi.shape[:1]:
            raise ValueError(
                f"`positive` and `weights` must have one entry for each of the {len(phi)} rows "
                f"of `phi`; got shapes {positive.shape} and {weights.shape}."
            )
        if not (np.isfinite(phi).all() and np.isfinite(weights).all()):
            raise ValueError("`phi` and `weights` must be finite; got NaN or infinity.")
        if weights.size and weights.min() < 0:
            raise ValueError(f"`weights` must be non-negative; got {weights.min()}.")
        if not 0 <= self.alpha < np.inf:
            raise ValueError(f"`alpha` must be non-negative and finite; got {self.alpha}.")
        for name, array in (("phi", phi), ("positive", positive), ("weights", weights)):
            object.__setattr__(self, name, array)

    @property
    def n_coefficients(self) -> int:
        """Length of ``w``, the intercept included."""
        return int(self.phi.shape[1]) + int(self.fit_intercept)

    @property
    def losses(self) -> RowLosses:
        """The losses, one per row."""
        return RowLosses(self.positive, self.weights)

    @property
    def safe(self) -> FloatArray:
        """Coefficients that are feasible for any rows: the angle π/4, or 0 without intercept."""
        w = np.zeros(self.n_coefficients)
        if self.fit_intercept:
            w[-1] = RIGHT_ANGLE / 2
        return w

    def angles(self, w: FloatArray) -> FloatArray:
        """The angle of every row under coefficients ``w``, not clipped."""
        d = self.phi.shape[1]
        angles: FloatArray = self.phi @ w[:d] + w[d:].sum()
        return angles

    def value(self, w: FloatArray) -> float:
        """The objective at ``w``, whether or not ``w`` is feasible."""
        slopes = w[: self.phi.shape[1]]
        loss = self.losses.value(self.angles(w)).sum()
        return float(loss + 0.5 * self.alpha * (slopes @ slopes))

    @cached_property
    def coordinates(self) -> Coordinates:
        """Coordinates in which dependent and badly scaled columns are harmless."""
        return coordinates_of(self.phi, self.fit_intercept)

    @property
    def penalty(self) -> FloatArray:
        """The ridge penalty as a quadratic form of the coordinates."""
        return self.alpha * self.coordinates.square

    def with_alpha(self, alpha: float) -> BoxProblem:
        """The same rows at another penalty; the coordinates are not computed again."""
        other = BoxProblem(self.phi, self.positive, self.weights, alpha, self.fit_intercept)
        # Where a cached property keeps its value.
        other.__dict__["coordinates"] = self.coordinates
        return other
