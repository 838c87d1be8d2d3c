"""How far a batch lies from the reference: estimates, which no evidence rests on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rocstar.checks import FloatArray
from rocstar.watching.payoffs import N_PAYOFFS, Judge, Payoffs
from rocstar.watching.search import Search
from rocstar.watching.units import implied_divergence

UNKNOWN = np.full(2, np.nan)
"""Distance and divergence where no model can tell."""


def halved(judge: Judge, search: Search, X: FloatArray) -> FloatArray:
    """How many rows are in each bin of a judge, odd ones and even ones apart: (2, bins)."""
    score = search.score(judge.model, X)
    return np.stack([judge.payoffs.counts(score[k::2]) for k in (0, 1)])


def distances(judges: Sequence[Judge], counts: Sequence[FloatArray]) -> FloatArray:
    """Distance and divergence of rows that no judge has learnt from, counted in two halves.

    Each half is judged by whoever sees the largest difference in the other half. The wealthiest
    may see none of it: its wealth may come from an earlier change.
    """
    found, rows = [], []
    for own, other in ((0, 1), (1, 0)):
        pairs = zip(judges, counts, strict=True)
        sizes = [_difference(judge, each[other]) for judge, each in pairs]
        best = int(np.argmax(sizes))
        if counts[best][own].sum():
            found.append(judges[best].distances(counts[best][own]))
            rows.append(counts[best][own].sum())
    return np.average(found, axis=0, weights=rows) if found else UNKNOWN


def crossed(search: Search, X: FloatArray) -> FloatArray:
    """Distance and divergence of rows that every judge may have learnt from.

    Models of one half judge the other.
    """
    found = []
    for own, other in ((X[::2], X[1::2]), (X[1::2], X[::2])):
        candidate = search.best(own, len(own))
        if candidate is not None:
            found.append(guessed(search, search.model(candidate), own, other))
    return np.mean(found, axis=0) if found else UNKNOWN


def guessed(search: Search, model: object, own: FloatArray, X: FloatArray) -> FloatArray:
    """Distance and divergence of rows by a model of others, without the second part."""
    validation = search.score(model, search.halves[1])
    payoffs = Payoffs.of_scores(search.score(model, own), validation)
    judge = Judge(model, payoffs, payoffs.shares, np.ones(N_PAYOFFS))
    return judge.distances(payoffs.counts(search.score(model, X)))


def at_least(tv: float) -> FloatArray:
    """Distance and divergence that a bound of the distance leaves."""
    return np.array([tv, implied_divergence(tv)])


def _difference(judge: Judge, counts: FloatArray) -> float:
    """From the first part of the reference: the second has no say in who is compared."""
    rows, payoffs = counts.sum(), judge.payoffs
    return float(payoffs.levels[1] @ (counts / rows - payoffs.shares)) if rows else 0.0
