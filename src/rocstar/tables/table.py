"""A table split into features, target, scores and the rest, with warnings of what is suspicious.

Every table that cannot be used is an `InputError` of one sentence. What a column becomes is
decided in `rocstar.tables.columns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocstar.checks import (
    BoolArray,
    FloatArray,
    InputError,
    binary_labels,
    finite_scores,
    group_units,
    in_memory,
    nonnegative_weights,
    require,
)
from rocstar.geometry.curves import roc_auc
from rocstar.tables.columns import Column, TableEncoder, date_format
from rocstar.tables.reading import refuse_duplicates

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# A column with this AUC on its own would make every other column pointless: a likely leak.
LEAK_AUC = 0.99
LEAK_ROWS = 20_000


@dataclass(frozen=True)
class Table:
    """A table ready for an audit: one matrix, one target, and what was found on the way.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 52, 44, 23], "churned": ["no", "yes", "no", "yes"]})
    >>> table = prepare(frame, target="churned")
    >>> table.X.shape, table.y.tolist(), table.positive
    ((4, 1), [False, True, False, True], 'yes')
    """

    source: str
    target: str
    positive: str
    X: FloatArray
    y: BoolArray
    columns: tuple[Column, ...]
    encoder: TableEncoder
    scores: dict[str, FloatArray] = field(default_factory=dict)
    sample_weight: FloatArray | None = None
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None
    warnings: tuple[str, ...] = ()


def prepare(
    frame: DataFrame,
    *,
    target: str,
    positive: str | None = None,
    scores: Sequence[str] = (),
    drop: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    source: str = "table",
    random_state: Any = 0,
) -> Table:
    """Split a table into what is predicted, what predicts, and what is judged.

    Parameters
    ----------
    frame : pandas.DataFrame
    target : str
        The column with the classes.
    positive : str, optional
        Value of ``target`` that counts as positive; needed when there are more than two. By
        default the larger of the two, as in scikit-learn.
    scores : sequence of str
        Columns with the scores of existing models; never used as features.
    drop : sequence of str
        Columns to leave out.
    weight, group, time : str, optional
        Columns with row weights, with groups that must stay together, and with the time of a row.
    source : str, default="table"
        What messages call the table.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    Table

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 52, 44], "plan": ["a", "b", "a"], "left": [0, 1, 0]})
    >>> prepare(frame, target="lift")
    Traceback (most recent call last):
    rocstar.checks.InputError: `table` has no column `lift`; did you mean `left`?
    """
    frame = _checked_names(frame, source)
    roles = column_roles(target, scores, drop, weight, group, time)
    for name in roles:
        require_column(frame, name, source)
    labels, positive_name = _labels(frame[target], positive)
    table = Table(
        source=source,
        target=target,
        positive=positive_name,
        X=np.empty((0, 0)),
        y=labels,
        columns=tuple(other_columns(frame, roles, target)),
        encoder=TableEncoder(random_state=random_state),
        scores={name: column_numbers(frame[name], "score") for name in scores},
        sample_weight=None if weight is None else column_weights(frame[weight]),
        groups=None if group is None else complete(frame[group], "group").to_numpy(),
        time=None if time is None else _times(frame[time]),
        warnings=tuple(repeated_rows(frame.drop(columns=list(drop)), group is not None)),
    )
    features = frame.drop(columns=list(roles))
    _refuse_empty(features, source)
    return encoded(table, features, leaks=True)


def table_of(
    X: Any,
    y: ArrayLike,
    *,
    scores: Any = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    time: ArrayLike | None = None,
    source: str = "table",
    leaks: bool = True,
    random_state: Any = 0,
) -> Table:
    """Table from features and labels that are already apart.

    Parameters
    ----------
    X : dataframe or array-like of shape (n, d)
    y : array-like of shape (n,)
        Two labels, the larger one positive.
    scores : dict of arrays, dataframe or array-like of shape (n,), optional
    groups, sample_weight, time : array-like of shape (n,), optional
    source : str, default="table"
    leaks : bool, default=True
        Whether to note columns that tell the classes apart alone.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    Table

    Examples
    --------
    >>> table = table_of([[1.0], [2.0], [3.0]], ["a", "b", "b"], scores=[1, 2, 3])
    >>> table.positive, list(table.scores)
    ('b', ['score'])
    """
    in_memory(y=y, groups=groups, time=time)
    features = as_frame(X, source)
    y_name = getattr(y, "name", None)
    labels, classes = binary_labels(y)
    n = len(labels)
    if len(features) != n:
        raise InputError(f"`y` must have one label for each of the {len(features)} rows; got {n}.")
    if groups is not None:
        group_units(groups, n)
    whole = features.assign(__label__=labels)
    table = Table(
        source=source,
        target="y" if y_name is None else str(y_name),
        positive=str(classes[1]),
        X=np.empty((0, 0)),
        y=labels,
        columns=(),
        encoder=TableEncoder(random_state=random_state),
        scores={k: finite_scores(v, n, f"scores[{k}]") for k, v in _named(scores).items()},
        sample_weight=None if sample_weight is None else nonnegative_weights(sample_weight, n),
        groups=None if groups is None else np.asarray(groups),
        time=None if time is None else _times(_series(time, "time", n)),
        warnings=tuple(repeated_rows(whole, groups is not None)),
    )
    _refuse_empty(features, source)
    return encoded(table, features, leaks=leaks)


def as_frame(X: Any, source: str = "table") -> DataFrame:
    """Data frame of anything with rows and columns; array columns are named x0, x1, …

    Examples
    --------
    >>> as_frame([[1, 2]]).columns.tolist()
    ['x0', 'x1']
    """
    require("cli", "pandas", "skrub")
    in_memory(X=X)
    import pandas as pd

    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pd.DataFrame):
        values = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        if values.ndim != 2:
            raise InputError(f"`X` must have rows and columns; got shape {values.shape}.")
        X = pd.DataFrame(values, columns=[f"x{k}" for k in range(values.shape[1])])
    return _checked_names(X, source)


def encoded(table: Table, features: DataFrame, *, leaks: bool) -> Table:
    """The table with its matrix, the records of its columns, and what they warn of.

    Examples
    --------
    >>> import pandas as pd
    >>> table = table_of([[1.0], [2.0], [3.0]], [0, 1, 1])
    >>> encoded(table, pd.DataFrame({"age": [31, 52, 44]}), leaks=False).columns[0].name
    'age'
    """
    X = table.encoder.fit_transform(features)
    if X.shape[1] == 0:
        raise InputError(f"`{table.source}` has no column left to learn from; drop fewer of them.")
    columns = _with_leaks(table.encoder, X, table.y) if leaks else list(table.encoder.columns_)
    return replace(
        table,
        X=X,
        columns=(*columns, *table.columns),
        warnings=(*_column_warnings(columns), *table.warnings),
    )


def _named(scores: Any) -> dict[str, Any]:
    if scores is None:
        return {}
    if hasattr(scores, "columns"):
        return {str(name): np.asarray(scores[name]) for name in scores.columns}
    if hasattr(scores, "items") and not hasattr(scores, "dtype"):
        return {str(name): values for name, values in scores.items()}
    return {"score": scores}


def _series(values: Any, name: str, n: int) -> Series:
    import pandas as pd

    column = pd.Series(np.asarray(values), name=name)
    if len(column) != n:
        raise InputError(
            f"`{name}` must have one value for each of the {n} rows; got {len(column)}."
        )
    return column


def nearest(name: str, names: Sequence[str]) -> str:
    """Half a sentence that suggests the nearest name, or lists the first few.

    Examples
    --------
    >>> nearest("chrned", ["age", "churned"])
    'did you mean `churned`?'
    >>> nearest("xyz", ["age", "plan"])
    'it has `age`, `plan`.'
    """
    lowered = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.6)
    if close:
        return f"did you mean `{lowered[close[0]]}`?"
    shown = ", ".join(f"`{other}`" for other in list(names)[:6])
    return f"it has {shown}{' and more' if len(names) > 6 else ''}."


# Checks


def _checked_names(frame: DataFrame, source: str) -> DataFrame:
    refuse_duplicates(list(frame.columns), source)
    renamed: DataFrame = frame.rename(columns=str).reset_index(drop=True)
    return renamed


def column_roles(
    target: str,
    scores: Sequence[str],
    drop: Sequence[str],
    weight: str | None,
    group: str | None,
    time: str | None,
) -> dict[str, str]:
    """Role of each column that is no feature; a column can have one role only.

    Examples
    --------
    >>> column_roles("left", ["old_score"], [], None, None, None)
    {'left': 'target', 'old_score': 'score'}
    """
    roles: dict[str, str] = {target: "target"}
    given = [(name, "score") for name in scores] + [(name, "dropped") for name in drop]
    given += [(n, r) for n, r in ((weight, "weight"), (group, "group"), (time, "time")) if n]
    for name, role in given:
        if name in roles and roles[name] != role:
            raise InputError(f"Column `{name}` cannot be both {roles[name]} and {role}.")
        roles[name] = role
    return roles


def require_column(frame: DataFrame, name: str, source: str) -> None:
    """Refuse a name that no column has.

    Examples
    --------
    >>> import pandas as pd
    >>> require_column(pd.DataFrame({"age": [31]}), "aged", "data.csv")
    Traceback (most recent call last):
    rocstar.checks.InputError: `data.csv` has no column `aged`; did you mean `age`?
    """
    if name not in frame.columns:
        raise InputError(f"`{source}` has no column `{name}`; {nearest(name, list(frame.columns))}")


def complete(values: Series, role: str) -> Series:
    """A column that must have a value in every row.

    Examples
    --------
    >>> import pandas as pd
    >>> complete(pd.Series([1.0, None], name="left"), "target")
    Traceback (most recent call last):
    rocstar.checks.InputError: The target column `left` has 1 missing values; fill them in or ...
    """
    missing = int(values.isna().sum())
    if missing:
        raise InputError(
            f"The {role} column `{values.name}` has {missing} missing values; "
            "fill them in or leave those rows out."
        )
    return values


def _labels(values: Series, positive: str | None) -> tuple[BoolArray, str]:
    complete(values, "target")
    chosen = positive_class(values.unique().tolist(), positive, str(values.name))
    return np.asarray(values == chosen, dtype=np.bool_), str(chosen)


def positive_class(values: list[Any], positive: str | None, target: str) -> Any:
    """The value of a target that counts as positive: the one named, or the larger of two.

    Examples
    --------
    >>> positive_class(["stay", "leave"], None, "churn"), positive_class([1, 2, 3], "3", "grade")
    ('stay', 3)
    """
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


def _refuse_empty(features: DataFrame, source: str) -> None:
    empty = [str(name) for name in features.columns if features[name].isna().all()]
    if empty:
        raise InputError(
            f"Column `{empty[0]}` of `{source}` has no value in any row; leave it out."
        )


def column_numbers(values: Series, role: str) -> FloatArray:
    """A column that must hold a finite number in every row.

    Examples
    --------
    >>> import pandas as pd
    >>> column_numbers(pd.Series(["0.5", "2"], name="old"), "score")
    array([0.5, 2. ])
    """
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
    """A column of weights.

    Examples
    --------
    >>> import pandas as pd
    >>> column_weights(pd.Series([1, -1], name="w"))
    Traceback (most recent call last):
    rocstar.checks.InputError: The weight column `w` must not be negative.
    """
    weights = column_numbers(values, "weight")
    if (weights < 0).any():
        raise InputError(f"The weight column `{values.name}` must not be negative.")
    return weights


def _times(values: Series) -> NDArray[Any]:
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


# Warnings


def _with_leaks(encoder: TableEncoder, X: FloatArray, y: BoolArray) -> list[Column]:
    """The records, with a note where one column alone tells the classes apart."""
    rows = np.arange(len(y))
    if len(y) > LEAK_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(len(y), LEAK_ROWS, replace=False))
    positive = y[rows]
    columns = list(encoder.columns_)
    if positive.all() or not positive.any():
        return columns
    best = np.full(len(columns), 0.5)
    for k, owner in enumerate(encoder.owner_):
        values = X[rows, k]
        if k in encoder.categorical_:
            area = roc_auc(positive, _share_of_other_positives(values, positive))
        else:
            area = roc_auc(positive, np.nan_to_num(values, nan=np.nanmin(values, initial=0) - 1))
            area = max(area, 1 - area)
        best[owner] = max(best[owner], area)
    return [
        column.flagged(
            "leak", f"separates the classes almost alone (AUC {area:.3f}): a likely leak"
        )
        if area >= LEAK_AUC
        else column
        for column, area in zip(columns, best, strict=True)
    ]


def _share_of_other_positives(codes: FloatArray, positive: BoolArray) -> FloatArray:
    """The share of positives among the *other* rows of a category; of all rows if there are none.

    With a row's own label in its share, a category of one row would always be right: names of rows
    would look like leaks.
    """
    filled = np.where(np.isnan(codes), -1, codes).astype(np.intp) + 1
    others = np.bincount(filled)[filled] - 1
    ups = np.bincount(filled, weights=positive)[filled] - positive
    return np.where(others > 0, ups / np.maximum(others, 1), positive.mean())


def _column_warnings(columns: Sequence[Column]) -> list[str]:
    found = []
    for column in columns:
        if "identifier" in column.flags:
            found.append(
                f"`{column.name}` looks like an identifier: drop it if it names rows, or "
                "keep its rows together with `groups` if it names customers or the like."
            )
        if "leak" in column.flags:
            found.append(f"`{column.name}` {column.notes[-1]}.")
    return found


def repeated_rows(frame: DataFrame, grouped: bool) -> list[str]:
    """A warning if rows repeat others exactly.

    Examples
    --------
    >>> import pandas as pd
    >>> repeated_rows(pd.DataFrame({"age": [31, 52, 31]}), grouped=False)[0][:40]
    '1 row repeats another row exactly (33.3 '
    """
    try:
        repeated = 0 if grouped else int(frame.duplicated().sum())
    except TypeError:  # cells that hold lists; refused with their column's name later
        repeated = 0
    if repeated == 0:
        return []
    rows = "1 row repeats" if repeated == 1 else f"{repeated:,} rows repeat"
    return [
        f"{rows} another row exactly ({100 * repeated / len(frame):.1f} %): if they are copies "
        "rather than coincidences, every certificate is void; remove them or use `groups`."
    ]


def other_columns(frame: DataFrame, roles: dict[str, str], target: str) -> list[Column]:
    """Records of the columns that are neither features nor the target.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"old": [0.1, 0.2], "left": [0, 1]})
    >>> other_columns(frame, {"left": "target", "old": "score"}, "left")[0].treatment
    'judged, never used as a feature'
    """
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
