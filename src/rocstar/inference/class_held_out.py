"""`ClassHeldOut`: directions of rows of more than two classes by models that had not seen them.

The counterpart of `rocstar.inference.held_out`; its figures are those of theory §15.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.parallel import Parallel, delayed

from rocstar.checks import FloatArray, IntArray, nonnegative_weights
from rocstar.estimators.directions import class_figures, predict_direction
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.protocol import declared
from rocstar.estimators.splits import Split
from rocstar.inference.held_entries import HeldEntries
from rocstar.inference.held_out import is_smooth, times_before
from rocstar.inference.pair_masses import share_below
from rocstar.sklearn_private import safe_indexing

# A component below this is as good as zero; its logarithm must stay finite.
TINY = 1e-300


class InSampleFigures(NamedTuple):
    """Figures of models on rows they had learnt from, and how much these count in an estimate."""

    figures: dict[str, float]
    share: float
    stacked: bool = False


class HeldFigures(NamedTuple):
    """Arc length, and mean recall of the rule "the likeliest class at equal shares"."""

    arc_length: float
    balanced_accuracy: float


@dataclass(frozen=True)
class ClassHeldOut(HeldEntries):
    """Directions of rows by models that had not seen them: one entry per row and split."""

    row: IntArray  # position of the entry's row in the data
    y: IntArray  # number of its class
    direction: FloatArray  # (entries, K)
    fold: IntArray  # which split held the row out
    repeat: IntArray  # how many splits had done so before
    weights: FloatArray
    groups: IntArray | None  # rows of one group are dependent
    models: tuple[Any, ...]
    n_rows: int
    classes: npt.NDArray[Any]
    weighted: bool = False
    in_sample: InSampleFigures | None = None

    per_entry = ("row", "y", "direction", "fold", "repeat", "weights")
    followed = "balanced_accuracy"

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def figures(self) -> HeldFigures:
        """Arc length and balanced accuracy on these entries."""
        return HeldFigures(self.mean_sum(self.terms), self.mean_sum(self.followed_values()))

    def followed_values(self) -> FloatArray:
        return np.asarray((self.predicted == self.y) / self.n_classes)

    def followed_figures(self) -> tuple[float, float]:
        return self.figures()

    @staticmethod
    def said_by(model: Any, X: Any) -> tuple[FloatArray]:
        return (predict_direction(model, X),)

    def with_said(self, said: tuple[FloatArray, ...]) -> ClassHeldOut:
        (direction,) = said
        return replace(self, direction=direction)

    @cached_property
    def first(self) -> IntArray:
        """Entries of rows held out for the first time: one per judged row."""
        return np.flatnonzero(self.repeat == 0)

    def per_row(self, values: FloatArray) -> FloatArray:
        """Mean over the repeats, one line per row of `first`."""
        if self.first.size == self.row.size:
            return values
        place = np.empty(self.n_rows, dtype=np.intp)
        place[self.row[self.first]] = np.arange(self.first.size)
        out = np.zeros((self.first.size, *values.shape[1:]))
        np.add.at(out, place[self.row], values)
        return out / (self.row.size // self.first.size)

    @cached_property
    def predicted(self) -> IntArray:
        """Number of the class that each entry is given to: the likeliest at equal shares."""
        return np.asarray(self.direction.argmax(axis=1))

    @property
    def terms(self) -> FloatArray:
        """The component of each entry's own class."""
        return np.asarray(self.direction[np.arange(self.y.size), self.y])

    @cached_property
    def log_direction(self) -> FloatArray:
        return np.log(np.maximum(self.direction, TINY))

    @cached_property
    def placed(self) -> FloatArray:
        """Share of each other class's rows in the fold that an entry beats, ranked pair by pair."""
        return pair_placements(self, self.log_direction)

    @cached_property
    def placed_one_versus_rest(self) -> FloatArray:
        """Column k: comparison of class k with all others, ranked by class k's density ratio."""
        return rest_placements(self)


def pair_placements(held: ClassHeldOut, logs: FloatArray) -> FloatArray:
    """Share of class j's rows in the fold that an entry beats (columns j), by given log densities.

    An entry of class i is ranked among class j by its log density of i less that of j; NaN in the
    column of its own class.
    """
    out = np.full(logs.shape, np.nan)
    for parts in _by_fold(held):
        for i, own in enumerate(parts):
            for j, other in enumerate(parts):
                if i != j:
                    ours, theirs = (logs[rows, i] - logs[rows, j] for rows in (own, other))
                    out[own, j] = share_below(ours, theirs, held.weights[other])
    return out


def rest_placements(held: ClassHeldOut) -> FloatArray:
    """Comparisons of each class with the mixture of the others in equal shares."""
    k = held.n_classes
    rest = np.log(np.maximum(held.direction.sum(axis=1, keepdims=True) - held.direction, TINY))
    score = held.log_direction - rest
    out = np.zeros(score.shape)
    for parts in _by_fold(held):
        for i, own in enumerate(parts):
            for j, other in enumerate(parts):
                if i == j:
                    continue
                below = share_below(score[own, i], score[other, i], held.weights[other])
                out[own, i] += below / (k - 1)
                out[other, i] = 1 - share_below(score[other, i], score[own, i], held.weights[own])
    return out


def _by_fold(held: ClassHeldOut) -> list[list[IntArray]]:
    """Entries of each class in each fold, those of no weight left out."""
    return [
        [
            np.flatnonzero((held.fold == f) & (held.y == k) & (held.weights > 0))
            for k in range(held.n_classes)
        ]
        for f in range(held.n_splits)
    ]


def class_held_out(
    estimator: Any,
    X: Any,
    codes: IntArray,
    splits: Sequence[Split],
    *,
    classes: npt.NDArray[Any],
    sample_weight: FloatArray | None = None,
    groups: IntArray | None = None,
    n_jobs: int | None = None,
    in_sample: bool = False,
    report: Callable[[], None] | None = None,
) -> ClassHeldOut:
    """Fit a clone on the training rows of each split and judge its held-out rows."""
    # Models take fractions such as 0, ½ and 1 for a measurement, and whole numbers for classes.
    fractions = classes.dtype.kind == "f" and bool((classes % 1 != 0).any())
    labels = codes if fractions else classes[codes]

    def fitted(rows: IntArray | None = None) -> Any:
        return fitted_clone(
            estimator, X, labels, sample_weight=sample_weight, groups=groups, rows=rows
        )

    def judged(split: Split) -> tuple[Any, FloatArray]:
        model = fitted(split[0])
        return model, predict_direction(model, safe_indexing(X, split[1]))

    models, directions = [], []
    jobs = (delayed(judged)(split) for split in splits)
    for model, direction in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        models.append(model)
        directions.append(direction)
        if report is not None:
            report()
    row = np.concatenate([test for _, test in splits])
    weights = nonnegative_weights(sample_weight, codes.size)
    found = None
    if in_sample:
        found = _in_sample(estimator, models, fitted, X, codes, weights, splits)
        if report is not None and len(splits) > 1 and is_smooth(estimator):
            report()
    return ClassHeldOut(
        row=row,
        y=codes[row],
        direction=np.concatenate(directions),
        fold=np.repeat(np.arange(len(splits)), [test.size for _, test in splits]),
        repeat=times_before(row),
        weights=weights[row],
        groups=None if groups is None else groups[row],
        models=tuple(models),
        n_rows=codes.size,
        classes=classes,
        weighted=sample_weight is not None,
        in_sample=found,
    )


def _in_sample(
    estimator: Any,
    models: list[Any],
    fitted: Callable[..., Any],
    X: Any,
    codes: IntArray,
    weights: FloatArray,
    splits: Sequence[Split],
) -> InSampleFigures | None:
    """Figures of models on their own training rows, where their optimism is of first order."""
    if not is_smooth(estimator):
        asked = [declared(model).partly_in_sample_ for model in models]
        found = [figures for figures in asked if figures is not None]
        if len(found) < len(models):
            return None
        means = {name: float(np.mean([f[name] for f in found])) for name in found[0]}
        return InSampleFigures(means, 0.5, stacked=True)
    model, rows = models[0], splits[0][0]
    if len(splits) > 1:
        model, rows = fitted(), np.arange(codes.size)
    direction = predict_direction(model, safe_indexing(X, rows))
    w = weights[rows] / np.bincount(codes[rows], weights[rows])[codes[rows]]
    figures = class_figures(codes[rows], direction, w)
    # As for two classes: K folds fall short by K/(K − 1) of what the full model exceeds.
    tests = np.concatenate([test for _, test in splits])
    n = len(splits) * np.unique(tests).size / tests.size  # folds of one repeat
    return InSampleFigures(figures, 0.5 if len(splits) == 1 else n / (2 * n - 1))
