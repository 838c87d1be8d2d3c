"""Values of a new table that a fitted encoder cannot read, which a model takes as missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.report.words import plural
from rocstar.tables.blanks import says_unknown, without_null_strings
from rocstar.tables.columns import TableEncoder
from rocstar.tables.frames import as_frame
from rocstar.tables.kind_base import Kind
from rocstar.tables.kinds import Category

if TYPE_CHECKING:
    from pandas import Series

# What is wrong with a value of each kind, and with several.
WRONG = {
    "number": ("is not a number", "are not numbers"),
    "boolean": ("is neither true nor false", "are neither true nor false"),
    "date": ("is not a date written as in training", "are not dates written as in training"),
}
# A sentence names at most so many values.
MOST_NAMES = 3


def unread_values(encoder: TableEncoder, X: Any) -> list[str]:
    """A sentence per column with values that the encoder takes as missing though they are there."""
    frame = as_frame(X)
    found = []
    for name, kind in zip(encoder.feature_names_in_, encoder.kinds_, strict=True):
        if kind.name in WRONG or isinstance(kind, Category):
            values = without_null_strings(frame[name]).dropna()
            # Only words can say that a value is unknown; a look at every number takes seconds.
            said = values if values.dtype.kind in "biuf" else values[~_says_unknown(values)]
            lost = _lost(kind, said)
            if len(lost):
                found.append(f"Column `{name}`: {_words(kind, lost, len(values))}.")
    return found


def _says_unknown(values: Series) -> Series:
    return values.map(says_unknown).astype(bool)


def _lost(kind: Kind, values: Series) -> Series:
    encoded = kind.encode(kind.read(values))
    return values[np.isnan(encoded).all(axis=1)]


def _words(kind: Kind, lost: Series, present: int) -> str:
    if not isinstance(kind, Category):
        wrong = WRONG[kind.name][len(lost) > 1]
        return f"{len(lost):,} of {plural(present, 'value')} {wrong}; treated as missing"
    distinct = list(dict.fromkeys(map(str, lost)))
    named = ", ".join(f"'{value}'" for value in distinct[:MOST_NAMES])
    more = ", …" if len(distinct) > MOST_NAMES else ""
    return (
        f"{plural(len(distinct), 'value')} not seen in training ({named}{more}) in "
        f"{plural(len(lost), 'row')}; treated as missing"
    )
