"""Laws made from laws: flipped labels, warped spaces, irrelevant dimensions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rocstar.checks import FloatArray
from rocstar.laws.base import Law
from rocstar.laws.noise import noisy_log_ratio, with_label_noise
from rocstar.laws.ratio import RatioLaw
from rocstar.laws.wasserstein import warped_wasserstein


@dataclass(frozen=True, eq=False)
class LabelNoise(Law):
    """A law some of whose labels are wrong: p' = (1 − a)p + aq and q' = (1 − b)q + bp.

    ROC* of the noisy law is a linear image of the clean one; TV and AUC* − ½ shrink by 1 − a − b.

    Parameters
    ----------
    law : Law
        The clean law.
    flip_pos, flip_neg : float
        ``a``, the share of rows labelled positive that are negatives, and ``b``, the share of rows
        labelled negative that are positives; at most one together.

    Examples
    --------
    >>> from rocstar.laws import UniformPair
    >>> clean = UniformPair((0, 1), (0.5, 1.5))
    >>> round(LabelNoise(clean, 0.1, 0.3).tv / clean.tv, 12)
    0.6
    """

    law: Law
    flip_pos: float = 0.1
    flip_neg: float = 0.1

    def __post_init__(self) -> None:
        for name in ("flip_pos", "flip_neg"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise ValueError(f"`{name}` must lie in [0, 1]; got {share}.")
        if self.flip_pos + self.flip_neg > 1:
            raise ValueError(
                "`flip_pos` + `flip_neg` must be at most one; "
                f"got {self.flip_pos + self.flip_neg}. Swap the classes instead."
            )

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return self.law.dim

    @cached_property
    def ratio_law(self) -> RatioLaw:
        """The clean one, mixed."""
        return with_label_noise(self.law.ratio_law, self.flip_pos, self.flip_neg)

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        return noisy_log_ratio(self.law.log_ratio(X), self.flip_pos, self.flip_neg)

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        flipped = rng.random(n) < (self.flip_pos if positive else self.flip_neg)
        X = np.empty((n, self.dim))
        X[~flipped] = self.law._draw(int(np.sum(~flipped)), positive, rng)
        X[flipped] = self.law._draw(int(np.sum(flipped)), not positive, rng)
        return X

    def _wasserstein(self) -> float:
        keep = 1.0 - self.flip_pos - self.flip_neg
        return keep * self.law.wasserstein if keep > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Warped(Law):
    """A law seen through an invertible map of its space.

    Every truth but `wasserstein` is unchanged: the ratio of two densities ignores coordinates.

    Parameters
    ----------
    law : Law
        The law before the map.
    forward, inverse : callable
        The map and its inverse, from arrays of shape (n, dim) to arrays of the same shape.

    Examples
    --------
    >>> from rocstar.laws import GaussianPair
    >>> law = Warped(GaussianPair(1.0), np.exp, np.log)  # two log-normal laws
    >>> f"{law.auc:.6f} {law.wasserstein:.6f}"
    '0.760250 2.832968'
    """

    law: Law
    forward: Callable[[FloatArray], FloatArray]
    inverse: Callable[[FloatArray], FloatArray]

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return self.law.dim

    @property
    def ratio_law(self) -> RatioLaw:
        """That of the law before the map."""
        return self.law.ratio_law

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        return self.law.log_ratio(self.inverse(X))

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        return np.asarray(self.forward(self.law._draw(n, positive, rng)), dtype=np.float64)

    def _wasserstein(self) -> float:
        marginals = self.law.marginals
        distance = None
        if marginals is not None:
            distance = warped_wasserstein(*marginals, lambda x: self.forward(x[:, None])[:, 0])
        if distance is None:
            raise NotImplementedError(
                "`wasserstein` of this warped law is not known; ask the law before the map, "
                "`law.wasserstein`."
            )
        return distance


@dataclass(frozen=True, eq=False)
class Padded(Law):
    """A law with further columns of standard normal noise that say nothing about the class.

    Parameters
    ----------
    law : Law
        The law of the first columns.
    extra : int
        Number of columns to add.

    Examples
    --------
    >>> from rocstar.laws import GaussianPair
    >>> law = Padded(GaussianPair(1.0), extra=9)
    >>> law.dim, law.sample(2, 3, random_state=0)[0].shape
    (10, (5, 10))
    """

    law: Law
    extra: int

    def __post_init__(self) -> None:
        if self.extra < 0 or int(self.extra) != self.extra:
            raise ValueError(f"`extra` must be a non-negative integer; got {self.extra}.")

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return self.law.dim + self.extra

    @property
    def ratio_law(self) -> RatioLaw:
        """That of the law without the noise."""
        return self.law.ratio_law

    def _log_ratio(self, X: FloatArray) -> FloatArray:
        return self.law.log_ratio(X[:, : self.law.dim])

    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> FloatArray:
        noise = rng.standard_normal((n, self.extra))
        return np.hstack([self.law._draw(n, positive, rng), noise])

    def _wasserstein(self) -> float:
        return self.law.wasserstein
