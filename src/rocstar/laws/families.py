"""Families of two or more laws with known truth: what all offer, and laws on finitely many points.

Truths are those of theory §15. A family supplies its densities, a sampler and its `cells`: a
partition so fine that each class's share of every cell tells all the truths, which then follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import KDTree

from rocstar.checks import FloatArray
from rocstar.laws.base import RandomState


class LawFamily(ABC):
    """K laws whose differences are known exactly.

    Examples
    --------
    >>> from rocstar.laws import GaussianFamily, LawFamily
    >>> law = GaussianFamily([[0.0], [1.0], [2.0]])
    >>> isinstance(law, LawFamily), f"{law.arc_length:.4f} {law.balanced_accuracy:.4f}"
    (True, '2.0784 0.5886')
    """

    @property
    @abstractmethod
    def n_classes(self) -> int:
        """Number of laws, K."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of columns of a sample."""

    @property
    @abstractmethod
    def _cells(self) -> FloatArray:
        """Share of every cell (columns) in each class (rows); those of a class sum to one."""

    @abstractmethod
    def _log_densities(self, X: FloatArray) -> FloatArray:
        """Log density of each class at the rows, up to a constant of the row: (n, K)."""

    @abstractmethod
    def _draw(self, n: int, k: int, rng: np.random.Generator) -> FloatArray:
        """``n`` rows of class ``k``."""

    def sample(
        self, sizes: int | Sequence[int], random_state: RandomState = None
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Draw independent rows, class after class.

        Parameters
        ----------
        sizes : int or sequence of K int
            Rows of every class, or of each.
        random_state : int, numpy.random.Generator or None

        Returns
        -------
        X : array of shape (n, dim)
        y : array of int
            Classes are numbered from 0.

        Examples
        --------
        >>> from rocstar.laws import GaussianFamily
        >>> X, y = GaussianFamily([[0.0], [1.0], [2.0]]).sample([2, 1, 1], random_state=0)
        >>> X.shape, y.tolist()
        ((4, 1), [0, 0, 1, 2])
        """
        counts = np.broadcast_to(np.asarray(sizes), (self.n_classes,))
        if counts.dtype.kind not in "iu" or (counts < 0).any():
            raise ValueError(
                f"`sizes` must be one non-negative integer, or one per class; got {sizes!r}."
            )
        rng = np.random.default_rng(random_state)
        X = np.concatenate([self._draw(int(n), k, rng) for k, n in enumerate(counts)])
        return X, np.repeat(np.arange(self.n_classes, dtype=np.int64), counts)

    def direction(self, X: ArrayLike) -> FloatArray:
        """Return the optimal direction p/‖p‖ of each row: unit vectors of shape (n, K).

        Examples
        --------
        >>> from rocstar.laws import GaussianFamily
        >>> GaussianFamily([[0.0], [2.0]]).direction([[1.0]]).round(4)
        array([[0.7071, 0.7071]])
        """
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.dim:
            raise ValueError(f"`X` must have shape (n, {self.dim}); got {rows.shape}.")
        logs = self._log_densities(rows)
        u = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(u / np.linalg.norm(u, axis=1, keepdims=True))

    # Truths

    @cached_property
    def arc_length(self) -> float:
        """∫ ‖(p₁, …, p_K)‖₂, in [√K, K]."""
        return float(np.linalg.norm(self._cells, axis=0).sum())

    @property
    def divergence(self) -> float:
        """Arc length less √K, its value for identical laws."""
        return self.arc_length - float(np.sqrt(self.n_classes))

    @cached_property
    def balanced_accuracy(self) -> float:
        """Best mean recall of any classifier, (1/K) ∫ max p."""
        return float(self._cells.max(axis=0).sum()) / self.n_classes

    @cached_property
    def pairwise_auc(self) -> FloatArray:
        """Largest AUC of each class against each other one, of shape (K, K); ½ on the diagonal."""
        return self._pairwise(best_auc, 0.5)

    @cached_property
    def pairwise_tv(self) -> FloatArray:
        """Total variation distance of each pair, of shape (K, K)."""
        return self._pairwise(lambda p, q: float(np.abs(p - q).sum()) / 2, 0.0)

    @property
    def mean_pairwise_auc(self) -> float:
        """Mean of `pairwise_auc` over the pairs."""
        return float(self.pairwise_auc[np.triu_indices(self.n_classes, 1)].mean())

    @cached_property
    def one_versus_rest_auc(self) -> FloatArray:
        """Largest AUC of each class against the mixture of the others in equal shares."""
        cells = self._cells
        rest = (cells.sum(axis=0) - cells) / (self.n_classes - 1)
        return np.array([best_auc(own, other) for own, other in zip(cells, rest, strict=True)])

    def _pairwise(
        self, figure: Callable[[FloatArray, FloatArray], float], diagonal: float
    ) -> FloatArray:
        out = np.full((self.n_classes, self.n_classes), diagonal)
        for i, j in zip(*np.triu_indices(self.n_classes, 1), strict=True):
            out[i, j] = out[j, i] = figure(self._cells[i], self._cells[j])
        return out


def best_auc(pos: FloatArray, neg: FloatArray) -> float:
    """Area under the optimal ROC curve of two laws on the same cells."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(np.where(pos + neg > 0, pos / (pos + neg), 0.0))
    # Cells of one ratio lie on one segment of the curve, whatever their order.
    below = np.cumsum(neg[order]) - neg[order] / 2
    return float(pos[order] @ below)


@dataclass(frozen=True, eq=False)
class FiniteFamily(LawFamily):
    """K laws on finitely many points.

    Parameters
    ----------
    probabilities : array-like of shape (K, m)
        Probabilities of the points, one line per class.
    support : None or array-like of shape (m,) or (m, dim)
        The points, all different; ``None`` stands for 0, …, m − 1.

    Examples
    --------
    >>> law = FiniteFamily([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
    >>> law.balanced_accuracy, law.mean_pairwise_auc
    (0.5, 0.875)
    """

    probabilities: ArrayLike
    support: ArrayLike | None = None

    def __post_init__(self) -> None:
        masses = np.asarray(self.probabilities, dtype=np.float64)
        if masses.ndim != 2 or len(masses) < 2 or (masses < 0).any():
            raise ValueError(
                "`probabilities` must be a matrix of non-negative numbers with one line per "
                f"class, two or more; got shape {masses.shape}."
            )
        if not np.allclose(masses.sum(axis=1), 1.0):
            raise ValueError("`probabilities` of each class must sum to one; normalise them.")
        given = np.arange(masses.shape[1]) if self.support is None else self.support
        points = np.asarray(given, dtype=np.float64)
        points = points[:, None] if points.ndim == 1 else points
        if len(points) != masses.shape[1]:
            raise ValueError(
                f"`support` must hold one point per probability, {masses.shape[1]}; "
                f"got {len(points)}."
            )
        masses = masses / masses.sum(axis=1, keepdims=True)
        object.__setattr__(self, "probabilities", masses)
        object.__setattr__(self, "support", points)

    @property
    def n_classes(self) -> int:
        """Number of laws."""
        return len(self._cells)

    @property
    def dim(self) -> int:
        """Number of columns of a sample."""
        return int(np.asarray(self.support).shape[1])

    @property
    def _cells(self) -> FloatArray:
        return np.asarray(self.probabilities)

    def _log_densities(self, X: FloatArray) -> FloatArray:
        _, index = KDTree(np.asarray(self.support)).query(X)
        with np.errstate(divide="ignore"):
            return np.log(self._cells[:, index].T)

    def _draw(self, n: int, k: int, rng: np.random.Generator) -> FloatArray:
        index = rng.choice(self._cells.shape[1], size=n, p=self._cells[k])
        return np.asarray(np.asarray(self.support)[index])
