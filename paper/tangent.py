"""Figure 2: the slope angle of ROC* is the arctangent of the likelihood ratio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Arc
from record import Claim, Item, Judgement, Number
from scipy.stats import norm
from style import GREEN, INK, NEGATIVE, PINK, POSITIVE, panels, roc_axes

from rocstar import laws

LAW = laws.GaussianPair(1.0, -1.0)
MARKED = {0.55: POSITIVE, 0.0: GREEN, -0.6: NEGATIVE}  # x₀ of the tangents drawn
STEP = 1e-5  # of the false positive rate, for the numerical slope


def false_positive_rate(x: Any) -> Any:
    return norm.sf(x, -1.0)


def compute(quick: bool) -> pd.DataFrame:
    rate = np.linspace(0, 1, 401)
    x = np.linspace(-3, 3, 25 if quick else 121)
    s = false_positive_rate(x)
    slope = (LAW.roc(s + STEP * s * (1 - s)) - LAW.roc(s - STEP * s * (1 - s))) / (
        2 * STEP * s * (1 - s)
    )
    marked = np.array(list(MARKED))
    rows = [("roc", *p, np.nan) for p in zip(rate, LAW.roc(rate), strict=True)]
    rows += [("slope", *p) for p in zip(x, np.arctan(slope), LAW.angle(x[:, None]), strict=True)]
    rows += [
        ("tangent", *p)
        for p in zip(marked, false_positive_rate(marked), LAW.angle(marked[:, None]), strict=True)
    ]
    return pd.DataFrame(rows, columns=["series", "x", "y", "angle"])


def judge(table: pd.DataFrame) -> Judgement:
    slopes = table[table.series == "slope"]
    error = float((slopes.y - slopes.angle).abs().max())
    return Judgement(
        summary=(
            "N(1, 1) against N(−1, 1). The slope of ROC* was taken by central differences of the "
            f"curve at {len(slopes)} points x₀ ∈ [−3, 3] and compared with atan p(x₀)/q(x₀)."
        ),
        claims=[
            Claim(
                "The tangent of ROC* at the false positive rate of x₀ is (1, p(x₀)/q(x₀)): "
                "v* is its slope angle.",
                "reproduced",
                f"largest difference of the angles {error:.0e} rad",
            )
        ],
        numbers={"largest angle error": Number(error, 1e-5)},
    )


def draw(table: pd.DataFrame) -> Any:
    fig, axes = panels(1, 2, (9.6, 4.7), width_ratios=[1, 1.1])
    left, right = axes[0]
    curve = table[table.series == "roc"]
    roc_axes(left, "ROC* and three of its tangents")
    left.plot(curve.x, curve.y, color=INK, label="ROC*")
    for row in table[table.series == "tangent"].itertuples():
        colour = MARKED[row.x]
        fpr, tpr = row.y, float(LAW.roc(row.y))
        reach = 0.27
        dx, dy = reach * np.cos(row.angle), reach * np.sin(row.angle)
        left.annotate(
            "", (fpr + dx, tpr + dy), (fpr, tpr), arrowprops={"arrowstyle": "-|>", "color": colour,
            "linewidth": 2, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip
        left.plot([fpr, fpr + 0.17], [tpr, tpr], color=colour, linewidth=1, linestyle=":")
        left.add_patch(
            Arc((fpr, tpr), 0.2, 0.2, theta2=np.degrees(row.angle), color=colour, linewidth=1.5)
        )
        left.plot(fpr, tpr, "o", color=colour, markersize=6)
        left.annotate(
            f"x₀ = {row.x:g}: {np.degrees(row.angle):.0f}°".replace("-", "−"),
            (fpr, tpr), (13, -14), textcoords="offset points", color=colour, fontsize=9.5,
        )  # fmt: skip
    left.set_ylim(-0.02, 1.13)
    slopes = table[table.series == "slope"]
    right.plot(slopes.x, slopes.angle, color=PINK, linewidth=5, alpha=0.5, label="atan p(x)/q(x)")
    right.plot(
        slopes.x[::4], slopes.y[::4], "o", color=INK, markersize=3.5, label="slope angle of ROC*"
    )
    for x, colour in MARKED.items():
        right.axvline(x, color=colour, linewidth=1, linestyle=":")
    right.set(title="The slope angle, along x", xlabel="x")
    right.set_yticks(np.arange(5) * np.pi / 8, ["0", "π/8", "π/4", "3π/8", "π/2"])
    right.set_ylabel("angle")
    right.legend(loc="lower right")
    return fig


ITEM = Item(
    name="tangent",
    title="The optimal ROC curve and its tangent",
    paper="Figure 2: the tangent of ROC*, marked by the vector (1, p(x₀)/q(x₀)).",
    compute=compute,
    judge=judge,
    draw=draw,
)

if __name__ == "__main__":
    ITEM.main()
