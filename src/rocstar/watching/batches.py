"""What a batch brings beside its encoded rows: notes, labels, and content to know it again by."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pandas.util import hash_pandas_object

from rocstar.checks import BoolArray, FloatArray, InputError
from rocstar.tables.frames import columns_quoted
from rocstar.tables.roles import column_numbers
from rocstar.tables.unread import unread_values

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from rocstar.tables.columns import TableEncoder


def batch_notes(
    frame: DataFrame, encoder: TableEncoder, constants: Mapping[str, str], features: Sequence[str]
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
    other = [
        name
        for name, value in constants.items()
        if not set(frame[name].dropna().astype(str)) <= {value}
    ]
    if other:
        notes.append(
            f"{columns_quoted(other).capitalize()}: the reference has one value, the batch has "
            "others; not watched."
        )
    return (*notes, *unread_values(encoder, frame))


def labelled_scores(
    labels: Series, scores: Series, classes: Sequence[Any]
) -> tuple[BoolArray, FloatArray]:
    """Which rows of a known class are positive, and their scores."""
    found = [(labels == value) | (labels.astype(str) == str(value)) for value in classes]
    negative, positive = (np.asarray(each.fillna(False), dtype=np.bool_) for each in found)
    known = negative | positive
    return positive[known], column_numbers(scores[known], "score")


def content(frame: DataFrame) -> str:
    """What two tables of the same rows, in any order, have in common."""
    hashes: list[Hashable] = [tuple(map(str, frame.columns)), len(frame)]
    if len(frame):
        try:
            hashes.append(int(hash_pandas_object(frame, index=False).to_numpy().sum()))
        except TypeError:  # a column of lists
            hashes.append(str(frame.head()))
    return str(hashes)
