"""Mixed columns as numbers: what each column is, what is done to it, and the matrix that results.

skrub decides what a column holds and encodes dates and text; categories become codes, which trees
take as they are and which `DenseRatio` spreads into one column each. Nothing here sees a label.

One fit on all rows is harmless, also for rows that are held out later. Given all rows, the labels
are independent draws, so the expected held-out J of *any* function that was chosen from unlabelled
rows and the other folds' labels is at most the arc length (theory §2, applied at those rows). And
under the null hypothesis the labels stay exchangeable, so the permutation test stays exact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from rocstar.checks import FloatArray, InputError

if TYPE_CHECKING:
    from pandas import DataFrame, Index, Series

# Trees of scikit-learn take at most 255 codes; a column of more distinct strings is text.
MAX_CATEGORIES = 100
TEXT_COMPONENTS = 30
# An integer column, or a column named like a key, with this share of distinct values names rows;
# a column of strings with a smaller one does, since strings that describe rows repeat sooner.
IDENTIFIER_SHARE = 0.95
STRING_IDENTIFIER_SHARE = 0.8
IDENTIFIER_NAME = re.compile(r"(^|[_\W])(id|ids|uuid|guid|key|index|rowid)$|[a-z]I[dD]$", re.I)
FEWEST_ROWS_FOR_IDENTIFIER = 50


@dataclass(frozen=True)
class Column:
    """What a column holds and what was done to it.

    ``notes`` are for readers; ``flags`` say the same to programs: "identifier", "leak".

    Examples
    --------
    >>> Column("age", "number", "used as it is", missing=0, distinct=73).notes
    ()
    """

    name: str
    type: str
    treatment: str
    missing: int
    distinct: int
    notes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def flagged(self, flag: str, note: str) -> Column:
        """Copy of the record with one more flag, and what it means in words."""
        return replace(self, notes=(*self.notes, note), flags=(*self.flags, flag))


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Mixed table in, float64 matrix out; missing values stay missing.

    Parameters
    ----------
    random_state : int, RandomState or None, default=0
        Of the decomposition that makes components of text.

    Attributes
    ----------
    columns_ : tuple of Column
        One record for each column of the table, in its order.
    categorical_ : ndarray of int
        Columns of the matrix that hold codes of categories.
    owner_ : ndarray of int
        For each column of the matrix, the column of the table that it came from.
    feature_names_in_ : ndarray of str
    n_features_in_ : int

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [31, None, 44], "plan": ["basic", "plus", "basic"]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.transform(table)
    array([[31.,  0.],
           [nan,  1.],
           [44.,  0.]])
    >>> [(column.name, column.type) for column in encoder.columns_]
    [('age', 'number'), ('plan', 'category')]
    """

    def __init__(self, random_state: Any = 0) -> None:
        self.random_state = random_state

    def fit(self, X: DataFrame, y: object = None) -> TableEncoder:
        """Decide what each column holds; learn codes, date parts and text components."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: DataFrame, y: object = None) -> FloatArray:
        """Fit, and return the matrix without a second pass."""
        cleaned, formats = _cleaned(X)
        self.feature_names_in_ = np.asarray([str(name) for name in X.columns], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self.encodings_: list[dict[str, Any]] = []
        parts: list[FloatArray] = []
        for name, raw in zip(cleaned.columns, (X[c] for c in X.columns), strict=True):
            encoding = _learnt(cleaned[name], self.random_state, formats.get(name))
            part = _encoded(cleaned[name], encoding)
            encoding["infinite"] = _count_infinite(raw) if encoding["kind"] == "number" else 0
            encoding["width"] = part.shape[1]
            self.encodings_.append(encoding)
            parts.append(part)
        widths = [encoding["width"] for encoding in self.encodings_]
        self.owner_ = np.repeat(np.arange(len(widths)), widths)
        kinds = np.asarray([encoding["kind"] for encoding in self.encodings_], dtype=object)
        self.categorical_ = np.flatnonzero(kinds[self.owner_] == "category")
        return np.hstack(parts) if parts else np.empty((len(X), 0))

    def transform(self, X: DataFrame) -> FloatArray:
        """Matrix of a table with the same columns, in any order; further columns are ignored."""
        absent = [name for name in self.feature_names_in_ if name not in X.columns]
        if absent:
            raise InputError(
                f"The table has no column {quoted(absent)}, which the model was fitted with."
            )
        parts = [
            _encoded(_matching(X[name], encoding), encoding)
            for name, encoding in zip(self.feature_names_in_, self.encodings_, strict=True)
        ]
        return np.hstack(parts)

    @property
    def columns_(self) -> tuple[Column, ...]:
        """One record for each column of the table."""
        return tuple(
            _record(name, encoding)
            for name, encoding in zip(self.feature_names_in_, self.encodings_, strict=True)
        )

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Name of each column of the matrix."""
        return np.asarray(
            [
                name if encoding["width"] == 1 else f"{name}_{k}"
                for name, encoding in zip(self.feature_names_in_, self.encodings_, strict=True)
                for k in range(encoding["width"])
            ],
            dtype=object,
        )


def date_format(values: Series) -> str | None:
    """How the dates of a column are written as text; None if it holds no such text.

    pandas takes the first row's word for it, skrub that of many rows.

    Examples
    --------
    >>> import pandas as pd
    >>> date_format(pd.Series(["02/03/2020", "25/12/2020"]))
    '%d/%m/%Y'
    """
    from skrub import ToDatetime
    from skrub.core import RejectColumn

    try:
        found = ToDatetime().fit(values).format_
    except RejectColumn:
        return None
    return None if found is None else str(found)


def _cleaned(X: DataFrame) -> tuple[DataFrame, dict[Any, str]]:
    """Strings that mean "missing", numbers and dates written as text: skrub knows them.

    The second result is how dates are written, for each column of text that holds them.
    """
    from pandas import DataFrame as Frame
    from skrub import Cleaner

    cleaner = Cleaner(drop_null_fraction=None, parse_numbers=True)
    try:
        cleaned = cleaner.fit_transform(Frame(X))
    except (TypeError, ValueError) as error:
        raise InputError(f"The columns could not be read as a table: {error}") from error
    formats = {
        name: str(step.format_)
        for name, steps in cleaner.all_processing_steps_.items()
        for step in steps
        if getattr(step, "format_", None) is not None
    }
    return cleaned, formats


def _learnt(values: Series, random_state: Any, written: str | None) -> dict[str, Any]:
    """Everything that encodes one column later: plain values and at most one skrub encoder."""
    import pandas as pd
    from skrub import DatetimeEncoder, StringEncoder

    try:
        codes, uniques = pd.factorize(values)
    except TypeError as error:
        raise InputError(
            f"Column `{values.name}` holds lists or other objects; give one value a cell."
        ) from error
    shape = {"missing": int((codes < 0).sum()), "distinct": len(uniques), "rows": len(values)}
    if len(uniques) <= 1:
        return {"kind": "constant", **shape}
    if _is_boolean(values, uniques):
        return {"kind": "boolean", **shape}
    if pd.api.types.is_numeric_dtype(values):
        return {"kind": "number", "whole": pd.api.types.is_integer_dtype(values), **shape}
    if pd.api.types.is_datetime64_any_dtype(values):
        encoder = DatetimeEncoder(add_weekday=True).fit(values)
        return {
            "kind": "date",
            "encoder": encoder,
            "name": str(values.name),
            "format": written,
            **shape,
        }
    # Files can disagree on the type of a column: 1 and "1" are one category.
    names = sorted({_spelled(value) for value in uniques})
    shape["distinct"] = len(names)
    if len(names) == 1:
        return {"kind": "constant", **shape}
    words = _words(uniques, str(values.name))
    spaces = float(words.str.contains(" ", regex=False).mean())
    if len(names) <= MAX_CATEGORIES:
        categories = np.asarray(names, dtype=object)
        return {"kind": "category", "categories": categories, "spaces": spaces, **shape}
    encoder = StringEncoder(n_components=TEXT_COMPONENTS, random_state=random_state).fit(words)
    return {
        "kind": "text",
        "encoder": encoder,
        "name": str(values.name),
        "spaces": spaces,
        **shape,
    }


def _is_boolean(values: Series, uniques: Any) -> bool:
    from pandas.api import types

    if types.is_bool_dtype(values):
        return True
    # Booleans with gaps arrive as a column of objects; 0 and 1 among numbers stay numbers.
    return bool(values.dtype == object) and all(isinstance(value, bool) for value in uniques)


def _spelled(value: object) -> str:
    """A value as text; a whole number is spelled alike as an integer and as a float."""
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return str(int(value))
    return str(value)


def _words(values: Index, name: str) -> Series:
    from pandas import Series as Column1D

    return Column1D([str(value) for value in values], name=name, dtype="str")


def _encoded(values: Series, encoding: dict[str, Any]) -> FloatArray:
    """The columns of the matrix that one column of the table becomes."""
    import pandas as pd

    kind = encoding["kind"]
    if kind == "constant":
        return np.empty((len(values), 0))
    if kind in ("number", "boolean"):
        if values.dtype == object:
            values = values.astype("boolean")
        numbers = np.array(pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan))
        numbers[~np.isfinite(numbers)] = np.nan
        return numbers[:, None]
    if kind == "date":
        named = values.rename(encoding["name"])
        return np.asarray(encoding["encoder"].transform(named), dtype=np.float64)
    codes, uniques = pd.factorize(values)
    if kind == "category":
        names = pd.Index(encoding["categories"])
        known = names.get_indexer([_spelled(value) for value in uniques])
        # In a pandas categorical of floats, skrub has spelled 1.0 as "1.0".
        known = np.where(known < 0, names.get_indexer([str(value) for value in uniques]), known)
        # The last entry serves code -1: missing. A value never seen before is missing too.
        lookup = np.append(np.where(known < 0, np.nan, known), np.nan)
        return np.asarray(lookup[codes][:, None], dtype=np.float64)
    # Each distinct text is encoded once; missing text is the zero vector, like text without words.
    words = _words(uniques, encoding["name"])
    vectors = np.asarray(encoding["encoder"].transform(words), dtype=np.float64)
    return np.asarray(np.vstack([vectors, np.zeros((1, vectors.shape[1]))])[codes])


def _matching(values: Series, encoding: dict[str, Any]) -> Series:
    """A column of a new table, read as what the column was when the encoder was fitted."""
    import pandas as pd

    if encoding["kind"] == "number":
        return pd.to_numeric(values, errors="coerce")
    if encoding["kind"] == "boolean":
        return pd.to_numeric(values.astype(str).str.lower().map({"true": 1, "false": 0}))
    if encoding["kind"] == "date":
        # Models saved before formats were kept have none.
        return _dates(values, encoding.get("format"))
    return values


def _dates(values: Series, learnt: str | None) -> Series:
    """Dates of a new column; text that is written in another way than was learnt is missing."""
    import pandas as pd

    if learnt is None:  # the model has seen dates proper, no text
        return pd.to_datetime(values, format=date_format(values), errors="coerce")
    if values.dtype == object or pd.api.types.is_numeric_dtype(values):
        # pandas reads text by a format, but soon no numbers such as 20200131.
        values = values.map(lambda v: _spelled(v) if isinstance(v, Real) else v, na_action="ignore")
    # Offsets may differ from row to row; skrub, too, brings them to UTC.
    return pd.to_datetime(values, format=learnt, errors="coerce", utc="%z" in learnt)


def _count_infinite(values: Series) -> int:
    try:
        return int(np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan)).sum())
    except (TypeError, ValueError):
        return 0


def _record(name: str, encoding: dict[str, Any]) -> Column:
    kind, distinct = encoding["kind"], encoding["distinct"]
    treatment = {
        "constant": "dropped: it has one value only",
        "number": "used as it is",
        "boolean": "0 or 1",
        "category": f"a code for each of its {distinct} values; linear models get a column each",
        "date": "split into its parts and the seconds since 1970",
        "text": f"{encoding.get('width', 0)} components of its character n-grams",
    }[kind]
    notes = []
    if encoding.get("infinite"):
        notes.append(f"{encoding['infinite']} infinite values count as missing")
    record = Column(name, kind, treatment, encoding["missing"], distinct, tuple(notes))
    if _names_rows(name, encoding):
        return record.flagged("identifier", "looks like an identifier")
    return record


def _names_rows(name: str, encoding: dict[str, Any]) -> bool:
    present = encoding["rows"] - encoding["missing"]
    if present < FEWEST_ROWS_FOR_IDENTIFIER or encoding["kind"] in ("constant", "date", "boolean"):
        return False
    strings = encoding["kind"] in ("category", "text")
    if encoding["distinct"] < (STRING_IDENTIFIER_SHARE if strings else IDENTIFIER_SHARE) * present:
        # A key that repeats names a group of rows, which is as bad when it is split over folds.
        return bool(IDENTIFIER_NAME.search(name)) and encoding["distinct"] > 0.05 * present
    if encoding["kind"] == "number":
        return bool(encoding.get("whole")) or bool(IDENTIFIER_NAME.search(name))
    return bool(encoding.get("spaces", 0.0) < 0.5)


def quoted(names: list[str]) -> str:
    """The first few names for a message.

    Examples
    --------
    >>> quoted(["age", "plan"])
    '`age`, `plan`'
    """
    shown = ", ".join(f"`{name}`" for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
