"""`Monitor`: has the data changed, asked as often as one likes?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.checks import FloatArray, InputError, check_fraction
from rocstar.estimators.fits import drawn_seed
from rocstar.tables.column_names import require_column
from rocstar.tables.columns import TableEncoder
from rocstar.tables.writing import replace_file
from rocstar.watching.batches import as_table, batch_notes, constant_columns, content
from rocstar.watching.classes import Classes
from rocstar.watching.columns import Plan
from rocstar.watching.labels import AucWatch
from rocstar.watching.models import check_gaps, watch_estimator
from rocstar.watching.readings import Drift, Reading, record
from rocstar.watching.resets import epoch_share
from rocstar.watching.search import Search
from rocstar.watching.shifts import Profile, Shift, moved, with_importance
from rocstar.watching.stream import Stream, summed
from rocstar.watching.units import (
    Unit,
    check_settings,
    implied_divergence,
    tolerance_in_tv,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from rocstar.report.displays import TimelineDisplay

TRAINING_SHARE = 0.5
"""Of the reference, half of which fits models and the other half tries them."""
FEWEST_REFERENCE_ROWS = 20
MOST_REFERENCE_ROWS = 100_000
DRAWN = {"low": "tv_low"} | {
    name: name
    for name in (
        *("time", "tv", "alarm", "resets"),
        *("auc", "auc_low", "auc_high", "auc_alarm", "auc_reference", "auc_limit"),
    )
}
"""What a picture shows, by its name there, and the name in a line of history."""


class Monitor:
    """Compares batches of a stream with a reference; bounds the chance of any false alarm, ever.

    However often you look, the probability of any false alarm is at most 1 − ``level``, as
    long as no batch differs from the reference by more than the tolerance. The reference is split
    once. Models fitted to one part of it and to earlier batches score each new batch before they
    learn from it, and bets on their scores are judged by the other part (theory §14). Without a
    tolerance and a period, single columns are also tested, in stretches of 1, 2, 4, … batches. The
    rows of the reference and of the batches must be independent.

    Parameters
    ----------
    reference : dataframe or array-like
        Rows to compare with, such as the training table: numbers, categories, dates, text and
        missing values. No difference can be shown that is smaller than its own sampling error.
    model : {"auto", "linear", "trees", "rbf"} or estimator, default="auto"
        What looks for differences. "linear" sees shifts of numbers and categories; "auto" also sees
        any change of a single column and of products of two, and grows trees on long stretches.
    level : float, default=0.95
    tolerance : float, default=0.0
        Largest difference that raises no alarm, in the given unit.
    unit : {"tv", "divergence"}, default="tv"
        Total variation distance, or ROC divergence.
    period : int, default=1
        Batches after which the stream repeats itself, such as 7 for days that differ within a
        week: whole periods are then compared, and alarms come at their end. Every batch of the
        period must have the same share of the rows as in the reference, which must hold whole
        periods: an empty batch or one left out changes the mix, and may raise a false alarm.
    score, target : str, optional
        Columns with a model's score and with the true class: their AUC is watched too. Labels may
        be missing and arrive later, see `update_labels`.
    positive : str, optional
        Target value treated as positive; default: the larger of two.
    auc_drop : float, default=0.0
        Largest fall of the AUC below that of the reference that raises no alarm.
    random_state : int or None, default=0

    See Also
    --------
    compare : The same question, asked once.

    Examples
    --------
    >>> import numpy as np
    >>> from rocstar import Monitor
    >>> rng = np.random.default_rng(0)
    >>> monitor = Monitor(rng.normal(size=(2000, 3)))
    >>> for day in range(5):
    ...     quiet = monitor.update(rng.normal(size=(300, 3)), time=f"day {day}")
    >>> quiet.alarm
    False
    >>> changed = rng.normal(size=(300, 3)) + [1, 0, 0]
    >>> reading = monitor.update(changed, time="day 5")
    >>> reading.alarm, reading.since, reading.moved[0].name
    (True, 'day 5', 'x0')
    >>> monitor.history["alarm"].tolist()
    [False, False, False, False, False, True]
    """

    def __init__(
        self,
        reference: Any,
        model: Any = "auto",
        level: float = 0.95,
        tolerance: float = 0.0,
        unit: Unit = "tv",
        *,
        period: int = 1,
        score: str | None = None,
        target: str | None = None,
        positive: str | None = None,
        auc_drop: float = 0.0,
        random_state: int | None = 0,
    ) -> None:
        check_fraction(level, "level")
        check_settings(tolerance, unit, period, auc_drop, score, target, positive)
        self.model, self.level, self.unit = model, level, unit
        self.tolerance, self.period = float(tolerance), int(period)
        self.score, self.target, self.auc_drop = score, target, float(auc_drop)
        self.random_state = drawn_seed(random_state)
        self.references = self.resets = 0
        self.records: list[dict[str, Any]] = []
        self.shift_records: list[dict[str, float]] = []
        self.keys: list[str] = []
        self.counts: list[FloatArray] = []  # rows of an unfinished period, per column
        self.best_low = 0.0
        self.origin: dict[str, Any] = {}
        self._take_reference(as_table(reference, "reference"), positive)

    def update(self, batch: Any, time: Any = None, *, key: str | None = None) -> Reading | None:
        """Judge one more batch, then learn from it.

        Parameters
        ----------
        batch : dataframe or array-like
            With the columns of the reference; further columns are ignored.
        time : optional
            Label of the batch, such as its date; default: its number.
        key : str, optional
            Name of the content, such as the hash of a file: a batch whose key was counted before is
            skipped.

        Returns
        -------
        Reading or None
            None if the batch was skipped.
        """
        if key is not None and key in self.keys:
            return None
        with self._draft() as draft:
            reading = draft._judged(as_table(batch, "batch"), time)
            if key is not None:
                draft.keys.append(key)
        return reading

    def update_labels(
        self, rows: Any, time: Any = None, *, key: str | None = None
    ) -> Reading | None:
        """Count labels that arrived late.

        Rows that are sent twice count twice, also those whose labels came with their batch: send
        each labelled row once, or give deliveries a ``key``. Rows of a class that the reference
        has not, or without a score, are left out and noted.

        Parameters
        ----------
        rows : dataframe
            With the columns of the score and of the target.
        time : optional
            Label of the reading; default: its number.
        key : str, optional
            Name of the content, as in `update`: rows whose key was counted before are skipped.

        Returns
        -------
        Reading or None
            With zero rows of data; its ``auc`` is up to date. None if the rows were skipped.
        """
        if self.auc is None:
            raise InputError(
                "`update_labels` needs a monitor with `score` and `target`; this one has neither: "
                "name both columns when it is created."
            )
        if key is not None and key in self.keys:
            return None
        with self._draft() as draft:
            reading = draft._relabelled(as_table(rows, "rows"), time)
            if key is not None:
                draft.keys.append(key)
        return reading

    def reset(self, reference: Any = None) -> None:
        """Acknowledge an alarm: the evidence begins anew, with a smaller share of the error.

        Parameters
        ----------
        reference : dataframe or array-like, optional
            Rows to compare with from now on; default: the same as before. Everything is then
            learnt anew.
        """
        with self._draft() as draft:
            draft.resets += 1
            if reference is not None:
                draft.references += 1
                draft._take_reference(as_table(reference, "reference"), self.positive)
                return
            draft.stream.reset()
            draft.counts = []
            if draft.auc is not None:
                draft.auc.reset(epoch_share(draft.stream.resets))

    @property
    def history(self) -> DataFrame:
        """One line per reading."""
        import pandas as pd

        return pd.DataFrame(self.records)

    @property
    def shifts(self) -> DataFrame:
        """Shift of every column in every batch: a description, see `Shift`.

        A column that the reference of a batch did not have is missing there.
        """
        import pandas as pd

        times = [each["time"] for each in self.records if each["rows"]]
        return pd.DataFrame(self.shift_records, columns=self._watched(), index=times)

    @property
    def alarm(self) -> bool:
        """Whether the data, or the AUC, have raised an alarm since the last reset."""
        return self.stream.alarm or (self.auc is not None and self.auc.alarm)

    @property
    def awaits_batch(self) -> bool:
        """Whether there is no reading since the start or the last reset."""
        return not self.records or self.records[-1]["resets"] < self.resets

    def summary(self, title: str = "Watch") -> dict[str, Any]:
        """Everything that was found, as numbers, strings, lists and dicts."""
        from rocstar.watching.summary import watch_summary

        return watch_summary(self, title)

    def to_html(self, path: str | Path | None = None, *, title: str = "Watch") -> str:
        """The page: one file that loads nothing; written to ``path`` if one is given."""
        from rocstar import report

        text = report.html(self.summary(title))
        if path is not None:
            replace_file(path, text.encode())
        return text

    def plot(self, ax: Any = None) -> TimelineDisplay:
        """Distance from the reference, and the AUC of a score, over time, with matplotlib.

        Parameters
        ----------
        ax : Axes or pair of Axes, optional
            The distance is drawn on the first, the AUC on the second; default: new ones.
        """
        from rocstar.report.displays import TimelineDisplay

        data: dict[str, Any] = {
            name: [each.get(record) for each in self.records] for name, record in DRAWN.items()
        }
        data["tolerance"] = self.stream.tolerance
        display = TimelineDisplay(data)
        display.plot(ax)
        return display

    def save(self, path: str | Path) -> None:
        """Write everything to one safe file, whole or not at all; `load` goes on from there."""
        from rocstar.watching.files import save

        save(self, path)

    @staticmethod
    def load(path: str | Path) -> Monitor:
        """Monitor that `save` has written; a file that holds anything else is refused."""
        from rocstar.watching.files import load

        return load(path)

    def __repr__(self) -> str:
        last = self.records[-1]["time"] if self.records else None
        state = "alarm" if self.alarm else "quiet"
        seen = "no batch yet" if last is None else f"{state} at {last}"
        return f"<Monitor: {self.stream.batches} batches, {seen}; .update(batch), .to_html(path)>"

    def _watched(self) -> list[str]:
        """Columns that were ever watched, those of the present reference first."""
        earlier = [name for shifts in self.shift_records for name in shifts]
        return list(dict.fromkeys([*self.profile.watched, *earlier]))

    @contextmanager
    def _draft(self) -> Iterator[Monitor]:
        """A copy whose changes are taken over at once, in the end, or never."""
        # A batch that is interrupted half-way, or fails, must not count in part.
        draft = object.__new__(type(self))
        for name, value in vars(self).items():
            # Lines of history are never changed, and there may be many.
            vars(draft)[name] = list(value) if isinstance(value, list) else copied(value)
        yield draft
        self.__dict__ = draft.__dict__

    def _judged(self, frame: DataFrame, time: Any) -> Reading:
        if content(frame) == self.content:
            raise InputError(
                "`batch` is the reference itself, which says nothing about new rows; pass other "
                "rows."
            )
        notes = batch_notes(frame, self.encoder, self.constants, self._features(frame))
        X = self.encoder.transform(frame[self._features(frame)]) if len(frame) else None
        if X is not None:
            self._check_gaps(X, "batch")
        known, _ = self._column()
        counts = [] if X is None else self.profile.counted(X)
        shifts = [] if X is None else self.profile.shifts(counts)
        distances = np.full(2, np.nan) if X is None else self.stream.take(X)
        if X is None and self.period > 1:
            self.stream.end_batch()
        notes += self._count_labels(frame)
        if self.period > 1:
            named = self._moved_in_period(counts)
        else:
            # Later batches may lack the change of a column that one of them has shown.
            column = self._column()[0] if known is None else None
            named = moved(shifts, 1 - self.level, column)
            if self.stream.alarm and X is not None:
                named = with_importance(
                    named, shifts, self.stream, X, self.encoder.owner_, self.random_state
                )
        reading = self._reading(time, len(frame), distances, named, notes)
        self._record(reading, shifts)
        return reading

    def _moved_in_period(self, counts: list[FloatArray]) -> tuple[Shift, ...]:
        """Columns in which a period differs, at its end: single batches of it always may."""
        self.counts = summed(self.counts, counts)
        if self.stream.phase or not self.counts:
            return ()
        whole, self.counts = self.counts, []
        return moved(self.profile.shifts(whole), 1 - self.level)

    def _relabelled(self, frame: DataFrame, time: Any) -> Reading:
        for name in (self.score, self.target):
            require_column(frame, str(name), "rows")
        notes = self._count_labels(frame)
        reading = self._reading(time, 0, np.full(2, np.nan), (), notes)
        self._record(reading, [])
        return reading

    def _take_reference(self, frame: DataFrame, positive: str | None) -> None:
        self.content = content(frame)
        if len(frame) < FEWEST_REFERENCE_ROWS:
            raise InputError(
                f"`reference` must have at least {FEWEST_REFERENCE_ROWS} rows; got {len(frame)}."
            )
        self.positive = positive
        self.counts = []
        self.auc: AucWatch | None = None
        if self.score is not None and self.target is not None:
            self._watch_auc(frame, positive)
        rng = np.random.default_rng([self.random_state, self.references])
        order = rng.permutation(len(frame))[:MOST_REFERENCE_ROWS]
        n = max(int(TRAINING_SHARE * order.size) // 2, 4)
        first = order[: 2 * n]
        features = frame[self._features(frame)]
        self.encoder = TableEncoder()
        X = self.encoder.fit_transform(features.iloc[first].reset_index(drop=True))
        if X.shape[1] == 0:
            raise InputError("`reference` must have a column with two values or more; it has none.")
        self.constants = constant_columns(features, self.encoder)
        second = self.encoder.transform(features.iloc[order[2 * n :]].reset_index(drop=True))
        categorical = self.encoder.categorical_
        estimator = watch_estimator(self.model, X.shape[1], categorical, self.random_state)
        kind = self.model if isinstance(self.model, str) else "estimator"
        self._check_gaps(X, "reference")
        search = Search(kind, estimator, (X[:n], X[n:]), categorical)
        batches = sum(each["rows"] > 0 for each in self.records)
        plan = Plan.of_encoder(self.encoder, features.dtypes)
        self.stream = Stream(
            search,
            second,
            tolerance_in_tv(self.tolerance, self.unit),
            self._error,
            self.period,
            self.random_state,
            plan,
        )
        self.stream.batches = batches
        names = [str(name) for name in self.encoder.feature_names_in_]
        owner = self.encoder.owner_
        self.profile = Profile.learn((X, second), names, owner, categorical, plan.whole)

    def _check_gaps(self, X: FloatArray, argument: str) -> None:
        """Refuse missing values that a given model cannot take; those made here can."""
        if not isinstance(self.model, str):
            names = [str(self.encoder.feature_names_in_[k]) for k in self.encoder.owner_]
            check_gaps(self.model, X, names, argument)

    def _watch_auc(self, frame: DataFrame, positive: str | None) -> None:
        for name in (self.score, self.target):
            require_column(frame, str(name), "reference")
        given = (str(self.score), str(self.target), positive)
        self.classes, labels, score = Classes.of_reference(frame, *given)
        self.auc = AucWatch.of_reference(
            labels,
            score,
            drop=self.auc_drop,
            level=self.level,
            error=self._error,
            limits_error=(1 - self.level) * epoch_share(self.references),
            share=epoch_share(0),
            seed=self.random_state,
        )

    @property
    def _error(self) -> float:
        """Of each alarm for the current reference: those of data and AUC share it equally."""
        alarms = 1 if self.score is None else 2
        return (1 - self.level) * epoch_share(self.references) / alarms

    def _features(self, frame: DataFrame) -> list[str]:
        left_out = {self.score, self.target}
        return [name for name in frame.columns if name not in left_out]

    def _count_labels(self, frame: DataFrame) -> tuple[str, ...]:
        """Count labelled rows, if there are any; returns notes on those left out."""
        if self.auc is None or self.target not in frame or not frame[self.target].notna().any():
            return ()
        if self.score not in frame:
            return (f"The batch has labels but no column `{self.score}`; they are not counted.",)
        scores, labels = frame[self.score], frame[self.target]
        positive, score, notes = self.classes.labelled(labels, scores)
        self.auc.take(positive, score, self.stream.batches)
        return notes

    def _reading(
        self,
        time: Any,
        rows: int,
        distances: FloatArray,
        named: tuple[Shift, ...],
        notes: tuple[str, ...],
    ) -> Reading:
        stream = self.stream
        time = len(self.records) + 1 if time is None else time
        alarm, low, average = stream.alarm, stream.low, stream.average_low
        self.best_low = max(self.best_low, low)
        since = self._label(stream.since, time) if alarm else None
        column, pvalue = self._column()
        divergences = [implied_divergence(each) for each in (low, self.best_low, average)]
        return Reading(
            time=time,
            rows=rows,
            tv=Drift(float(distances[0]), low, self.best_low, average),
            divergence=Drift(float(distances[1]), *divergences),
            e_value=float(np.exp(min(stream.epoch.evidence.log_e, 700.0))),
            e_value_limit=1 / stream.epoch_error,
            alarm=alarm,
            since=since,
            column=column,
            column_pvalue=pvalue,
            moved=named,
            notes=notes,
            auc=None if self.auc is None else self.auc.estimate,
            auc_alarm=self.auc is not None and self.auc.alarm,
            level=self.level,
        )

    def _column(self) -> tuple[str | None, float | None]:
        """The column shown to have changed, if one was, and the smallest corrected p-value."""
        columns = self.stream.columns
        if columns is None:
            return None, None
        owner = self.encoder.owner_[columns.column]
        name = str(self.encoder.feature_names_in_[owner]) if self.stream.column_alarm else None
        return name, min(columns.pvalue * (1 - self.level) / columns.error, 1.0)

    def _label(self, number: int, now: Any) -> str:
        """Label of a batch by its number among those with rows."""
        with_rows = [each for each in self.records if each["rows"]]
        return str(with_rows[number - 1]["time"] if number <= len(with_rows) else now)

    def _record(self, reading: Reading, shifts: list[Shift]) -> None:
        line = record(reading) | {"resets": self.resets}
        if self.auc is not None:
            line["auc_latest"] = self.auc.latest
            line |= {"auc_reference": self.auc.reference.value, "auc_limit": self.auc.limit}
        self.records.append(line)
        if shifts:
            self.shift_records.append({each.name: each.shift for each in shifts})


def copied(value: Any) -> Any:
    """A copy that may be changed without the original; arrays and models are shared.

    Nothing in this room writes into an array or fits a model twice, so that a copy takes
    microseconds, however many rows it holds.
    """
    if isinstance(value, list):
        return [copied(each) for each in value]
    if isinstance(value, tuple):
        return tuple(copied(each) for each in value)
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    settings = getattr(type(value), "__dataclass_params__", None)
    if settings is not None and not settings.frozen:
        twin = object.__new__(type(value))
        vars(twin).update({name: copied(each) for name, each in vars(value).items()})
        return twin
    return value
