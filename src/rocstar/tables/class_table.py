"""Tables whose target has more than two values: who has a class, and which classes count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocstar.checks import (
    MANY_NUMBERS,
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    group_units,
    nonnegative_weights,
    require_in_memory,
)
from rocstar.estimators.splits import named
from rocstar.report.words import listed, plural
from rocstar.tables.class_scores import file_scores, given_scores
from rocstar.tables.column_names import column_roles
from rocstar.tables.copies import copies_together
from rocstar.tables.frames import as_frame
from rocstar.tables.leaks import repeated_rows, with_class_leaks
from rocstar.tables.remarks import Remark
from rocstar.tables.roles import (
    Problems,
    column_times,
    other_columns,
    row_values,
)
from rocstar.tables.table import (
    LabelledTable,
    TableProfile,
    encoded_profile,
    prepare,
    series_of,
)
from rocstar.tables.target import read_labels

if TYPE_CHECKING:
    from pandas import Series

MOST_CLASSES = 50
LEAST_ROWS = 5
"""Rows of a class below which nothing can be said of it: it is left out."""


@dataclass(frozen=True, kw_only=True)
class ClassTable(TableProfile):
    """A table of more than two classes, ready for an audit."""

    X: FloatArray
    y: IntArray  # numbers of the classes, in the order of `classes`
    scores: dict[str, NDArray[Any]] = field(default_factory=dict)
    sample_weight: FloatArray | None = None
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None
    noun: str = "class"  # what a class is: a "sample", where samples are compared

    @property
    def class_names(self) -> list[str]:
        """What messages call the classes."""
        return named(self.classes, self.noun)


AnyTable = LabelledTable | ClassTable


class Classes(NamedTuple):
    """The classes of the rows that have one, and what a reader must know of the others."""

    codes: IntArray
    kept: BoolArray
    classes: tuple[Any, ...]
    remarks: tuple[Remark, ...]
    left_out: tuple[Any, ...] = ()  # classes of very few rows


def prepare_any(frame: Any, *, target: str, positive: str | None = None, **roles: Any) -> Any:
    """A `ClassTable` where the target has more than two values and none is named positive."""
    table = as_frame(frame, roles.get("source", "table"))
    if positive is None and target in table.columns and len(known_values(table[target])) > 2:
        return prepare_classes(table, target=target, **roles)
    return prepare(frame, target=target, positive=positive, **roles)


def prepare_classes(
    table: Any,
    *,
    target: str,
    scores: Sequence[str] = (),
    drop: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    group_copies: bool = False,
    source: str = "table",
) -> ClassTable:
    """Split a table of many classes into what is predicted, what predicts, and what is judged."""
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
    problems = Problems()
    goal = read_classes(table[target], ", or say which is positive with `positive`")
    table = table[goal.kept]
    rows = {
        **row_values(table, problems, weight=weight, group=group, time=time),
        "scores": problems.tried(file_scores, table, scores, goal.classes, goal.left_out),
    }
    problems.refuse()
    grouped = group_copies or group is not None
    profile, X = encoded_profile(
        table.drop(columns=list(roles)),
        goal.codes > 0,
        source=source,
        target=target,
        classes=goal.classes,
        others=other_columns(table, roles, target),
        warnings=(*goal.remarks, *repeated_rows(table.drop(columns=list(drop)), grouped)),
        leaks=False,
    )
    if group_copies:
        profile, rows["groups"] = copies_together(profile, X)
    profile = with_class_leaks(profile, X, goal.codes)
    return profile.with_rows(ClassTable, X=X, y=goal.codes, **rows)


def class_table_of(
    X: Any,
    y: ArrayLike,
    *,
    scores: Any = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    time: ArrayLike | None = None,
    source: str = "table",
    leaks: bool = True,
) -> ClassTable:
    """Table of features and labels of more than two classes that are already apart."""
    import pandas as pd

    require_in_memory(y=y, groups=groups, time=time)
    features = as_frame(X, source)
    name = str(getattr(y, "name", None) or "y")
    values = pd.Series(np.asarray(y).ravel(), name=name)
    n = len(values)
    if len(features) != n:
        raise InputError(f"`y` must have one label for each of the {len(features)} rows; got {n}.")
    goal = read_classes(values)
    weights = None if sample_weight is None else nonnegative_weights(sample_weight, n)[goal.kept]
    if groups is not None:
        group_units(groups, n)
    features = features[goal.kept]
    profile, matrix = encoded_profile(
        features,
        goal.codes > 0,
        source=source,
        target=name,
        classes=goal.classes,
        warnings=(
            *goal.remarks,
            *repeated_rows(features.assign(__label__=goal.codes), groups is not None),
        ),
        leaks=False,
    )
    if leaks:
        profile = with_class_leaks(profile, matrix, goal.codes)
    return profile.with_rows(
        ClassTable,
        X=matrix,
        y=goal.codes,
        scores=given_scores(scores, n, goal.kept, goal.classes, goal.left_out),
        sample_weight=weights,
        groups=None if groups is None else np.asarray(groups)[goal.kept],
        time=None if time is None else column_times(series_of(time, "time", n))[goal.kept],
    )


def read_classes(values: Series, or_else: str = "") -> Classes:
    """The classes of a target; rows without one, and classes of very few rows, are left out.

    ``or_else`` is one more remedy that errors name.
    """
    name = str(values.name)
    spelled, known, remarks = read_labels(values)
    counts = spelled[known].value_counts().to_dict()
    _refuse_measurement(counts, name, or_else)
    few = [label for label, n in counts.items() if n < LEAST_ROWS]
    shown = [f"`{label}` ({plural(counts[label], 'row')})" for label in few[:4]]
    shown += [f"{len(few) - 4} more"] if len(few) > 4 else []
    if few:
        remarks.append(
            Remark(
                f"Classes of the target `{name}` with fewer than {LEAST_ROWS} rows were left out: "
                f"{listed(shown)}."
            )
        )
    kept = known & ~np.asarray(spelled.isin(few))
    classes = sorted((c for c in counts if c not in few), key=lambda v: (str(type(v)), v))
    if len(classes) < 3:
        raise InputError(
            f"The target column `{name}` has {len(counts)} values, but {len(classes)} of them with "
            f"{LEAST_ROWS} rows or more: leave out the rows of {listed(shown)}, or join classes"
            f"{or_else}."
        )
    place = {label: k for k, label in enumerate(classes)}
    codes = np.array([place[label] for label in spelled[kept]], dtype=np.intp)
    return Classes(codes, kept, tuple(classes), tuple(remarks), tuple(few))


def known_values(values: Series) -> dict[Any, int]:
    """How often each value of a target occurs, spelled alike, unknown ones left out."""
    try:
        spelled, known, _ = read_labels(values)
    except InputError:  # lists and other objects are no classes
        return {}
    return dict(spelled[known].value_counts().to_dict())


def _refuse_measurement(counts: Mapping[Any, int], name: str, or_else: str = "") -> None:
    numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in counts)
    parts = numbers and any(float(v) % 1 for v in counts)
    if numbers and (len(counts) > MOST_CLASSES or (parts and len(counts) > MANY_NUMBERS)):
        middle = float(np.median(np.repeat(list(map(float, counts)), list(counts.values()))))
        raise InputError(
            f"The target column `{name}` has {len(counts):,} distinct numbers and looks like a "
            f"measurement; a target needs 2 to {MOST_CLASSES} classes: replace it by a column of "
            f"ranges, or by one that says whether it exceeds its median, {middle:g}."
        )
    if len(counts) > MOST_CLASSES:
        raise InputError(
            f"The target column `{name}` has {len(counts):,} classes; at most {MOST_CLASSES} can "
            f"be audited: join the rare ones{or_else}."
        )
