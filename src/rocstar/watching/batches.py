"""What a batch brings beside its encoded rows: notes, and content to know it again by."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from pandas.util import hash_pandas_object

from rocstar.checks import InputError
from rocstar.tables.blanks import without_null_strings
from rocstar.tables.frames import as_frame, columns_quoted
from rocstar.tables.kind_base import Empty
from rocstar.tables.unread import unread_values

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from rocstar.tables.columns import TableEncoder


def as_table(rows: Any, name: str) -> DataFrame:
    """pandas data frame of an argument; what is no table is refused by the argument's name."""
    if rows is None or isinstance(rows, (str, bytes, os.PathLike, Mapping, Number)):
        got = "None" if rows is None else f"{type(rows).__name__} {str(rows)[:40]!r}"
        files = isinstance(rows, (str, os.PathLike))
        remedy = ": read the file first, for example with pandas.read_csv" if files else ""
        raise InputError(
            f"`{name}` must be a dataframe or an array with rows and columns; got {got}{remedy}."
        )
    if getattr(rows, "ndim", 2) == 1 and hasattr(rows, "to_frame"):
        raise InputError(
            f"`{name}` must be a dataframe or an array with rows and columns; got a series of "
            f"{len(rows)} values: pass {name}.to_frame(), or a table with more columns."
        )
    try:
        return as_frame(rows, name)
    except InputError as error:
        own = str(error).replace("`X`", f"`{name}`").replace("X.reshape", f"{name}.reshape")
        raise InputError(own) from None


def batch_notes(
    frame: DataFrame,
    encoder: TableEncoder,
    constants: Mapping[str, Sequence[str]],
    features: Sequence[str],
) -> tuple[str, ...]:
    """What is unusual about a batch; one that lacks a column is refused."""
    wanted = list(encoder.feature_names_in_)
    absent = [name for name in wanted if name not in frame.columns]
    if absent:
        raise InputError(f"`batch` has no {columns_quoted(absent)}, which the reference has.")
    if not len(frame):
        return ("The batch has no rows.",)
    new = [name for name in features if name not in set(wanted)]
    notes = []
    if new:
        notes.append(f"The batch has {columns_quoted(new)}, which the reference has not.")
    for has, names in _unlike_constants(frame, constants).items():
        text = f"{columns_quoted(names).capitalize()}: the reference has {has}; not watched."
        notes.append(text)
    return (*notes, *unread_values(encoder, frame))


def constant_columns(frame: DataFrame, encoder: TableEncoder) -> dict[str, list[str]]:
    """Values that the reference has in columns of which the encoder has seen at most one."""
    kinds = zip(encoder.feature_names_in_, encoder.kinds_, strict=True)
    return {
        str(name): sorted(_distinct(frame[name])) for name, kind in kinds if isinstance(kind, Empty)
    }


def _unlike_constants(
    frame: DataFrame, constants: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Columns with values that the reference has not, by what it has instead."""
    found: dict[str, list[str]] = {}
    for name, values in constants.items():
        if not _distinct(frame[name]) <= set(values):
            has = {0: "no value, the batch has some", 1: "one value, the batch has others"}
            nearly = "hardly any other than one value, the batch has new ones"
            found.setdefault(has.get(len(values), nearly), []).append(name)
    return found


def _distinct(values: Series) -> set[str]:
    values = without_null_strings(values).dropna()
    try:
        return {plain_text(value) for value in values.unique()}
    except TypeError:  # cells that hold lists
        return set(values.astype(str))


def plain_text(value: object) -> str:
    """One spelling of a value, however its column was read: 1, 1.0 and "1" are the same."""
    text = str(value).strip()
    if isinstance(value, (bool, np.bool_)):
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.15g}"


def content(frame: DataFrame) -> str:
    """What two tables of the same rows, in any order, have in common."""
    hashes: list[Hashable] = [tuple(map(str, frame.columns)), len(frame)]
    if len(frame):
        try:
            hashes.append(int(hash_pandas_object(frame, index=False).to_numpy().sum()))
        except TypeError:  # a column of lists
            hashes.append(str(frame.head()))
    return str(hashes)
