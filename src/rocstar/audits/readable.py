"""Columns as a rule in words can use them: numbers, dates and single values of categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.tables.kinds import Category, Date, Number
from rocstar.tables.table import LabelledTable

MOST_VALUES = 10  # of a category


@dataclass(frozen=True)
class Feature:
    """One number per row, and how a range of it reads."""

    name: str  # unique among the features
    column: str
    values: FloatArray
    whole: bool = False
    value: str | None = None  # of an indicator: the value that it stands for
    date: bool = False

    def words(self, low: float, high: float, gaps: bool) -> str:
        """Values above ``low`` and up to ``high``, and gaps if these are meant too."""
        if self.value is not None:
            return f"`{self.column}` {'=' if low >= 0 else '≠'} {self.value}"
        missing = gaps and bool(np.isnan(self.values).any())
        said = self._between(low, high)
        known = np.unique(self.values[~np.isnan(self.values)])
        if self.whole and known.size == 2:  # one of two numbers, such as 0 and 1
            said = f"`{self.column}` = {int(known[0] if low < known[0] else known[1])}"
        return f"({said} or missing)" if missing else said

    def _between(self, low: float, high: float) -> str:
        above, upto = self._number(low, up=True), self._number(high)
        if np.isinf(low):
            return f"`{self.column}` ≤ {upto}"
        sign = "≥" if self.whole else ">"
        if np.isinf(high):
            return f"`{self.column}` {sign} {above}"
        return f"{above} {'≤' if self.whole else '<'} `{self.column}` ≤ {upto}"

    def _number(self, value: float, *, up: bool = False) -> str:
        if np.isinf(value):
            return ""
        if self.date:
            return str(np.datetime64(int(value), "s"))[:10]
        if self.whole:
            return f"{int(np.floor(value)) + up:,}".replace("-", "−")
        return f"{value:.4g}".replace("-", "−")


def readable_features(table: LabelledTable, rows: IntArray) -> list[Feature]:
    """What rules may speak of; components of text are left out."""
    found: list[Feature] = []
    encoder = table.encoder
    for k, (name, kind) in enumerate(zip(encoder.feature_names_in_, encoder.kinds_, strict=True)):
        block = np.flatnonzero(encoder.owner_ == k)
        column = str(name)
        if isinstance(kind, Category):
            found += _indicators(column, kind, table.X[rows, block[0]])
        elif isinstance(kind, Date):
            names = [str(part) for part in kind.encoder.get_feature_names_out()]
            total = [i for i, part in enumerate(names) if part.endswith("total_seconds")]
            if total:
                found.append(Feature(column, column, table.X[rows, block[total[0]]], date=True))
        elif kind.name in ("boolean", "presence"):
            value = "true" if kind.name == "boolean" else "present"
            found.append(Feature(column, column, table.X[rows, block[0]] - 0.5, value=value))
        elif isinstance(kind, Number):
            values = table.X[rows, block[0]]
            found.append(Feature(column, column, values, whole=not kind.fractions))
    return found


def _indicators(column: str, kind: Category, codes: FloatArray) -> list[Feature]:
    """Each of the commonest values, as −½ or ½: a cut at zero tells them apart."""
    known = codes[~np.isnan(codes)].astype(np.intp)
    counts = np.bincount(known, minlength=len(kind.categories))
    common = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    return [
        Feature(
            f"{column} = {kind.categories[code]}",
            column,
            (codes == code) - 0.5,
            value=str(kind.categories[code]),
        )
        for code in common
        if 0 < counts[code] < len(codes)
    ]
