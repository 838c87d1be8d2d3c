"""Coordinates of the functions a matrix of features spans, whatever its rank and its units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, qr, solve_triangular, svd

__all__ = ["Coordinates", "coordinates_of"]

Floats = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
# Least eigenvalue of the Gram matrix of unit columns above which they serve as coordinates.
_WELL_CONDITIONED = 1e-6
# A direction shorter than this share of unit columns is taken for rounding: to use it, coefficients
# would have to be so large that their last digit moves the angles by more than 1e-8.
_RESOLVED = 1e-8
# Squares of larger coefficients overflow; their penalty keeps them at zero long before.
_LARGEST = 1e150
# Columns that depend on others to this accuracy are duplicates, combinations or surplus.
_EXACT = 1e-12
# Eigenvalues of a Gram matrix above this share of the largest have a few correct digits, which is
# enough to turn by: what their rounding leaves of dependence is small.
_FEW_DIGITS = 1e-13
# Columns are nearly orthogonal if all eigenvalues of their Gram matrix but one are above this.
_NEARLY_ORTHOGONAL = 0.05
# One with this part in the combination that vanishes leaves, when it goes, columns whose Gram
# matrix has no eigenvalue much below the square of that part, so that they can serve.
_FAIR_PART = 3e-3
# 1 − 0.9² of a penalty is left where coefficients are made orthogonal to such a combination.
_DOMINANT = 0.9
# How much unit columns may change where their basis is to stay well conditioned.
_LITTLE = 0.03


class Coordinates(NamedTuple):
    """``v = basis x`` with well-conditioned columns, and the way back ``w = back x``.

    Attributes
    ----------
    basis : ndarray of shape (n_rows, rank)
        A basis of the values ``v = phi w (+ intercept)`` can take.
    back : ndarray of shape (n_coefficients, rank)
        The shortest coefficients that produce each of them, the intercept last if there is one.
    square : ndarray of shape (rank, rank)
        The squared norm of the coefficients without the intercept, as a quadratic form of x.
    constant : ndarray of shape (rank,) or None
        Coordinates of v ≡ 1, where there is an intercept.
    gram : ndarray of shape (rank, rank)
        ``basisᵀ basis``.
    """

    basis: Floats
    back: Floats
    square: Floats
    constant: Floats | None
    gram: Floats


class _Part(NamedTuple):
    """Coordinates of the columns alone."""

    basis: Floats
    back: Floats
    square: Floats


def coordinates_of(phi: Floats, fit_intercept: bool) -> Coordinates:
    """Find well-conditioned coordinates of the values that ``phi w (+ intercept)`` can take.

    Columns are brought to unit length first, so that nothing depends on their units. If they, and
    the constant, are far from dependent they serve as the basis themselves, which keeps penalties
    of very different size apart. If not, they are centred, and dependence is taken out.

    Parameters
    ----------
    phi : ndarray of shape (n_rows, n_features)
    fit_intercept : bool

    Returns
    -------
    Coordinates

    Examples
    --------
    >>> import numpy as np
    >>> twice = np.array([[1.0, 2.0], [3.0, 6.0], [0.0, 0.0]])
    >>> coordinates_of(twice, fit_intercept=True).basis.shape
    (3, 2)
    """
    n, d = phi.shape
    center = np.zeros(d)
    # The constant is nearly a combination of nearly as many columns as there are rows.
    surrounded = fit_intercept and d > 0.9 * n
    if not surrounded:
        scaled, size, used = _unit_columns(phi, center)
    if not surrounded and scaled.shape[1] + fit_intercept <= n:
        full = _with_constant(scaled) if fit_intercept else scaled
        gram = full.T @ full
        if _far_from_dependent(gram):
            part = _placed(_as_they_are(scaled, size), used, d)
            return _completed(part, center, fit_intercept, full, gram)
    resolved = _RESOLVED
    if fit_intercept:
        center = _mean(phi)
        scaled, size, used = _unit_columns(phi, center)
        # Where a mean is far larger than the spread, less of the spread is more than rounding.
        largest = np.abs(phi[:, used]).max(axis=0, initial=0.0)
        resolved = max(resolved, 256 * _EPS * float(np.max(largest / size, initial=0.0)))
    part = _placed(_without_dependence(scaled, size, resolved), used, d)
    full = _with_constant(part.basis) if fit_intercept else part.basis
    return _completed(part, center, fit_intercept, full, full.T @ full)


def _unit_columns(phi: Floats, center: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Centred columns at unit length, their lengths, and which columns are not constant."""
    centred = phi - center if center.any() else phi
    size = np.abs(centred).max(axis=0, initial=0.0)
    rounding = 8 * _EPS * np.abs(phi).max(axis=0, initial=0.0)
    used = size > np.where(center == 0.0, 0.0, rounding)
    # Divided by the largest entry first, since squares overflow.
    scaled = centred[:, used] / size[used]
    norms = np.sqrt(np.einsum("ij,ij->j", scaled, scaled))
    scaled /= norms
    return scaled, size[used] * norms, used


def _mean(phi: Floats) -> Floats:
    """Column means; summed twice, since the first sum's rounding grows with the rows."""
    first: Floats = phi.mean(axis=0)
    correction: Floats = (phi - first).mean(axis=0)
    return first + correction


def _with_constant(basis: Floats) -> Floats:
    n = len(basis)
    return np.column_stack([basis, np.full(n, n**-0.5)])


def _far_from_dependent(gram: Floats, least: float = _WELL_CONDITIONED) -> bool:
    less = gram.copy()
    less[np.diag_indices(len(gram))] -= least
    try:
        cholesky(less, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _as_they_are(scaled: Floats, size: Floats) -> _Part:
    return _Part(scaled, np.diag(1.0 / size), np.diag(np.minimum(1.0 / size, _LARGEST) ** 2))


def _placed(part: _Part, used: NDArray[np.bool_], d: int) -> _Part:
    """Coefficients of all columns, zero for those left out."""
    back = np.zeros((d, part.basis.shape[1]))
    back[used] = part.back
    return part._replace(back=back)


def _completed(
    part: _Part, center: Floats, fit_intercept: bool, basis: Floats, gram: Floats
) -> Coordinates:
    """One more coordinate for the intercept, which is not part of the norm."""
    if not fit_intercept:
        return Coordinates(*part, None, gram)
    n = len(part.basis)
    back = np.pad(np.vstack([part.back, -center @ part.back]), ((0, 0), (0, 1)))
    back[-1, -1] = n**-0.5
    constant = np.zeros(back.shape[1])
    constant[-1] = n**0.5
    return Coordinates(basis, back, np.pad(part.square, (0, 1)), constant, gram)


def _without_dependence(scaled: Floats, size: Floats, resolved: float) -> _Part:
    """``(scaled · size) back = basis``, for columns of any rank."""
    n, d = scaled.shape
    if d == 0:
        return _as_they_are(scaled, size)
    if n >= d:
        gram = scaled.T @ scaled
        if _far_from_dependent(gram):
            return _as_they_are(scaled, size)
        # Not where less than that is rounding: there short directions must be left out.
        like_units = size.min() > np.sqrt(_FEW_DIGITS) * size.max()
        if like_units and resolved <= np.sqrt(_FEW_DIGITS):
            part = _but_one(scaled, size, gram, resolved) or _by_eigenvectors(scaled, size, gram)
            if part is not None:
                return part
    q, r, order = qr(scaled, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.append(np.abs(np.diag(r)), 0.0)
    rank = int((diagonal > resolved * diagonal[0]).sum())
    if diagonal[rank] > _EXACT * diagonal[0]:
        # Nearly but not exactly dependent: leave out the short directions, not their columns.
        u, s, vt = svd(scaled, full_matrices=False)
        rank = int((s > resolved * s[0]).sum())
        return _penalised_apart(u[:, :rank], vt[:rank].T / s[:rank] / size[:, None])
    forth = np.zeros((rank, d))
    forth[:, order] = r[:rank]
    kept = scaled[:, order[:rank]]
    if not _far_from_dependent(kept.T @ kept):
        return _penalised_apart(np.asarray(q[:, :rank]), _shortest(forth * size))
    combination = solve_triangular(r[:rank, :rank], forth)
    # Rounding that stands for zero would be magnified where units differ by many powers.
    combination[np.abs(combination) < _EXACT] = 0.0
    combination[:, order[:rank]] = np.eye(rank)
    back = _shortest(combination * size)
    bounded = np.clip(back, -_LARGEST, _LARGEST)
    return _Part(kept, back, bounded.T @ bounded)


def _but_one(scaled: Floats, size: Floats, gram: Floats, resolved: float) -> _Part | None:
    """All columns but one, and the short direction apart, if the others are nearly orthogonal.

    So it is with the features of a kernel once the constant is taken out: as many as rows contain
    it, fewer nearly do.
    """
    # 1. The combination z that nearly vanishes, by inverse iteration. Any z would do below.
    d = len(size)
    shifted = gram.copy()
    shifted[np.diag_indices(d)] += _EXACT
    try:
        factor = cho_factor(shifted, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    z = np.cos(np.arange(d) ** 2.0)  # orthogonal to nothing in particular
    for _ in range(2):
        z = cho_solve(factor, z / np.linalg.norm(z), check_finite=False)
    z /= np.linalg.norm(z)
    if not _far_from_dependent(gram + np.outer(z, z), _NEARLY_ORTHOGONAL):
        return None
    short = scaled @ z
    length = float(np.linalg.norm(short))
    # 2. Its coefficients, and which column to leave out: the shortest that has a fair part in it.
    #    No penalty is then a difference of larger ones.
    largest = size.max()
    null = z * (largest / size)
    total = float(np.linalg.norm(null))
    null /= total
    kept = np.arange(d) != np.argmax(np.where(np.abs(z) > _FAIR_PART, np.abs(null), 0.0))
    if np.abs(null[kept]).max(initial=0.0) > _DOMINANT:
        return None
    # 3. Coefficients orthogonal to those of the short direction: of those with nearly the same
    #    angles the shortest. That changes the columns by a little of that direction.
    long = 1 / size[kept]
    change = null[kept] * (largest * long) / total
    if np.abs(change).max(initial=0.0) * length > _LITTLE:
        return None
    basis = scaled[:, kept] - np.outer(short, change)
    back = -np.outer(null, null[kept] * long)
    back[kept, np.arange(d - 1)] += long
    long = np.minimum(long, _LARGEST)
    share = null[kept] * long
    square = np.diag(long**2) - np.outer(share, share)
    if length <= resolved:
        return _Part(basis, back, square)
    # 4. The short direction itself, which nothing but its own penalty holds.
    alone = total / length / largest
    square = np.pad(square, (0, 1))
    square[-1, -1] = min(alone, _LARGEST) ** 2
    return _Part(
        np.column_stack([basis, short / length]), np.column_stack([back, null * alone]), square
    )


def _by_eigenvectors(scaled: Floats, size: Floats, gram: Floats) -> _Part | None:
    """Principal axes, if all are long enough: a kernel's features are, however many there are."""
    largest = size.max()
    relative = size / largest
    squares, turn = np.linalg.eigh(gram * relative * relative[:, None])
    if squares[0] <= _FEW_DIGITS * squares[-1]:
        return None
    turn /= np.sqrt(squares)
    basis = scaled @ (relative[:, None] * turn)
    return _Part(basis, turn / largest, np.diag(np.minimum(squares**-0.5 / largest, _LARGEST) ** 2))


def _shortest(forth: Floats) -> Floats:
    """Of the w with ``forth w = x``, all of which give the same angles, the shortest."""
    row_space, triangle = np.linalg.qr(forth.T)
    return np.asarray(solve_triangular(triangle, row_space.T).T)


def _penalised_apart(basis: Floats, back: Floats) -> _Part:
    """Turn the coordinates so that ``backᵀ back`` is diagonal: no penalty is a difference."""
    _, sizes, vt = np.linalg.svd(back, full_matrices=False)
    return _Part(basis @ vt.T, back @ vt.T, np.diag(np.minimum(sizes, _LARGEST) ** 2))
