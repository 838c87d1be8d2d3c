"""What an audit and a comparison share: one model judged on rows it has not seen, and the figures.

The statistics are those of `rocstar.inference`; here they are only asked for, in an order that fits
no model twice, with a report of progress after every fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import TimeSeriesSplit, train_test_split

from rocstar.checks import BoolArray, FloatArray, InputError, group_units
from rocstar.estimators.angle import arc_length_score, predict_angle
from rocstar.estimators.fits import fitted_clone, innermost, seeded
from rocstar.estimators.splits import DEFAULT_FOLDS, Split, split_rows
from rocstar.geometry.bounds import auc_bounds, tv_bounds
from rocstar.geometry.curves import roc_auc, roc_hull, roc_points
from rocstar.inference.bands import roc_band
from rocstar.inference.certificate import Certificate, angle_estimator, certify
from rocstar.inference.held_out import ranking_score
from rocstar.inference.intervals import Estimate
from rocstar.inference.two_sample import permuted_angles
from rocstar.tables.table import LabelledTable

Progress = Callable[[str, float], None]
"""Called after every step with the stage and the share of the work that is done."""

# Shares of the first fold's training rows for the learning curve: each doubles the one before.
LEARNING_SHARES = (0.125, 0.25, 0.5)
FEWEST_ROWS_PER_CLASS = 20
# One member, tuned already, costs about this share of the fit of a stack.
LEARNING_COST = 0.2
# So many rows show any difference that the other numbers could call more than nothing.
MOST_TEST_ROWS = 10_000
N_PERMUTATIONS = 999
# Dense near zero, where a rare positive class is decided.
FPR_GRID = np.union1d(np.linspace(0, 1, 101), np.geomspace(1e-4, 0.1, 50))
ANGLE_EDGES = np.linspace(0, np.pi / 2, 41)
MOST_HULL_POINTS = 200


class Stages:
    """Seconds spent on each stage, and the share of the whole work that is done.

    Examples
    --------
    >>> stages = Stages(lambda stage, done: print(f"{stage}: {done:.0%}"), total=2)
    >>> with stages("certify"):
    ...     stages.tick()
    certify: 0%
    certify: 50%
    >>> list(stages.seconds)
    ['certify']
    """

    def __init__(self, progress: Progress | None = None, total: float = 1.0) -> None:
        self.progress = progress
        self.total = total
        self.done = 0.0
        self.name = ""
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.name, start = name, perf_counter()
        self.tick(0.0)
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start

    def tick(self, units: float = 1.0) -> None:
        """So many units of work are done."""
        self.done += units
        if self.progress is not None:
            self.progress(self.name, min(self.done / self.total, 1.0))

    def __sklearn_clone__(self) -> Stages:
        # Shared by all clones of the estimator that reports to it.
        return self


class Watched(BaseEstimator):  # type: ignore[misc]
    """An angle estimator that reports every fit and keeps what was fitted.

    Examples
    --------
    >>> from rocstar import ArctanRatio
    >>> models = Models()
    >>> _ = Watched(ArctanRatio(), Stages(), models).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    >>> len(models.fitted)
    1
    """

    def __init__(self, ratio: Any, stages: Stages, models: Models) -> None:
        self.ratio = ratio
        self.stages = stages
        self.models = models

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: Any = None, *, groups: Any = None
    ) -> Watched:
        """Fit the estimator inside."""
        self.ratio_ = fitted_clone(
            self.ratio, X, np.asarray(y), sample_weight=sample_weight, groups=groups
        )
        self.models.fitted.append(self.ratio_)
        self.stages.tick()
        return self

    @property
    def smooth_class(self) -> bool:
        """As smooth as the estimator inside."""
        return bool(getattr(innermost(self.ratio), "smooth_class", False))

    @property
    def partly_in_sample_(self) -> dict[str, float] | None:
        """Figures of a stack inside, once fitted."""
        found: dict[str, float] | None = getattr(innermost(self.ratio_), "partly_in_sample_", None)
        return found

    def predict_angle(self, X: Any) -> NDArray[Any]:
        """Angles of the estimator inside."""
        return predict_angle(self.ratio_, X)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Its scores."""
        return self.score_given_angle(X, self.predict_angle(X))

    def score_given_angle(self, X: Any, angle: NDArray[Any]) -> NDArray[Any]:
        """Its scores of rows whose angles are known already."""
        return ranking_score(self.ratio_, X, angle)


class Models:
    """Fitted models, shared by the clones of one `Watched`.

    Examples
    --------
    >>> Models().fitted
    []
    """

    def __init__(self) -> None:
        self.fitted: list[Any] = []

    def __sklearn_clone__(self) -> Models:
        return self


@dataclass(frozen=True)
class Judgement:
    """A certificate and everything that was learnt on the way."""

    certificate: Certificate
    models: list[Any]
    splits: list[Split]
    members: list[dict[str, Any]]
    learning_curve: list[dict[str, float]]
    test: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)
    splits_given: bool = False


def judge(
    table: LabelledTable,
    model: Any,
    *,
    level: float,
    cv: Any,
    n_jobs: int | None,
    random_state: int,
    stages: Stages,
    learning_shares: Sequence[float] = LEARNING_SHARES,
) -> Judgement:
    """Certify a model on a table; learning curve, members and test on the way.

    Examples
    --------
    >>> import pandas as pd
    >>> from rocstar import ArctanRatio, laws
    >>> from rocstar.tables.table import table_of
    >>> X, y = laws.GaussianPair(0.0, 2.0).sample(200, 200, random_state=0)
    >>> judgement = judge(table_of(X, y), ArctanRatio(), level=0.95, cv=2, n_jobs=None,
    ...                   random_state=0, stages=Stages())
    >>> [point["rows"] for point in judgement.learning_curve]
    [50, 100, 200]
    """
    splits = row_splits(table, cv, random_state)
    ratio = seeded(angle_estimator(model), random_state)
    models = Models()
    watched = Watched(ratio, stages, models)
    shares = [s for s in learning_shares if _enough(table.y[splits[0][0]], s)]
    repeats = len(splits) + (len(splits) > 1 and watched.smooth_class)
    stages.total = stages.done + repeats + LEARNING_COST * sum(shares) + 0.1
    with stages("certify"):
        certificate = certify(
            # Processes could not report back; they are worth it only for a given estimator.
            watched if n_jobs in (None, 1) or _has_jobs(ratio) else ratio,
            table.X,
            table.y,
            cv=splits,
            groups=table.groups,
            level=level,
            sample_weight=table.sample_weight,
            n_jobs=None if _has_jobs(ratio) else n_jobs,
            random_state=random_state,
        )
    with stages("learning curve"):
        first = models.fitted[0] if models.fitted else _refitted(ratio, table, splits[0])
        curve = _learning_curve(table, first, splits[0], shares, stages, random_state)
    with stages("test"):
        test = difference_test(table, certificate, random_state)
        stages.tick(0.1)
    fitted = models.fitted[: len(splits)] or [first]
    return Judgement(
        certificate,
        fitted,
        splits,
        member_entries(fitted, ratio, certificate),
        curve,
        test,
        splits_given=cv is not None and not isinstance(cv, (str, Integral)),
    )


def row_splits(table: LabelledTable, cv: Any, random_state: int | None) -> list[Split]:
    """Who is judged by a model of whom: folds, one half, or the future by the past."""
    if table.time is not None:
        cv = _past_and_future(table.time, cv)
        if table.groups is not None:
            # A group that lives on into the judged time must not be learnt from.
            cv = [
                (train[~np.isin(table.groups[train], table.groups[test])], test)
                for train, test in cv
            ]
    return split_rows(
        cv,
        table.y,
        X=table.X,
        groups=table.groups,
        sample_weight=table.sample_weight,
        random_state=random_state,
    )


def _past_and_future(time: NDArray[Any], cv: Any) -> list[Split]:
    """Stretches of time, each judged by a model of all rows that are strictly older."""
    cv = DEFAULT_FOLDS if cv is None else cv
    if not _is_holdout(cv) and not (isinstance(cv, Integral) and int(cv) >= 2):
        raise InputError(
            "`cv` must be 'holdout' or a number of at least 2 where `time` is given, which already "
            f"says who is judged by whom; got {cv!r}: leave one of them out."
        )
    order = np.argsort(time, kind="stable")
    if _is_holdout(cv):
        parts = iter([(np.arange(len(order) // 2), np.arange(len(order) // 2, len(order)))])
    else:
        parts = TimeSeriesSplit(int(cv)).split(order)
    splits = []
    for before, after in parts:
        older = order[before][time[order[before]] < time[order[after]].min()]
        splits.append((older, order[after]))
    return splits


def _is_holdout(cv: Any) -> bool:
    return isinstance(cv, str) and cv == "holdout"


def _refitted(ratio: Any, table: LabelledTable, split: Split) -> Any:
    """The first fold's model, when processes kept it to themselves."""
    return _fitted(ratio, table, split[0])


def _fitted(ratio: Any, table: LabelledTable, rows: NDArray[np.intp]) -> Any:
    return fitted_clone(
        ratio,
        table.X,
        table.y,
        sample_weight=table.sample_weight,
        groups=None if table.groups is None else group_units(table.groups, len(table.y)),
        rows=rows,
    )


def _enough(positive: BoolArray, share: float) -> bool:
    fewest = min(positive.sum(), (~positive).sum())
    return bool(share * fewest >= FEWEST_ROWS_PER_CLASS)


def _has_jobs(model: Any) -> bool:
    """Whether the model spreads its own work over threads."""
    return getattr(model, "n_jobs", None) is not None


def _learning_curve(
    table: LabelledTable,
    fitted: Any,
    split: Split,
    shares: Sequence[float],
    stages: Stages,
    random_state: int | None,
) -> list[dict[str, float]]:
    """Held-out J and AUC of models of fewer rows, all judged on the first fold.

    Of a stack, the heaviest member alone is followed, as tuned on all rows: the shape of the curve
    is the same, at a tenth of the cost.
    """
    train, test = split
    model = heaviest_member(fitted)
    weights = table.sample_weight
    held = None if weights is None else weights[test]

    def point(rows: int, model: Any) -> dict[str, float]:
        angle = np.asarray(predict_angle(model, table.X[test]), dtype=np.float64)
        score = ranking_score(model, table.X[test], angle)
        return {
            "rows": rows,
            "arc_length": arc_length_score(table.y[test], angle, sample_weight=held),
            "auc": roc_auc(table.y[test], score, sample_weight=held),
        }

    curve = []
    for share in shares:
        some, _ = train_test_split(
            train, train_size=share, stratify=table.y[train], random_state=random_state
        )
        unfitted = model.frozen() if hasattr(model, "frozen") else model
        curve.append(point(len(some), _fitted(unfitted, table, np.sort(some))))
        stages.tick(LEARNING_COST * share)
    return [*curve, point(len(train), model)]


def heaviest_member(model: Any) -> Any:
    """The member of a fitted stack with the largest share; any other model itself."""
    if not hasattr(model, "member_arc_length_"):
        return model
    name = max(model.weights_, key=model.weights_.__getitem__)
    return model.estimators_[name]


def difference_test(
    table: LabelledTable, certificate: Certificate, random_state: int | None
) -> dict[str, Any]:
    """Permutation test of "no difference" on the first held-out part: exact, with no new fit.

    Pooling the folds would not be valid (theory §8): their models have seen each other's labels.
    Rows of a group are dependent, so one row of each group, drawn without a look at its label, is
    tested. If all of those have the same label, no permutation differs from the data: p is 1.
    """
    first = rows = np.flatnonzero(certificate.fold == 0)
    if table.groups is not None:
        order = np.random.default_rng(random_state).permutation(rows)
        rows = order[np.unique(table.groups[order], return_index=True)[1]]
    if table.y[rows].all() or not table.y[rows].any():
        length = arc_length_score(table.y[first], certificate.angle[first])
        return {"statistic": length, "pvalue": 1.0, "n_permutations": 0}
    if len(rows) > MOST_TEST_ROWS:
        rows, _ = train_test_split(
            rows, train_size=MOST_TEST_ROWS, stratify=table.y[rows], random_state=random_state
        )
    rng = np.random.default_rng(random_state)
    divergence, pvalue = permuted_angles(
        table.y[rows], certificate.angle[rows], N_PERMUTATIONS, rng
    )
    return {
        "statistic": divergence + float(np.sqrt(2)),
        "pvalue": pvalue,
        "n_permutations": N_PERMUTATIONS,
    }


def member_entries(models: list[Any], ratio: Any, certificate: Certificate) -> list[dict[str, Any]]:
    """Share and out-of-fold J of each member, averaged over the fold models."""
    stacks = [model for model in models if hasattr(model, "member_arc_length_")]
    if not stacks:
        # Held-out J itself; the value of the certificate may lean on in-sample J.
        rows = certificate.fold >= 0
        weights = certificate.sample_weight
        length = arc_length_score(
            certificate.y[rows],
            certificate.angle[rows],
            sample_weight=None if weights is None else weights[rows],
        )
        return [{"name": type(ratio).__name__, "weight": 1.0, "arc_length": length}]
    return [
        {
            "name": name,
            "weight": float(np.mean([stack.weights_[name] for stack in stacks])),
            "arc_length": float(np.mean([stack.member_arc_length_[name] for stack in stacks])),
        }
        for name in stacks[0].weights_
    ]


# Numbers and arrays as a summary holds them


def estimate_entry(estimate: Estimate) -> dict[str, Any]:
    """An estimate as plain numbers; an end that is not finite is None."""
    entry = {
        key: float(value) if isfinite(value := getattr(estimate, key)) else None
        for key in ("value", "low", "high")
    }
    return {**entry, "level": float(estimate.level), "side": estimate.side}


def measures(certificate: Certificate) -> dict[str, Any]:
    """The five numbers of a certificate, and what the arc length alone would tell."""
    names = ("arc_length", "divergence", "tv", "auc", "balanced_accuracy")
    length = min(max(certificate.arc_length.value, float(np.sqrt(2))), 2.0)
    return {
        "level": float(certificate.level),
        **{name: estimate_entry(getattr(certificate, name)) for name in names},
        "sharp": {
            "tv": [float(end) for end in tv_bounds(length)],
            "auc": [float(end) for end in auc_bounds(length)],
        },
    }


def judged_rows(certificate: Certificate) -> BoolArray:
    """Rows that were held out: those on which the model and every given score are judged."""
    return np.asarray(certificate.fold >= 0)


def figures(table: LabelledTable, certificate: Certificate) -> dict[str, Any]:
    """Arrays behind the pictures, all of them of the held-out rows.

    Angles of different fold models are put on one curve: thresholding the angle of a model drawn
    at random is a classifier like any other, so ROC* lies above that curve and above its band.
    """
    rows = judged_rows(certificate)
    y, angle = table.y[rows], certificate.angle[rows]
    weights = None if table.sample_weight is None else table.sample_weight[rows]
    hull = roc_hull(y, angle, sample_weight=weights)
    kept = np.unique(np.linspace(0, len(hull.fpr) - 1, MOST_HULL_POINTS).round().astype(int))
    low = None
    if weights is None and certificate.groups is None:
        low = roc_band(y, angle, certificate.level).at(FPR_GRID).tolist()
    return {
        "roc": {
            "fpr": FPR_GRID.tolist(),
            "tpr": _curve(y, angle, weights),
            "low": low,
            "hull": {"fpr": hull.fpr[kept].tolist(), "tpr": hull.tpr[kept].tolist()},
            "scores": [
                {
                    "name": name,
                    "fpr": FPR_GRID.tolist(),
                    "tpr": _curve(y, score[rows], weights),
                }
                for name, score in table.scores.items()
            ],
        },
        "angles": {
            "edges": ANGLE_EDGES.tolist(),
            "positive": _shares(angle[y], None if weights is None else weights[y]),
            "negative": _shares(angle[~y], None if weights is None else weights[~y]),
        },
    }


def _curve(y: BoolArray, score: FloatArray, weights: FloatArray | None) -> list[float]:
    """The empirical ROC curve on the grid."""
    points = roc_points(y, score, sample_weight=weights)
    last = np.append(np.diff(points.fpr) > 0, True)  # the top of every vertical step
    heights: list[float] = np.interp(FPR_GRID, points.fpr[last], points.tpr[last]).tolist()
    return heights


def _shares(angle: FloatArray, weights: FloatArray | None) -> list[float]:
    counts, _ = np.histogram(angle, ANGLE_EDGES, weights=weights)
    shares: list[float] = (counts / counts.sum()).tolist()
    return shares
