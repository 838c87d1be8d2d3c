"""The paper's exact problem, held in memory: every angle inside the box [0, π/2] (theory §3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr, solve_triangular, svd

__all__ = ["BoxProblem", "Coordinates", "RowLosses"]

Floats = NDArray[np.float64]

RIGHT_ANGLE = np.pi / 2
_EPS = float(np.finfo(np.float64).eps)
# Least eigenvalue of the Gram matrix of unit columns above which they serve as coordinates.
_WELL_CONDITIONED = 1e-6
# A direction shorter than this share of unit columns is taken for rounding: to use it, coefficients
# would have to be so large that their last digit moves the angles by more than 1e-8.
_RESOLVED = 1e-8
# Columns that depend on others to this accuracy are duplicates, combinations or surplus.
_EXACT = 1e-12


@dataclass(frozen=True)
class RowLosses:
    """One convex loss a row on [0, π/2]: ``−weight·sin v`` if positive, ``−weight·cos v`` if not.

    Parameters
    ----------
    positive : ndarray of bool
        The class of each row.
    weights : ndarray
        One non-negative weight a row.

    Examples
    --------
    >>> import numpy as np
    >>> rows = RowLosses(np.array([True, False]), np.ones(2))
    >>> angle = np.array([np.pi / 2, 0.0])
    >>> rows.value(angle).tolist()
    [-1.0, -1.0]
    """

    positive: NDArray[np.bool_]
    weights: Floats

    upper = RIGHT_ANGLE

    def value(self, v: Floats) -> Floats:
        """Each row's loss."""
        return -self.weights * np.where(self.positive, np.sin(v), np.cos(v))

    def slope(self, v: Floats) -> Floats:
        """Each row's first derivative."""
        return self.weights * np.where(self.positive, -np.cos(v), np.sin(v))

    def curvature(self, v: Floats) -> Floats:
        """Each row's second derivative, which is minus its loss."""
        return -self.value(v)

    def young_gap(self, v: Floats, y: Floats) -> Floats:
        r"""Fenchel–Young gap ``f(v) + f*(y) − y v`` of each row, with the box inside ``f``.

        It is non-negative, and zero exactly where y is a subgradient of f at v, so its sum
        bounds how far v is from optimal once y is a feasible dual point. The conjugate
        ``f*(y) = max of y u − f(u) over the box`` is attained where ``f'(u) = y``, or at an end.
        """
        c = self.weights
        k = np.clip(np.where(self.positive, -y, y), 0.0, c)
        other = np.sqrt((c - k) * (c + k))
        u = np.where(self.positive, np.arctan2(other, k), np.arctan2(k, other))
        u = np.where(y > np.where(self.positive, 0.0, c), RIGHT_ANGLE, u)
        return np.maximum(self.value(v) - self.value(u) - y * (v - u), 0.0)

    def __getitem__(self, rows: NDArray[np.bool_]) -> RowLosses:
        return RowLosses(self.positive[rows], self.weights[rows])


@dataclass(frozen=True)
class Coordinates:
    """``v = basis x`` with well-conditioned columns, and the way back ``w = back x``.

    Attributes
    ----------
    basis : ndarray of shape (n_rows, rank)
        A basis of the angles the model can produce.
    back : ndarray of shape (n_coefficients, rank)
        The shortest coefficients that produce each of them, the intercept last if there is one.
    penalty : ndarray of shape (rank, rank)
        The ridge penalty as a quadratic form of x.
    constant : ndarray of shape (rank,) or None
        Coordinates of v ≡ 1, where the model has an intercept.
    """

    basis: Floats
    back: Floats
    penalty: Floats
    constant: Floats | None


@dataclass(frozen=True)
class BoxProblem:
    r"""Arc length over functions that keep every sample inside the box.

    .. math:: \min_{w,b} -\sum_{+} c_i \sin v_i - \sum_{-} c_i \cos v_i + \tfrac\alpha2\|w\|^2
              \quad\text{s.t. } 0 \le v_i = \phi_i^\top w + b \le \pi/2.

    Convex on the box (theory §3). The intercept is not penalised.

    Parameters
    ----------
    phi : array-like of shape (n_rows, n_features)
        Features of every row.
    positive : array-like of bool of shape (n_rows,)
        The class of each row.
    weights : array-like of shape (n_rows,)
        Non-negative, class normalisation and objective weights multiplied in.
    alpha : float
        Ridge penalty; zero is allowed.
    fit_intercept : bool
        Whether ``b`` is free; it is zero otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> problem = BoxProblem([[0.0], [1.0]], [False, True], [1.0, 1.0], alpha=0.0)
    >>> round(problem.value(np.array([np.pi / 2, 0.0])), 6)
    -2.0
    """

    phi: Floats
    positive: NDArray[np.bool_]
    weights: Floats
    alpha: float
    fit_intercept: bool = True

    def __init__(
        self,
        phi: ArrayLike,
        positive: ArrayLike,
        weights: ArrayLike,
        alpha: float,
        fit_intercept: bool = True,
    ) -> None:
        matrix = np.asarray(phi, dtype=np.float64)
        labels = np.asarray(positive, dtype=bool)
        row_weights = np.asarray(weights, dtype=np.float64)
        if matrix.ndim != 2:
            raise ValueError(f"`phi` must have two dimensions; got {matrix.ndim}.")
        if labels.shape != matrix.shape[:1] or row_weights.shape != matrix.shape[:1]:
            raise ValueError(
                f"`positive` and `weights` must have one entry for each of the {len(matrix)} rows "
                f"of `phi`; got shapes {labels.shape} and {row_weights.shape}."
            )
        if not (np.isfinite(matrix).all() and np.isfinite(row_weights).all()):
            raise ValueError("`phi` and `weights` must be finite; got NaN or infinity.")
        if row_weights.size and row_weights.min() < 0:
            raise ValueError(f"`weights` must be non-negative; got {row_weights.min()}.")
        if not alpha >= 0 or not np.isfinite(alpha):
            raise ValueError(f"`alpha` must be non-negative and finite; got {alpha}.")
        object.__setattr__(self, "phi", matrix)
        object.__setattr__(self, "positive", labels)
        object.__setattr__(self, "weights", row_weights)
        object.__setattr__(self, "alpha", float(alpha))
        object.__setattr__(self, "fit_intercept", bool(fit_intercept))

    @property
    def n_coefficients(self) -> int:
        """Length of ``w``, the intercept included."""
        return int(self.phi.shape[1]) + int(self.fit_intercept)

    @property
    def rows(self) -> RowLosses:
        """The losses, one a row."""
        return RowLosses(self.positive, self.weights)

    @property
    def safe(self) -> Floats:
        """Coefficients that are feasible for any rows: the angle π/4, or 0 without intercept."""
        w = np.zeros(self.n_coefficients)
        if self.fit_intercept:
            w[-1] = RIGHT_ANGLE / 2
        return w

    def angles(self, w: Floats) -> Floats:
        """The angle of every row under coefficients ``w``, not clipped."""
        d = self.phi.shape[1]
        angles: Floats = self.phi @ w[:d] + w[d:].sum()
        return angles

    def value(self, w: Floats) -> float:
        """The objective at ``w``, whether or not ``w`` is feasible."""
        slopes = w[: self.phi.shape[1]]
        loss = self.rows.value(self.angles(w)).sum()
        return float(loss + 0.5 * self.alpha * (slopes @ slopes))

    @cached_property
    def coordinates(self) -> Coordinates:
        """Coordinates in which dependent and badly scaled columns are harmless."""
        n = self.phi.shape[0]
        center = _mean(self.phi) if self.fit_intercept else np.zeros(self.phi.shape[1])
        basis, back = _independent(self.phi, center)
        penalty = self.alpha * (back.T @ back)
        if not self.fit_intercept:
            return Coordinates(basis, back, penalty, None)
        # The centred columns are orthogonal to the constant, so one more completes the basis.
        basis = np.column_stack([basis, np.full(n, n**-0.5)])
        back = np.pad(np.vstack([back, -center @ back]), ((0, 0), (0, 1)))
        back[-1, -1] = n**-0.5
        constant = np.zeros(basis.shape[1])
        constant[-1] = n**0.5
        return Coordinates(basis, back, np.pad(penalty, (0, 1)), constant)


def _mean(phi: Floats) -> Floats:
    """Column means; summed twice, since the first sum's rounding grows with the rows."""
    first: Floats = phi.mean(axis=0)
    correction: Floats = (phi - first).mean(axis=0)
    return first + correction


def _independent(phi: Floats, center: Floats) -> tuple[Floats, Floats]:
    """A well-conditioned ``basis`` of the centred columns, and the shortest ``back`` to reach it.

    Columns are brought to unit length first, so that nothing depends on their units; one that is
    constant up to rounding counts as zero. Unit columns that are far from dependent serve as the
    basis themselves, because that keeps penalties of very different size apart.
    """
    n, d = phi.shape
    centred = phi - center
    size = np.abs(centred).max(axis=0, initial=0.0)
    rounding = 8 * _EPS * np.abs(phi).max(axis=0, initial=0.0)
    used = size > np.where(center == 0.0, 0.0, rounding)
    if not used.any():
        return np.zeros((n, 0)), np.zeros((d, 0))
    scaled = centred[:, used] / size[used]
    norms = np.sqrt(np.einsum("ij,ij->j", scaled, scaled))
    scaled /= norms
    # Where the mean is far larger than the spread, less of the spread is more than rounding.
    noise = 32 * float((rounding[used] / size[used]).max()) if center.any() else 0.0
    basis, within = _without_dependence(scaled, size[used] * norms, max(_RESOLVED, noise))
    back = np.zeros((d, basis.shape[1]))
    back[used] = within
    return basis, back


def _without_dependence(scaled: Floats, size: Floats, resolved: float) -> tuple[Floats, Floats]:
    """``basis`` and ``back`` with ``(scaled · size) back = basis``, for columns of any rank."""
    n, d = scaled.shape
    if n >= d and _far_from_dependent(scaled):
        return scaled, np.diag(1.0 / size)
    q, r, order = qr(scaled, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.append(np.abs(np.diag(r)), 0.0)
    rank = int((diagonal > resolved * diagonal[0]).sum())
    if diagonal[rank] > _EXACT * diagonal[0]:
        # Nearly but not exactly dependent: leave out the short directions, not their columns.
        u, s, vt = svd(scaled, full_matrices=False)
        rank = int((s > resolved * s[0]).sum())
        back = vt[:rank].T / s[:rank] / size[:, None]
        return _penalised_apart(u[:, :rank], back)
    forth = np.zeros((rank, d))
    forth[:, order] = r[:rank]
    kept = scaled[:, order[:rank]]
    basis = np.asarray(q[:, :rank], dtype=np.float64)
    if _far_from_dependent(kept):
        basis, forth = kept, solve_triangular(r[:rank, :rank], forth)
    # x = forth (size · w) has many solutions w, all with the same angles; this is the shortest.
    row_space, triangle = np.linalg.qr((forth * size).T)
    return _penalised_apart(basis, solve_triangular(triangle, row_space.T).T)


def _penalised_apart(basis: Floats, back: Floats) -> tuple[Floats, Floats]:
    """Turn the coordinates so that ``backᵀ back`` is diagonal: no penalty is a difference."""
    _, _, vt = np.linalg.svd(back, full_matrices=False)
    return basis @ vt.T, back @ vt.T


def _far_from_dependent(columns: Floats) -> bool:
    return bool(np.linalg.eigvalsh(columns.T @ columns)[0] > _WELL_CONDITIONED)
