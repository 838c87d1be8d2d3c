"""Held-out rows as blocks of independent units that can be bet on (theory §12).

Which rows make up a unit or a block depends on the sizes of classes, chunks and groups and on a
seed, never on values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.betting import Payoffs

MOST_BLOCKS = 256
"""Bets that are chosen one after the other; more hardly change a bound."""
MOST_UNITS = 16
"""Units of a class in a block; what is more is averaged first, which hardly changes a bound."""
LARGEST_VARIANCE = 0.25
"""Of a value in [0, 1]."""
PAIRED_VARIANCE = LARGEST_VARIANCE / 8
"""A guess for half the difference of two scores' win rates, which agree on most pairs."""
MOST_MATCHINGS, ROWS_PER_MATCHING = 4, 6
"""Units of a class in a block of pairs: the square root of so many rows each, up to four. More
matchings use more of the pairs, fewer blocks allow fewer bets. In trials four were best at 440 rows
per class, three at 90, and one where a class had 16 times the rows of the other."""


def mean_payoffs(values: FloatArray, rng: np.random.Generator) -> Payoffs:
    """Blocks of a single sample of values in [0, 1]."""
    none = np.zeros(0)
    return _stacked([_blocks(_Units(rng.permutation(values), none, none, none), MOST_BLOCKS, rng)])


def sum_payoffs(
    positive: BoolArray,
    values: FloatArray,
    chunk: IntArray,
    groups: IntArray | None,
    rng: np.random.Generator,
    weight: float = 1.0,
) -> Payoffs:
    """Blocks for the mean over the positives plus ``weight`` times that over the negatives."""
    parts = []
    for rows in _chunks(chunk):
        group = None if groups is None else groups[rows]
        units = _Units.of(positive[rows], values[rows], group, rng)
        parts.append(_blocks(units, _share(MOST_BLOCKS, rows.size, chunk.size), rng, weight))
    return _stacked(parts)


def pair_payoffs(
    positive: BoolArray,
    score: FloatArray,
    chunk: IntArray,
    groups: IntArray | None,
    rng: np.random.Generator,
    baseline: FloatArray | None = None,
) -> Payoffs:
    """Blocks for the AUC, or for (1 + AUC − AUC of the baseline)/2; pairs are within chunks."""
    scores = [score] if baseline is None else [score, baseline]
    chunks = _chunks(chunk)
    sides = [_sides(positive[c], None if groups is None else groups[c], rng) for c in chunks]
    k = _matchings(*(sum(side.n_groups for side in both) for both in zip(*sides, strict=True)))
    parts = []
    for rows, (up, down) in zip(chunks, sides, strict=True):
        most = _share(MOST_BLOCKS, rows.size, chunk.size)
        parts.append(_pair_blocks([s[rows] for s in scores], up, down, k, most))
    return _stacked(parts)


def _matchings(n_up: int, n_down: int) -> int:
    """Units of either class in a block, given the units in all."""
    # One unit of the smaller class is matched with many of the other as it is, and more matchings
    # in a block mean fewer bets.
    n = min(n_up, n_down)
    ratio = max(n_up, n_down) / max(n, 1)
    return int(np.clip(np.sqrt(n / ROWS_PER_MATCHING) / ratio, 1, MOST_MATCHINGS))


class _Units(NamedTuple):
    """Mean values of units of positives only, of negatives only, and of both kinds of rows."""

    plus: FloatArray
    minus: FloatArray
    both_plus: FloatArray
    both_minus: FloatArray

    @classmethod
    def of(
        cls,
        positive: BoolArray,
        values: FloatArray,
        groups: IntArray | None,
        rng: np.random.Generator,
    ) -> _Units:
        if groups is None:
            none = np.zeros(0)
            return cls(
                rng.permutation(values[positive]), rng.permutation(values[~positive]), none, none
            )
        unit = rng.permutation(np.unique(groups).size)[np.unique(groups, return_inverse=True)[1]]
        sides = (positive, ~positive)
        sizes = np.array([np.bincount(unit, side, unit.max() + 1) for side in sides])
        sums = np.array([np.bincount(unit, side * values, unit.max() + 1) for side in sides])
        means = sums / np.maximum(sizes, 1)
        has = sizes > 0
        both = has[0] & has[1]
        return cls(means[0, has[0] & ~both], means[1, has[1] & ~both], *means[:, both])


def _blocks(
    units: _Units, most_blocks: int, rng: np.random.Generator, weight: float = 1.0
) -> Payoffs:
    """Units dealt out to blocks, each with a unit that holds positives and one with negatives."""
    n_both = units.both_plus.size
    one_sample = n_both + units.minus.size == 0
    pairs = units.plus.size if one_sample else min(units.plus.size, units.minus.size)
    n_blocks = min(n_both + pairs, most_blocks)
    merged = _Units(*(_averaged(part, n_blocks * MOST_UNITS) for part in units))
    n_both = merged.both_plus.size
    # Units of both kinds come first, so that units of one kind begin where these end.
    where = [
        np.arange(n_both) % n_blocks,
        (n_both + np.arange(merged.plus.size)) % n_blocks,
        (n_both + np.arange(merged.minus.size)) % n_blocks,
    ]
    block = rng.permutation(n_blocks)[np.concatenate(where)]
    kind = np.repeat([0, 1, 2], [part.size for part in where])
    values = np.zeros((2, block.size))
    values[:, kind == 0] = merged.both_plus, merged.both_minus
    values[0, kind == 1], values[1, kind == 2] = merged.plus, merged.minus
    has = np.stack([kind != 2, kind != 1]).astype(np.float64)
    counts = np.stack([np.bincount(block, side, n_blocks) for side in has])
    shares = has / np.maximum(counts[:, block], 1)
    column = _rank_within(block)
    plus, minus, paid = np.zeros((3, n_blocks, int(column.max()) + 1))
    plus[block, column], minus[block, column] = shares[0], weight * shares[1]
    paid[block, column] = shares[0] * values[0] + weight * shares[1] * values[1]
    means = np.zeros((n_blocks, 2))
    np.add.at(means, block, (shares * values).T)
    # Units are means of as many values in every block, up to one.
    sizes = np.array([units.plus.size, units.minus.size]) + units.both_plus.size
    parts = np.array([1.0, weight**2]) / np.maximum(sizes, 1) * (sizes > 0)
    variance = np.full(n_blocks, LARGEST_VARIANCE * n_blocks * parts.sum())
    return Payoffs(paid[:, None, :], plus, minus, means, variance)


class _Side(NamedTuple):
    """Rows that stand for one class in pairs, and the number of the group each belongs to."""

    rows: IntArray
    group: IntArray

    @property
    def n_groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    def dealt(self, n_units: int) -> tuple[IntArray, FloatArray]:
        """Unit of each row, and its share of the unit: groups of a unit count alike."""
        unit = self.group % n_units
        sizes = np.bincount(self.group)
        n_groups = np.bincount(np.arange(sizes.size) % n_units)
        return unit, 1 / (sizes[self.group] * n_groups[unit])


def _sides(
    positive: BoolArray, groups: IntArray | None, rng: np.random.Generator
) -> tuple[_Side, _Side]:
    """Groups of positives and of negatives, in random order; one with both stands for one class."""
    if groups is None:
        sides = [rng.permutation(np.flatnonzero(side)) for side in (positive, ~positive)]
        return _Side(sides[0], np.arange(sides[0].size)), _Side(sides[1], np.arange(sides[1].size))
    unit = rng.permutation(np.unique(groups).size)[np.unique(groups, return_inverse=True)[1]]
    has = np.stack([np.bincount(unit, side) > 0 for side in (positive, ~positive)])
    both = np.flatnonzero(has.all(axis=0))
    pure = has.sum(axis=1) - both.size
    wanted = round((pure[1] - pure[0] + both.size) / 2)
    ups = np.clip(wanted, int(pure[0] == 0), both.size - int(pure[1] == 0))
    stands_for = has[0].copy()
    stands_for[both[ups:]] = False
    kept = positive == stands_for[unit]
    return (
        _numbered(np.flatnonzero(kept & positive), unit),
        _numbered(np.flatnonzero(kept & ~positive), unit),
    )


def _numbered(rows: IntArray, unit: IntArray) -> _Side:
    return _Side(rows, np.unique(unit[rows], return_inverse=True)[1])


def _pair_blocks(
    scores: list[FloatArray], up: _Side, down: _Side, k: int, most_blocks: int
) -> Payoffs:
    """Blocks of k units of either class, matched in the k cyclic ways."""
    n = min(up.n_groups, down.n_groups)
    if n == 0:
        raise ValueError(
            "`groups` must leave positives and negatives of different groups to compare; got one "
            "group: use finer groups."
        )
    k = min(k, n)
    n_blocks = min(n // k, most_blocks)
    found = [_win_rates(score, up, down, n_blocks, k) for score in scores]
    wins = found[0] if len(found) == 1 else (1 + found[0] - found[1]) / 2
    turn = np.arange(k)
    paid = wins[:, turn, (turn + turn[:, None]) % k] / k
    share = np.full((n_blocks, k), 1 / k)
    means = np.stack([wins.mean(axis=(1, 2)), np.zeros(n_blocks)], axis=1)
    guess = LARGEST_VARIANCE if len(scores) == 1 else PAIRED_VARIANCE
    variance = np.full(n_blocks, guess * n_blocks / n)
    return Payoffs(paid, share, np.zeros_like(share), means, variance)


def _win_rates(score: FloatArray, up: _Side, down: _Side, n_blocks: int, k: int) -> FloatArray:
    """Share of pairs, in each block, that each unit of positives wins against each of negatives."""
    place = np.unique(score, return_inverse=True)[1]
    height = score.size + 1
    unit, share = up.dealt(n_blocks * k)
    other, other_share = down.dealt(n_blocks * k)
    # One sorted list for all units: a unit's number first, then the place of the score.
    keys = other * height + place[down.rows]
    order = np.argsort(keys, kind="stable")
    total = np.append(0.0, np.cumsum(other_share[order]))
    opponents = (unit // k * k)[:, None] + np.arange(k)
    asked = opponents * height + place[up.rows][:, None]
    ends = [np.searchsorted(keys[order], asked, side=side) for side in ("left", "right")]
    # Shares of a unit sum to one, so that the units before it sum to its number.
    below = (total[ends[0]] + total[ends[1]]) / 2 - opponents
    pairs = unit[:, None] * k + np.arange(k)
    sums = np.bincount(pairs.ravel(), (share[:, None] * below).ravel(), n_blocks * k * k)
    return np.clip(sums.reshape(n_blocks, k, k), 0.0, 1.0)


def _chunks(chunk: IntArray) -> list[IntArray]:
    return [np.flatnonzero(chunk == c) for c in np.unique(chunk)]


def _share(most: int, n: int, total: int) -> int:
    return max(1, round(most * n / total))


def _averaged(values: FloatArray, most: int) -> FloatArray:
    """At most so many means of values, dealt out evenly."""
    if values.size <= most:
        return values
    to = np.arange(values.size) % most
    return np.asarray(np.bincount(to, values) / np.bincount(to))


def _rank_within(block: IntArray) -> IntArray:
    """How many entries of the same block come before each entry."""
    order = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[order], block[order], side="left")
    rank = np.empty(block.size, dtype=np.intp)
    rank[order] = np.arange(block.size) - starts
    return rank


def _stacked(parts: list[Payoffs]) -> Payoffs:
    """Chunks one after the other, units and matchings filled up to the largest of them."""
    if len(parts) == 1:
        return parts[0]
    units = max(part.plus.shape[1] for part in parts)
    ways = max(part.paid.shape[1] for part in parts)
    filled = []
    for part in parts:
        # A unit of no share pays nothing and is expected to; a matching may count twice.
        room = units - part.plus.shape[1]
        paid = np.pad(part.paid, ((0, 0), (0, 0), (0, room)))
        paid = paid[:, np.arange(ways) % part.paid.shape[1]]
        shares = [np.pad(share, ((0, 0), (0, room))) for share in (part.plus, part.minus)]
        filled.append(part._replace(paid=paid, plus=shares[0], minus=shares[1]))
    return Payoffs(*(np.concatenate(arrays) for arrays in zip(*filled, strict=True)))
