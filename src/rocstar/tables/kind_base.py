"""What all kinds of columns have in common, and those that hold no more than one value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rocstar.checks import FloatArray, InputError

if TYPE_CHECKING:
    from pandas import Index, Series


@dataclass(frozen=True)
class Evidence:
    """A column of the table an encoder is fitted to: as skrub has cleaned it, and as it came."""

    values: Series
    raw: Series
    date_format: str | None
    random_state: Any

    @cached_property
    def missing_and_distinct(self) -> tuple[int, Index]:
        """How many values are missing, and each of the others once."""
        import pandas as pd

        try:
            codes, distinct = pd.factorize(self.values)
        except TypeError as error:
            raise InputError(
                f"Column `{self.values.name}` holds lists or other objects; "
                "give one value per cell."
            ) from error
        return int((codes < 0).sum()), distinct

    @property
    def holds_text(self) -> bool:
        """Whether it is text, or objects that may be; a pandas categorical is what it says."""
        import pandas as pd

        return self.values.dtype == object or isinstance(self.values.dtype, pd.StringDtype)

    def counts(self, distinct: int | None = None) -> dict[str, int]:
        """What every kind keeps of the column."""
        missing, values = self.missing_and_distinct
        distinct = len(values) if distinct is None else distinct
        return {"rows": len(self.values), "missing": missing, "distinct": distinct}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What a column holds, as an encoder has learnt it."""

    name: ClassVar[str]
    # What is done to it, in words; fields of the kind stand in braces.
    treatment: ClassVar[str]
    # Columns in which this share of the values is distinct may name rows; None: they never do.
    identifier_share: ClassVar[float | None] = None

    rows: int
    missing: int
    distinct: int

    @property
    def width(self) -> int:
        """How many columns of the matrix it becomes."""
        return 1

    @property
    def presence(self) -> int | None:
        """Which of these columns says only whether a row has a value; in others a gap is NaN."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know besides."""
        return ()

    @property
    def flags(self) -> tuple[str, ...]:
        """What a program should know besides."""
        return ()

    def holds_keys(self, named_like_key: bool) -> bool:
        """Whether values that hardly repeat are keys rather than measurements or prose."""
        return False

    def read(self, values: Series) -> Series:
        """A column of a new table, read as what the column was when the encoder was fitted."""
        return values

    def encode(self, values: Series) -> FloatArray:
        """The columns of the matrix that the column becomes."""
        raise NotImplementedError


class Empty(Kind):
    """No value in any row."""

    name = "empty"
    treatment = "dropped: it has no value in any row"

    @property
    def width(self) -> int:
        return 0

    def encode(self, values: Series) -> FloatArray:
        return np.empty((len(values), 0))


class Constant(Empty):
    """One value, which every row has."""

    name = "constant"
    treatment = "dropped: it has one value only"


class Presence(Kind):
    """One value or none: all it tells is which rows have it."""

    name = "presence"
    treatment = "1 where it has a value, 0 where it is blank"

    @property
    def presence(self) -> int | None:
        return 0

    def encode(self, values: Series) -> FloatArray:
        return is_present(values)


def is_present(values: Series) -> FloatArray:
    """A column of the matrix: 1 where there is a value, 0 where there is none."""
    return np.asarray(values.notna(), dtype=np.float64)[:, None]
