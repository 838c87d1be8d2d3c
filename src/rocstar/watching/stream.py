"""A stream of encoded batches against one reference: models, bets, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rocstar.checks import FloatArray
from rocstar.watching.columns import Columns, Plan
from rocstar.watching.estimates import UNKNOWN, at_least, crossed, distances, guessed, halved
from rocstar.watching.means import RunningMean
from rocstar.watching.memory import MOST_ROWS, Memory, Stretch, sampled
from rocstar.watching.payoffs import N_PAYOFFS, Judge, Payoffs
from rocstar.watching.resets import Spending, epoch_share
from rocstar.watching.search import BETTER, NEEDED, Candidate, Search
from rocstar.watching.wealth import TOLERANCES, Evidence

ROWS_PER_PART, MOST_PARTS = 50, 4
"""A batch is judged and learnt from in up to so many parts: a large change shows on its first
day."""
MOST_JUDGES = 5
"""Models that bet side by side; one more takes the place of the one that separates least."""
FEWEST_ROWS = 40
"""Rows to learn from at a time; smaller batches wait for the next."""
COLUMN_SHARE = 0.4
"""Share of the error that tests of single columns have, where there are any."""


@dataclass
class Epoch:
    """What has been found since the last reset."""

    evidence: Evidence
    average: RunningMean = field(default_factory=RunningMean)
    reference: float = 0.0  # sum over rows of the reference's bound
    since: int | None = None  # with an alarm: the batch from which on its evidence grew

    def average_low(self, error: float) -> float:
        """Lower bound of the mean over all rows of their total variation distance."""
        if self.average.n == 0:
            return 0.0
        gap = (self.average.total - self.reference) / self.average.n
        return max(gap - self.average.margin(error), 0.0)


@dataclass
class Stream:
    """Bets of a stream of batches against one reference, and the models they use.

    ``search`` holds the reference's first part and ``second`` the other, which no model is ever
    fitted to or chosen by. So the reference errs about any model's payoffs with probability at
    most half of ``bets_error`` in all, resets included, and wealth reaches its goal by chance with
    at most the same. Tests of single columns have the rest of ``error``. They ask whether anything
    at all has changed between one batch and the next: there are none with a tolerance or a period.
    """

    search: Search
    second: FloatArray
    tolerance: float
    error: float
    period: int = 1
    seed: int = 0
    plan: Plan | None = None
    batches: int = 0
    parts: int = 0
    spending: Spending = field(default_factory=Spending)
    judges: list[Judge] = field(default_factory=list)
    tolerances: FloatArray = field(init=False)
    memory: Memory = field(init=False)
    columns: Columns | None = field(init=False)
    epoch: Epoch = field(init=False)
    waiting: list[FloatArray] = field(default_factory=list)
    waiting_rows: int = 0
    waiting_since: int = 0
    phase: int = 0  # batches of an unfinished period, and their rows
    phase_rows: int = 0
    phase_since: int = 0  # the first of them with rows
    counts: list[FloatArray] = field(default_factory=list)  # of an unfinished period, per judge
    # The newest candidate and its rows, for estimates while there is no judge.
    guess: tuple[Candidate, FloatArray] | None = None

    def __post_init__(self) -> None:
        self.tolerances = np.union1d(TOLERANCES, [self.tolerance])
        self.memory = Memory(self.seed)
        self.columns = None
        if self.tolerance == 0 and self.period == 1:
            plan = self.plan or Plan.of_second_part(self.second.shape[1])
            halves, categorical = self.search.halves, self.search.categorical
            error = COLUMN_SHARE * self.error
            self.columns = Columns(halves, self.second, categorical, plan, error, self.seed)
        self._begin()

    def reset(self) -> None:
        """Begin anew with the evidence, with a smaller share of the error."""
        self.spending.reset()
        if self.columns is not None:
            self.columns.reset()
        self._begin()

    @property
    def resets(self) -> int:
        """How often the evidence has begun anew."""
        return self.spending.resets

    @property
    def judge(self) -> Judge | None:
        """The judge with the largest wealth."""
        return self.judges[self.epoch.evidence.leader] if self.judges else None

    @property
    def bets_error(self) -> float:
        """Of the bets: of the reference's bounds and of the wealth, one half each."""
        return self.error if self.columns is None else self.error - self.columns.error

    @property
    def epoch_error(self) -> float:
        """Of the wealth since the last reset: each reset has its share."""
        return self.bets_error / 2 * epoch_share(self.resets)

    @property
    def excluded(self) -> int:
        """How many tolerances have been excluded since the last reset, from the smallest on."""
        return self.epoch.evidence.rejected(self.epoch_error)

    @property
    def alarm(self) -> bool:
        """Whether a difference above the tolerance has been shown since the last reset."""
        return self.bets_alarm or self.column_alarm

    @property
    def bets_alarm(self) -> bool:
        """Whether the bets have excluded the tolerance."""
        return self.excluded > self.epoch.evidence.at

    @property
    def column_alarm(self) -> bool:
        """Whether a single column has been shown to have changed."""
        return self.columns is not None and self.columns.alarm

    @property
    def since(self) -> int:
        """The batch from which on the evidence of the alarm grew."""
        return self._since() if self.epoch.since is None else self.epoch.since

    @property
    def low(self) -> float:
        """Lower bound of the largest total variation distance since the last reset."""
        return float(self.tolerances[self.excluded - 1]) if self.excluded else 0.0

    @property
    def average_low(self) -> float:
        """Lower bound of the average total variation distance since the last reset."""
        return self.epoch.average_low(self.epoch_error)

    def take(self, X: FloatArray, *, estimate: bool = True) -> FloatArray:
        """Judge a batch, then learn from it; returns estimates of its distance and divergence."""
        self.batches += 1
        rng = np.random.default_rng([self.seed, 0, self.batches])
        X = X[rng.permutation(len(X))]
        if self.period > 1:
            return self._take_phase(X, rng)
        self.spending.batches += 1
        if self.columns is not None:
            self.columns.take(X)
        n_parts, low = int(np.clip(len(X) // ROWS_PER_PART, 1, MOST_PARTS)), self.low
        guesses: list[FloatArray] = []
        fresh: list[FloatArray] = []  # rows that no judge has learnt from, as judges count them
        for part in np.array_split(X, n_parts):
            if estimate and not self.judges:
                guesses.append(self._guessed(part))
            counts, promoted = self._counted(part), self.spending.promoted
            self._bet(counts, len(part), self.batches)
            fresh = summed(fresh, counts)
            self._learn(part)
            if self.spending.promoted > promoted:
                fresh = []
        self._date()
        if not estimate:
            return UNKNOWN
        found = self._estimated(X, fresh, guesses)
        # Only a batch whose rows differ by more can raise the bound so far.
        return np.maximum(found, at_least(self.low)) if self.low > low else found

    def _estimated(
        self, X: FloatArray, fresh: list[FloatArray], guesses: list[FloatArray]
    ) -> FloatArray:
        """Distance and divergence of a batch, by models that have not learnt from its rows."""
        if fresh:
            found = distances(self.judges, fresh)
        elif self.judges:
            found = crossed(self.search, X)
        else:
            # The first part of all has no model yet.
            known = [each for each in guesses if not np.isnan(each[0])]
            found = np.mean(known, axis=0) if known else UNKNOWN
        return np.maximum(found, 0.0)

    def _since(self) -> int:
        # A column needs no model that must learn first. It counts batches of this reference.
        if self.columns is not None and self.column_alarm:
            return self.columns.since + self.batches - self.columns.batches
        return self.epoch.evidence.since

    def _date(self) -> None:
        """Remember since when, at the first alarm: what shows later began later, or elsewhere."""
        if self.alarm and self.epoch.since is None:
            self.epoch.since = self._since()

    def _begin(self) -> None:
        at = int(np.searchsorted(self.tolerances, self.tolerance))
        # Evidence must not begin with rows that were seen before it: so does the period.
        self.counts, self.phase, self.phase_rows = [], 0, 0
        self.epoch = Epoch(Evidence(N_PAYOFFS, self.tolerances.size, at))
        for _ in self.judges:
            self.epoch.evidence.join()

    def _guessed(self, X: FloatArray) -> FloatArray:
        if self.guess is None or not len(X):
            return UNKNOWN
        candidate, rows = self.guess
        return guessed(self.search, self.search.model(candidate), rows, X)

    def _take_phase(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Count the rows of a batch of an unfinished period."""
        # Days differ within a period. Only the product over a whole period is expected to stay
        # below one, and only with bets and models that were fixed before it began.
        counts = self._counted(X)
        found = self._estimated(X, counts, [] if self.judges else [self._guessed(X)])
        self.counts = summed(self.counts, counts)
        if not self.phase_rows:
            self.phase_since = self.batches
        self.phase_rows += len(X)
        self._keep(sampled(X, max(MOST_ROWS // self.period, 1), rng))
        self.end_batch()
        return found

    def end_batch(self) -> None:
        """Count a batch, with rows or without, towards the period; bet and learn at its end."""
        self.phase += 1
        self.spending.batches += 1
        if self.phase < self.period:
            return
        self._bet(self.counts, self.phase_rows, self.phase_since)
        self._date()
        self.counts, self.phase, self.phase_rows = [], 0, 0
        if self.waiting:
            self._learn_waiting()

    def _counted(self, X: FloatArray) -> list[FloatArray]:
        """Rows in each bin of each judge, in two halves that bets add up."""
        return [halved(judge, self.search, X) for judge in self.judges]

    def _bet(self, counts: list[FloatArray], rows: int, since: int) -> None:
        epoch, judge = self.epoch, self.judge
        if judge is None:
            # Without a model the payoff is zero, which no distance is below.
            epoch.average.update(np.zeros(1), np.array([float(rows)]))
        elif rows:
            whole = [each.sum(axis=0) for each in counts]
            own = whole[epoch.evidence.leader]
            epoch.average.update(judge.payoffs.levels[1], own)
            epoch.reference += rows * float(judge.bounds[1])
            pairs = zip(self.judges, whole, strict=True)
            factors = [each.factors(seen, self.tolerances) for each, seen in pairs]
            epoch.evidence.update(factors, since, self.epoch_error)

    def _keep(self, X: FloatArray) -> None:
        if not self.waiting:
            self.waiting_since = self.batches
        self.waiting.append(X)
        self.waiting_rows += len(X)

    def _learn(self, X: FloatArray) -> None:
        self._keep(X)
        if self.waiting_rows >= FEWEST_ROWS:
            self._learn_waiting()

    def _learn_waiting(self) -> None:
        X = np.concatenate(self.waiting)
        if self.period > 1 and len(X):
            X = X[np.random.default_rng([self.seed, 2, self.batches]).permutation(len(X))]
        self.waiting, self.waiting_rows = [], 0
        self.parts += 1
        for stretch in self.memory.add(X, self.waiting_since, self.parts):
            self._consider(stretch)

    def _consider(self, stretch: Stretch) -> None:
        """Let the stretch's best candidate judge too, if it is clearly better than all judges."""
        found = self.search.best(stretch.X, stretch.stands_for)
        if found is None:
            return
        if not self.judges and stretch.level == 0:
            self.guess = found, stretch.X
        if found.z < NEEDED:
            return
        now = [self.search.separation(judge.model, stretch.X) for judge in self.judges]
        if found.z >= max(now, default=0.0) + BETTER:
            error = self.bets_error / 2 * self.spending.next_share()
            if len(now) == MOST_JUDGES:
                # By what the first part says: the second must have no say in who is compared.
                worst = int(np.argmin(now))
                del self.judges[worst]
                self.epoch.evidence.retire(worst)
            self.judges.append(self._judged_by(self.search.model(found), stretch.X, error))
            self.epoch.evidence.join()
            self.guess = None

    def _judged_by(self, model: Any, X: FloatArray, error: float) -> Judge:
        validation = self.search.score(model, self.search.halves[1])
        payoffs = Payoffs.of_scores(self.search.score(model, X), validation)
        return Judge.of(model, payoffs, self.search.score(model, self.second), error)


def summed(total: list[FloatArray], more: list[FloatArray]) -> list[FloatArray]:
    """Counts of more rows added to those so far; either may be of none."""
    if not total or not more:
        return total or more
    return [a + b for a, b in zip(total, more, strict=True)]
