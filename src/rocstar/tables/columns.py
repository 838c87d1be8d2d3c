"""Mixed columns as numbers: what each column is, what is done to it, and the matrix that results.

Nothing here sees a label. One fit on all rows is harmless, also for rows that are held out later.
Given all rows, the labels are independent draws, so the expected held-out J of *any* function that
was chosen from unlabelled rows and the other folds' labels is at most the arc length (theory §2,
applied at those rows). And under the null hypothesis the labels stay exchangeable, so the
permutation test stays exact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rocstar.checks import FloatArray, InputError
from rocstar.tables.blanks import NULL_STRINGS, without_null_strings
from rocstar.tables.frames import as_frame, columns_quoted
from rocstar.tables.kind_base import Evidence, Kind
from rocstar.tables.kinds import kind_of

if TYPE_CHECKING:
    from pandas import DataFrame, Series

DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Column:
    """What a column holds and what was done to it; ``flags`` say to programs what ``notes`` say."""

    name: str
    type: str
    treatment: str
    missing: int
    distinct: int
    notes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    @classmethod
    def of_kind(cls, name: str, kind: Kind) -> Column:
        """Record of a column that holds what an encoder has learnt."""
        done = kind.treatment.format(kind=kind)
        return cls(name, kind.name, done, kind.missing, kind.distinct, kind.notes, kind.flags)

    def flagged(self, flag: str, note: str) -> Column:
        """Copy of the record with one more flag, and what it means in words."""
        return replace(self, notes=(*self.notes, note), flags=(*self.flags, flag))


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encoder of mixed tables as float64 matrices; missing values stay missing.

    Numbers are used as they are, categories become codes, dates are split into their parts, and
    text becomes components of its character n-grams. Numbers may be written for people, as in
    "1.234,50 €" or "45 %", if nearly the whole column is. Of a column with one value, only the rows
    that have it count, if some do not.

    Parameters
    ----------
    random_state : int, RandomState or None, default=0
        Of the decomposition that makes components of text.

    Attributes
    ----------
    columns_ : tuple of Column
        One record for each column of the table, in its order.
    kinds_ : list of Kind
        What each column holds, with everything that encodes it.
    categorical_ : ndarray of int
        Columns of the matrix that hold codes of categories.
    owner_ : ndarray of int
        For each column of the matrix, the column of the table that it came from.
    feature_names_in_ : ndarray of str
    n_features_in_ : int

    Examples
    --------
    >>> import pandas as pd
    >>> from rocstar import TableEncoder
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

    def fit(self, X: Any, y: object = None) -> TableEncoder:
        """Decide what each column holds; learn codes, date parts and text components."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: object = None) -> FloatArray:
        """Fit, and return the matrix without a second pass."""
        frame = as_frame(X)
        for axis, what in enumerate(("sample", "feature")):
            if frame.shape[axis] == 0:
                raise InputError(
                    f"`X` has 0 {what}(s) (shape={frame.shape}) while a minimum of 1 is required."
                )
        cleaned, formats = _cleaned(frame)
        self.feature_names_in_ = np.asarray(frame.columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self.kinds_: list[Kind] = [
            kind_of(Evidence(cleaned[name], frame[name], formats.get(name), self.random_state))
            for name in frame.columns
        ]
        self.owner_ = np.repeat(
            np.arange(self.n_features_in_), [kind.width for kind in self.kinds_]
        )
        codes = np.asarray([kind.name == "category" for kind in self.kinds_], dtype=np.bool_)
        self.categorical_ = np.flatnonzero(codes[self.owner_])
        return self._matrix([cleaned[name] for name in frame.columns], len(frame))

    def transform(self, X: Any) -> FloatArray:
        """Matrix of a table with the same columns, in any order; further columns are ignored."""
        check_is_fitted(self, "kinds_")
        frame = as_frame(X)
        if not hasattr(X, "columns") and frame.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {frame.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        absent = [name for name in self.feature_names_in_ if name not in frame.columns]
        if absent:
            raise InputError(
                f"The table has no {columns_quoted(absent)}, which the model was fitted with."
            )
        columns = [
            kind.read(without_null_strings(frame[name]))
            for name, kind in zip(self.feature_names_in_, self.kinds_, strict=True)
        ]
        return self._matrix(columns, len(frame))

    @property
    def columns_(self) -> tuple[Column, ...]:
        """One record for each column of the table."""
        return tuple(map(Column.of_kind, self.feature_names_in_, self.kinds_))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Name of each column of the matrix."""
        check_is_fitted(self, "kinds_")
        names = [
            name if kind.width == 1 else f"{name}_{k}"
            for name, kind in zip(self.feature_names_in_, self.kinds_, strict=True)
            for k in range(kind.width)
        ]
        return np.asarray(names, dtype=object)

    def _matrix(self, columns: list[Any], n: int) -> FloatArray:
        parts = [kind.encode(values) for kind, values in zip(self.kinds_, columns, strict=True)]
        return np.hstack(parts) if parts else np.empty((n, 0))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _cleaned(X: DataFrame) -> tuple[dict[Any, Series], dict[Any, str]]:
    """The columns as skrub reads them, and the format of each column of dates written as text."""
    columns = {name: X[name] for name in X.columns}
    others = [name for name in X.columns if not _is_plain(columns[name])]
    columns = {name: without_null_strings(values) for name, values in columns.items()}
    if not others:
        return columns, {}
    # Only now: it loads a plotting library, which takes longer than a small audit, and in a wide
    # table it takes longer for a column of numbers than a model.
    from skrub import Cleaner

    cleaner = Cleaner(drop_null_fraction=None)
    try:
        cleaned = cleaner.fit_transform(X[others])
    except (TypeError, ValueError) as error:
        raise InputError(f"The columns could not be read as a table: {error}") from error
    formats = {
        name: str(step.format_)
        for name, steps in cleaner.all_processing_steps_.items()
        for step in steps
        if getattr(step, "format_", None) is not None
    }
    return {**columns, **{name: cleaned[name] for name in others}}, formats


def _is_plain(values: Series) -> bool:
    """Whether skrub would find nothing to read: in numbers, and where one word has no digit."""
    import pandas as pd

    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iufb":
        return True
    if isinstance(values.dtype, pd.CategoricalDtype):
        return all(isinstance(value, str) for value in values.cat.categories)
    if not (values.dtype == object or isinstance(values.dtype, pd.StringDtype)):
        return False
    try:
        distinct = values.dropna().unique().tolist()
    except TypeError:  # cells that hold lists
        return False
    if not all(isinstance(value, str) for value in distinct):
        return False
    # A date has a digit in it, and one value that is none leaves a column as it is.
    known = [value for value in distinct if value.strip() and value not in NULL_STRINGS]
    return not known or not all(map(DIGIT.search, known))
