"""Given predictions of more than two classes: the labels they choose, and their log densities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rocstar.checks import FloatArray, InputError, IntArray
from rocstar.inference.class_held_out import TINY, ClassHeldOut

Rule = Literal["labels", "likeliest", "likeliest at equal shares"]


class Given(NamedTuple):
    """Given predictions of the entries: classes by each rule they may stand for, and log densities.

    Labels have no log densities.
    """

    rules: dict[Rule, IntArray]
    logs: FloatArray | None = None


def given_predictions(given: Any, held: ClassHeldOut, prior: Any = None) -> Given:
    """Classes that given labels or probabilities choose, and the logarithms of the latter."""
    array = np.asarray(given)
    if array.ndim == 2 and hasattr(given, "columns"):
        array = array[:, _columns(given, held.classes)]
    if array.ndim == 1 and array.size == held.n_rows:
        return Given({"labels": _numbers(array[held.row], held.classes)})
    if array.shape != (held.n_rows, held.n_classes) or array.dtype.kind not in "biuf":
        raise ValueError(
            f"`score` must hold one label per row, or probabilities of shape ({held.n_rows}, "
            f"{held.n_classes}), a column per class in sorted order; got shape {array.shape}."
        )
    share = np.asarray(array[held.row], dtype=np.float64)
    check_probabilities(share, "score")
    return Given(chosen_classes(share, held, prior), np.log(np.maximum(share, TINY)))


def chosen_classes(
    probability: FloatArray, held: ClassHeldOut, prior: Any = None
) -> dict[Rule, IntArray]:
    """Classes of the entries by every rule that probabilities may stand for.

    The balanced accuracy asks for the likeliest class at equal shares. Where the shares at which
    the probabilities were made are not stated, they may be those of the rows, or equal already, as
    those of a classifier with class weights.
    """
    equal = np.asarray((probability / _shares(prior, held)).argmax(axis=1))
    if prior is not None:
        return {"likeliest at equal shares": equal}
    return {"likeliest": np.asarray(probability.argmax(axis=1)), "likeliest at equal shares": equal}


def check_probabilities(share: FloatArray, name: str) -> None:
    """Refuse what no probability is: logarithms of them, and gaps."""
    wrong = ~(np.isfinite(share) & (share >= 0))
    if wrong.any():
        raise InputError(
            f"`{name}` must hold finite probabilities of at least 0; got {share[wrong][0]:.4g}: "
            "pass what predict_proba returns, not logarithms or decision values."
        )


def class_columns(frame: Any, classes: Iterable[Any]) -> list[int] | None:
    """Positions of the columns that are named as the classes; None where one is missing."""
    names = list(frame.columns)
    place = {spelled(name): i for i, name in enumerate(names)}
    labels = list(map(spelled, classes))
    if all(label in place for label in labels):
        return [place[label] for label in labels]
    # Numbered columns have no names: their order is all they say.
    numbered = names == list(range(len(labels)))
    return names if numbered else None


def spelled(value: object) -> str:
    """A label as text; a whole number that became a decimal in its column, as a whole number."""
    if isinstance(value, (float, np.floating)) and value % 1 == 0:
        return str(int(value))
    return str(value)


def like_classes(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Labels as text where the classes are: the certificate of an audit names classes so."""
    if classes.dtype.kind != "U" or labels.dtype.kind == "U":
        return labels
    values, place = np.unique(labels, return_inverse=True)
    return np.array([spelled(value) for value in values.tolist()])[place]


def _columns(frame: Any, classes: npt.NDArray[Any]) -> list[int]:
    found = class_columns(frame, classes)
    if found is None:
        raise ValueError(
            "`score` must have a column per class, named as the class; got "
            f"{list(frame.columns)}: rename its columns, or pass an array with the classes in "
            "sorted order."
        )
    return found


def _shares(prior: Any, held: ClassHeldOut) -> FloatArray:
    """Shares of the classes, up to a factor, at which given probabilities were made."""
    if prior is None:
        return np.asarray(np.bincount(held.y, held.weights), dtype=np.float64)
    if isinstance(prior, str) and prior == "balanced":
        return np.ones(held.n_classes)
    shares = np.asarray(prior)
    numbers = shares.dtype.kind in "iuf" and shares.shape == (held.n_classes,)
    if not (numbers and np.isfinite(shares).all() and (shares > 0).all()):
        raise ValueError(
            f"`prior` must hold {held.n_classes} positive shares, one per class in sorted order, "
            f"or be 'balanced'; got {prior!r}."
        )
    return np.asarray(shares, dtype=np.float64)


def _numbers(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> IntArray:
    """Numbers of the classes that labels name."""
    labels = like_classes(labels, classes)
    known = np.isin(labels, classes)
    if not known.all():
        strange = labels[int(np.argmin(known))]
        raise ValueError(
            f"`score` must hold labels among those of `y`; got {strange!s}: pass predicted labels, "
            f"or probabilities of all {len(classes)} classes, of shape (n, {len(classes)})."
        )
    # Classes are in the order of their labels, which is not always that of their names.
    order = np.argsort(classes)
    return np.asarray(order[np.searchsorted(classes, labels, sorter=order)])
