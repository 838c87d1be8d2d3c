"""What an audit and a comparison share: one model judged on rows it has not seen, and the figures.

The statistics are those of `rocstar.inference`; here they are only asked for, in an order that fits
no model twice, with a report of progress after every fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import TimeSeriesSplit, train_test_split

from rocstar.audits.learning import LearningCurve, learning_cost, learning_curve
from rocstar.checks import FloatArray, InputError, group_units
from rocstar.estimators.fits import seeded
from rocstar.estimators.splits import DEFAULT_FOLDS, Split, split_rows
from rocstar.inference.certificate import Certificate, certificate
from rocstar.inference.certify import angle_estimator
from rocstar.inference.held_out import HeldOut, held_out, is_smooth
from rocstar.inference.two_sample import permuted_angles
from rocstar.report.words import splits_phrase
from rocstar.tables.table import LabelledTable

Progress = Callable[[str, float], None]
"""Called after every step with the stage and the share of the work that is done."""

# So many rows show any difference that the other numbers could call more than nothing.
MOST_TEST_ROWS = 10_000
N_PERMUTATIONS = 999


class Stages:
    """Seconds spent on each stage, and the share of the whole work that is done."""

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


@dataclass(frozen=True)
class Judgement:
    """A certificate and everything that was learnt on the way.

    ``scores`` are the given ones, a number for each row of the data that was judged; ``scheme``
    says in words who was judged by whom.
    """

    certificate: Certificate
    scores: dict[str, FloatArray]
    learning_curve: LearningCurve
    test: dict[str, Any]
    scheme: str
    splits: list[Split] = field(default_factory=list)

    @property
    def held_out(self) -> HeldOut:
        """The judged rows."""
        return self.certificate.held_out


def judge(
    table: LabelledTable,
    model: Any,
    *,
    level: float,
    cv: Any,
    n_jobs: int | None,
    random_state: int,
    stages: Stages,
) -> Judgement:
    """Certify a model on a table; learning curve and test on the way."""
    splits = row_splits(table, cv, random_state)
    ratio = seeded(angle_estimator(model), random_state)
    once_more = len(splits) > 1 and is_smooth(ratio)
    learning = learning_cost(ratio, len(table.y), len(splits))
    stages.total = stages.done + len(splits) + once_more + learning + 0.1
    # A stack spreads its own work over threads.
    jobs = None if getattr(ratio, "n_jobs", None) is not None else n_jobs
    groups = None if table.groups is None else group_units(table.groups, len(table.y))
    with stages("certify"):
        held = held_out(
            ratio,
            table.X,
            table.y,
            splits,
            sample_weight=table.sample_weight,
            groups=groups,
            n_jobs=jobs,
            in_sample=True,
            report=stages.tick,
        )
        found = certificate(held, level)
    with stages("learning curve"):
        curve = learning_curve(
            table,
            held,
            splits,
            random_state=random_state,
            n_jobs=jobs,
            report=lambda share: stages.tick(learning * share),
        )
    with stages("test"):
        test = difference_test(held, random_state)
        stages.tick(0.1)
    own = cv is not None and not isinstance(cv, (str, Integral))
    scheme = splits_phrase(
        len(splits),
        repeats=held.n_repeats,
        time=table.time is not None,
        groups=table.groups is not None,
        given=own,
    )
    return Judgement(found, table.scores, curve, test, scheme, splits)


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


def difference_test(held: HeldOut, random_state: int | None) -> dict[str, Any]:
    """Permutation test of "no difference" on the first held-out part: exact, with no new fit.

    Pooling the folds would not be valid (theory §8): their models have seen each other's labels.
    Rows of a group are dependent, so one row of each group, drawn without a look at its label, is
    tested. If all of those have the same label, no permutation differs from the data: p is 1.
    """
    first = held.entries(held.fold == 0)
    part = first.entries(np.argsort(first.row))
    if part.groups is not None:
        order = np.random.default_rng(random_state).permutation(part.y.size)
        part = part.entries(order[np.unique(part.groups[order], return_index=True)[1]])
    if part.y.all() or not part.y.any():
        length = first.figures().arc_length
        return {"statistic": length, "pvalue": 1.0, "n_permutations": 0}
    if part.y.size > MOST_TEST_ROWS:
        some, _ = train_test_split(
            np.arange(part.y.size),
            train_size=MOST_TEST_ROWS,
            stratify=part.y,
            random_state=random_state,
        )
        part = part.entries(some)
    rng = np.random.default_rng(random_state)
    divergence, pvalue = permuted_angles(part.y, part.angle, N_PERMUTATIONS, rng)
    return {
        "statistic": divergence + float(np.sqrt(2)),
        "pvalue": pvalue,
        "n_permutations": N_PERMUTATIONS,
    }
