"""What existing models say of more than two classes: labels, or probabilities of all classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import BoolArray, FloatArray, InputError
from rocstar.inference.class_predictions import check_probabilities, class_columns, spelled
from rocstar.tables.column_names import score_columns
from rocstar.tables.roles import column_numbers

if TYPE_CHECKING:
    from pandas import DataFrame

IN_PYTHON = "the probabilities of all classes as one array or data frame, a column per class"


def given_classes(
    values: Any,
    classes: Sequence[Any],
    name: str,
    left_out: Sequence[Any] = (),
    instead: str = "",
) -> NDArray[np.intp]:
    """Numbers of the classes that a score column names in every row; −1 for those left out."""
    place = {spelled(label): -1 for label in left_out}
    place |= {spelled(label): k for k, label in enumerate(classes)}
    named = [place.get(spelled(value)) for value in values]
    if None in named:
        raise _no_class(values, named.index(None), name, classes, instead)
    return np.array(named, dtype=np.intp)


def _no_class(values: Any, row: int, name: str, classes: Sequence[Any], instead: str) -> InputError:
    from pandas import Series, isna

    strange = Series(np.asarray(values)).iloc[row]
    # Rows may have been left out before; the index counts those of the table.
    where = f" in row {values.index[row] + 1}" if isinstance(values, Series) else ""
    if isna(strange):
        got, remedy = "a blank", "fill it in, or leave that row out"
    elif isinstance(strange, (float, np.floating)) and 0 < strange < 1:
        got, remedy = f"{strange!s}", f"name a column of predicted classes, or {instead}"
    else:
        got, remedy = f"{strange!s}", "correct it, or leave that row out"
    return InputError(
        f"The score `{name}` must hold a class of the target in every row, such as "
        f"{classes[0]!s}; got {got}{where}: {remedy}."
    )


def file_scores(
    table: DataFrame,
    scores: Sequence[str],
    classes: Sequence[Any],
    left_out: Sequence[Any] = (),
) -> dict[str, NDArray[Any]]:
    """What columns of a table say: predicted classes, or probabilities in a column per class."""
    out: dict[str, NDArray[Any]] = {}
    example = ",".join(f"p_{label!s}" for label in classes[:3])
    more = ",..." if len(classes) > 3 else ""
    instead = f"one column per class with commas between them, as in {example}{more}"
    for name in scores:
        columns = score_columns(name, table.columns)
        if len(columns) == 1:
            (column,) = columns
            out[column] = given_classes(table[column], classes, column, left_out, instead)
            continue
        order, label = _by_ending(columns, classes, left_out)
        found = np.column_stack([_probabilities(table[columns[k]]) for k in order])
        out[name if label in out else label] = _rescaled(found, label)
    return out


def _by_ending(
    columns: Sequence[str], classes: Sequence[Any], left_out: Sequence[Any]
) -> tuple[Sequence[int], str]:
    """Place of each class among columns that end with the classes, and what they have in common.

    Columns none of which ends with a class are in the sorted order of the classes.
    """
    every = [spelled(label) for label in (*classes, *left_out)]
    # `p_10` ends with 0, too.
    ends = [max((e for e in every if c.endswith(e)), key=len, default=None) for c in columns]
    asked = [spelled(label) for label in classes]
    if len(set(ends)) == len(ends) and None not in ends and set(asked) <= set(ends):
        starts = {
            c.removesuffix(e or "").rstrip("_-. ") for c, e in zip(columns, ends, strict=True)
        }
        name = starts.pop() if len(starts) == 1 else ",".join(columns)
        return [ends.index(label) for label in asked], name or "score"
    if set(ends) == {None} and len(columns) in (len(classes), len(every)):
        return _sorted_order(len(columns), classes, left_out), ",".join(columns)
    raise InputError(
        f"`score` must name one column per class, of {len(classes)} classes; got "
        f"{len(columns)} columns, {','.join(columns)}: let each name end with its class, as in "
        f"p_{classes[0]!s}, or give them in the sorted order of the classes."
    )


def _probabilities(values: Any) -> FloatArray:
    share = column_numbers(values, "score")
    if (share < 0).any():
        row = int(np.argmax(share < 0))
        raise InputError(
            f"The score column `{values.name}` must hold probabilities of at least 0; got "
            f"{share[row]:g} in row {values.index[row] + 1}: name columns of probabilities."
        )
    return share


def given_scores(
    scores: Any,
    n: int,
    kept: BoolArray,
    classes: Sequence[Any],
    left_out: Sequence[Any] = (),
) -> dict[str, NDArray[Any]]:
    """Labels, or probabilities of all classes, of existing models."""
    if scores is None:
        return {}
    if not isinstance(scores, Mapping):
        frame = hasattr(scores, "columns") and class_columns(scores, classes) is None
        scores = {str(c): scores[c] for c in scores.columns} if frame else {"score": scores}
    out: dict[str, NDArray[Any]] = {}
    for name, given in scores.items():
        array = np.asarray(given)
        if array.ndim == 2 and len(array) == n:
            columns = _columns(given, str(name), classes, left_out)
            out[str(name)] = _rescaled(array[kept][:, columns], str(name))
        elif array.shape == (n,):
            out[str(name)] = given_classes(array[kept], classes, str(name), left_out, IN_PYTHON)
        else:
            raise _wrong_shape(str(name), n, classes, array.shape)
    return out


def _columns(
    given: Any, name: str, classes: Sequence[Any], left_out: Sequence[Any]
) -> Sequence[int]:
    """Columns of the classes that are judged: by name, or in sorted order."""
    if hasattr(given, "columns"):
        found = class_columns(given, classes)
        if found is None:
            raise InputError(
                f"`scores[{name}]` must have a column per class, named as the class; got "
                f"{list(given.columns)}: rename its columns."
            )
        return found
    n, width = np.shape(given)
    if width not in (len(classes), len(classes) + len(left_out)):
        raise _wrong_shape(name, n, classes, (n, width))
    return _sorted_order(width, classes, left_out)


def _sorted_order(width: int, classes: Sequence[Any], left_out: Sequence[Any]) -> Sequence[int]:
    """Place of each judged class among columns of these, or of all classes, in sorted order."""
    if width == len(classes):
        return range(width)
    everything = sorted([*classes, *left_out], key=lambda v: (str(type(v)), v))
    return [everything.index(label) for label in classes]


def _rescaled(given: NDArray[Any], name: str) -> FloatArray:
    """Probabilities that sum to one again where a class was left out; alike if none is left."""
    try:
        share = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        share = np.full(given.shape, np.nan)
    check_probabilities(share, f"scores[{name}]")
    total = share.sum(axis=1, keepdims=True)
    alike = np.full_like(share, 1 / share.shape[1])
    return np.asarray(np.divide(share, total, out=alike, where=total > 0))


def _wrong_shape(name: str, n: int, classes: Sequence[Any], shape: tuple[int, ...]) -> InputError:
    return InputError(
        f"`scores[{name}]` must hold one label per row, or probabilities of shape "
        f"({n}, {len(classes)}), a column per class in sorted order; got shape {shape}."
    )
