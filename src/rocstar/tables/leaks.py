"""What makes a table suspicious: columns that give the answer away or name rows, repeated rows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.fitting.directions import class_landmarks
from rocstar.geometry.curves import roc_auc
from rocstar.tables.columns import Column, TableEncoder
from rocstar.tables.frames import quoted
from rocstar.tables.kind_base import Kind
from rocstar.tables.remarks import Remark

if TYPE_CHECKING:
    from pandas import DataFrame

    from rocstar.tables.table import TableProfile

# A column with this AUC on its own makes every other column pointless: a likely leak, unless all
# less perfect columns together reach the second number. The classes are then easy to tell.
LEAK_AUC, EASY = 0.995, 0.95
# From here on it may be one, if it leaves less than this share of the errors that the best of the
# other columns leaves.
SUSPECT_AUC, FAR_ABOVE = 0.95, 0.25
LEAK_ROWS = 20_000
# Of more than two classes: balanced accuracy of a small tree on one column from which the column is
# a likely leak. On rows of real tables, one measurement hardly ever tells three classes apart
# without an error in 100.
CLASS_LEAK, ALONE_ROWS, ALONE_COLUMNS = 0.99, 2000, 300
# Rows that tell how much the other columns know together.
TOGETHER_ROWS = 1000
# Rows of each class that must have a value before a column is judged by those rows alone.
FEWEST_PRESENT = 30
KEY_WORDS = {"ids", "uuid", "guid", "key", "index", "rowid", "userid", "customerid"}
FEWEST_ROWS_FOR_IDENTIFIER = 50
# A key that repeats names a group of rows, which is as bad when it is split over folds.
GROUP_KEY_SHARE = 0.05
# Shares of exact copies: below the first they move no bound by more than its own error, above the
# second the bounds are about the copies.
FEW_REPEATED, MANY_REPEATED = 0.002, 0.05
BLANK_OR_NOT = " by being blank or not"


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
    alone = _each_alone(encoder, X, y)
    rest = [k for k, one in enumerate(alone) if one and one.area < LEAK_AUC]
    perfect = any(one and one.area >= LEAK_AUC for one in alone)
    together = rest_together(X[:, np.isin(encoder.owner_, rest)], y, roc_auc) if perfect else 0.0
    return flagged_leaks(columns, alone, together)


class Alone(NamedTuple):
    """How well a column tells the classes apart on its own, and by what."""

    area: float = 0.5
    by: str = ""


def flagged_leaks(
    columns: list[Column], alone: Sequence[Alone | None], together: float = 0.0
) -> list[Column]:
    """Flags on columns that are, or may be, the answer; those that are dropped have no figures.

    ``together`` is the AUC that all columns reach which are not nearly perfect by themselves.
    """
    others = [one.area for one in alone if one and one.area < SUSPECT_AUC]
    flagged = []
    for column, one in zip(columns, alone, strict=True):
        if one and one.area >= LEAK_AUC and together < EASY:
            told = f"separates the classes almost alone{one.by} (AUC {one.area:.3f})"
            column = column.flagged("leak", f"{told}: check whether it leaks the target")
        elif one and others and one.area >= SUSPECT_AUC:
            following = max(others)
            if 1 - one.area <= FAR_ABOVE * (1 - following):
                told = (
                    f"reaches an AUC of {one.area:.3f} alone{one.by}, far above the next column "
                    f"({following:.3f}): check that it is available at prediction time"
                )
                column = column.flagged("possible leak", told)
        flagged.append(column)
    return flagged


def rest_together(
    X: FloatArray, y: BoolArray | IntArray, figure: Callable[[Any, Any], float]
) -> float:
    """Out-of-fold figure of a linear model or of trees on these columns, whichever is larger."""
    rows = class_landmarks(y.astype(np.intp), np.ones(y.size), TOGETHER_ROWS, 0)
    classes, counts = np.unique(y[rows], return_counts=True)
    if X.shape[1] == 0 or counts.min() < 2:
        return 0.0
    linear = make_pipeline(
        SimpleImputer(keep_empty_features=True), StandardScaler(), LogisticRegression(max_iter=200)
    )
    trees = HistGradientBoostingClassifier(
        max_iter=20, min_samples_leaf=5, early_stopping=False, random_state=0
    )
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for model in (linear, trees):
            p = cross_val_predict(model, X[rows], y[rows], cv=folds, method="predict_proba")
            said = p[:, 1] if classes.size == 2 else classes[p.argmax(axis=1)]
            found.append(float(figure(y[rows], said)))
    return max(found)


def looks_like_identifier(name: str, kind: Kind) -> bool:
    """Whether a column names rows, or groups of rows, rather than describing them."""
    present = kind.rows - kind.missing
    if kind.identifier_share is None or present < FEWEST_ROWS_FOR_IDENTIFIER:
        return False
    named_like_key = _named_like_key(name)
    if kind.distinct < kind.identifier_share * present:
        return named_like_key and kind.distinct > GROUP_KEY_SHARE * present
    return kind.holds_keys(named_like_key)


def _named_like_key(name: str) -> bool:
    """Whether a name, in snake_case, camelCase or plain, has the word "id" or ends like a key."""
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    return "id" in words or (bool(words) and words[-1] in KEY_WORDS)


def column_warnings(columns: Sequence[Column]) -> list[Remark]:
    """A remark for each flag of the columns."""
    found = []
    for column in columns:
        if "identifier" in column.flags:
            found.append(
                Remark(
                    f"`{column.name}` looks like an identifier: drop it if it names rows, or "
                    "keep its rows together with `groups` if it names customers or the like."
                )
            )
        if {"leak", "possible leak"} & set(column.flags):
            found.append(Remark(f"`{column.name}` {column.notes[-1]}."))
    return found + _conversions([column for column in columns if "converted" in column.flags])


def _conversions(columns: list[Column]) -> list[Remark]:
    """One note on all columns whose values were not taken as they came."""
    if not columns:
        return []
    if len(columns) > 1:
        names = quoted([column.name for column in columns])
        told = f"{len(columns):,} columns were converted ({names}); the list of columns says how."
        return [Remark(told, "note")]
    only = columns[0]
    # Every other flag has added a note of its own, behind those of the conversion.
    notes = only.notes[: len(only.notes) - (len(only.flags) - 1)]
    return [Remark(f"`{only.name}`: {'; '.join(notes)}.", "note")]


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
    if share <= FEW_REPEATED:
        return [Remark(f"{seen}, too few to matter.", "note")]
    advice = "remove the copies or keep them together with `groups=near_copies(X)`"
    if share <= MANY_REPEATED:
        return [Remark(f"{seen}: if they are copies rather than coincidences, {advice}.")]
    return [
        Remark(
            f"{seen}: if they are copies rather than coincidences, no bound here holds; {advice}.",
            "invalid",
        )
    ]


def _each_alone(encoder: TableEncoder, X: FloatArray, y: BoolArray) -> list[Alone | None]:
    """What each column of the table tells alone; None for those that became nothing."""
    rows = np.arange(len(y))
    if len(y) > LEAK_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(len(y), LEAK_ROWS, replace=False))
    positive = y[rows]
    best: list[Alone | None] = [None] * encoder.n_features_in_
    for k, owner in enumerate(encoder.owner_):
        part = k - int(np.searchsorted(encoder.owner_, owner))
        presence = encoder.kinds_[owner].presence == part
        found = _alone(X[rows, k], positive, k in encoder.categorical_, presence)
        best[owner] = max(best[owner] or Alone(), found)
    return best


def _alone(values: FloatArray, positive: BoolArray, codes: bool, presence: bool) -> Alone:
    """What a column of the matrix tells: by its values, by its gaps, by the rows without gaps."""
    if presence:
        return Alone(_area(values, positive), BLANK_OR_NOT)
    there = ~np.isnan(values)
    found = [Alone(_area(values, positive, codes))]
    if there.any() and not there.all():
        found.append(Alone(_area(there.astype(np.float64), positive), BLANK_OR_NOT))
        known = positive[there]
        if min(known.sum(), (~known).sum()) >= FEWEST_PRESENT:
            found.append(Alone(_area(values[there], known, codes), " where it has a value"))
    return max(found)


def _area(values: FloatArray, positive: BoolArray, codes: bool = False) -> float:
    """AUC in the better direction."""
    if positive.all() or not positive.any():
        return 0.5
    if codes:
        return roc_auc(positive, _share_of_other_positives(values, positive))
    area = roc_auc(positive, np.nan_to_num(values, nan=np.nanmin(values, initial=0) - 1))
    return max(area, 1 - area)


def _share_of_other_positives(codes: FloatArray, positive: BoolArray) -> FloatArray:
    """The share of positives among the *other* rows of a category; of all rows if it has none."""
    # With a row's own label in its share, a category of one row would always be right: names of
    # rows would look like leaks.
    filled = np.where(np.isnan(codes), -1, codes).astype(np.intp) + 1
    others = np.bincount(filled)[filled] - 1
    ups = np.bincount(filled, weights=positive)[filled] - positive
    return np.where(others > 0, ups / np.maximum(others, 1), positive.mean())


def with_class_leaks(profile: TableProfile, X: np.ndarray, codes: IntArray) -> TableProfile:
    """The profile with flags and remarks on columns that separate all classes alone."""
    rows = class_landmarks(codes, np.ones(codes.size), ALONE_ROWS, 0)
    names, owner = profile.encoder.feature_names_in_, profile.encoder.owner_
    alone = {
        str(names[feature]): _tree_accuracy(
            X[np.ix_(rows, np.flatnonzero(owner == feature))], codes[rows]
        )
        for feature in np.unique(owner)[:ALONE_COLUMNS]
    }
    if max(alone.values()) < CLASS_LEAK:
        return profile
    rest = [
        feature for feature in np.unique(owner) if alone.get(str(names[feature]), 0.0) < CLASS_LEAK
    ]
    together = rest_together(X[:, np.isin(owner, rest)], codes, balanced_accuracy_score)
    columns = [
        _with_class_leak(column, alone.get(column.name, 0.0), together)
        for column in profile.columns
    ]
    found = [column for column in columns if "leak" in column.flags]
    return replace(
        profile,
        columns=tuple(columns),
        warnings=(
            *column_warnings([replace(c, flags=("leak",)) for c in found]),
            *profile.warnings,
        ),
    )


def _tree_accuracy(X: np.ndarray, codes: IntArray) -> float:
    """Out-of-fold balanced accuracy of a small tree."""
    tree = DecisionTreeClassifier(max_leaf_nodes=3 * (int(codes.max()) + 1), random_state=0)
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    return float(balanced_accuracy_score(codes, cross_val_predict(tree, X, codes, cv=folds)))


def _with_class_leak(column: Column, accuracy: float, together: float) -> Column:
    if accuracy < CLASS_LEAK or together >= EASY:
        return column
    told = f"separates all classes almost alone (balanced accuracy {accuracy:.3f})"
    return column.flagged("leak", f"{told}: check whether it leaks the target")
