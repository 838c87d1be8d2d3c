"""Numbers written for people: decimal commas, thousands separators, currencies, percent signs.

A column is read as numbers if nearly all of its values are written in one way. Which way that is,
is part of the fitted encoder, so that new tables are read like the first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.checks import FloatArray
from rocstar.tables.blanks import says_unknown

if TYPE_CHECKING:
    from pandas import Series

# Share of the values that must be numbers written in one way; typing errors are fewer.
NEARLY_ALL = 0.95
# Distinct values that tell how all are written.
MOST_LOOKED_AT = 5000
# So many distinct numbers do not have three decimals each by chance.
MANY_ALIKE = 30
_CURRENCY = (
    r"(?:US|CA|AU|NZ|HK|R)?\$|[€£¥₹₽₩₺₪₫₴₦฿]|[Kk]r\.?|Rs\.?|zł|Kč|Ft|Fr\.?|"
    r"USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|TRY|RUB"
)
_WRITTEN = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+\-−])?\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[+\-−])?\s*"
    rf"(?P<digits>[.,]?\d(?:[\d.,'’\s]*\d)?)\s*(?P<after>{_CURRENCY}|%)?\s*(?P<close>\))?"
)
_SEPARATORS = [(d, t) for d, t in product(".,", [",", ".", " ", "'"]) if d != t]


@dataclass(frozen=True)
class Notation:
    """How the numbers of a column are written; ``example`` is one of them."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    example: str = ""

    def numbers(self, values: Series) -> FloatArray:
        """The numbers of a column of text; NaN where it holds none written like that."""
        import pandas as pd

        codes, distinct = pd.factorize(values)
        return np.asarray(np.append(self.parsed(distinct), np.nan)[codes])

    def parsed(self, distinct: Sequence[Any]) -> FloatArray:
        """One number per value; those that are numbers already stay."""
        plain = plain_numbers(distinct)
        if self == PLAIN:
            return plain
        return np.asarray(
            [
                number if isinstance(value, Real) else self._number(str(value))
                for value, number in zip(distinct, plain, strict=True)
            ],
            dtype=np.float64,
        )

    def _number(self, text: str) -> float:
        found = _WRITTEN.fullmatch(text.strip())
        if found is None or bool(found["open"]) != bool(found["close"]):
            return np.nan
        unit = found["before"] or found["after"] or ""
        # In a column of amounts a plain 0 is an amount; in one of percentages, 0.45 is not.
        if unit != self.unit and (unit or self.unit == "%"):
            return np.nan
        digits = _plain_spaces(found["digits"])
        if not _pattern(self.decimal, self.thousands).fullmatch(digits):
            return np.nan
        size = float(digits.replace(self.thousands or " ", "").replace(self.decimal, "."))
        negative = {"(", "-", "−"} & {found["open"], found["sign"], found["inner"]}
        return -size if negative else size

    @property
    def words(self) -> str:
        """What was read as what, by an example; empty if any program would read it like that."""
        if not self.example or np.isfinite(plain_numbers([self.example])[0]):
            return ""
        marks = {",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
        digits = _digits(self.example)
        found = []
        if self.decimal in digits:
            found.append(f"decimal {marks[self.decimal]}")
        if self.thousands and self.thousands in digits:
            found.append(f"{marks[self.thousands]} between thousands")
        how = f" ({' and '.join(found)})" if found else ""
        return f"read as numbers{how}: `{self.example}` is {self._number(self.example):.12g}"


PLAIN = Notation()


def notation_of(values: Series) -> Notation | None:
    """How nearly all values of a column of text are written as numbers; None if they are not."""
    import pandas as pd

    counts = pd.Series(values).value_counts()
    if len(counts) > MOST_LOOKED_AT:
        counts = counts.sample(MOST_LOOKED_AT, random_state=0)
    return _best(counts[[not says_unknown(value) for value in counts.index]])


def plain_numbers(distinct: Sequence[Any]) -> FloatArray:
    """Numbers as programs write them; NaN for everything else."""
    import pandas as pd

    texts = pd.Series([None if isinstance(v, bool) else v for v in distinct], dtype=object)
    return np.asarray(pd.to_numeric(texts, errors="coerce"), dtype=np.float64)


def may_be_thousands(numbers: FloatArray) -> bool:
    """Whether decimals look like thousands set apart by a point, as in 950, 1.000 and 1.234."""
    sizes = np.abs(numbers[np.isfinite(numbers)])
    apart = np.unique(sizes[sizes % 1 > 0])
    if len(apart) < MANY_ALIKE or apart[0] < 1 or sizes.max() >= 1000:
        return False
    # Of numbers with three decimals, one in a thousand is whole by chance, and one in ten has two.
    thousandths = apart * 1000
    all_three = np.abs(thousandths - thousandths.round()).max() < 1e-6
    third = np.mean(thousandths.round() % 10 > 0)
    return bool(all_three and third > 0.8 and np.mean(sizes % 1 == 0) > 0.05)


def _best(counts: Series) -> Notation | None:
    """The notation in which most rows are numbers; None if those are too few."""
    distinct, rows = list(counts.index), counts.to_numpy() / max(counts.sum(), 1)

    def share(notation: Notation) -> float:
        return float(rows[~np.isnan(notation.parsed(distinct))].sum())

    plain = share(PLAIN)
    tried = [Notation(d, t, unit) for unit in _units(distinct, rows) for d, t in _SEPARATORS]
    shares = [share(notation) for notation in tried]
    if max(plain, *shares, 0.0) < NEARLY_ALL:
        return None
    if plain >= max(shares, default=0.0):
        return PLAIN
    equal = [n for n, found in zip(tried, shares, strict=True) if found == max(shares)]
    read = ~np.isnan(equal[0].parsed(distinct))
    texts = [
        v.strip()
        for v, is_read in zip(distinct, read, strict=True)
        if is_read and isinstance(v, str)
    ]
    return replace(_decided(equal, texts), example=max(texts, key=_telling))


def _units(distinct: list[Any], rows: FloatArray) -> list[str]:
    """The units that the numbers of a column may have; none if too few rows are numbers."""
    found: dict[str, float] = {}
    for value, share in zip(distinct, rows, strict=True):
        if match := _WRITTEN.fullmatch(str(value).strip()):
            unit = match["before"] or match["after"] or ""
            found[unit] = found.get(unit, 0.0) + share
    if sum(found.values()) < NEARLY_ALL:
        return []
    found.pop("", None)
    return ["", max(found, key=lambda unit: found[unit])] if found else [""]


def _decided(equal: list[Notation], texts: list[str]) -> Notation:
    """One of several notations that read the same rows."""
    # Where every comma is followed by three digits, 1,234 may be either. Decimals are seldom three
    # in all of many rows, so that it is then one between thousands; in few, a plain 1234 speaks
    # for a decimal comma, since thousands are most often set apart in all rows or in none. Where no
    # row has another form the two readings differ in scale alone.
    mark = "," if any("," in _digits(text) for text in texts) else "."
    other = {",": ".", ".": ","}[mark]
    marked = sum(mark in _digits(text) for text in texts)
    plain = any(re.search(r"(?<![\d.,'’])[1-9]\d{3}", text) for text in texts)
    wanted = mark if marked == 0 or (plain and marked < MANY_ALIKE) else other
    return next((notation for notation in equal if notation.decimal == wanted), equal[0])


def _telling(text: str) -> tuple[int, int]:
    return len(re.sub(r"\d", "", text)), len(text)


def _digits(text: str) -> str:
    found = _WRITTEN.fullmatch(text)
    return _plain_spaces(found["digits"]) if found else ""


def _plain_spaces(digits: str) -> str:
    return re.sub(r"\s", " ", digits).replace("’", "'")


@cache
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Digits with or without thousands set apart; in India two by two beyond the first three."""
    d, t = re.escape(decimal), re.escape(thousands)
    apart = rf"[1-9]\d{{0,2}}(?:{t}\d{{3}})+|" if thousands else ""
    apart += r"[1-9]\d?(?:,\d{2})+,\d{3}|" if thousands == "," else ""
    return re.compile(rf"(?:{apart}\d+)?(?:{d}\d+)?")
