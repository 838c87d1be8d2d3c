"""Tests of single columns that need no model: stretches of the stream against the reference.

A model must learn what has changed before it can show it. A column that moves alone shows it at
once: without a change, the rows of a stretch and those of the reference are exchangeable. The
tests of all columns and of all stretches share one error, for all times (theory §14).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.watching.memory import Memory
from rocstar.watching.permutations import CLEAR, codes_pvalue, number_pvalue
from rocstar.watching.wealth import trial_share

if TYPE_CHECKING:
    from rocstar.tables.columns import TableEncoder


@dataclass
class Plan:
    """Which columns of a matrix are tested, and against which rows.

    An encoder that has seen the first part of the reference treats it unlike all other rows, whose
    categories may be new to it. Only columns that it passes on as they are may be tested against
    the whole reference; others are tested against the second part.
    """

    whole: BoolArray
    share: FloatArray  # of the error of a look; a column without a share is not tested

    @classmethod
    def of_second_part(cls, width: int) -> Plan:
        """All columns alike, against the second part."""
        return cls(np.zeros(width, dtype=np.bool_), np.full(width, 1 / width))

    @classmethod
    def of_encoder(cls, encoder: TableEncoder, dtypes: Any) -> Plan:
        """The plan for an encoded table: its columns have one share each."""
        # Neither the shares of passed-on columns nor whether they are tested as numbers may depend
        # on the rows of the first part; that they are not tested at all may.
        owner = encoder.owner_
        passed = np.array([isinstance(d, np.dtype) and d.kind in "iuf" for d in dtypes])[owner]
        number = np.array([kind.name == "number" for kind in encoder.kinds_])[owner]
        width = np.bincount(owner, minlength=len(encoder.kinds_))[owner]
        share = np.where(passed & ~number, 0.0, 1 / (len(encoder.kinds_) * width))
        return cls(passed & number, share)


@dataclass
class Columns:
    """Tests of every column in every stretch of 1, 2, 4, … batches.

    ``pvalue`` is the smallest since the last reset, corrected for all tests of all times: without a
    change the probability that it is ever x or less is at most x. At ``error`` it is an alarm.
    """

    halves: tuple[FloatArray, FloatArray]  # of the reference's first part
    second: FloatArray
    categorical: IntArray
    plan: Plan
    error: float
    seed: int = 0
    batches: int = 0
    looks: int = 0
    begun: int = 0  # batches up to the last reset
    pvalue: float = 1.0
    column: int = 0  # of the matrix: that of the alarm, or else of the smallest so far
    since: int = 0  # first batch of the stretch in which it was found
    total: FloatArray = field(init=False)  # sums of `Ranks` over all batches
    before: dict[int, FloatArray] = field(default_factory=dict)  # the same, before a stretch
    memory: Memory = field(init=False)
    reference: list[FloatArray] = field(init=False, repr=False)
    ranks: Ranks = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.memory = Memory(self.seed)
        self.total = np.zeros((4, self.plan.share.size))
        self._prepare()

    def __getstate__(self) -> dict[str, object]:
        """Everything but what is computed from the rest."""
        return {name: x for name, x in vars(self).items() if name not in ("reference", "ranks")}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._prepare()

    def _prepare(self) -> None:
        parts = (*self.halves, self.second)
        self.reference = [
            np.concatenate([part[:, k] for part in parts]) if whole else self.second[:, k]
            for k, whole in enumerate(self.plan.whole)
        ]
        self.ranks = Ranks(self.reference)

    @property
    def alarm(self) -> bool:
        """Whether a column has been shown to have changed since the last reset."""
        return self.pvalue <= self.error

    def reset(self) -> None:
        """Listen only to stretches that begin after the batches so far."""
        # What is tested, and at which share of the error, does not depend on resets: they are free.
        self.begun, self.pvalue = self.batches, 1.0

    def take(self, X: FloatArray) -> None:
        """Test the stretches that end with a batch."""
        self.batches += 1
        self.before[self.batches] = self.total
        self.total = self.total + self.ranks.sums(X)
        for stretch in self.memory.add(X, self.batches, self.batches):
            self.looks += 1
            if stretch.first > self.begun:
                unlike = self.ranks.unlike(self.total - self.before[stretch.first])
                self._look(stretch.X if stretch.level else X, unlike, stretch.first)
        self.before = {kept.first: self.before[kept.first] for kept in self.memory.kept}

    def _look(self, X: FloatArray, unlike: IntArray, first: int) -> None:
        share = self.plan.share * trial_share(self.looks)
        clear = np.union1d(unlike, self.categorical)
        for k in clear[share[clear] > 0]:
            test = codes_pvalue if k in self.categorical else number_pvalue
            pvalue = test(self.reference[k], X[:, k]) / float(share[k])
            if pvalue < self.pvalue:
                if not self.alarm:
                    self.column, self.since = int(k), first
                self.pvalue = pvalue


class Ranks:
    """Sorted columns of the reference, for a quick look at which columns may have moved."""

    def __init__(self, reference: list[FloatArray]) -> None:
        self.seen = [np.sort(x[~np.isnan(x)]) for x in reference]
        self.n = np.array([x.size for x in reference])
        pairs = zip(self.seen, reference, strict=True)
        scores = [_rank_scores([seen], x[:, None])[:, 0] for seen, x in pairs]
        self.mean = np.stack([each.mean(axis=1) for each in scores], axis=1)
        # A gap that the reference lacks would be infinitely far away: half a row may have it.
        variance = np.stack([each.var(axis=1) for each in scores], axis=1)
        self.variance = np.maximum(variance, 0.5 / self.n)

    def sums(self, X: FloatArray) -> FloatArray:
        """What a quick look needs of rows: their number and the sums of their scores."""
        scores = _rank_scores(self.seen, X).sum(axis=2)
        return np.concatenate([np.full((1, X.shape[1]), float(len(X))), scores])

    def unlike(self, sums: FloatArray) -> IntArray:
        """Columns whose location, scale or gaps, roughly, are far enough to be worth a test."""
        rows, gap = sums[0], sums[1:] / sums[0] - self.mean
        error = self.variance * (1 / rows + 1 / self.n)
        return np.flatnonzero((gap**2 > CLEAR**2 * error).any(axis=0))


def _rank_scores(seen: list[FloatArray], X: FloatArray) -> FloatArray:
    """Ranks among sorted values, their distances from the middle, and gaps, of each column."""
    pairs = zip(seen, X.T, strict=True)
    rank = [np.searchsorted(old, x) / max(old.size, 1) - 0.5 for old, x in pairs]
    missing = np.isnan(X.T)
    middle = np.where(missing, 0.0, rank)
    return np.stack([middle, np.abs(middle), missing])
