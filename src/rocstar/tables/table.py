"""A table split into features, target, scores and the rest, with warnings of what is suspicious.

Every table that cannot be used is an `InputError` of one sentence. What a column becomes is
decided in `rocstar.tables.kinds`, what a role requires of a column in `rocstar.tables.roles`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocstar.checks import (
    BoolArray,
    FloatArray,
    InputError,
    binary_labels,
    finite_scores,
    group_units,
    nonnegative_weights,
    require_in_memory,
)
from rocstar.tables.column_names import column_roles, require_one_column_each
from rocstar.tables.columns import Column, TableEncoder
from rocstar.tables.copies import copies_together, copy_remarks
from rocstar.tables.frames import as_frame, named_columns
from rocstar.tables.leaks import column_warnings, repeated_rows, suspicious_columns
from rocstar.tables.remarks import Remark
from rocstar.tables.roles import (
    Problems,
    column_numbers,
    column_times,
    other_columns,
    row_values,
)
from rocstar.tables.target import read_target

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Table = TypeVar("Table", bound="TableProfile")


@dataclass(frozen=True, kw_only=True)
class TableProfile:
    """What an audit needs to know of a table apart from its rows."""

    source: str
    target: str
    classes: tuple[Any, ...]  # the negative label and the positive one, as predictions name them
    columns: tuple[Column, ...]
    encoder: TableEncoder
    warnings: tuple[Remark, ...] = ()

    @property
    def positive(self) -> str:
        """The label that counts as positive."""
        return str(self.classes[1])

    @property
    def n_features(self) -> int:
        """Columns of the matrix that the features become."""
        return len(self.encoder.owner_)

    def with_rows(self, kind: type[Table], **rows: Any) -> Table:
        """Table in memory, of one kind, that this is the profile of."""
        known = {part.name: getattr(self, part.name) for part in fields(TableProfile)}
        return kind(**known, **rows)


@dataclass(frozen=True, kw_only=True)
class LabelledTable(TableProfile):
    """A table ready for an audit: one matrix, one target, and what was found on the way."""

    X: FloatArray
    y: BoolArray
    scores: dict[str, FloatArray] = field(default_factory=dict)
    sample_weight: FloatArray | None = None
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None

    noun = "class"

    @property
    def class_names(self) -> None:
        """None: two classes are called negative and positive."""

    def __post_init__(self) -> None:
        if len(self.X) != len(self.y):
            raise ValueError(
                f"`X` must have one row for each of the {len(self.y)} labels; got {len(self.X)}."
            )


def prepare(
    frame: Any,
    *,
    target: str,
    positive: str | None = None,
    scores: Sequence[str] = (),
    drop: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    group_copies: bool = False,
    source: str = "table",
) -> LabelledTable:
    """Split a table into what is predicted, what predicts, and what is judged."""
    table = as_frame(frame, source)
    roles = column_roles(
        table,
        source,
        target=target,
        scores=scores,
        drop=drop,
        weight=weight,
        group=group,
        time=time,
    )
    require_one_column_each(scores, table.columns)
    problems = Problems()
    goal = problems.tried(read_target, table[target], positive)
    table = table if goal is None else table[goal.kept]
    rows = {
        "scores": {name: problems.tried(column_numbers, table[name], "score") for name in scores},
        **row_values(table, problems, weight=weight, group=group, time=time),
    }
    problems.refuse()
    assert goal is not None  # else it was among the problems
    features = table.drop(columns=list(roles))
    grouped = group_copies or group is not None
    profile, X = encoded_profile(
        features,
        goal.labels,
        source=source,
        target=target,
        classes=goal.classes,
        others=other_columns(table, roles, target),
        warnings=(
            *goal.remarks,
            *repeated_rows(table.drop(columns=list(drop)), grouped),
        ),
        copies=not grouped,
    )
    if group_copies:
        profile, rows["groups"] = copies_together(profile, X)
    return profile.with_rows(LabelledTable, X=X, y=goal.labels, **rows)


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
) -> LabelledTable:
    """Table of features and labels that are already apart; the larger of two labels is positive."""
    require_in_memory(y=y, groups=groups, time=time)
    features = as_frame(X, source)
    labels, classes = binary_labels(y)
    n = len(labels)
    if len(features) != n:
        raise InputError(f"`y` must have one label for each of the {len(features)} rows; got {n}.")
    if groups is not None:
        group_units(groups, n)
    rows = {
        "y": labels,
        "scores": {
            name: finite_scores(values, n, f"scores[{name}]")
            for name, values in named_columns(scores).items()
        },
        "sample_weight": None if sample_weight is None else nonnegative_weights(sample_weight, n),
        "groups": None if groups is None else np.asarray(groups),
        "time": None if time is None else column_times(series_of(time, "time", n)),
    }
    profile, matrix = encoded_profile(
        features,
        labels,
        source=source,
        target=str(getattr(y, "name", None) or "y"),
        classes=(classes[0], classes[1]),
        warnings=repeated_rows(features.assign(__label__=labels), groups is not None),
        leaks=leaks,
        copies=leaks and groups is None,
    )
    return profile.with_rows(LabelledTable, X=matrix, **rows)


def encoded_profile(
    features: DataFrame,
    labels: BoolArray,
    *,
    source: str,
    target: str,
    classes: tuple[Any, ...],
    others: Sequence[Column] = (),
    warnings: Sequence[Remark] = (),
    leaks: bool = True,
    copies: bool = False,
) -> tuple[TableProfile, FloatArray]:
    """Encode the features; also returns the matrix."""
    encoder, X = TableEncoder(), np.empty((len(features), 0))
    if features.shape[1]:
        X = encoder.fit_transform(features)
    if X.shape[1] == 0:
        raise InputError(
            f"`{source}` has no column left to learn from: each is left out, empty or "
            "has one value only."
        )
    columns = suspicious_columns(encoder, X, labels, leaks=leaks)
    remarks = [*column_warnings(columns), *warnings]
    if copies:
        remarks += copy_remarks(X, labels, encoder.categorical_, target, classes)
    profile = TableProfile(
        source=source,
        target=target,
        classes=classes,
        columns=(*columns, *others),
        encoder=encoder,
        warnings=tuple(remarks),
    )
    return profile, X


def series_of(values: Any, name: str, n: int) -> Series:
    """One value per row, as a column."""
    import pandas as pd

    column = pd.Series(np.asarray(values), name=name)
    if len(column) != n:
        raise InputError(
            f"`{name}` must have one value for each of the {n} rows; got {len(column)}."
        )
    return column
