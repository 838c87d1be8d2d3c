"""`HeldOut`: what models said about rows that they had not seen, one entry per row and split.

It is made here for rows in memory, and in `rocstar.inference.collections` for rows on workers.
Certificates, tests, learning curves, headroom and figures are functions of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.parallel import Parallel, delayed

from rocstar.checks import BoolArray, FloatArray, IntArray, nonnegative_weights
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.protocol import AnglePredictor, declared
from rocstar.estimators.splits import Split
from rocstar.estimators.unwrap import predict_angle
from rocstar.fitting.arrays import to_host
from rocstar.inference.held_entries import HeldEntries
from rocstar.inference.pair_masses import linear_auc
from rocstar.results import ArrayResult
from rocstar.sklearn_private import safe_indexing


class Figures(NamedTuple):
    """Arc length, AUC and TPR − FPR of the rule "angle above π/4"."""

    arc_length: float
    auc: float
    youden: float


class InSample(NamedTuple):
    """Figures of models on rows they had learnt from, and how much these count in an estimate."""

    figures: Figures
    share: float
    stacked: bool = False  # of a stack, whose arc length is close to the optimum


@dataclass(frozen=True, eq=False)
class HeldOut(HeldEntries, ArrayResult):
    """Angles and scores of rows by models that had not seen them: one entry per row and split."""

    row: IntArray  # position of the entry's row in the data
    y: BoolArray
    angle: FloatArray
    score: FloatArray  # ranks rows of one fold; not comparable between folds
    fold: IntArray  # which split held the row out
    repeat: IntArray  # how many splits had done so before
    weights: FloatArray
    groups: IntArray | None  # rows of one group are dependent
    models: tuple[Any, ...] = field(compare=False)  # the fitted model of each split
    n_rows: int  # rows of the data, held out or not
    weighted: bool = False  # whether the weights were given
    in_sample: InSample | None = None  # where in-sample figures help an estimate

    per_entry = ("row", "y", "angle", "score", "fold", "repeat", "weights")
    followed = "auc"
    n_classes = 2

    @property
    def once(self) -> HeldOut:
        """Every judged row once: as it was held out for the first time."""
        return self.entries(self.repeat == 0) if self.n_repeats > 1 else self

    @property
    def terms(self) -> FloatArray:
        """The sine of a positive's angle, the cosine of a negative's."""
        return np.where(self.y, np.sin(self.angle), np.cos(self.angle))

    @property
    def correct(self) -> FloatArray:
        """One where the rule "angle above π/4" is right."""
        return np.where(self.y, self.angle > np.pi / 4, self.angle <= np.pi / 4).astype(np.float64)

    @property
    def placed(self) -> FloatArray:
        """Mean comparison of each entry with the other class of its fold."""
        return linear_auc(self.y, self.score, self.weights, self.fold).values

    def figures(self) -> Figures:
        """Arc length, AUC and TPR − FPR on these entries, ranks compared within folds."""
        up = self.y
        return Figures(
            self.mean_sum(self.terms),
            float(np.average(self.placed[up], weights=self.weights[up])),
            self.mean_sum(self.correct) - 1,
        )

    def followed_values(self) -> FloatArray:
        return self.placed

    def followed_figures(self) -> tuple[float, float]:
        return self.figures()[:2]

    @staticmethod
    def said_by(model: Any, X: Any) -> tuple[FloatArray, FloatArray]:
        return judged_by(model, X)

    def with_said(self, said: tuple[FloatArray, ...]) -> HeldOut:
        angle, score = said
        return replace(self, angle=angle, score=score)

    def by_row(self, values: npt.NDArray[Any], fill: Any = np.nan) -> npt.NDArray[Any]:
        """Values at the rows of the data when first held out; ``fill`` where they never were."""
        first = self.repeat == 0
        out = np.full(self.n_rows, fill, dtype=values.dtype)
        out[self.row[first]] = values[first]
        return out

    def by_repeat(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values of entries: one line per row of `once`, one column per repeat."""
        place = np.empty(self.n_rows, dtype=np.intp)
        place[self.once.row] = np.arange(self.once.row.size)
        out = np.empty((self.once.row.size, self.n_repeats), dtype=values.dtype)
        if out.size != values.size:
            raise ValueError("Every judged row must have been held out equally often.")
        out[place[self.row], self.repeat] = values
        return out

    def per_row(self, values: FloatArray) -> FloatArray:
        """Mean over the repeats, one value per row of `once`."""
        return np.asarray(self.by_repeat(values).mean(axis=1))


def held_out(
    estimator: Any,
    X: Any,
    positive: BoolArray,
    splits: Sequence[Split],
    *,
    labels: npt.NDArray[Any] | None = None,
    sample_weight: FloatArray | None = None,
    groups: IntArray | None = None,
    n_jobs: int | None = None,
    in_sample: bool = False,
    report: Callable[[], None] | None = None,
) -> HeldOut:
    """Fit a clone on the training rows of each split and judge its held-out rows."""
    # Groups go to folds that `fit` makes itself. In-sample figures that help an estimate cost one
    # more fit, to all rows, for a smooth class and several splits.
    data = _Data(X, positive if labels is None else labels, sample_weight, groups)
    models, angles, scores = [], [], []
    for model, angle, score in _judged(estimator, data, splits, n_jobs):
        models.append(model)
        angles.append(angle)
        scores.append(score)
        if report is not None:
            report()
    found = None
    if in_sample:
        found = _in_sample(estimator, data, positive, splits, models, report)
    held = of_splits(positive, splits, models, angles, scores, groups)
    return replace(
        held,
        weights=nonnegative_weights(sample_weight, positive.size)[held.row],
        weighted=sample_weight is not None,
        in_sample=found,
    )


def of_splits(
    positive: BoolArray,
    splits: Sequence[Split],
    models: Sequence[Any],
    angles: Sequence[FloatArray],
    scores: Sequence[FloatArray],
    groups: IntArray | None,
) -> HeldOut:
    """The rows of each split as its model judged them, all of one weight."""
    row = np.concatenate([test for _, test in splits])
    fold = np.repeat(np.arange(len(splits)), [test.size for _, test in splits])
    return HeldOut(
        row=row,
        y=positive[row],
        angle=np.concatenate(angles),
        score=np.concatenate(scores),
        fold=fold,
        repeat=times_before(row),
        weights=np.ones(row.size),
        groups=None if groups is None else groups[row],
        models=tuple(models),
        n_rows=positive.size,
    )


def judged_by(model: Any, X: Any) -> tuple[FloatArray, FloatArray]:
    """Angles of rows by a fitted model, and the unclipped scores that rank them."""
    angle = np.asarray(predict_angle(model, X), dtype=np.float64)
    if isinstance(model, AnglePredictor):
        return angle, to_host(model.score_given_angle(X, angle))
    if not hasattr(model, "decision_function"):
        return angle, angle
    return angle, to_host(model.decision_function(X))


def of_one_part(
    positive: BoolArray,
    angle: FloatArray,
    score: FloatArray,
    weights: FloatArray,
    model: Any,
    *,
    weighted: bool = False,
    in_sample: InSample | None = None,
) -> HeldOut:
    """Rows that one model judged, in the order given."""
    n = positive.size
    none = np.zeros(n, dtype=np.intp)
    return HeldOut(
        np.arange(n), positive, angle, score, none, none, weights, None, (model,), n, weighted,
        in_sample,
    )  # fmt: skip


class _Data(NamedTuple):
    X: Any
    labels: npt.NDArray[Any]
    sample_weight: FloatArray | None
    groups: IntArray | None

    def fitted(self, estimator: Any, rows: IntArray | None = None) -> Any:
        return fitted_clone(
            estimator,
            self.X,
            self.labels,
            sample_weight=self.sample_weight,
            groups=self.groups,
            rows=rows,
        )


def _judged(
    estimator: Any, data: _Data, splits: Sequence[Split], n_jobs: int | None
) -> Iterator[tuple[Any, FloatArray, FloatArray]]:
    """Models and what they say of held-out rows, one split after the other as they finish."""
    jobs = (delayed(_fit_and_judge)(estimator, data, split) for split in splits)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    return iter(found)


def _fit_and_judge(estimator: Any, data: _Data, split: Split) -> tuple[Any, FloatArray, FloatArray]:
    train, test = split
    model = data.fitted(estimator, train)
    return model, *judged_by(model, safe_indexing(data.X, test))


def times_before(row: IntArray) -> IntArray:
    """How often each entry's row has occurred among the entries before it."""
    order = np.argsort(row, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(row[order]) > 0))
    run = np.repeat(starts, np.diff(np.append(starts, row.size)))
    times = np.empty(row.size, dtype=np.intp)
    times[order] = np.arange(row.size) - run
    return times


def _in_sample(
    estimator: Any,
    data: _Data,
    positive: BoolArray,
    splits: Sequence[Split],
    models: list[Any],
    report: Callable[[], None] | None,
) -> InSample | None:
    """Figures of models on their own training rows, where their optimism is of first order."""
    if not is_smooth(estimator):
        return stacked_in_sample(models)
    if len(splits) == 1:
        model, rows = models[0], splits[0][0]
    else:
        model, rows = data.fitted(estimator), np.arange(positive.size)
        if report is not None:
            report()
    angle, score = judged_by(model, safe_indexing(data.X, rows))
    weights = nonnegative_weights(data.sample_weight, positive.size)[rows]
    own = of_one_part(positive[rows], angle, score, weights, model)
    # With K folds the held-out models saw (K − 1)/K of the rows, so they fall short by K/(K − 1)
    # of what the full model exceeds. One split judges the very model whose training rows we take.
    tests = np.concatenate([test for _, test in splits])
    n = len(splits) * np.unique(tests).size / tests.size  # folds of one repeat
    return InSample(own.figures(), 0.5 if len(splits) == 1 else n / (2 * n - 1))


def is_smooth(estimator: Any) -> bool:
    """Whether the estimator inside says that its in-sample optimism is of first order."""
    return declared(estimator).smooth_class


def stacked_in_sample(models: Sequence[Any]) -> InSample | None:
    """Mean figures of stacks on their own training rows, all but their smooth members held out."""
    asked = [declared(model).partly_in_sample_ for model in models]
    found = [figures for figures in asked if figures is not None]
    if len(found) < len(models):
        return None
    means = (float(np.mean([f[name] for f in found])) for name in Figures._fields)
    return InSample(Figures(*means), 0.5, stacked=True)
