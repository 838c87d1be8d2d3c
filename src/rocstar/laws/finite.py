"""Pairs whose ratio takes finitely many values: discrete laws, and uniform laws on boxes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from rocstar.checks import FloatArray
from rocstar.laws.atoms import AtomicRatio
from rocstar.laws.base import Law


@dataclass(frozen=True, eq=False)
class DiscretePair(Law):
    """Two laws on finitely many points.

    Parameters
    ----------
    pos, neg : array-like of shape (k,)
        Probabilities of the points under each law.
    support : None or array-like of shape (k,) or (k, dim)
        The points, all different; ``None`` stands for 0, …, k − 1.

    Examples
    --------
    >>> law = DiscretePair([0.5, 0.5, 0.0], [0.25, 0.25, 0.5])
    >>> law.tv, law.auc, law.kl == np.log(2)
    (0.5, 0.75, np.True_)
    """

    pos: ArrayLike
    neg: ArrayLike
    support: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name in ("pos", "neg"):
            object.__setattr__(self, name, _probabilities(getattr(self, name), name))
        k = len(np.asarray(self.pos))
        given = np.arange(k) if self.support is None else self.support
        points = np.asarray(given, dtype=np.float64)
        points = points[:, None] if points.ndim == 1 else points
        if len(np.asarray(self.neg)) != k or len(points) != k:
            raise ValueError(
                f"`pos`, `neg` and `support` must have one length; got {k}, "
                f"{len(np.asarray(self.neg))} and {len(points)}."
            )
        if len(np.unique(points, axis=0)) != k:
            raise ValueError("`support` must hold different points; merge those that repeat.")
        object.__setattr__(self, "support", points)

    @cached_property
    def _masses(self) -> tuple[FloatArray, FloatArray]:
        return np.asarray(self.pos, dtype=float), np.asarray(self.neg, dtype=float)

    @cached_property
    def _points(self) -> FloatArray:
        return np.asarray(self.support, dtype=float)

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return int(self._points.shape[1])

    @cached_property
    def ratio_law(self) -> AtomicRatio:
        """One atom for each distinct ratio."""
        return AtomicRatio(*self._masses)

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        # A point may come back from a warp with its last digits changed.
        distance, index = KDTree(self._points).query(X)
        strange = np.flatnonzero(distance > 1e-9 * (1.0 + np.abs(X).max(axis=1, initial=0.0)))
        if strange.size:
            raise ValueError(
                f"`X` must hold points of the support only; got {X[strange[0]].tolist()}."
            )
        return log_quotient(self._masses[0][index], self._masses[1][index])

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        mass = self._masses[0 if positive else 1]
        return np.asarray(self._points[rng.choice(len(mass), size=n, p=mass)])

    def _wasserstein(self) -> float:
        order = np.argsort(self._points[:, 0])
        gap = np.cumsum((self._masses[0] - self._masses[1])[order])[:-1]
        return float(np.sum(np.abs(gap) * np.diff(self._points[order, 0])))


@dataclass(frozen=True, eq=False)
class UniformPair(Law):
    """Uniform laws on two boxes, overlapping or not.

    Parameters
    ----------
    positive, negative : tuple (low, high)
        Corners of the boxes; numbers in one dimension, vectors in more. Equal boxes give identical
        laws, boxes that do not meet give disjoint ones.

    Examples
    --------
    >>> UniformPair((0, 1), (0.25, 1.25)).tv
    0.25
    >>> UniformPair((0, 1), (5, 6)).arc_length
    2.0
    """

    positive: tuple[ArrayLike, ArrayLike] = (0.0, 1.0)
    negative: tuple[ArrayLike, ArrayLike] = (0.5, 1.5)

    def __post_init__(self) -> None:
        corners = np.broadcast_arrays(*(np.atleast_1d(a) for a in (*self.positive, *self.negative)))
        low_pos, high_pos, low_neg, high_neg = (np.array(c, dtype=np.float64) for c in corners)
        for name, low, high in (
            ("positive", low_pos, high_pos),
            ("negative", low_neg, high_neg),
        ):
            if not (np.all(np.isfinite(low) & np.isfinite(high)) and np.all(low < high)):
                raise ValueError(
                    f"`{name}` must be (low, high) with low < high in every coordinate; "
                    f"got {getattr(self, name)}."
                )
            object.__setattr__(self, name, (low, high))

    @cached_property
    def _boxes(self) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        boxes = [(np.asarray(b[0]), np.asarray(b[1])) for b in (self.positive, self.negative)]
        return boxes[0], boxes[1]

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return len(self._boxes[0][0])

    @cached_property
    def ratio_law(self) -> AtomicRatio:
        """Three atoms: the overlap and what each box has for itself."""
        (low_pos, high_pos), (low_neg, high_neg) = self._boxes
        overlap = np.minimum(high_pos, high_neg) - np.maximum(low_pos, low_neg)
        # Ratios of lengths coordinate by coordinate, so that large dimensions do not underflow.
        pos = float(np.prod(np.maximum(overlap, 0.0) / (high_pos - low_pos)))
        neg = float(np.prod(np.maximum(overlap, 0.0) / (high_neg - low_neg)))
        return AtomicRatio(np.array([0.0, pos, 1 - pos]), np.array([1 - neg, neg, 0.0]))

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        """Log ratio; zero outside both boxes, where it is not defined."""
        (low_pos, high_pos), (low_neg, high_neg) = self._boxes
        in_pos = np.all((low_pos <= X) & (high_pos >= X), axis=1)
        in_neg = np.all((low_neg <= X) & (high_neg >= X), axis=1)
        inside = float(np.sum(np.log(high_neg - low_neg) - np.log(high_pos - low_pos)))
        z = np.where(in_pos, np.where(in_neg, inside, np.inf), np.where(in_neg, -np.inf, 0.0))
        return np.asarray(z)

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        low, high = self._boxes[0 if positive else 1]
        return rng.uniform(low, high, size=(n, self.dim))

    def _wasserstein(self) -> float:
        """∫|Q₊ − Q₋| of two quantile functions that are straight lines."""
        (low_pos, high_pos), (low_neg, high_neg) = self._boxes
        a, b = float(low_pos[0] - low_neg[0]), float(high_pos[0] - high_neg[0])
        if a * b >= 0:
            return (abs(a) + abs(b)) / 2
        return (a**2 + b**2) / (abs(a) + abs(b)) / 2


def log_quotient(pos: FloatArray, neg: FloatArray) -> FloatArray:
    """log(pos/neg), infinite where one is zero, zero where both are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.log(pos) - np.log(neg)
    return np.asarray(np.where((pos == 0) & (neg == 0), 0.0, z))


def _probabilities(value: ArrayLike, name: str) -> FloatArray:
    mass = np.asarray(value, dtype=np.float64)
    if mass.ndim != 1 or len(mass) == 0 or not np.all(np.isfinite(mass)) or np.any(mass < 0):
        raise ValueError(f"`{name}` must be a vector of non-negative numbers; got {value!r}.")
    if abs(mass.sum() - 1.0) > 1e-9:
        raise ValueError(f"`{name}` must sum to one; got {mass.sum()}. Divide it by its sum.")
    return np.asarray(mass / mass.sum())
