"""The border for dataframes: whatever holds columns comes in here and is pandas from here on.

narwhals knows the dataframes (pandas, Polars, PyArrow, Modin, cuDF, …); skrub's encoders, which do
the work behind this border, know pandas best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.checks import InputError, require, require_in_memory

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def as_frame(X: Any, source: str = "table") -> DataFrame:
    """pandas data frame of anything with rows and columns; array columns are named x0, x1, …"""
    require("cli", "narwhals", "pandas", "skrub")
    require_in_memory(**{"X" if source == "table" else source: X})
    frame = _native_frame(X, source)
    if frame is None:
        frame = _array_frame(X)
    refuse_duplicates(list(frame.columns), source)
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1).reset_index(drop=True)
    columns = [(name, values, _plain(values)) for name, values in frame.items()]
    changed = {name: plain for name, values, plain in columns if plain is not values}
    return frame.assign(**changed) if changed else frame


def named_columns(scores: Any) -> dict[str, Any]:
    """Columns by name: of a mapping, of a dataframe, or of one column, which is called "score"."""
    if scores is None:
        return {}
    if hasattr(scores, "items") and not hasattr(scores, "dtype") and not hasattr(scores, "columns"):
        return {str(name): values for name, values in scores.items()}
    require_in_memory(scores=scores)
    frame = _native_frame(scores, "scores")
    if frame is None:
        return {"score": scores}
    refuse_duplicates(list(frame.columns), "scores")
    return {str(name): values.to_numpy() for name, values in frame.items()}


def refuse_duplicates(names: Sequence[str], source: str) -> None:
    """Refuse a table in which two columns have one name."""
    seen: set[str] = set()
    for name in map(str, names):
        if name in seen:
            raise InputError(f"`{source}` has two columns named `{name}`; rename one of them.")
        seen.add(name)


def columns_quoted(names: Sequence[str]) -> str:
    """The noun for so many columns, and the first few names."""
    return f"{'column' if len(names) == 1 else 'columns'} {quoted(names)}"


def quoted(names: Sequence[str]) -> str:
    """The first few names for a message."""
    shown = ", ".join(f"`{name}`" for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _native_frame(X: Any, source: str) -> DataFrame | None:
    """A dataframe of any library as one of pandas; None if it is no dataframe."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        known = nw.from_native(X, pass_through=True)
    except DuplicateError:
        refuse_duplicates(list(getattr(X, "column_names", X.columns)), source)
        raise
    if isinstance(known, nw.LazyFrame):
        raise InputError(f"`{source}` must be in memory; got a lazy frame: collect it first.")
    if not isinstance(known, nw.DataFrame):
        return None
    frame: DataFrame = known.to_pandas()
    return frame


def _array_frame(X: Any) -> DataFrame:
    import pandas as pd

    values = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    if values.ndim != 2:
        raise InputError(
            f"`X` must have rows and columns; got shape {values.shape}. Reshape your data: "
            "X.reshape(-1, 1) makes one column of it."
        )
    if values.dtype.kind == "c":
        raise InputError("`X` must hold real values; got complex ones. Complex data not supported.")
    return pd.DataFrame(values, columns=[f"x{k}" for k in range(values.shape[1])])


def _plain(values: Series) -> Series:
    """The same column without types that skrub would read as text or not at all."""
    import pandas as pd

    if isinstance(values.dtype, pd.ArrowDtype):
        import pyarrow as pa

        values = pa.array(values).to_pandas(date_as_object=False)
    if pd.api.types.is_timedelta64_dtype(values):
        return values.dt.total_seconds()
    if values.dtype == object and pd.api.types.infer_dtype(values, skipna=True) == "decimal":
        return pd.to_numeric(values.astype("float64"))
    return values
