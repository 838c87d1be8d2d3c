"""What a column can hold: one class per kind, which reads and encodes the columns of new tables.

skrub encodes dates and text; categories become codes, which trees take as they are and which
`DenseRatio` spreads into one column each.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import FloatArray
from rocstar.report.words import plural
from rocstar.tables.blanks import says_unknown
from rocstar.tables.kind_base import Constant, Empty, Evidence, Kind, Presence, is_present
from rocstar.tables.numerals import PLAIN, Notation, may_be_thousands, notation_of

if TYPE_CHECKING:
    from pandas import Index, Series

# Trees of scikit-learn take at most 255 codes; a column of more distinct strings is text.
MAX_CATEGORIES = 100
TEXT_COMPONENTS = 30


@dataclass(frozen=True, kw_only=True)
class Number(Kind):
    """Numbers, of which infinite ones count as missing; ``notation`` is how text spells them."""

    name = "number"
    treatment = "{kind.done}"
    whole: bool
    fractions: bool
    infinite: int
    unread: int = 0
    notation: Notation = PLAIN
    doubtful: bool = False

    @classmethod
    def learn(cls, seen: Evidence) -> Number | None:
        from pandas.api import types

        if types.is_numeric_dtype(seen.values):
            found: dict[str, Any] = seen.counts()
            numbers = _finite(seen.values)
            return cls(
                whole=bool(types.is_integer_dtype(seen.values)),
                fractions=_has_fractions(numbers),
                doubtful=may_be_thousands(numbers),
                infinite=_count_infinite(seen.raw),
                **found,
            )
        return cls._learn_text(seen) if seen.holds_text else None

    @classmethod
    def _learn_text(cls, seen: Evidence) -> Number | None:
        notation = notation_of(seen.values)
        if notation is None:
            return None
        numbers = notation.numbers(seen.values)
        read = ~np.isnan(numbers)
        distinct = np.unique(numbers[read])
        if len(distinct) <= 1:
            return None
        unread = seen.values[~read & ~seen.values.map(says_unknown).astype(bool)].dropna()
        fractions = _has_fractions(numbers)
        return cls(
            rows=len(numbers),
            missing=int((~read).sum()),
            distinct=len(distinct),
            # With a unit or with thousands set apart it measures something; keys are plain.
            whole=not fractions and notation == PLAIN,
            fractions=fractions,
            infinite=int(np.isinf(numbers).sum()),
            unread=len(unread),
            notation=notation,
        )

    @property
    def done(self) -> str:
        return "converted to numbers" if self.notation.words else "used as it is"

    @property
    def identifier_share(self) -> float | None:  # type: ignore[override]
        return None if self.fractions else 0.95

    @property
    def notes(self) -> tuple[str, ...]:
        notes = [self.notation.words] if self.notation.words else []
        if self.unread:
            what = "that is not a number" if self.unread == 1 else "that are not numbers"
            notes.append(f"{plural(self.unread, 'value')} {what} {_as_missing(self.unread)}")
        if self.infinite:
            infinite = plural(self.infinite, "infinite value")
            notes.append(f"{infinite} {_as_missing(self.infinite)}")
        if self.doubtful:
            notes.append("decimals look like thousands set apart by a point; write those without")
        return tuple(notes)

    @property
    def flags(self) -> tuple[str, ...]:
        return ("converted",) if self.notes else ()

    def holds_keys(self, named_like_key: bool) -> bool:
        return self.whole or named_like_key

    def read(self, values: Series) -> Series:
        import pandas as pd

        if pd.api.types.is_numeric_dtype(values):
            return values
        return pd.Series(self.notation.numbers(values), index=values.index)

    def encode(self, values: Series) -> FloatArray:
        return _finite(self.read(values))


# Of known flags: one export writes true and false, another 1 and 0, with gaps 1.0 and 0.0.
TRUE_OR_FALSE = {"true": 1, "1": 1, "1.0": 1, "false": 0, "0": 0, "0.0": 0}


class Boolean(Kind):
    """True and false, with gaps or without."""

    name = "boolean"
    treatment = "0 or 1"

    @classmethod
    def learn(cls, seen: Evidence) -> Boolean | None:
        from pandas.api import types

        # Booleans with gaps arrive as a column of objects; 0 and 1 among numbers stay numbers.
        found = types.is_bool_dtype(seen.values) or (
            seen.values.dtype == object
            and all(isinstance(value, bool) for value in seen.missing_and_distinct[1])
        )
        return cls(**seen.counts()) if found else None

    def read(self, values: Series) -> Series:
        import pandas as pd

        return pd.to_numeric(values.astype(str).str.lower().map(TRUE_OR_FALSE))

    def encode(self, values: Series) -> FloatArray:
        return _finite(values.astype("boolean") if values.dtype == object else values)


@dataclass(frozen=True, kw_only=True)
class Date(Kind):
    """Dates and times; ``format`` is how they were written, if they were text."""

    name = "date"
    treatment = "split into its parts and the seconds since 1970"
    encoder: Any
    format: str | None

    @classmethod
    def learn(cls, seen: Evidence) -> Date | None:
        from pandas.api import types

        if not types.is_datetime64_any_dtype(seen.values):
            return None
        from skrub import DatetimeEncoder

        encoder = DatetimeEncoder(add_weekday=True).fit(seen.values)
        return cls(encoder=encoder, format=seen.date_format, **seen.counts())

    @property
    def width(self) -> int:
        return len(self.encoder.get_feature_names_out())

    def read(self, values: Series) -> Series:
        """Dates of a new column; text that is written in another way than was learnt is missing."""
        import pandas as pd

        if self.format is None:  # dates proper were learnt, no text
            return pd.to_datetime(values, format=date_format(values), errors="coerce")
        if values.dtype == object or pd.api.types.is_numeric_dtype(values):
            # pandas reads text by a format, but soon no numbers such as 20200131.
            values = values.map(
                lambda value: _spelled(value) if isinstance(value, Real) else value,
                na_action="ignore",
            )
        # Offsets may differ from row to row; skrub, too, brings them to UTC.
        return pd.to_datetime(values, format=self.format, errors="coerce", utc="%z" in self.format)

    def encode(self, values: Series) -> FloatArray:
        return np.asarray(self.encoder.transform(values), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Words(Kind):
    """What categories and text have in common: strings, of which a share holds spaces."""

    # Strings that describe rows repeat sooner than numbers do.
    identifier_share = 0.8
    spaces: float

    def holds_keys(self, named_like_key: bool) -> bool:
        return self.spaces < 0.5


@dataclass(frozen=True, kw_only=True)
class Category(Words):
    """A few distinct strings."""

    name = "category"
    treatment = "a code for each of its {kind.distinct} values; linear models get a column each"
    categories: NDArray[Any]

    def encode(self, values: Series) -> FloatArray:
        import pandas as pd

        codes, uniques = pd.factorize(values)
        names = pd.Index(self.categories)
        known = names.get_indexer([_spelled(value) for value in uniques])
        # In a pandas categorical of floats, skrub has spelled 1.0 as "1.0".
        known = np.where(known < 0, names.get_indexer([str(value) for value in uniques]), known)
        # The last entry serves code -1: missing. A value never seen before is missing too.
        lookup = np.append(np.where(known < 0, np.nan, known), np.nan)
        return np.asarray(lookup[codes][:, None], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Text(Words):
    """Many distinct strings."""

    name = "text"
    treatment = "{kind.components} components of its character n-grams{kind.and_presence}"
    encoder: Any

    @property
    def components(self) -> int:
        return len(self.encoder.get_feature_names_out())

    @property
    def width(self) -> int:
        return self.components + (self.presence is not None)

    @property
    def presence(self) -> int | None:
        return self.components if self.missing else None

    @property
    def and_presence(self) -> str:
        return ", and whether it is blank" if self.missing else ""

    def encode(self, values: Series) -> FloatArray:
        import pandas as pd

        # Each distinct text is encoded once; missing text is the zero vector, like one of no words.
        codes, uniques = pd.factorize(values)
        vectors = np.asarray(
            self.encoder.transform(_strings(uniques, values.name)), dtype=np.float64
        )
        components = np.asarray(np.vstack([vectors, np.zeros((1, vectors.shape[1]))])[codes])
        return np.hstack([components, is_present(values)]) if self.missing else components


KINDS = (Empty, Constant, Presence, Number, Boolean, Date, Category, Text)


def kind_of(seen: Evidence) -> Kind:
    """The kind of a column, with everything that encodes it later."""
    missing, values = seen.missing_and_distinct
    if len(values) <= 1:
        return _one_value(missing, len(values))(**seen.counts())
    for kind in (Boolean, Number, Date):
        if found := kind.learn(seen):
            return found
    # Files can disagree on the type of a column: 1 and "1" are one category.
    names = sorted({_spelled(value) for value in values})
    counts = seen.counts(distinct=len(names))
    if len(names) == 1:
        return _one_value(missing, 1)(**counts)
    words = _strings(values, seen.values.name)
    spaces = float(words.str.contains(" ", regex=False).mean())
    if len(names) <= MAX_CATEGORIES:
        return Category(categories=np.asarray(names, dtype=object), spaces=spaces, **counts)
    from skrub import StringEncoder

    encoder = StringEncoder(n_components=TEXT_COMPONENTS, random_state=seen.random_state)
    return Text(encoder=encoder.fit(words), spaces=spaces, **counts)


def _one_value(missing: int, distinct: int) -> type[Kind]:
    if distinct == 0:
        return Empty
    return Presence if missing else Constant


def date_format(values: Series) -> str | None:
    """How the dates of a column are written as text; None if it holds no such text."""
    # pandas takes the first row's word for it, skrub that of many rows.
    from skrub import ToDatetime
    from skrub.core import RejectColumn

    try:
        found = ToDatetime().fit(values).format_
    except RejectColumn:
        return None
    return None if found is None else str(found)


def _finite(values: Series) -> FloatArray:
    import pandas as pd

    numbers = np.array(pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan))
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers[:, None]


def _as_missing(n: int) -> str:
    return "counts as missing" if n == 1 else "count as missing"


def _has_fractions(numbers: FloatArray) -> bool:
    return bool((numbers[np.isfinite(numbers)] % 1 > 0).any())


def _count_infinite(values: Series) -> int:
    try:
        return int(np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan)).sum())
    except (TypeError, ValueError):
        return 0


def _spelled(value: object) -> str:
    """A value as text; a whole number is spelled alike as an integer and as a float."""
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return str(int(value))
    return str(value)


def _strings(values: Index, name: Any) -> Series:
    from pandas import Series as Column1D

    return Column1D([str(value) for value in values], name=name, dtype="str")
