"""Bounds by betting for more than two classes: product blocks with rows of every class (§12, §15).

Which rows share a block depends on the sizes of classes and chunks and on a seed, never on values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.inference.betting import (
    AIM,
    CAP,
    PRIOR_BLOCKS,
    Payoffs,
    candidates,
    hedge,
    lower_bound,
)
from rocstar.inference.betting_blocks import LARGEST_VARIANCE, MOST_BLOCKS, MOST_UNITS
from rocstar.inference.betting_intervals import auc_bets
from rocstar.inference.class_held_out import TINY, ClassHeldOut

SEED = 0


class ClassBlocks(NamedTuple):
    """Blocks in the order in which they are bet on, each with units of every class."""

    paid: FloatArray  # (blocks, classes, units): values in [0, 1], 0 where there is no unit
    units: IntArray  # (blocks, classes): how many units there are
    used: FloatArray  # (blocks, classes, units): 1 where there is a unit

    @property
    def means(self) -> FloatArray:
        """Mean value of each class in each block."""
        return np.asarray(self.paid.sum(axis=2) / self.units)


def betting_bounds(held: ClassHeldOut, error: float) -> FloatArray:
    """Lower bounds of arc length, balanced accuracy and mean pairwise AUC, each of this error."""
    refuse_groups(held.groups)
    k = held.n_classes
    right = (held.predicted == held.y).astype(np.float64)
    return np.array(
        [
            sum_bound(held, held.terms, error, np.sqrt(k)),
            sum_bound(held, right, error, 1.0) / k,
            mean_auc_bound(held, held.log_direction, error),
        ]
    )


def sum_bound(held: ClassHeldOut, values: FloatArray, error: float, floor: float) -> float:
    """Lower bound of the sum over classes of the mean of values in [0, 1]."""
    blocks = class_blocks(held, values)
    asked = candidates(floor, float(held.n_classes), held.y.size)
    rejected = wealth(blocks, asked, error) >= 1 / error
    first = asked.size if rejected.all() else int(np.argmin(rejected))
    return float(asked[first - 1]) if first else floor


def pair_bounds(held: ClassHeldOut, error: float) -> FloatArray:
    """Lower bounds of the AUC of every pair, which hold together with this error."""
    refuse_groups(held.groups)
    i, j = np.triu_indices(held.n_classes, 1)
    out = np.empty(i.size)
    for f, (a, b) in enumerate(zip(i, j, strict=True)):
        rows = (held.y == a) | (held.y == b)
        score = held.log_direction[rows, a] - held.log_direction[rows, b]
        bets = auc_bets(held.y[rows] == a, score, held.fold[rows], None)
        out[f] = bets.low(error / i.size, 0.5)
    return out


def rest_bounds(held: ClassHeldOut, error: float) -> FloatArray:
    """Lower bounds of the AUC of every class against the others, which hold together."""
    refuse_groups(held.groups)
    k = held.n_classes
    rest = held.direction.sum(axis=1, keepdims=True) - held.direction
    score = held.log_direction - np.log(np.maximum(rest, TINY))
    out = np.empty(k)
    for c in range(k):
        paid = []
        for block in dealt_blocks(held):
            own, others = (
                score[block[c], c],
                [score[rows, c] for j, rows in enumerate(block) if j != c],
            )
            paid.append(np.mean([win_rate(own, other) for other in others]))
        out[c] = _mean_bound(np.array(paid), error / k, held.y.size)
    return out


def mean_auc_bound(
    held: ClassHeldOut, logs: FloatArray, error: float, baseline: FloatArray | None = None
) -> float:
    """Lower bound of the mean pairwise AUC, or of its gain over given log densities."""
    paid = np.array([block_auc(logs, block) for block in dealt_blocks(held)])
    if baseline is None:
        return _mean_bound(paid, error, held.y.size)
    theirs = np.array([block_auc(baseline, block) for block in dealt_blocks(held)])
    return max(2 * _mean_bound((1 + paid - theirs) / 2, error, held.y.size) - 1, 0.0)


def block_auc(logs: FloatArray, block: list[IntArray]) -> float:
    """Mean over pairs of classes of the share of pairs of rows that are ranked right."""
    wins = [
        win_rate(logs[own, i] - logs[own, j], logs[other, i] - logs[other, j])
        for i, own in enumerate(block)
        for j, other in enumerate(block)
        if i < j
    ]
    return float(np.mean(wins))


def win_rate(ours: FloatArray, theirs: FloatArray) -> float:
    """Share of pairs in which ours is larger (ties count one half)."""
    gap = ours[:, None] - theirs
    return float(((gap > 0) + 0.5 * (gap == 0)).mean())


def dealt_blocks(held: ClassHeldOut) -> list[list[IntArray]]:
    """Entries of every class in each block, chunk after chunk."""
    rng = np.random.default_rng(SEED)
    out = []
    for chunk in range(held.n_splits):
        parts = [
            rng.permutation(np.flatnonzero((held.fold == chunk) & (held.y == k)))
            for k in range(held.n_classes)
        ]
        size = sum(part.size for part in parts)
        most = max(1, round(MOST_BLOCKS * size / held.y.size))
        n_blocks = min(most, *(part.size for part in parts))
        out += [[part[b::n_blocks] for part in parts] for b in range(n_blocks)]
    return out


def class_blocks(held: ClassHeldOut, values: FloatArray) -> ClassBlocks:
    """Values dealt out to blocks; what is more than a few units of a class is averaged first."""
    dealt = dealt_blocks(held)
    units = np.array([[min(rows.size, MOST_UNITS) for rows in block] for block in dealt])
    paid = np.zeros((*units.shape, MOST_UNITS))
    used = np.zeros_like(paid)
    for b, block in enumerate(dealt):
        for k, rows in enumerate(block):
            to = np.arange(rows.size) % units[b, k]
            sums = np.bincount(to, values[rows]) / np.bincount(to)
            paid[b, k, : units[b, k]], used[b, k, : units[b, k]] = sums, 1.0
    most = int(units.max())
    return ClassBlocks(paid[:, :, :most], units, used[:, :, :most])


def wealth(blocks: ClassBlocks, values: FloatArray, error: float) -> FloatArray:
    """Final wealth against each candidate of the sum of class means."""
    n_blocks, k = blocks.units.shape
    means = blocks.means
    totals = means.sum(axis=1)
    found = np.ones(values.size)
    sums, total = np.zeros(k), 0.0
    # A first guess of a block's variance, from sizes alone.
    squares = PRIOR_BLOCKS * float((LARGEST_VARIANCE / blocks.units).sum(axis=1).mean())
    for t in range(n_blocks):
        expected = _expected(values, sums, t, blocks.units[t])
        variance = squares / (t + PRIOR_BLOCKS)
        bets = hedge(found * error / AIM) / np.sqrt(variance * (n_blocks - t))
        bets[found * error >= 1.0] = 0.0
        np.minimum(bets, CAP / (expected / blocks.units[t]).max(axis=1), out=bets)
        share = bets[:, None] / blocks.units[t]
        factors = 1 + share[:, :, None] * (blocks.paid[t] - expected[:, :, None] * blocks.used[t])
        found *= factors.prod(axis=(1, 2))
        sums += means[t]
        total += totals[t]
        squares += (totals[t] - total / (t + 1)) ** 2
    return found


def _expected(values: FloatArray, sums: FloatArray, past: int, units: IntArray) -> FloatArray:
    """Class means that add up to each candidate: past ones, the rest on classes of few units."""
    k = sums.size
    means = (sums + values[:, None] / k) / (past + 1)
    fewer = (1 / units) / (1 / units).sum()
    means = means + (values - means.sum(axis=1))[:, None] * fewer
    means = np.clip(means, 1e-3, 1.0)
    # Any split of a candidate is valid as long as it adds up.
    return np.asarray(means * (values / means.sum(axis=1))[:, None])


def _mean_bound(paid: FloatArray, error: float, n_rows: int) -> float:
    """Lower bound of the mean of block values in [0, 1] that are one half at worst."""
    ones = np.ones((paid.size, 1))
    payoffs = Payoffs(
        paid[:, None, None],
        ones,
        np.zeros_like(ones),
        np.stack([paid, np.zeros(paid.size)], axis=1),
        np.full(paid.size, LARGEST_VARIANCE / 4),
    )
    found = lower_bound([payoffs], candidates(0.5, 1.0, n_rows), error)
    return 0.5 if found is None else found


def refuse_groups(groups: Any) -> None:
    """Groups of more than two classes are not covered by the theorem as it stands here."""
    if groups is not None:
        raise ValueError(
            "`groups` must be left out for method='betting' with more than two classes: use "
            "method='dirichlet', or keep one row per group."
        )
