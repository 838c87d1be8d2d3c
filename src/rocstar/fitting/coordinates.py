"""Coordinates of the functions a matrix of features spans, whatever its rank and its units.

Columns that are far from dependent serve as they are. Two factorisations give coordinates of all
others. Between the two stands one short cut, for columns that are far from dependent once one of
them is left out: a kernel's features with an intercept, whose constant they nearly contain.
Without it two of the box benchmark's nine problems take 1.4 times as long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, qr, solve_triangular

from rocstar.checks import BoolArray, FloatArray

__all__ = ["Coordinates", "coordinates_of"]

_EPS = float(np.finfo(np.float64).eps)
# Least eigenvalue of the Gram matrix of unit columns above which they serve as coordinates.
_WELL_CONDITIONED = 1e-6
# A direction shorter than this share of unit columns is taken for rounding: to use it, coefficients
# would have to be so large that their last digit moves the angles by more than 1e-8.
_RESOLVED = 1e-8
# Squares of larger coefficients overflow; their penalty keeps them at zero long before.
_LARGEST = 1e150
# Shares of unit columns, and eigenvalues of their Gram matrix, that stand for zero.
_ROUNDING = 1e-12
# Where units differ by more, the rounding of a combination in one of them is all of it in another.
_LIKE_UNITS = 3e-7


class Coordinates(NamedTuple):
    """``v = basis x`` with well-conditioned columns, and the way back ``w = back x``."""

    basis: FloatArray  # of the values that phi w (+ intercept) can take
    back: FloatArray  # the shortest coefficients that produce each, the intercept last
    square: FloatArray  # the squared norm of the coefficients without the intercept, as a form of x
    constant: FloatArray | None  # coordinates of v ≡ 1, where there is an intercept
    gram: FloatArray  # basisᵀ basis


class _Part(NamedTuple):
    """Coordinates of the columns alone."""

    basis: FloatArray
    back: FloatArray
    square: FloatArray


def coordinates_of(phi: FloatArray, fit_intercept: bool) -> Coordinates:
    """Find well-conditioned coordinates of the values that ``phi w (+ intercept)`` can take."""
    # Columns are brought to unit length first, so that nothing depends on their units. If they, and
    # the constant, are far from dependent they serve as the basis themselves, which keeps penalties
    # of very different size apart. If not, they are centred, and dependence is taken out.
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


def _unit_columns(phi: FloatArray, center: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
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


def _mean(phi: FloatArray) -> FloatArray:
    """Column means; summed twice, since the first sum's rounding grows with the rows."""
    first: FloatArray = phi.mean(axis=0)
    correction: FloatArray = (phi - first).mean(axis=0)
    return first + correction


def _with_constant(basis: FloatArray) -> FloatArray:
    n = len(basis)
    return np.column_stack([basis, np.full(n, n**-0.5)])


def _far_from_dependent(gram: FloatArray) -> bool:
    less = gram.copy()
    less[np.diag_indices(len(gram))] -= _WELL_CONDITIONED
    try:
        cholesky(less, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _placed(part: _Part, used: BoolArray, d: int) -> _Part:
    """Coefficients of all columns, zero for those left out."""
    back = np.zeros((d, part.basis.shape[1]))
    back[used] = part.back
    return part._replace(back=back)


def _completed(
    part: _Part, center: FloatArray, fit_intercept: bool, basis: FloatArray, gram: FloatArray
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


def _without_dependence(scaled: FloatArray, size: FloatArray, resolved: float) -> _Part:
    """``(scaled · size) back = basis``, for columns of any rank."""
    n, d = scaled.shape
    if d == 0:
        return _as_they_are(scaled, size)
    if n >= d:
        gram = scaled.T @ scaled
        if _far_from_dependent(gram):
            return _as_they_are(scaled, size)
        if size.min() > _LIKE_UNITS * size.max():
            part = _less_one_column(scaled, size, gram, resolved)
            if part is not None:
                return part
    return _by_two_factorisations(scaled, size, resolved)


def _as_they_are(scaled: FloatArray, size: FloatArray) -> _Part:
    return _Part(scaled, np.diag(1.0 / size), np.diag(np.minimum(1.0 / size, _LARGEST) ** 2))


def _by_two_factorisations(scaled: FloatArray, size: FloatArray, resolved: float) -> _Part:
    """Of the coefficients of each value the shortest, turned so that their squares add up."""
    # 1. ``scaled = values forth``; pivots show the rank, and ``values`` need not be formed.
    # 2. ``(forth · size)ᵀ = Q T``, pivoted too. Coefficients along Q are the shortest, coordinates
    #    in units of T's diagonal have a diagonal penalty, so that none is a difference of larger
    #    ones, and ``values Tᵀ`` in these units is well conditioned: the pivots bound the rows of T.
    n, d = scaled.shape
    # With its longest rows first the second is accurate row by row, whatever the units.
    order = np.argsort(-size)
    tall = scaled[:, order]
    # A triangle first where rows are many: the search for pivots reads them once per column.
    columns = qr(tall, mode="r", check_finite=False)[0][:d] if n > 2 * d else tall
    triangle, pivots = qr(columns, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(triangle))
    rank = int((diagonal > resolved * diagonal[0]).sum())
    kept = triangle[:rank, :rank]
    forth = solve_triangular(kept, triangle[:rank])
    # Rounding that stands for zero would be magnified where units differ by many powers.
    forth[np.abs(forth) < _ROUNDING] = 0.0
    if not _far_from_dependent(kept.T @ kept):
        forth = kept @ forth
    forth[:, pivots] = forth.copy()
    q, t, _ = qr((forth * size[order]).T, mode="economic", pivoting=True, check_finite=False)
    length = np.abs(np.diag(t))
    back = np.empty((d, rank))
    back[order] = q / length
    # The columns' own values, since short directions that were left out may show a little.
    basis = scaled @ (size[:, None] * back)
    return _Part(basis, back, np.diag(np.minimum(1.0 / length, _LARGEST) ** 2))


def _less_one_column(
    scaled: FloatArray, size: FloatArray, gram: FloatArray, resolved: float
) -> _Part | None:
    """All columns but one, and the short direction apart, if those are far from dependent."""
    # 1. The combination z that nearly vanishes, by inverse iteration.
    d = len(size)
    shifted = gram.copy()
    shifted[np.diag_indices(d)] += _ROUNDING
    try:
        factor = cho_factor(shifted, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    z = np.cos(np.arange(d) ** 2.0)  # orthogonal to nothing in particular
    for _ in range(2):
        z = cho_solve(factor, z / np.linalg.norm(z), check_finite=False)
    z /= np.linalg.norm(z)
    short = scaled @ z
    # 2. Its coefficients. The column with the largest is left out, so that no penalty of the
    #    others is a small difference of larger ones.
    largest = size.max()
    null = z * (largest / size)
    total = float(np.linalg.norm(null))
    null /= total
    kept = np.arange(d) != np.argmax(np.abs(null))
    # 3. Coefficients orthogonal to those of the short direction: of those with nearly the same
    #    angles the shortest. That changes the columns by a little of that direction.
    change = null[kept] * (largest / size[kept]) / total
    mixed = np.outer((gram @ z)[kept], change)
    if not _far_from_dependent(
        gram[np.ix_(kept, kept)] - mixed - mixed.T + short @ short * np.outer(change, change)
    ):
        return None
    basis = scaled[:, kept] - np.outer(short, change)
    back = -np.outer(null, null[kept] / size[kept])
    back[kept, np.arange(d - 1)] += 1 / size[kept]
    # 4. The short direction itself, unless it is rounding: nothing but its own penalty holds it.
    long = np.minimum(1 / size[kept], _LARGEST)
    share = null[kept] * long
    square = np.diag(long**2) - np.outer(share, share)
    length = float(np.linalg.norm(short))
    if length > resolved:
        alone = total / length / largest
        basis = np.column_stack([basis, short / length])
        back = np.column_stack([back, null * alone])
        square = np.pad(square, (0, 1))
        square[-1, -1] = min(alone, _LARGEST) ** 2
    return _Part(basis, back, square)
