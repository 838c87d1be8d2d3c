"""Near-copies: rows that repeat another row but for small changes, as jitter or SMOTE make them.

A model that has seen one of two copies knows the other one's label, so copies on both sides of a
split raise every held-out figure. A copy is far closer to its source than to any other row. In
data without copies, the ratio of the distances to the j-th and the next neighbour has the
distribution function r^(jm), with m the dimension that the rows locally fill (Facco et al. 2017,
"Estimating the intrinsic dimension of datasets by a minimal neighborhood information"); gaps that
this law does not allow end a cluster of copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.fitting.features import row_keys
from rocstar.tables.columns import TableEncoder
from rocstar.tables.remarks import Remark

# A cluster of more copies than this has no gap among the neighbours that are looked at.
NEIGHBOURS = 50
FEWEST_ROWS = 20
# A gap of this size has probability e^-12 in one place, and each row has 50 places. Where the
# density changes, small gaps far out are no surprise: the next row is twice as far at least.
SURPRISE, WIDE = 12.0, float(np.log(2))
# Copies differ by no more than this share of a standard deviation in any column, and pass by no
# more than this share of the other rows in three columns or more: columns with a few extreme values
# have standard deviations beside which all other values look alike.
NEAR, NEAR_IN_RANK, FEWEST_COLUMNS = 0.1, 0.05, 3
# An interpolated row lies at the same share of the way in all columns, but for rounded numbers.
SAME_SHARE = 1e-3
# Whole numbers lie between others by chance; columns of numbers have this share of distinct ones.
CONTINUOUS = 0.1
# Rows looked at in each class; fewer where the search would take more than about a second.
MOST_ROWS, MOST_WORK = 1000, 1e9
CHUNK_NUMBERS = 2**23
# Numbers of a table beyond which a sample of its rows is looked at; some copies are then missed.
MOST_NUMBERS = 2**25
# Squares of shorter offsets are zero.
TINY = 1e-150
# In real tables without copies, coincidences are 0.3 % of the rows at most; above the second share
# the bounds are about the copies.
FEW_COPIES, MANY_COPIES = 0.01, 0.05


def near_copies(X: Any) -> IntArray:
    """Group of each row; rows that are copies of each other up to small changes share one.

    Pass it as ``groups``, so that copies of a row never lie on both sides of a split and count as
    one observation. A row without copies is a group of its own. Exact copies share a group too.

    A row belongs with its nearest neighbours if the next one is so much farther away that chance
    does not explain it, no number differs by more than a tenth of its column's standard deviation,
    and categories and missing values agree. Labels are not used. Tables with fewer than three
    columns of numbers have no near-copies, and rows that were interpolated between two others
    (SMOTE) are not grouped: remove them.

    Groups do not hide other traces of copying, such as fractions in a column of whole numbers, by
    which a model knows the copied class: then keep one real row of each group, for instance the
    first, ``X[np.unique(near_copies(X), return_index=True)[1]]``.

    Parameters
    ----------
    X : dataframe or array-like of shape (n, d)
        Features, as `audit` takes them.

    Returns
    -------
    ndarray of int of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from rocstar import near_copies
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> copies = X[:20] + 0.001 * rng.normal(size=(20, 5))
    >>> groups = near_copies(np.vstack([X, copies]))
    >>> bool((groups[100:] == groups[:20]).all()), len(set(groups))
    (True, 100)
    """
    encoder = TableEncoder()
    return copy_groups(encoder.fit_transform(X), encoder.categorical_)


def copy_groups(X: FloatArray, categorical: IntArray) -> IntArray:
    """Group of each row of an encoded table."""
    rows = DistinctRows.of(X, categorical)
    pairs = [np.empty((2, 0), dtype=np.intp)]
    if rows.can_tell:
        for near in rows.neighbourhoods(rows.with_another_near()):
            row, place = np.nonzero(rows.copies(near))
            pairs.append(np.stack([near.row[row], near.others[row, place]]))
    first, second = np.concatenate(pairs, axis=1)
    n = len(rows.values)
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)[rows.place]


def copies_together(profile: Any, X: FloatArray) -> tuple[Any, IntArray | None]:
    """Groups of near-copies, or a note in the profile that no row has one."""
    groups = copy_groups(X, profile.encoder.categorical_)
    if np.unique(groups).size < groups.size:
        return profile, groups
    none = Remark("No near-copies of rows were found; every row counts by itself.", "note")
    return replace(profile, warnings=(*profile.warnings, none)), None


def copy_remarks(
    X: FloatArray, y: BoolArray, categorical: IntArray, target: str, classes: tuple[Any, Any]
) -> list[Remark]:
    """What a reader must know of near-copies and of interpolated rows in either class."""
    seen = np.arange(len(y))
    if X.size > MOST_NUMBERS:
        seen = np.random.default_rng(0).choice(seen, MOST_NUMBERS // X.shape[1], replace=False)
    found, whole = [], DistinctRows.of(X[seen], categorical)
    for label, side in zip(classes, (~y, y), strict=True):
        rows = whole.only(side[seen])
        if rows.can_tell:
            copied, between = rows.shares()
            n = len(rows.values)
            # Rows close to one end of their line are near-copies of it too.
            if between > FEW_COPIES:
                found.append(_between_remark(_rows(between, n, target, label)))
            elif copied > FEW_COPIES:
                found.append(_copied_remark(_rows(copied, n, target, label), copied > MANY_COPIES))
    return found


def _rows(share: float, n: int, target: str, label: Any) -> str:
    about = "About " if n > MOST_ROWS else ""
    return f"{about}{round(share * n):,} of {n:,} different rows with {target} = {label}"


def _copied_remark(rows: str, many: bool) -> Remark:
    seen = f"{rows} are near-copies of another row"
    advice = (
        "remove the copies or keep them together with `groups=near_copies(X)`, which is enough "
        "unless the copies have more decimals than real rows"
    )
    if not many:
        return Remark(f"{seen}: if they were made from other rows, {advice}.")
    return Remark(
        f"{seen}: a model that has seen one copy knows the label of the other, so if they were "
        f"made from other rows, no bound here holds; {advice}.",
        "invalid",
    )


def _between_remark(rows: str) -> Remark:
    return Remark(
        f"{rows} lie exactly between two others, as SMOTE makes them: no bound here holds for "
        "real rows; remove the synthetic rows.",
        "invalid",
    )


class Neighbours(NamedTuple):
    """Rows and their nearest neighbours, nearest first."""

    row: IntArray
    others: IntArray
    offset: FloatArray  # from the row to each neighbour, column by column
    distance: FloatArray

    def gaps(self) -> FloatArray:
        """log(d_{j+1} / d_j)."""
        return np.diff(np.log(self.distance), axis=1)


@dataclass(frozen=True)
class DistinctRows:
    """Rows of a table in units of standard deviations, each of them once."""

    values: FloatArray
    numeric: BoolArray
    place: IntArray  # of each row of the table

    @classmethod
    def of(cls, X: FloatArray, categorical: IntArray) -> DistinctRows:
        numeric = np.ones(X.shape[1], dtype=bool)
        numeric[categorical] = False
        values = _comparable(X, numeric)
        _, first, place = np.unique(row_keys(values), return_index=True, return_inverse=True)
        return cls(values[first], numeric, place)

    def only(self, mask: BoolArray) -> DistinctRows:
        """Some rows of the table, in the units of all of them."""
        kept, place = np.unique(self.place[mask], return_inverse=True)
        return DistinctRows(self.values[kept], self.numeric, place)

    @property
    def can_tell(self) -> bool:
        return len(self.values) >= FEWEST_ROWS and int(self.numeric.sum()) >= FEWEST_COLUMNS

    def neighbourhoods(self, asked: IntArray) -> Iterator[Neighbours]:
        """Neighbours of the rows asked for, chunk by chunk."""
        k = min(NEIGHBOURS + 1, len(self.values))
        search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(self.values)
        size = max(1, CHUNK_NUMBERS // (k * self.values.shape[1]))
        for rows in (asked[a : a + size] for a in range(0, len(asked), size)):
            index = search.kneighbors(self.values[rows], return_distance=False)
            offset = self.values[index] - self.values[rows][:, None]
            # Again, as the search rounds; a row is not its own neighbour.
            distance = np.maximum(np.linalg.norm(offset, axis=2), TINY)
            distance[index == rows[:, None]] = np.inf
            order = np.argsort(distance, axis=1)[:, :-1]
            yield Neighbours(
                rows,
                np.take_along_axis(index, order, 1),
                np.take_along_axis(offset, order[:, :, None], 1),
                np.take_along_axis(distance, order, 1),
            )

    def with_another_near(self) -> IntArray:
        """Rows that have another one within the reach of a copy: mostly few, and found quickly."""
        reach = np.nextafter(NEAR, 1.0)  # distances must be below it
        tree = KDTree(self.values)
        # The nearest of all is the row itself; the second is at infinity if there is none.
        distance, _ = tree.query(self.values, k=[2], p=np.inf, distance_upper_bound=reach)
        return np.flatnonzero(np.isfinite(distance))

    @cached_property
    def some(self) -> list[Neighbours]:
        """Neighbours of rows that stand for all of them."""
        n = len(self.values)
        most = int(min(n, MOST_ROWS, max(MOST_WORK / self.values.size, FEWEST_ROWS)))
        asked = np.random.default_rng(0).choice(n, most, replace=False)
        return list(self.neighbourhoods(asked))

    @cached_property
    def dimension(self) -> float:
        """That the rows locally fill; ties, as between whole numbers, do not count."""
        gaps = np.concatenate([_times_place(near.gaps()).ravel() for near in self.some])
        gaps = gaps[gaps > 0]
        return float(np.log(2) / np.median(gaps)) if len(gaps) else np.inf

    @cached_property
    def sorted_columns(self) -> FloatArray:
        return np.sort(self.values, axis=0)

    @cached_property
    def continuous(self) -> BoolArray:
        """Columns of numbers that are not a few whole numbers."""
        distinct = 1 + np.count_nonzero(np.diff(self.sorted_columns, axis=0), axis=0)
        return np.asarray(self.numeric & (distinct >= CONTINUOUS * len(self.values)))

    def copies(self, near: Neighbours) -> BoolArray:
        """Whether each neighbour is a copy of the row."""
        gaps = near.gaps()
        surprise = np.where(gaps >= WIDE, self.dimension * _times_place(gaps), 0.0)
        inside = np.arange(near.others.shape[1]) <= surprise.argmax(axis=1)[:, None]
        inside &= surprise.max(axis=1)[:, None] > SURPRISE
        inside &= np.abs(near.offset).max(axis=2) <= NEAR
        row, place = np.nonzero(inside)
        inside[row, place] = self._close_in_rank(near.row[row], near.others[row, place])
        return np.asarray(inside)

    def _close_in_rank(self, first: IntArray, second: IntArray) -> BoolArray:
        """Whether pairs of rows have few others between them in enough columns of numbers."""
        close = np.zeros(len(first), dtype=np.intp)
        for k in np.flatnonzero(self.numeric) if len(first) else ():
            column, a, b = self.sorted_columns[:, k], self.values[first, k], self.values[second, k]
            passed = _mid_rank(column, a) - _mid_rank(column, b)
            close += (a != b) & (np.abs(passed) <= NEAR_IN_RANK * len(column))
        return np.asarray(close >= FEWEST_COLUMNS)

    def between(self, near: Neighbours) -> BoolArray:
        """Whether a row lies on the line between two of its neighbours."""
        direction = near.offset / near.distance[:, :, None]
        cosine = direction @ direction.transpose(0, 2, 1)
        each = np.arange(len(cosine))
        opposite = cosine.reshape(len(each), -1).argmin(axis=1)
        first, second = np.unravel_index(opposite, cosine.shape[1:])
        before, after = near.offset[each, first], near.offset[each, second]
        # The same share of the way in every column: one column may outweigh all others in a cosine.
        differs = (before != after) & self.numeric
        share = before / np.where(differs, before - after, 1.0)
        low = np.min(share, axis=1, where=differs, initial=np.inf)
        high = np.max(share, axis=1, where=differs, initial=-np.inf)
        # Not that a copy is close to its source: in all columns at nearly none of the way.
        same = high - low <= SAME_SHARE * np.minimum(low, 1.0 - high)
        if same.any():
            same &= (differs & self.continuous).sum(axis=1) >= FEWEST_COLUMNS
        return np.asarray(same)

    def shares(self) -> tuple[float, float]:
        """Shares of rows that have copies, and of rows that lie between two others."""
        copied = np.concatenate([self.copies(near).any(axis=1) for near in self.some])
        between = np.concatenate([self.between(near) for near in self.some])
        return float(copied.mean()), float(between.mean())


def _times_place(gaps: FloatArray) -> FloatArray:
    """Gaps times j: exponential with the dimension as their rate, if nothing is copied."""
    return gaps * np.arange(1, gaps.shape[1] + 1)


def _mid_rank(column: FloatArray, values: FloatArray) -> FloatArray:
    low, high = (np.searchsorted(column, values, side=side) for side in ("left", "right"))
    return np.asarray((low + high) / 2)


def _comparable(X: FloatArray, numeric: BoolArray) -> FloatArray:
    """Numbers in standard deviations, codes as they are, and missing values far from all others."""
    known = np.isfinite(X)
    largest = np.abs(X).max(axis=0, where=known, initial=np.finfo(np.float64).tiny)
    unit = np.where(known, X / np.where(numeric, largest, 1.0), 0.0)  # no square overflows
    count = np.maximum(known.sum(axis=0), 1)
    center = unit.sum(axis=0) / count
    spread = np.sqrt((np.where(known, unit - center, 0.0) ** 2).sum(axis=0) / count)
    values = (unit - center) / np.where(numeric & (spread > 0), spread, 1.0)
    return np.asarray(np.where(known, values, values.max(axis=0, initial=0.0) + 1.0))
