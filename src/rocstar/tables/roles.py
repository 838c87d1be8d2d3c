"""Columns that are no features: which has which role, and what each role requires of its values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import FloatArray, InputError
from rocstar.tables.columns import Column
from rocstar.tables.kinds import date_format

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def column_roles(
    target: str,
    scores: Sequence[str],
    drop: Sequence[str],
    weight: str | None,
    group: str | None,
    time: str | None,
) -> dict[str, str]:
    """Role of each column that is no feature; a column can have one role only."""
    roles: dict[str, str] = {target: "target"}
    given = [(name, "score") for name in scores] + [(name, "dropped") for name in drop]
    given += [(n, r) for n, r in ((weight, "weight"), (group, "group"), (time, "time")) if n]
    for name, role in given:
        if name in roles and roles[name] != role:
            raise InputError(f"Column `{name}` cannot be both {roles[name]} and {role}.")
        roles[name] = role
    return roles


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


def require_column(frame: DataFrame, name: str, source: str) -> None:
    """Refuse a name that no column has."""
    if name not in frame.columns:
        raise InputError(f"`{source}` has no column `{name}`; {nearest(name, list(frame.columns))}")


def nearest(name: str, names: Sequence[str]) -> str:
    """Half a sentence that suggests the nearest name, or lists the first few."""
    lowered = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.6)
    if close:
        return f"did you mean `{lowered[close[0]]}`?"
    shown = ", ".join(f"`{other}`" for other in list(names)[:6])
    return f"it has {shown}{' and more' if len(names) > 6 else ''}."


def complete(values: Series, role: str) -> Series:
    """A column that must have a value in every row."""
    missing = int(values.isna().sum())
    if missing:
        raise InputError(
            f"The {role} column `{values.name}` has {missing} missing values; "
            "fill them in or leave those rows out."
        )
    return values


def positive_class(values: list[Any], positive: str | None, target: str) -> Any:
    """The value of a target that counts as positive: the one named, or the larger of two."""
    classes = sorted(values, key=lambda value: (str(type(value)), value))
    if len(classes) == 1:
        raise InputError(f"The target column `{target}` has one class only, {classes[0]!s}.")
    if positive is not None:
        return _matching_class(classes, positive, target)
    if len(classes) > 2:
        shown = ", ".join(str(value) for value in classes[:5])
        raise InputError(
            f"The target column `{target}` has {len(classes)} classes ({shown}"
            f"{', …' if len(classes) > 5 else ''}); say which is positive with `positive`."
        )
    return classes[1]


def two_classes(values: Iterable[Any], positive: Any) -> tuple[Any, Any]:
    """The two labels that predictions name: several negative ones become one."""
    negative = [value for value in values if value != positive]
    return (negative[0] if len(negative) == 1 else f"not {positive}", positive)


def _matching_class(classes: list[Any], positive: str, target: str) -> Any:
    for value in classes:
        if str(value) == str(positive) or _as_number(value) == _as_number(positive) is not None:
            return value
    names = [str(value) for value in classes]
    raise InputError(
        f"The target column `{target}` never has the value `{positive}`; {nearest(positive, names)}"
    )


def _as_number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def column_numbers(values: Series, role: str) -> FloatArray:
    """A column that must hold a finite number in every row."""
    import pandas as pd

    numbers = pd.to_numeric(complete(values, role), errors="coerce")
    array = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array)))
        raise InputError(
            f"The {role} column `{values.name}` must hold finite numbers; "
            f"got {values.iloc[row]!s} in row {row + 1}."
        )
    return np.asarray(array, dtype=np.float64)


def column_weights(values: Series) -> FloatArray:
    """A column of weights."""
    weights = column_numbers(values, "weight")
    if (weights < 0).any():
        raise InputError(f"The weight column `{values.name}` must not be negative.")
    return weights


def column_times(values: Series) -> NDArray[Any]:
    """A column of dates or numbers that order the rows."""
    import pandas as pd

    values = complete(values, "time")
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values):
        return np.asarray(values)
    parsed = pd.to_datetime(values, format=date_format(values), errors="coerce", utc=True)
    if parsed.isna().any():
        row = int(parsed.isna().to_numpy().argmax())
        raise InputError(
            f"The time column `{values.name}` must hold dates or numbers; "
            f"got {values.iloc[row]!s} in row {row + 1}."
        )
    return np.asarray(parsed.astype("int64"))
