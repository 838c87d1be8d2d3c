"""What makes a table suspicious: columns that give the answer away or name rows, repeated rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rocstar.checks import BoolArray, FloatArray
from rocstar.geometry.curves import roc_auc
from rocstar.tables.columns import Column, TableEncoder
from rocstar.tables.kinds import Kind
from rocstar.tables.remarks import Remark

if TYPE_CHECKING:
    from pandas import DataFrame

# A column with this AUC on its own would make every other column pointless: a likely leak.
LEAK_AUC = 0.99
LEAK_ROWS = 20_000
IDENTIFIER_NAME = re.compile(r"(^|[_\W])(id|ids|uuid|guid|key|index|rowid)$|[a-z]I[dD]$", re.I)
FEWEST_ROWS_FOR_IDENTIFIER = 50
# A key that repeats names a group of rows, which is as bad when it is split over folds.
GROUP_KEY_SHARE = 0.05
# Shares of exact copies: below the first they move no bound by more than its own error, above the
# second the bounds are about the copies.
FEW_COPIES, MANY_COPIES = 0.002, 0.05


def suspicious_columns(
    encoder: TableEncoder, X: FloatArray, y: BoolArray, *, leaks: bool = True
) -> list[Column]:
    """Records of the columns of a table, with flags on identifiers and, if asked for, on leaks."""
    columns = [
        column.flagged("identifier", "looks like an identifier")
        if looks_like_identifier(column.name, kind)
        else column
        for column, kind in zip(encoder.columns_, encoder.kinds_, strict=True)
    ]
    if not leaks:
        return columns
    return [
        column.flagged(
            "leak", f"separates the classes almost alone (AUC {area:.3f}): a likely leak"
        )
        if area >= LEAK_AUC
        else column
        for column, area in zip(columns, _areas_alone(encoder, X, y), strict=True)
    ]


def looks_like_identifier(name: str, kind: Kind) -> bool:
    """Whether a column names rows, or groups of rows, rather than describing them."""
    present = kind.rows - kind.missing
    if kind.identifier_share is None or present < FEWEST_ROWS_FOR_IDENTIFIER:
        return False
    named_like_key = bool(IDENTIFIER_NAME.search(name))
    if kind.distinct < kind.identifier_share * present:
        return named_like_key and kind.distinct > GROUP_KEY_SHARE * present
    return kind.holds_keys(named_like_key)


def column_warnings(columns: Sequence[Column]) -> list[Remark]:
    """A warning for each flag of the columns."""
    found = []
    for column in columns:
        if "identifier" in column.flags:
            found.append(
                Remark(
                    f"`{column.name}` looks like an identifier: drop it if it names rows, or "
                    "keep its rows together with `groups` if it names customers or the like."
                )
            )
        if "leak" in column.flags:
            found.append(Remark(f"`{column.name}` {column.notes[-1]}."))
    return found


def repeated_rows(frame: DataFrame, grouped: bool) -> list[Remark]:
    """A warning if rows repeat others exactly."""
    try:
        repeated = 0 if grouped else int(frame.duplicated().sum())
    except TypeError:  # cells that hold lists; refused with their column's name later
        repeated = 0
    if repeated == 0:
        return []
    share = repeated / len(frame)
    rows = "1 row repeats" if repeated == 1 else f"{repeated:,} rows repeat"
    seen = f"{rows} another row exactly ({100 * share:.1f} %)"
    if share <= FEW_COPIES:
        return [Remark(f"{seen}, too few to matter.", "note")]
    advice = "remove the copies or keep them together with `groups`"
    if share <= MANY_COPIES:
        return [Remark(f"{seen}: if they are copies rather than coincidences, {advice}.")]
    return [
        Remark(
            f"{seen}: if they are copies rather than coincidences, no bound here holds; {advice}.",
            "invalid",
        )
    ]


def _areas_alone(encoder: TableEncoder, X: FloatArray, y: BoolArray) -> FloatArray:
    """The AUC of each column of the table on its own, in either direction."""
    rows = np.arange(len(y))
    if len(y) > LEAK_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(len(y), LEAK_ROWS, replace=False))
    positive = y[rows]
    best = np.full(encoder.n_features_in_, 0.5)
    if positive.all() or not positive.any():
        return best
    for k, owner in enumerate(encoder.owner_):
        values = X[rows, k]
        if k in encoder.categorical_:
            area = roc_auc(positive, _share_of_other_positives(values, positive))
        else:
            area = roc_auc(positive, np.nan_to_num(values, nan=np.nanmin(values, initial=0) - 1))
            area = max(area, 1 - area)
        best[owner] = max(best[owner], area)
    return best


def _share_of_other_positives(codes: FloatArray, positive: BoolArray) -> FloatArray:
    """The share of positives among the *other* rows of a category; of all rows if it has none."""
    # With a row's own label in its share, a category of one row would always be right: names of
    # rows would look like leaks.
    filled = np.where(np.isnan(codes), -1, codes).astype(np.intp) + 1
    others = np.bincount(filled)[filled] - 1
    ups = np.bincount(filled, weights=positive)[filled] - positive
    return np.where(others > 0, ups / np.maximum(others, 1), positive.mean())
