"""Columns that are no features: what each role requires of its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import BoolArray, FloatArray, InputError
from rocstar.report.words import plural
from rocstar.tables.columns import Column
from rocstar.tables.kinds import date_format
from rocstar.tables.numerals import PLAIN, notation_of

if TYPE_CHECKING:
    from pandas import DataFrame, Series

T = TypeVar("T")


def other_columns(frame: DataFrame, roles: dict[str, str], target: str) -> list[Column]:
    """Records of the columns that are neither features nor the target."""
    treatment = {
        "score": "judged, never used as a feature",
        "dropped": "left out as asked",
        "weight": "weights the rows",
        "group": "kept together in the folds",
        "time": "orders the rows: models learn from the past",
    }
    return [
        Column(
            name, role, treatment[role], int(frame[name].isna().sum()), int(frame[name].nunique())
        )
        for name, role in roles.items()
        if name != target
    ]


def complete(values: Series, role: str) -> Series:
    """A column that must have a value in every row."""
    missing = int(values.isna().sum())
    if missing:
        raise InputError(
            f"The {role} column `{values.name}` has {plural(missing, 'missing value')}; fill "
            f"{'it' if missing == 1 else 'them'} in or leave "
            f"{'that row' if missing == 1 else 'those rows'} out."
        )
    return values


def column_numbers(values: Series, role: str) -> FloatArray:
    """A column that must hold a finite number in every row."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(complete(values, role)):
        array = values.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        array = (notation_of(values) or PLAIN).numbers(values)
    _refuse_rows(~np.isfinite(array), values, f"{role} column `{{}}` must hold finite numbers")
    return np.asarray(array, dtype=np.float64)


def column_weights(values: Series) -> FloatArray:
    """A column of weights."""
    weights = column_numbers(values, "weight")
    if (weights < 0).any():
        raise InputError(f"The weight column `{values.name}` must not be negative.")
    return weights


def column_groups(values: Series) -> NDArray[Any]:
    """A column whose equal values stay together."""
    return np.asarray(complete(values, "group"))


def column_times(values: Series) -> NDArray[Any]:
    """A column of dates or numbers that order the rows."""
    import pandas as pd

    values = complete(values, "time")
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values):
        return np.asarray(values)
    parsed = pd.to_datetime(values, format=date_format(values), errors="coerce", utc=True)
    _refuse_rows(parsed.isna().to_numpy(), values, "time column `{}` must hold dates or numbers")
    return np.asarray(parsed.astype("int64"))


def _refuse_rows(wrong: BoolArray, values: Series, requirement: str) -> None:
    """Refuse a column that does not meet a requirement in every row."""
    if wrong.any():
        row = int(np.argmax(wrong))
        # Rows may have been left out before; the index counts those of the table.
        raise InputError(
            f"The {requirement.format(values.name)}; got {values.iloc[row]!s} in row "
            f"{values.index[row] + 1}."
        )


class Problems:
    """Sentences on what is wrong with a table, so that a reader sees all of them at once."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def tried(self, check: Callable[..., T], *args: Any) -> T | None:
        """What a check returns; None, and one more sentence, if it refuses."""
        try:
            return check(*args)
        except InputError as error:
            self.sentences.append(str(error))
            return None

    def refuse(self) -> None:
        if self.sentences:
            raise InputError(" ".join(self.sentences))


def row_values(
    frame: DataFrame,
    problems: Problems,
    *,
    weight: str | None,
    group: str | None,
    time: str | None,
) -> dict[str, Any]:
    """Weights, groups and times of the rows, each from its column if there is one."""
    given = {
        "sample_weight": (weight, column_weights),
        "groups": (group, column_groups),
        "time": (time, column_times),
    }
    return {
        what: None if name is None else problems.tried(check, frame[name])
        for what, (name, check) in given.items()
    }
