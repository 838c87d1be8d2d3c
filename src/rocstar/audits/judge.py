"""What an audit and a comparison share: one model judged on rows it has not seen, and the figures.

The statistics are those of `rocstar.inference`; here they are only asked for, in an order that fits
no model twice, with a report of progress after every fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import combine_pvalues
from sklearn.model_selection import TimeSeriesSplit, train_test_split

from rocstar.audits.learning import LearningCurve, learning_cost, learning_curve
from rocstar.audits.stages import Stages
from rocstar.checks import FloatArray, InputError, group_units
from rocstar.estimators.fits import seeded
from rocstar.estimators.splits import DEFAULT_FOLDS, Split, split_rows
from rocstar.inference.betting_intervals import Method, refuse_weights
from rocstar.inference.certificate import Certificate, certificate
from rocstar.inference.certify import angle_estimator
from rocstar.inference.estimate import one_of
from rocstar.inference.held_out import HeldOut, held_out, is_smooth
from rocstar.inference.prequential import PARTS, held_out_in_turn, prequential_splits
from rocstar.inference.two_sample import permuted_angles
from rocstar.report.method_words import splits_phrase
from rocstar.tables.table import LabelledTable

# So many rows show any difference that the other numbers could call more than nothing.
MOST_TEST_ROWS = 10_000
N_PERMUTATIONS = 999


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
    def shown(self) -> int:
        """The split whose model stands for all: the first, or of parts in turn the last."""
        # The last model has learnt from the most rows.
        return self.held_out.n_splits - 1 if self.certificate.method == "betting" else 0

    @property
    def held_out(self) -> HeldOut:
        """The judged rows."""
        return self.certificate.held_out


def judge(
    table: LabelledTable,
    model: Any,
    *,
    level: float,
    method: Method,
    cv: Any,
    n_jobs: int | None,
    random_state: int,
    stages: Stages,
) -> Judgement:
    """Certify a model on a table; learning curve and test on the way."""
    one_of(method, Method, "method")
    splits = row_splits(table, cv, random_state, method)
    ratio = seeded(angle_estimator(model), random_state)
    once_more = len(splits) > 1 and is_smooth(ratio)
    learning = learning_cost(ratio, len(table.y), len(splits))
    stages.plan(len(splits) + once_more + learning + 0.1)
    # A stack spreads its own work over threads.
    jobs = None if getattr(ratio, "n_jobs", None) is not None else n_jobs
    groups = None if table.groups is None else group_units(table.groups, len(table.y))
    with stages("certify"):
        rows: dict[str, Any] = {"groups": groups, "n_jobs": jobs, "report": stages.tick}
        if method == "betting":
            held = held_out_in_turn(ratio, table.X, table.y, splits, labels=table.y, **rows)
        else:
            rows |= {"sample_weight": table.sample_weight, "in_sample": True}
            held = held_out(ratio, table.X, table.y, splits, **rows)
        found = certificate(held, level, method)
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
    )
    return Judgement(found, table.scores, curve, test, scheme, splits)


def row_splits(
    table: LabelledTable, cv: Any, random_state: int | None, method: Method = "dirichlet"
) -> list[Split]:
    """Who is judged by a model of whom: folds, one half, parts in turn, the future by the past."""
    in_turn = method == "betting"
    if in_turn:
        refuse_weights(table.sample_weight is not None)
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
    if in_turn:
        return prequential_splits(
            cv, table.y, X=table.X, groups=table.groups, random_state=random_state
        )
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
    held: HeldOut, random_state: int | None, *, in_turn: bool = False
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
        "statistic": held.figures().arc_length,
        "pvalue": float(combine_pvalues([test["pvalue"] for test in tests]).pvalue),
        "n_permutations": sum(test["n_permutations"] for test in tests),
    }


def _part_test(first: HeldOut, random_state: int | None) -> dict[str, Any]:
    """Permutation test on the rows of one model.

    Rows of a group are dependent, so one row of each group, drawn without a look at its label, is
    tested. If all of those have the same label, no permutation differs from the data: p is 1.
    """
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
