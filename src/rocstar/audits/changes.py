"""How the values of each column changed between two samples: small histograms, gaps, new values."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import chi2_contingency

from rocstar.checks import BoolArray, FloatArray, nonnegative_weights
from rocstar.tables.table import LabelledTable

if TYPE_CHECKING:
    from pandas import DataFrame, Series

N_BINS = 16
MOST_VALUES = 8  # of a category; the rest are put together
MOST_NAMED = 10  # new or vanished values that a summary names
# Bins of fewer expected rows are put together before they are tested.
FEWEST_EXPECTED = 5.0


class Binned(NamedTuple):
    """Bin of every row, −1 for a gap, and what the bins are called; ``edges`` of numbers."""

    bin: np.ndarray
    labels: list[str]
    edges: list[float] | None
    new: list[str]
    vanished: list[str]


def column_changes(frame: DataFrame, table: LabelledTable, level: float) -> list[dict[str, Any]]:
    """Columns whose own values are distributed differently, the largest change first.

    A column counts as changed if a chi-squared test of its bins, gaps included, rejects at the
    level over all columns together. The test takes one row per group and counts rows.
    """
    weights = nonnegative_weights(table.sample_weight, len(table.y))
    counted = np.ones(len(table.y), dtype=np.bool_)
    if table.groups is not None:
        counted[:] = False
        counted[np.unique(table.groups, return_index=True)[1]] = True
    entries = []
    kinds = dict(zip(table.encoder.feature_names_in_, table.encoder.kinds_, strict=True))
    described = {name: kind for name, kind in kinds.items() if kind.name not in _UNSEEN}
    for name, kind in described.items():
        found = _binned(kind.read(frame[name]), kind.name, table.y)
        pvalue = _pvalue(found.bin[counted], table.y[counted])
        if pvalue * len(described) <= 1 - level:
            entries.append(_entry(str(name), kind.name, found, table.y, weights, pvalue))
    return sorted(entries, key=lambda entry: -entry["distance"])


# Kinds that have no values to show: they hold none, one, or prose.
_UNSEEN = ("empty", "constant", "text")


def _binned(values: Series, kind: str, second: BoolArray) -> Binned:
    import pandas as pd

    if kind == "date":
        days = pd.to_datetime(values).to_numpy().astype("datetime64[s]")
        gaps = np.isnat(days)
        found = _of_numbers(np.where(gaps, np.nan, days.astype(np.float64)))
        dates = [str(np.datetime64(int(edge), "s"))[:10] for edge in found.edges or []]
        spans = [f"{a} to {b}" for a, b in pairwise(dates)]
        return found._replace(labels=spans)
    if kind == "presence":
        return _of_values(values.notna().map({True: "has a value", False: "blank"}), second)
    if kind == "number" and values.nunique() > MOST_VALUES:
        numbers = pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)
        return _of_numbers(np.where(np.isfinite(numbers), numbers, np.nan))
    return _of_values(values, second)


def _of_numbers(values: FloatArray) -> Binned:
    """Bins of equal width between the outer hundredths; the outermost bins take the tails."""
    known = values[~np.isnan(values)]
    low, high = np.quantile(known, [0.01, 0.99])
    if low == high:
        low, high = known.min(), known.max()
    edges = np.linspace(low, high, N_BINS + 1)
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, N_BINS - 1)
    labels = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges)]
    return Binned(np.where(np.isnan(values), -1, bins), labels, edges.tolist(), [], [])


def _of_values(values: Series, second: BoolArray) -> Binned:
    """The commonest values, the others together; values that only one sample has by name."""
    import pandas as pd

    codes, uniques = pd.factorize(values.map(_spelled, na_action="ignore"))
    counts = np.bincount(codes[codes >= 0], minlength=len(uniques))
    order = np.argsort(-counts, kind="stable")
    most = MOST_VALUES if len(order) <= MOST_VALUES else MOST_VALUES - 1
    place = np.full(len(uniques) + 1, most)
    place[order[:most]] = np.arange(min(most, len(order)))
    place[-1] = -1
    labels = [str(uniques[k]) for k in order[:most]]
    if len(order) > most:
        labels.append(f"{len(order) - most} others")
    in_first, in_second = (
        np.bincount(codes[rows & (codes >= 0)], minlength=len(uniques)) > 0
        for rows in (~second, second)
    )
    new, vanished = (
        [str(uniques[k]) for k in order if only[k]]
        for only in (in_second & ~in_first, in_first & ~in_second)
    )
    return Binned(place[codes], labels, None, new, vanished)


def _spelled(value: object) -> str:
    """A whole number alike as an integer and as a float."""
    whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
    return str(int(value)) if whole else str(value)  # type: ignore[call-overload]


def _entry(
    name: str, kind: str, found: Binned, second: BoolArray, weights: FloatArray, pvalue: float
) -> dict[str, Any]:
    """Shares of the rows of each sample, gaps set apart; ``distance`` is a total variation."""
    shares = []
    for rows in (~second, second):
        mass = np.bincount(found.bin[rows] + 1, weights[rows], len(found.labels) + 1)
        shares.append(mass / mass.sum())
    return {
        "name": name,
        "type": kind,
        "labels": found.labels,
        "edges": found.edges,
        "first": shares[0][1:].tolist(),
        "second": shares[1][1:].tolist(),
        "missing": [float(share[0]) for share in shares],
        "new": found.new[:MOST_NAMED],
        "vanished": found.vanished[:MOST_NAMED],
        "n_new": len(found.new),
        "n_vanished": len(found.vanished),
        "distance": float(np.abs(shares[0] - shares[1]).sum() / 2),
        "pvalue": pvalue,
    }


def _pvalue(bins: np.ndarray, second: BoolArray) -> float:
    """Of a chi-squared test that both samples fall into the bins alike."""
    counts = np.array(
        [np.bincount(bins[rows] + 1, minlength=bins.max() + 2) for rows in (~second, second)]
    )
    counts = counts[:, counts.sum(axis=0) > 0]
    expected = counts.sum(axis=0) * (counts.sum(axis=1) / counts.sum()).min()
    rare = expected < FEWEST_EXPECTED
    if rare.any():
        together = counts[:, rare].sum(axis=1, keepdims=True)
        counts = np.hstack([counts[:, ~rare], together])
    counts = counts[:, counts.sum(axis=0) > 0]
    return 1.0 if counts.shape[1] < 2 else float(chi2_contingency(counts, correction=False).pvalue)
