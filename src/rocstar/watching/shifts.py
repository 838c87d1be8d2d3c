"""How far each column of a batch lies from the reference, and which ones the evidence rests on.

These are descriptions, not promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chi2

from rocstar.checks import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from rocstar.watching.stream import Stream

N_BINS = 10
MOST_ROWS = 500
LEAST, LEAST_SHARE = 0.02, 0.1
"""A column that did not move alone is named if the evidence loses so much without it, and so large
a share."""
CLEAR = 3.0
"""Standard errors that the loss must reach, too: after an alarm, batches without a change lose or
gain by chance."""


@dataclass(frozen=True)
class Shift:
    """A column that moved.

    Attributes
    ----------
    name : str
    shift : float
        Total variation distance between the batch and the reference in ten bins of the column,
        with missing values in a bin of their own.
    pvalue : float
        Of a chi-squared test of this batch alone, corrected for the parts that a date or a text is
        encoded as. It is not corrected for the number of columns or batches.
    importance : float or None
        With an alarm: what the evidence per row loses if the column comes from the reference.
    """

    name: str
    shift: float
    pvalue: float
    importance: float | None = None


@dataclass
class Profile:
    """Bins of every encoded column, with the reference's rows counted in them."""

    names: list[str]  # of the table's columns
    owner: IntArray
    edges: list[FloatArray]
    counts: list[FloatArray]

    @classmethod
    def learn(
        cls,
        parts: tuple[FloatArray, FloatArray],
        names: Sequence[str],
        owner: IntArray,
        categorical: IntArray,
        whole: BoolArray,
    ) -> Profile:
        """Bins of the reference's two parts: tenths of numbers, and one for each code.

        An encoder treats the part that it was fitted to unlike all other rows. So only columns
        that it passes on as they are, ``whole``, are described by both parts.
        """
        both = np.concatenate(parts)
        columns = [both[:, k] if whole[k] else parts[1][:, k] for k in range(owner.size)]
        edges = []
        for k, column in enumerate(columns):
            # Codes that only the first part holds have a bin of their own too.
            seen = both[:, k] if k in categorical else column
            seen, places = seen[np.isfinite(seen)], np.arange(1, N_BINS) / N_BINS
            cuts = np.unique(seen) + 0.5 if k in categorical else _quantiles(seen, places)
            edges.append(cuts)
        counts = [_counts(cuts, column) for cuts, column in zip(edges, columns, strict=True)]
        return cls(list(names), owner, edges, counts)

    @property
    def watched(self) -> list[str]:
        """Columns of more than one value, in the order of `shifts`."""
        return [self.names[k] for k in np.unique(self.owner)]

    def counted(self, X: FloatArray) -> list[FloatArray]:
        """How many rows are in each bin of every encoded column."""
        return [_counts(edges, column) for edges, column in zip(self.edges, X.T, strict=True)]

    def shifts(self, counts: Sequence[FloatArray]) -> list[Shift]:
        """One entry per column of the table, in its order; the part that moved most stands for
        a column that was encoded as several."""
        found: dict[int, Shift] = {}
        for k, owner in enumerate(self.owner):
            reference, batch = self.counts[k], counts[k]
            shift = float(np.abs(reference / reference.sum() - batch / batch.sum()).sum() / 2)
            known = found.get(int(owner))
            if known is None or shift > known.shift:
                pvalue = _pvalue(reference, batch)
                found[int(owner)] = Shift(self.names[int(owner)], shift, pvalue)
        # Whichever of its parts moved most, chance had as many attempts as there are parts.
        return [
            replace(found[k], pvalue=min(found[k].pvalue * int((self.owner == k).sum()), 1.0))
            for k in sorted(found)
        ]


def moved(shifts: Sequence[Shift], error: float, also: str | None = None) -> tuple[Shift, ...]:
    """Columns that this batch alone shows to differ, and another; the largest shift first."""
    clear = [e for e in shifts if e.pvalue <= error / len(shifts) or e.name == also]
    return tuple(sorted(clear, key=lambda each: -each.shift))


def _quantiles(seen: FloatArray, places: FloatArray) -> FloatArray:
    return np.unique(np.quantile(seen, places)) if seen.size else np.zeros(0)


def _counts(edges: FloatArray, column: FloatArray) -> FloatArray:
    missing = np.isnan(column)
    places = np.where(missing, edges.size + 1, np.searchsorted(edges, column))
    return np.bincount(places, minlength=edges.size + 2).astype(np.float64)


def _pvalue(reference: FloatArray, batch: FloatArray) -> float:
    used = reference + batch > 0
    if used.sum() < 2:
        return 1.0
    a, b = reference[used], batch[used]
    ratio = np.sqrt(b.sum() / a.sum())
    statistic = float((((ratio * a - b / ratio) ** 2) / (a + b)).sum())
    return float(chi2.sf(statistic, used.sum() - 1))


def with_importance(
    moved: Sequence[Shift],
    shifts: Sequence[Shift],
    stream: Stream,
    X: FloatArray,
    owner: IntArray,
    seed: int,
) -> tuple[Shift, ...]:
    """Columns that moved or that the judge needs, with what it loses without each."""
    judge, search = stream.judge, stream.search
    if judge is None:
        return tuple(moved)
    rng = np.random.default_rng([seed, 4, stream.batches])
    rows = X[rng.permutation(len(X))[:MOST_ROWS]]
    other = stream.second[rng.integers(len(stream.second), size=len(rows))]

    def evidence(matrix: FloatArray) -> FloatArray:
        return judge.payoffs.values(search.score(judge.model, matrix))

    whole, named = evidence(rows), {each.name for each in moved}
    found = []
    for column, shift in zip(np.unique(owner), shifts, strict=True):
        losses = whole - evidence(np.where(owner == column, other, rows))
        lost, error = float(losses.mean()), float(losses.std()) / np.sqrt(len(rows))
        least = max(LEAST, LEAST_SHARE * (float(whole.mean()) - 0.5), CLEAR * error)
        if shift.name in named or lost > least:
            found.append(replace(shift, importance=lost))
    return tuple(sorted(found, key=lambda each: -(each.importance or 0.0)))
