"""Pictures of an audit in matplotlib, in the manner of scikit-learn's displays.

Each display keeps the arrays it draws in ``data``; ``plot`` sets ``ax_`` and ``figure_``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


class Display:
    """Arrays and how to draw them."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)

    def plot(self, ax: Any = None) -> Display:
        """Draw on the given axes, or on new ones."""
        if ax is None:
            _, ax = _pyplot().subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError


class RocDisplay(Display):
    """ROC*: its estimate, certified lower band and hull, and the curve of each given score.

    Examples
    --------
    >>> RocDisplay({"fpr": [0, 1], "tpr": [0, 1], "scores": []}).data["fpr"]
    [0, 1]
    """

    def _draw(self, ax: Any) -> None:
        data = self.data
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        ax.plot(data["fpr"], data["tpr"], label="best classifier found")
        if data.get("hull"):
            ax.plot(data["hull"]["fpr"], data["hull"]["tpr"], ":", label="its convex hull")
        if data.get("low") is not None:
            ax.fill_between(
                data["fpr"], data["low"], data["tpr"], step="post", alpha=0.2, label="lower band"
            )
        for score in data["scores"]:
            ax.plot(score["fpr"], score["tpr"], "--", label=score["name"])
        ax.set(xlabel="False positive rate", ylabel="True positive rate", xlim=(0, 1), ylim=(0, 1))
        ax.set_aspect("equal")
        ax.legend(loc="lower right")


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


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Plots need matplotlib: install it with `pip install 'rocstar[plot]'`."
        ) from None
    return plt
