"""What every pair of laws offers: samples, the true ratio, exact truths and the geometry of ROC*."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocstar.laws.ratio import Array, RatioLaw

RandomState = int | np.random.Generator | None


class Law(ABC):
    """A positive law ``p`` and a negative law ``q`` whose differences are known exactly.

    A family supplies `dim`, `log_ratio`, one sampler a class, and the law of its log ratio
    (`ratio_law`); truths and geometry follow from the latter.
    """

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of columns of a sample."""

    @property
    @abstractmethod
    def ratio_law(self) -> RatioLaw:
        """The law of ``log p/q`` under both classes."""

    @abstractmethod
    def _log_ratio(self, X: Array) -> Array:
        """log p(x)/q(x) for the rows of a checked matrix."""

    @abstractmethod
    def _draw(self, n: int, positive: bool, rng: np.random.Generator) -> Array:
        """``n`` rows of one class."""

    # Samples and the true ratio

    def sample(
        self, n_pos: int, n_neg: int, random_state: RandomState = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Draw independent rows, the positives first.

        Parameters
        ----------
        n_pos, n_neg : int
            Rows of each class.
        random_state : int, numpy.random.Generator or None
            Seed, generator, or fresh entropy.

        Returns
        -------
        X : array of shape (n_pos + n_neg, dim)
        y : array of int
            1 for the positives, 0 for the negatives.
        """
        for name, n in (("n_pos", n_pos), ("n_neg", n_neg)):
            if n < 0 or int(n) != n:
                raise ValueError(f"`{name}` must be a non-negative integer; got {n!r}.")
        rng = np.random.default_rng(random_state)
        X = np.concatenate([self._draw(int(n_pos), True, rng), self._draw(int(n_neg), False, rng)])
        y = np.repeat(np.array([1, 0], dtype=np.int64), [int(n_pos), int(n_neg)])
        return X, y

    def log_ratio(self, X: ArrayLike) -> Array:
        """Return log p(x)/q(x) of each row; infinite where one density is zero."""
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.dim:
            raise ValueError(
                f"`X` must have shape (n, {self.dim}); got {rows.shape}. "
                "Reshape one-dimensional data with `X[:, None]`."
            )
        return self._log_ratio(rows)

    def angle(self, X: ArrayLike) -> Array:
        """Return the optimal angle v* = atan(p/q) of each row, in [0, π/2]."""
        return angle_of(self.log_ratio(X))

    # Truths

    @property
    def accuracy(self) -> float:
        """Bound of the relative error of the truths below."""
        return self.ratio_law.accuracy

    @property
    def arc_length(self) -> float:
        """Length of ROC*, L* = ∫ √(p² + q²), in [√2, 2] (theory §1)."""
        return 2.0 - self.ratio_law.overlap

    @property
    def divergence(self) -> float:
        """ROC divergence, L* − √2 (theory §1)."""
        return self.ratio_law.divergence

    @property
    def tv(self) -> float:
        """Total variation distance, ½ ∫ |p − q|."""
        return self.ratio_law.tv

    @property
    def auc(self) -> float:
        """Area under ROC*, the largest AUC of any score; ties count one half."""
        return self.ratio_law.auc

    @property
    def balanced_accuracy(self) -> float:
        """Best balanced accuracy of any classifier, (1 + TV)/2."""
        return (1.0 + self.tv) / 2

    @property
    def kl(self) -> float:
        """Kullback–Leibler divergence KL(p‖q) in nats; may be infinite."""
        return self.ratio_law.kl

    @property
    def js(self) -> float:
        """Jensen–Shannon divergence in nats, in [0, log 2]."""
        return self.ratio_law.js

    @property
    def hellinger(self) -> float:
        """Hellinger *distance* H in [0, 1], not squared: H² = 1 − ∫√(pq)."""
        return self.ratio_law.hellinger

    @cached_property
    def wasserstein(self) -> float:
        """Wasserstein distance W₁ in one dimension; may be infinite."""
        if self.dim != 1:
            raise NotImplementedError(
                f"`wasserstein` is known in one dimension only; this law has {self.dim}."
            )
        return self._wasserstein()

    def _wasserstein(self) -> float:
        raise NotImplementedError(f"`wasserstein` of {type(self).__name__} is not known exactly.")

    # Geometry

    def roc(self, fpr: ArrayLike) -> Array:
        """Return the height of ROC* at each false positive rate (its upper end at a jump)."""
        level = np.asarray(fpr, dtype=np.float64)
        if not np.all((level >= 0) & (level <= 1)):
            raise ValueError("`fpr` must lie in [0, 1]; clip it first.")
        return self.ratio_law.roc(level.ravel()).reshape(level.shape)


def angle_of(z: Array) -> Array:
    """atan(exp(z)) without overflow."""
    small = np.arctan(np.exp(-np.abs(z)))
    return np.where(z > 0, np.pi / 2 - small, small)
