"""One look for every figure: sizes, fonts, and colours that survive colour blindness and grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

# Okabe and Ito's palette; positives are warm and negatives cool, as in the paper.
POSITIVE, NEGATIVE = "#D55E00", "#0072B2"
GREEN, PINK, SKY, GOLD = "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
INK, MUTED, FAINT = "#222222", "#777777", "#D9D9D9"

WIDE = (10.0, 4.0)

mpl.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "axes.titlesize": 10.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#ECECEC",
        "grid.linewidth": 0.8,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "lines.linewidth": 2.0,
        "lines.solid_capstyle": "round",
        "legend.frameon": False,
        "legend.fontsize": 9,
        "figure.constrained_layout.use": True,
        "savefig.dpi": 150,
        # Text stays text in the vector file, and the same picture gives the same bytes.
        "svg.fonttype": "none",
        "svg.hashsalt": "rocstar",
    }
)


def panels(
    rows: int = 1, columns: int = 1, size: tuple[float, float] = WIDE, **options: Any
) -> Any:
    """A figure and its array of axes, always two-dimensional."""
    return plt.subplots(rows, columns, figsize=size, squeeze=False, **options)


def roc_axes(axes: Any, title: str = "") -> None:
    """The unit square with its diagonal."""
    axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1.2, zorder=1)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", title=title)
    axes.set(xlabel="false positive rate", ylabel="true positive rate")
    axes.set_xticks(np.linspace(0, 1, 6))
    axes.set_yticks(np.linspace(0, 1, 6))


def name_lines(axes: Any, lines: Sequence[tuple[float, float, str, str]], gap: float) -> None:
    """Write each series' name at its end, pushed apart until they are `gap` from one another."""
    height = -np.inf
    for x, y, text, colour in sorted(lines, key=lambda line: line[1]):
        height = max(y, height + gap)
        axes.annotate(
            text,
            (x, y),
            (8, (height - y) * _points_per_unit(axes)),
            textcoords="offset points",
            color=colour,
            va="center",
            fontsize=9,
            annotation_clip=False,
        )


def _points_per_unit(axes: Any) -> float:
    low, high = axes.get_ylim()
    inches = axes.figure.get_size_inches()[1] * axes.get_position().height
    return float(72 * inches / (high - low))
