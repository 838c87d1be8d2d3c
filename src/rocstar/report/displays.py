"""Pictures in matplotlib, in the manner of scikit-learn's displays.

Each display keeps the arrays it draws in ``data``; ``plot`` sets ``ax_`` and ``figure_``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

MOST_NUMBERED = 12
"""Classes up to which a cell of a heat map shows its number."""
MOST_TIMES = 8
"""Batches named below the axis of time."""
LEAST_TOP = 0.05
"""Total variation up to which an axis reaches at least."""
MIDDLE_SHADE = 0.8
"""AUC above which its cell is too dark for black letters."""


class Display:
    """Arrays and how to draw them."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones."""
        if ax is None:
            _, ax = _pyplot().subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError


class AngleDisplay(Display):
    """Distribution of the angle atan(p/q) in each class; apart means easy to tell apart.

    Examples
    --------
    >>> AngleDisplay({"edges": [0, 1], "positive": [1.0], "negative": [1.0]}).data["positive"]
    [1.0]
    """

    def _draw(self, ax: Any) -> None:
        edges = np.asarray(self.data["edges"])
        for name in ("negative", "positive"):
            ax.stairs(self.data[name], edges, fill=True, alpha=0.5, label=name)
        ax.set(xlabel="angle atan(p/q)", ylabel="share of the class")
        ax.set_xticks([0, np.pi / 4, np.pi / 2], ["0", "π/4", "π/2"])
        ax.legend()


class TimelineDisplay(Display):
    """Distance of a watched stream from its reference over time, and the AUC of a watched score.

    Lower bounds, alarms as they begin, and resets are drawn too. An AUC has axes of its own, below;
    on given axes, only the distance is drawn unless there are two of them.

    Examples
    --------
    >>> TimelineDisplay({"tv": [0.1], "low": [0.0], "alarm": [False], "tolerance": 0.0}).data["tv"]
    [0.1]
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, one or two, or on new ones."""
        with_auc = any(value is not None for value in self.data.get("auc") or ())
        if ax is None and with_auc:
            _, ax = _pyplot().subplots(2, sharex=True, layout="constrained", figsize=(6.4, 6.4))
        if np.size(ax) < 2:
            return super().plot(ax)
        first, second = ax
        self.ax_, self.figure_ = first, first.figure
        self._draw(first, last=not with_auc)
        if with_auc:
            self._draw_auc(second)
        return self

    def _draw(self, ax: Any, *, last: bool = True) -> None:
        values, low = np.asarray(self.data["tv"], dtype=float), self.data["low"]
        number = np.arange(1, values.size + 1)
        known = ~np.isnan(values)
        ax.plot(number[known], values[known], ".--", label="estimate for the batch")
        ax.fill_between(number, 0, low, step="mid", alpha=0.3, label="at least this")
        if self.data["tolerance"]:
            ax.axhline(self.data["tolerance"], color="0.5", linestyle="--", label="tolerance")
        self._mark(ax, "alarm")
        # What is drawn of a quiet stream is chance: it must not fill the axes.
        top = max(LEAST_TOP, ax.get_ylim()[1])
        ax.set(ylabel="total variation from the reference", ylim=(0, top))
        _legend_above(ax)
        if last:
            self._name_times(ax)

    def _draw_auc(self, ax: Any) -> None:
        names = ("auc", "auc_low", "auc_high", "auc_reference", "auc_limit")
        value, low, high, reference, limit = (
            np.asarray(self.data[name], dtype=np.float64) for name in names
        )
        number, resets = np.arange(1, value.size + 1), np.asarray(self.data["resets"])
        for k, epoch in enumerate(np.unique(resets)):
            # A reset begins a new average: nothing leads from the old one to it.
            own = (resets == epoch) & ~np.isnan(value)
            ax.plot(number[own], value[own], ".-C0", label="" if k else "average AUC")
            ax.fill_between(
                number[own], low[own], high[own],
                color="C0", alpha=0.3, lw=0, label="" if k else "limits",
            )  # fmt: skip
        ax.step(number, reference, "--", where="mid", color="C2", label="AUC of the reference")
        ax.step(number, limit, "--", where="mid", color="0.5", label="alarm below this")
        self._mark(ax, "auc_alarm")
        ax.set(ylabel="AUC since the last reset")
        _legend_above(ax)
        self._name_times(ax)

    def _mark(self, ax: Any, name: str) -> None:
        """Lines where alarms begin and before the first batches after resets."""
        alarm = np.asarray(self.data[name], dtype=bool)
        resets = np.asarray(self.data.get("resets", np.zeros(alarm.size)))
        reset = np.diff(resets, prepend=resets[:1]) > 0
        begins = alarm & (~np.append(False, alarm[:-1]) | reset)
        for places, color, style, label in (
            (np.flatnonzero(begins) + 1.0, "C3", "-", "alarm"),
            (np.flatnonzero(reset) + 0.5, "0.3", ":", "reset"),
        ):
            for k, place in enumerate(places):
                ax.axvline(place, color=color, linestyle=style, label="" if k else label)

    def _name_times(self, ax: Any) -> None:
        """Names of the batches below the axis, as many as there is room for."""
        times = [str(time) for time in self.data.get("time") or range(1, len(self.data["tv"]) + 1)]
        shown = np.unique(np.linspace(0, len(times) - 1, MOST_TIMES).round().astype(int))
        ax.set_xticks(shown + 1, [times[k] for k in shown], rotation=30, ha="right")
        ax.set(xlabel="batch")


class PValueDisplay(Display):
    """P-values of the splits of a test on a logarithmic axis, the combined one as a line.

    Examples
    --------
    >>> PValueDisplay({"pvalue": 0.02, "pvalues": [0.01]}).data["pvalue"]
    0.02
    """

    def _draw(self, ax: Any) -> None:
        pvalues = np.asarray(self.data["pvalues"], dtype=np.float64)
        ax.plot(pvalues, np.arange(1, pvalues.size + 1), "o", label="split")
        ax.axvline(self.data["pvalue"], color="C1", label=f"p = {self.data['pvalue']:.3g}")
        ax.axvline(0.05, color="0.6", linestyle=":", label="0.05")
        ax.set_xscale("log")
        ax.set(xlabel="p-value", ylabel="split", xlim=(min(pvalues.min(), 0.01) / 2, 1.2))
        ax.set_yticks(np.unique(np.linspace(1, pvalues.size, 5).round()))
        ax.legend()


class PairwiseDisplay(Display):
    """Best AUC of every pair of classes: found above the diagonal, certified below it.

    Examples
    --------
    >>> table = {"labels": ["a", "b"], "value": [[None, 0.9], [0.9, None]]}
    >>> PairwiseDisplay({**table, "low": [[None, 0.8], [0.8, None]]}).data["labels"]
    ['a', 'b']
    """

    def _draw(self, ax: Any) -> None:
        labels = [str(label) for label in self.data["labels"]]
        found, low = (np.array(self.data[key], dtype=np.float64) for key in ("value", "low"))
        shown = np.where(np.tri(len(labels), k=-1, dtype=bool), low, found)
        image = ax.imshow(shown, cmap="Blues", vmin=0.5, vmax=1.0)
        ax.figure.colorbar(image, ax=ax, label="best AUC")
        if len(labels) <= MOST_NUMBERED:
            for i, j in np.argwhere(~np.isnan(shown)):
                # Bounds are rounded down.
                value = np.floor(100 * shown[i, j]) / 100 if i > j else shown[i, j]
                color = "white" if shown[i, j] > MIDDLE_SHADE else "black"
                ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=color)
        ax.set_xticks(range(len(labels)), labels, rotation=90)
        ax.set_yticks(range(len(labels)), labels)
        ax.set_title("above the diagonal: found; below: at least this")


def _legend_above(ax: Any) -> None:
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Plots need matplotlib: install it with `pip install 'rocstar[plot]'`."
        ) from None
    return plt
