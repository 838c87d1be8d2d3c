"""What existing models say of more than two classes: labels, or probabilities of all classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocstar.checks import BoolArray, FloatArray, InputError
from rocstar.inference.class_predictions import class_columns, spelled

IN_PYTHON = "the probabilities of all classes as one array or data frame, a column per class"
IN_A_FILE = "use audit(scores=...) in Python for probabilities of all classes"


def given_classes(
    values: Any,
    classes: Sequence[Any],
    name: str,
    left_out: Sequence[Any] = (),
    instead: str = IN_A_FILE,
) -> NDArray[np.intp]:
    """Numbers of the classes that a score column names in every row; −1 for those left out."""
    place = {spelled(label): -1 for label in left_out}
    place |= {spelled(label): k for k, label in enumerate(classes)}
    named = [place.get(spelled(value)) for value in values]
    if None in named:
        strange = list(values)[named.index(None)]
        parts = isinstance(strange, (float, np.floating)) and 0 < strange < 1
        raise InputError(
            f"The score `{name}` must hold a class of the target in every row, such as "
            f"{classes[0]!s}; got {strange!s}"
            + (f": name a column of predicted classes, or {instead}." if parts else ".")
        )
    return np.array(named, dtype=np.intp)


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
    if width == len(classes):
        return range(width)
    everything = sorted([*classes, *left_out], key=lambda v: (str(type(v)), v))
    if width == len(everything):
        return [everything.index(label) for label in classes]
    raise _wrong_shape(name, n, classes, (n, width))


def _rescaled(given: NDArray[Any], name: str) -> FloatArray:
    """Probabilities that sum to one again where a class was left out; alike if none is left."""
    try:
        share = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        share = np.full(given.shape, np.nan)
    if not (np.isfinite(share).all() and (share >= 0).all()):
        raise InputError(f"`scores[{name}]` must hold finite probabilities of at least 0.")
    total = share.sum(axis=1, keepdims=True)
    alike = np.full_like(share, 1 / share.shape[1])
    return np.asarray(np.divide(share, total, out=alike, where=total > 0))


def _wrong_shape(name: str, n: int, classes: Sequence[Any], shape: tuple[int, ...]) -> InputError:
    return InputError(
        f"`scores[{name}]` must hold one label per row, or probabilities of shape "
        f"({n}, {len(classes)}), a column per class in sorted order; got shape {shape}."
    )
