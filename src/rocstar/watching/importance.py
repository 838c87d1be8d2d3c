"""Which columns the evidence rests on: also those that moved only together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.watching.shifts import Shift
from rocstar.watching.stream import Stream

MOST_ROWS = 500
LEAST, LEAST_SHARE = 0.02, 0.1
"""A column that did not move alone is named if the evidence loses so much without it, and so large
a share."""
CLEAR = 3.0
"""Standard errors that the loss must reach, too: after an alarm, batches without a change lose or
gain by chance."""


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
