"""What an audit and a comparison share: one model judged on rows it has not seen, and the figures.

The statistics are those of `rocstar.inference`; here they are only asked for, in an order that fits
no model twice, with a report of progress after every fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import combine_pvalues
from sklearn.model_selection import TimeSeriesSplit

from rocstar.audits.learning import LearningCurve, learning_cost, learning_curve
from rocstar.audits.stages import Stages
from rocstar.checks import FloatArray, InputError, IntArray, group_units
from rocstar.estimators.fits import seeded
from rocstar.estimators.splits import DEFAULT_FOLDS, Split, split_rows
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.certificate import Certificate, certificate
from rocstar.inference.certify import angle_estimator
from rocstar.inference.class_betting import refuse_groups
from rocstar.inference.class_held_out import ClassHeldOut, class_held_out
from rocstar.inference.estimate import one_of
from rocstar.inference.held_entries import HeldEntries
from rocstar.inference.held_out import HeldOut, held_out, is_smooth
from rocstar.inference.k_sample import permuted_directions
from rocstar.inference.multiclass import MulticlassCertificate, multiclass_certificate
from rocstar.inference.prequential import PARTS, held_out_in_turn, prequential_splits
from rocstar.inference.two_sample import permuted_angles
from rocstar.report.method_words import splits_phrase
from rocstar.tables.class_table import AnyTable, ClassTable

# So many rows show any difference that the other numbers could call more than nothing.
MOST_TEST_ROWS = 10_000
N_PERMUTATIONS = 999


Found = TypeVar("Found", bound=Certificate | MulticlassCertificate)
Entries = TypeVar("Entries", bound=HeldEntries)


@dataclass(frozen=True)
class Judged(Generic[Found, Entries]):
    """A certificate and everything that was learnt on the way.

    ``scores`` are the given ones, a number for each row of the data that was judged; ``scheme``
    says in words who was judged by whom.
    """

    certificate: Found
    scores: dict[str, FloatArray]
    learning_curve: LearningCurve
    test: dict[str, Any]
    scheme: str
    splits: list[Split] = field(default_factory=list)

    @property
    def shown(self) -> int:
        """The split whose model stands for all: the first, or of parts in turn the last."""
        # The last model has learnt from the most rows.
        return self.held_out.n_splits - 1 if self.certificate.method == "betting" else 0

    @property
    def held_out(self) -> Entries:
        """The judged rows."""
        return cast(Entries, self.certificate.held_out)


Judgement = Judged[Certificate, HeldOut]
ClassJudgement = Judged[MulticlassCertificate, ClassHeldOut]


def judge(
    table: AnyTable,
    model: Any,
    *,
    level: float,
    method: Method,
    cv: Any,
    n_jobs: int | None,
    random_state: int,
    stages: Stages,
) -> Judged[Any, Any]:
    """Certify a model on a table; learning curve and test on the way."""
    one_of(method, Method, "method")
    splits = row_splits(table, cv, random_state, method)
    ratio = seeded(angle_estimator(model), random_state)
    once_more = len(splits) > 1 and is_smooth(ratio)
    learning = learning_cost(ratio, len(table.y), len(splits))
    stages.plan(len(splits) + once_more + learning + 0.1)
    # A stack spreads its own work over threads.
    jobs = None if getattr(ratio, "n_jobs", None) is not None else n_jobs
    with stages("certify"):
        found = _certified(table, ratio, splits, level, method, jobs, stages.tick)
        held = found.held_out
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
        test = difference_test(held, random_state, in_turn=method == "betting")
        stages.tick(0.1)
    own = cv is not None and not isinstance(cv, (str, Integral))
    scheme = splits_phrase(
        len(splits),
        repeats=held.n_repeats,
        time=table.time is not None,
        groups=table.groups is not None,
        given=own,
        in_turn=method == "betting",
        noun=table.noun,
    )
    return Judged(found, table.scores, curve, test, scheme, splits)


def _certified(
    table: AnyTable,
    ratio: Any,
    splits: list[Split],
    level: float,
    method: Method,
    n_jobs: int | None,
    report: Callable[[], None],
) -> Certificate | MulticlassCertificate:
    """Bounds from every split's rows as its model judged them."""
    in_turn = method == "betting"
    groups = None if table.groups is None else group_units(table.groups, len(table.y))
    rows: dict[str, Any] = {"groups": groups, "n_jobs": n_jobs, "report": report}
    if not in_turn:
        rows |= {"sample_weight": table.sample_weight, "in_sample": True}
    if isinstance(table, ClassTable):
        # Models see numbers, whose order is that of the classes; the reader sees names.
        numbers, names = np.arange(len(table.classes)), np.array(list(map(str, table.classes)))
        many = class_held_out(ratio, table.X, table.y, splits, classes=numbers, **rows)
        return multiclass_certificate(replace(many, classes=names), level, method)
    if in_turn:
        two = held_out_in_turn(ratio, table.X, table.y, splits, labels=table.y, **rows)
    else:
        two = held_out(ratio, table.X, table.y, splits, **rows)
    return certificate(two, level, method)


def row_splits(
    table: AnyTable, cv: Any, random_state: int | None, method: Method = "dirichlet"
) -> list[Split]:
    """Who is judged by a model of whom: folds, one half, parts in turn, the future by the past."""
    in_turn = method == "betting"
    if in_turn:
        refuse_weights(table.sample_weight is not None)
        if isinstance(table, ClassTable):
            refuse_groups(table.groups)
    if table.time is not None:
        cv = _past_and_future(table.time, PARTS - 1 if cv is None and in_turn else cv)
        if table.groups is not None and in_turn:
            _check_periods(table.groups, cv)
        elif table.groups is not None:
            # A group that lives on into the judged time must not be learnt from.
            cv = [
                (train[~np.isin(table.groups[train], table.groups[test])], test)
                for train, test in cv
            ]
    rows: dict[str, Any] = {
        "X": table.X,
        "groups": table.groups,
        "random_state": random_state,
        "classes": table.class_names,
    }
    if in_turn:
        return prequential_splits(cv, table.y, **rows)
    return split_rows(cv, table.y, sample_weight=table.sample_weight, **rows)


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


def _check_periods(groups: NDArray[Any], splits: list[Split]) -> None:
    """Bets need groups that end before the next period begins."""
    seen = groups[:0]
    for train, test in splits:
        seen = np.concatenate([seen, groups[train]])
        if np.isin(groups[test], seen).any():
            raise InputError(
                "`groups` must not reach from one period of `time` into another for "
                "method='betting', which judges a group once; use method='dirichlet', or leave "
                "one of them out."
            )
        seen = np.concatenate([seen, groups[test]])


def _is_holdout(cv: Any) -> bool:
    return isinstance(cv, str) and cv == "holdout"


def difference_test(
    held: HeldEntries, random_state: int | None, *, in_turn: bool = False
) -> dict[str, Any]:
    """Permutation test of "no difference" on rows a model has not seen: exact, with no new fit.

    Folds are represented by the first: pooling them would not be valid (theory §8), since their
    models have seen each other's labels. Of parts that were judged in turn all are tested. Given
    those before it, the p-value of each is at most uniform, so Fisher's combination is valid.
    """
    parts = range(held.n_splits if in_turn else 1)
    tests = [_part_test(held.entries(held.fold == part), random_state) for part in parts]
    if len(tests) == 1:
        return tests[0]
    return {
        "statistic": held.followed_figures()[0],
        "pvalue": float(combine_pvalues([test["pvalue"] for test in tests]).pvalue),
        "n_permutations": sum(test["n_permutations"] for test in tests),
    }


def _part_test(first: HeldEntries, random_state: int | None) -> dict[str, Any]:
    """Permutation test on the rows of one model.

    Rows of a group are dependent, so one row of each group, drawn without a look at its label, is
    tested. If a class has none of those, they cannot show a difference: p is 1.
    """
    part = first.entries(np.argsort(first.row))
    if part.groups is not None:
        order = np.random.default_rng(random_state).permutation(part.y.size)
        part = part.entries(order[np.unique(part.groups[order], return_index=True)[1]])
    if np.unique(part.y).size < part.n_classes:
        length = first.followed_figures()[0]
        return {"statistic": length, "pvalue": 1.0, "n_permutations": 0}
    if part.y.size > MOST_TEST_ROWS:
        part = part.entries(_some_rows(part.y, MOST_TEST_ROWS, random_state))
    rng = np.random.default_rng(random_state)
    if isinstance(part, ClassHeldOut):
        found = permuted_directions(part.y, part.direction, N_PERMUTATIONS, rng)
    else:
        assert isinstance(part, HeldOut)
        found = permuted_angles(part.y, part.angle, N_PERMUTATIONS, rng)
    divergence, pvalue = found
    return {
        "statistic": divergence + float(np.sqrt(part.n_classes)),
        "pvalue": pvalue,
        "n_permutations": N_PERMUTATIONS,
    }


def _some_rows(y: NDArray[Any], size: int, random_state: int | None) -> IntArray:
    """Rows drawn at random, so many of each class as its share, and at least one."""
    order = np.random.default_rng(random_state).permutation(y.size)
    # What share of its class comes before each row: 0 for the first one of every class.
    before = np.empty(y.size)
    for label in np.unique(y):
        own = y[order] == label
        before[own] = np.arange(own.sum()) / own.sum()
    return np.asarray(order[np.argsort(before, kind="stable")[:size]])
