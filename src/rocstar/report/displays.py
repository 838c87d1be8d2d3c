"""Pictures in matplotlib, in the manner of scikit-learn's displays.

Each display keeps the arrays it draws in ``data``; ``plot`` sets ``ax_`` and ``figure_``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

MOST_NUMBERED = 12
"""Classes up to which a cell of a heat map shows its number."""
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
    """Distance of a watched stream from its reference over time, with its lower bound and alarms.

    Examples
    --------
    >>> TimelineDisplay({"tv": [0.1], "low": [0.0], "alarm": [False], "tolerance": 0.0}).data["tv"]
    [0.1]
    """

    def _draw(self, ax: Any) -> None:
        values, low = np.asarray(self.data["tv"], dtype=float), self.data["low"]
        number = np.arange(1, len(values) + 1)
        ax.plot(number, values, ".--", label="estimate for the batch")
        ax.fill_between(number, 0, low, step="mid", alpha=0.3, label="at least this")
        if self.data["tolerance"]:
            ax.axhline(self.data["tolerance"], color="0.5", linestyle=":", label="tolerance")
        alarms = number[np.asarray(self.data["alarm"], dtype=bool)]
        if alarms.size:
            ax.axvline(alarms[0], color="C3", label="alarm")
        ax.set(xlabel="batch", ylabel="total variation from the reference", ylim=(0, None))
        ax.legend(loc="upper left")


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


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Plots need matplotlib: install it with `pip install 'rocstar[plot]'`."
        ) from None
    return plt
