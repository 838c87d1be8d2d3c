"""Checks at the public border: each bad input becomes one sentence that says what to do.

Everything below the border may assume what these functions promise, so nothing is checked twice.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.intp]

MANY_NUMBERS = 20
"""More distinct numbers than any coding of classes has are a measurement."""


class InputError(ValueError):
    """Input that cannot be used, reported in one sentence that says what to do about it."""


MORE_IN_MEMORY = (
    "more than two classes work in memory, so pass X.compute() and y.compute(), or compare one "
    "class with the rest, `y == label`"
)


def binary_labels(
    y: npt.ArrayLike, instead: str = "compare one class with the rest, `y == label`"
) -> tuple[BoolArray, npt.NDArray[Any]]:
    """Which rows are positive, and the two label values in sorted order.

    ``instead`` says what to do with more labels.
    """
    labels = flat_labels(y)
    if labels.size == 0:
        raise ValueError("`y` must hold at least one label of each class; got an empty array.")
    if missing := _missing_count(labels):
        raise ValueError(
            f"`y` must have a label in every row; got {missing} missing: drop those rows."
        )
    classes = _distinct(labels)
    if classes.size == 1:
        raise ValueError(
            f"`y` must hold at least two classes; got one class, the label {classes[0]!s}: "
            "add rows of another class."
        )
    if classes.size > 2:
        shown = ", ".join(str(label) for label in classes[:3])
        raise ValueError(
            f"`y` must hold exactly two distinct labels; got {classes.size} ({shown}, …): "
            f"{instead}."
        )
    return np.asarray(labels == classes[1], dtype=np.bool_), classes


def flat_labels(y: npt.ArrayLike) -> npt.NDArray[Any]:
    """Labels as one flat array; a single column is one too, with scikit-learn's own warning."""
    require_in_memory(y=y)
    if getattr(y, "ndim", 1) == 2 and np.shape(y)[1] == 1:
        from sklearn.utils import column_or_1d

        return np.asarray(column_or_1d(y, warn=True))
    return _one_dimensional(y, "y")


def finite_scores(
    score: npt.ArrayLike, n: int, name: str = "score", rows: BoolArray | None = None
) -> FloatArray:
    """Scores as finite float64, one per label."""
    values = _numbers(score, name)
    _same_length(values, n, name)
    finite = np.isfinite(values) if rows is None else np.isfinite(values) | ~rows
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"`{name}` must be finite; got {values[row]} in row {row}.")
    return values


def nonnegative_weights(
    sample_weight: npt.ArrayLike | None, n: int, name: str = "sample_weight"
) -> FloatArray:
    """Weights as finite, non-negative float64; all ones when none are given."""
    if sample_weight is None:
        return np.ones(n)
    weights = finite_scores(sample_weight, n, name)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(f"`{name}` must be non-negative; got {weights[row]} in row {row}.")
    return weights


class WeightlessClass(ValueError):
    """All rows of a class have weight zero."""


def class_totals(positive: BoolArray, weights: FloatArray) -> tuple[float, float]:
    """Total weight of the positives and of the negatives, both above zero."""
    positives = float(weights.sum(where=positive))
    negatives = float(weights.sum(where=~positive))
    if positives <= 0 or negatives <= 0:
        empty = "positive" if positives <= 0 else "negative"
        raise WeightlessClass(
            f"`sample_weight` must give each class some weight; the {empty} class has none."
        )
    return positives, negatives


def group_units(groups: npt.ArrayLike, n: int, name: str = "groups") -> npt.NDArray[np.intp]:
    """Groups as whole numbers from 0: rows of the same number belong to the same group."""
    names = _one_dimensional(groups, name)
    if names.size != n:
        raise ValueError(
            f"`{name}` must name one group for each of the {n} rows; got {names.size} names."
        )
    if missing := _missing_count(names):
        raise ValueError(
            f"`{name}` must name a group in every row; got {missing} missing: "
            "name those groups or drop those rows."
        )
    try:
        return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.intp)
    except TypeError:
        raise ValueError(
            f"`{name}` must hold names of one type; got a mixture that cannot be sorted: "
            "convert them to strings or integers."
        ) from None


def check_fraction(value: float, name: str) -> float:
    """A number strictly between 0 and 1, such as a confidence level."""
    try:
        number = float(value + 0)  # of text, float alone would be a number too
    except (TypeError, ValueError):
        raise ValueError(f"`{name}` must be a number between 0 and 1; got {value!r}.") from None
    if not 0 < number < 1:
        share = f": write {number / 100:g} for {number:g} %" if 1 < number < 100 else ""
        raise ValueError(f"`{name}` must lie strictly between 0 and 1; got {value}{share}.")
    return number


def is_collection(x: Any) -> bool:
    """Whether this is a Dask collection, told without importing Dask."""
    return type(x).__module__.partition(".")[0] == "dask"


def require_in_memory(**given: Any) -> None:
    """Refuse Dask collections, which NumPy would load whole without a word."""
    for name, values in given.items():
        if is_collection(values):
            raise ValueError(
                f"`{name}` must be in memory here; got a Dask collection: pass {name}.compute()."
            )


def is_missing(value: object) -> bool:
    """Whether this is None, or one of the missing values that do not equal themselves."""
    try:
        return value is None or not bool(value == value)
    except TypeError:  # pandas.NA == pandas.NA is NA, which has no truth value
        return True


def require(extra: str, *modules: str) -> None:
    """Say which extra brings a module that is missing."""
    for module in modules:
        if find_spec(module) is None:
            raise ImportError(f"`{module}` is missing: pip install 'rocstar[{extra}]'.")


def _one_dimensional(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    require_in_memory(**{name: values})
    try:
        array = np.asarray(values)
    except ValueError:  # ragged nested lists
        raise ValueError(f"`{name}` must be one flat list; got nested lists.") from None
    if isinstance(values, str):
        raise ValueError(
            f"`{name}` must be one value per row; got the text {values!r}: pass that column, as in "
            f"table[{values!r}]."
        )
    if array.ndim != 1:
        raise ValueError(f"`{name}` must be one-dimensional; got shape {array.shape}.")
    return array


def _numbers(values: npt.ArrayLike, name: str) -> FloatArray:
    array = _one_dimensional(values, name)
    # NumPy would read the string "1" as a number; a column of strings is far more often a mistake.
    texts = array.dtype.kind in "USTMmcV" or (
        array.dtype.kind == "O" and any(isinstance(value, (str, bytes)) for value in array)
    )
    if texts:
        raise ValueError(f"`{name}` must hold real numbers; got {_example(array)}.")
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`{name}` must hold real numbers; got {_example(array)}.") from None


def _example(array: npt.NDArray[Any]) -> str:
    if array.dtype.kind == "O":
        odd = [value for value in array if not isinstance(value, (int, float, np.number))]
        return f"values such as {odd[0]!r}" if odd else "values NumPy cannot read"
    return f"an array of dtype {array.dtype}"


def _same_length(values: npt.NDArray[Any], n: int, name: str) -> None:
    if values.shape[0] != n:
        raise ValueError(
            f"`{name}` must have one value for each of the {n} labels; got {values.shape[0]}."
        )


def _missing_count(labels: npt.NDArray[Any]) -> int:
    if labels.dtype.kind in "fc":
        return int(np.isnan(labels).sum())
    if labels.dtype.kind in "mM":
        return int(np.isnat(labels).sum())
    if labels.dtype.kind == "O":
        return sum(map(is_missing, labels))
    return 0


def _distinct(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if labels.dtype.kind in "biuf":
        # Two passes instead of a sort: labels come by the ten million.
        ends = np.array([labels.min(), labels.max()], dtype=labels.dtype)
        if ((labels == ends[0]) | (labels == ends[1])).all():
            return ends if ends[0] != ends[1] else ends[:1]
    try:
        return np.unique(labels)
    except TypeError:
        raise ValueError(
            "`y` must hold labels of one type; got a mixture that cannot be sorted: "
            "convert them to strings or integers."
        ) from None


def no_such_file(source: str | Path) -> str:
    """The sentence for a missing file, with the nearest name beside it."""
    path = Path(source)
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        names = []
    close = get_close_matches(path.name, names, n=1, cutoff=0.6)
    meant = f"; did you mean `{path.with_name(close[0])}`?" if close else "."
    return f"There is no file `{source}`{meant}"
