"""What a monitor says of a batch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

from rocstar.inference.estimate import Estimate
from rocstar.rounding import rounded_down
from rocstar.watching.shifts import Shift


@dataclass(frozen=True)
class Drift:
    """A distance of the stream from its reference.

    Attributes
    ----------
    value : float
        Estimate for this batch; NaN before there is a model.
    low : float
        At some time since the last reset, the distance was at least this.
    low_since_start : float
        The same since the start; after a reset with a new reference it keeps bounds against
        earlier ones.
    average_low : float
        The distance averaged over all rows since the last reset is at least this.
    """

    value: float
    low: float
    low_since_start: float
    average_low: float


@dataclass(frozen=True)
class Reading:
    """Findings of a monitor for one batch: the result of `Monitor.update`.

    Attributes
    ----------
    time : object
        Label of the batch.
    rows : int
    tv, divergence : Drift
        Total variation distance and ROC divergence from the reference. Their bounds hold for all
        batches at once, and with them all alarms; those of averages are a statement of their own.
    e_value : float
        Evidence that the tolerance was exceeded. As long as the reference's own limits hold, chance
        makes it reach k with probability at most 1/k, ever.
    e_value_limit : float or None
        Evidence at which the bets raise an alarm; it is larger after a reset.
    alarm : bool
        Whether the data have been shown to differ by more than the tolerance since the last reset.
        That of the AUC is ``auc_alarm``; `Monitor.alarm` is either.
    since : str or None
        With an alarm, label of the batch from which on the evidence grew, as text: an estimate of
        when the change began, without a confidence statement. It is late by what a model took to
        learn, or the first batch of the stretch in which a single column was shown to have changed.
    column : str or None
        Column that was shown to have changed by itself; that raises an alarm even where ``low`` is
        still zero.
    column_pvalue : float or None
        Smallest p-value of any column in any stretch since the last reset, corrected for all tests
        of all times: the column raises an alarm at 1 − ``level``. None with a tolerance or a
        period, when single columns are not tested.
    moved : tuple of Shift
        Columns in which this batch alone differs, the largest shift first: a description. With an
        alarm, also those that the evidence rests on. With a period, columns in which the whole
        period differs, at its end.
    notes : tuple of str
        What was unusual about the batch.
    auc : Estimate or None
        Average AUC of the watched score since the last reset, between limits for all times.
    auc_alarm : bool
        Whether that AUC has been shown to be below the reference's by more than the drop allowed.
    level : float
        Confidence level of the bounds.

    Examples
    --------
    >>> from rocstar import Monitor, laws
    >>> X, y = laws.GaussianPair([0, 0], [1, 0]).sample(1000, 600, random_state=0)
    >>> monitor = Monitor(X[y == 0], model="linear")
    >>> reading = monitor.update(X[y == 1], time="Monday")
    >>> reading.alarm, [column.name for column in reading.moved]
    (True, ['x0'])
    """

    time: Any
    rows: int
    tv: Drift
    divergence: Drift
    e_value: float
    alarm: bool
    since: str | None = None
    column: str | None = None
    column_pvalue: float | None = None
    moved: tuple[Shift, ...] = ()
    notes: tuple[str, ...] = ()
    auc: Estimate | None = None
    auc_alarm: bool = False
    level: float = 0.95
    e_value_limit: float | None = None

    def __str__(self) -> str:
        return f"{self.time}: {sentence(self)}"


def sentence(reading: Reading) -> str:
    """The reading in words."""
    parts = [f"{reading.rows:,} rows" if reading.rows != 1 else "1 row"]
    if reading.alarm:
        shown = []
        if reading.tv.low or reading.column is None:
            low = rounded_down(reading.tv.low)
            shown.append(f"total variation from the reference at least {low}")
        if reading.column is not None:
            shown.append(f"`{reading.column}` has changed")
        parts.append(
            f"alarm: {', '.join(shown)} ({100 * reading.level:g} % confidence), evidence since "
            f"{reading.since}"
        )
    elif not reading.auc_alarm:
        parts.append("quiet")
    if not isnan(reading.tv.value):
        parts.append(f"estimate {reading.tv.value:.3f}")
    if reading.moved:
        parts.append("moved: " + ", ".join(f"`{column.name}`" for column in reading.moved[:3]))
    if reading.auc is not None:
        parts.append(f"AUC {reading.auc}")
    if reading.auc_alarm:
        parts.append("alarm: the AUC has fallen below the reference's")
    return "; ".join(parts) + "."


def record(reading: Reading) -> dict[str, Any]:
    """The reading as one line of a history: numbers, strings and lists of them."""
    plain = isinstance(reading.time, (str, int, float))
    line: dict[str, Any] = {"time": reading.time if plain else str(reading.time)}
    line["rows"] = reading.rows
    for name in ("tv", "divergence"):
        for key, value in asdict(getattr(reading, name)).items():
            line[name if key == "value" else f"{name}_{key}"] = value
    line |= {
        "e_value": reading.e_value,
        "e_value_limit": reading.e_value_limit,
        "alarm": reading.alarm,
        "since": reading.since,
        "column": reading.column,
        "column_pvalue": reading.column_pvalue,
        "moved": [column.name for column in reading.moved],
        "notes": list(reading.notes),
    }
    if reading.auc is not None:
        line |= {name: getattr(reading.auc, name) for name in ("value", "low", "high")}
        line |= {f"auc_{name}": line.pop(name) for name in ("low", "high")}
        line |= {"auc": line.pop("value"), "auc_alarm": reading.auc_alarm}
    return line
