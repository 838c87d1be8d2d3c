"""Figures 3 and 4: mixtures, the surface mesh under ROC*, and Wilcoxon's bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection, PolyCollection
from record import Claim, Item, Judgement, Number
from scipy.stats import norm
from style import INK, MUTED, NEGATIVE, POSITIVE, panels, roc_axes

from rocstar import laws
from rocstar.curves import ecdf_weights, roc_auc

LAW = laws.GaussianPair(1.0, -1.0)
MIXES = np.linspace(0, 0.5, 6)
# Two classes on five points, with ties between them: a score law without a density.
ATOMS_POS = np.array([0.05, 0.10, 0.20, 0.25, 0.40])
ATOMS_NEG = np.array([0.35, 0.25, 0.20, 0.15, 0.05])


def mesh(tau: Any, mix: Any) -> tuple[Any, Any]:
    """r(τ, α): the false and true positive rates of the α-mixtures, at every threshold."""
    fpr, tpr = norm.sf(tau, -1.0), norm.sf(tau, 1.0)
    return (
        np.outer(fpr, 1 - mix) + np.outer(tpr, mix),
        np.outer(fpr, mix) + np.outer(tpr, 1 - mix),
    )


def mesh_area(n_thresholds: int, n_mixes: int) -> float:
    """Sum of the mesh's quadrilaterals, each by half the cross product of its diagonals."""
    tau = norm.isf(np.linspace(1e-9, 1 - 1e-9, n_thresholds), -1.0)
    x, y = mesh(tau, np.linspace(0, 0.5, n_mixes))
    across = np.stack([x[1:, 1:] - x[:-1, :-1], y[1:, 1:] - y[:-1, :-1]])
    back = np.stack([x[1:, :-1] - x[:-1, 1:], y[1:, :-1] - y[:-1, 1:]])
    return float(np.abs(across[0] * back[1] - across[1] * back[0]).sum() / 2)


def bars_area(n: int) -> float:
    """Wilcoxon's bars: the mean true positive rate at the middle of n false positive rates."""
    return float(np.mean(LAW.roc((np.arange(n) + 0.5) / n)))


def identity_value(y: Any, score: Any, angle: Any, weight: Any) -> float:
    """½ + (√2/2) A with the weights of theory §7, on a weighted sample."""
    w = ecdf_weights(y, score, angle=angle, sample_weight=weight)
    share = np.where(y == 1, weight / weight[y == 1].sum(), weight / weight[y == 0].sum())
    terms = np.where(y == 1, np.sin(angle), np.cos(angle))
    return float(0.5 + np.sqrt(0.5) * np.sum(share * w * terms))


def compute(quick: bool) -> pd.DataFrame:
    rows: list[tuple[str, float, float, float]] = []
    x = np.linspace(-4.5, 4.5, 181)
    for a in MIXES:
        pos, neg = norm.pdf(x, 1.0), norm.pdf(x, -1.0)
        rows += [("positive mixture", a, *p) for p in zip(x, (1 - a) * pos + a * neg, strict=True)]
        rows += [("negative mixture", a, *p) for p in zip(x, a * pos + (1 - a) * neg, strict=True)]
    for n in (5, 20, 80, 320, 1280, 5120):
        rows.append(("mesh area", n, n, mesh_area(n + 1, 7)))
        rows.append(("bars area", n, n, bars_area(n)))
    rows.append(("AUC*", 0, 0, LAW.auc))
    # The identity of Proposition 5 on a large sample with the true angle.
    n = 20_000 if quick else 1_000_000
    X, y = LAW.sample(n, n, random_state=0)
    value = identity_value(y, X[:, 0], LAW.angle(X), np.ones(2 * n))
    rows += [("identity, sample", n, n, value), ("AUC, sample", n, n, roc_auc(y, X[:, 0]))]
    # And on a discrete law, by its exact shares as weights.
    y = np.repeat([1, 0], 5)
    score, weight = np.tile(np.arange(5.0), 2), np.concatenate([ATOMS_POS, ATOMS_NEG])
    angle = np.tile(np.arctan2(ATOMS_POS, ATOMS_NEG), 2)
    rows.append(("identity, atoms", 5, 5, identity_value(y, score, angle, weight)))
    rows.append(("AUC, atoms", 5, 5, roc_auc(y, score, sample_weight=weight)))
    return pd.DataFrame(rows, columns=["series", "parameter", "x", "y"])


def judge(table: pd.DataFrame) -> Judgement:
    def value(name: str) -> float:
        return float(table.loc[table.series == name, "y"].iloc[-1])

    truth = value("AUC*")
    area, bars, finest = (
        value("mesh area"),
        value("bars area"),
        int(table.x[table.series == "mesh area"].max()),
    )
    sample_gap = abs(value("identity, sample") - value("AUC, sample"))
    atoms_gap = abs(value("identity, atoms") - value("AUC, atoms"))
    return Judgement(
        summary=(
            f"N(1, 1) against N(−1, 1): AUC* = {truth:.6f}. With {finest:,} thresholds the patches "
            f"of the mesh add up to {area:.6f} and the bars to {bars:.6f}."
        ),
        claims=[
            Claim(
                "The α-mixtures' curves sweep the area between ROC* and the diagonal: the surface "
                "elements add up to AUC* − ½.",
                "reproduced",
                f"{area:.6f} against {truth - 0.5:.6f}",
            ),
            Claim(
                "Wilcoxon's bars add up to AUC*.",
                "reproduced",
                f"{bars:.6f} against {truth:.6f}",
            ),
            Claim(
                "AUC* = ½ + (√2/2) A, with the weights w of Proposition 5.",
                "reproduced",
                f"its sample form with the true angle is {sample_gap:.0e} from the sample AUC",
            ),
            Claim(
                "The surface form cannot be used when the scores are discrete.",
                "corrected",
                "with mid-distribution functions ½(F(τ) + F(τ−)) the identity holds with atoms "
                f"too: {value('identity, atoms'):.8f} on a law of five points whose AUC* is "
                f"{value('AUC, atoms'):.8f}",
            ),
        ],
        numbers={
            "mesh area": Number(area, 1e-8),
            "bars area": Number(bars, 1e-8),
            "identity, sample": Number(value("identity, sample"), 1e-8),
            "identity error, atoms": Number(atoms_gap, 1e-12),
        },
    )


def draw(table: pd.DataFrame) -> Any:
    fig, axes = panels(2, 2, (9.4, 8.6))
    mixtures, lines, patches, bars = axes.ravel()
    for a in MIXES:
        shade = 1 - 1.5 * a
        for name, colour in (("positive", POSITIVE), ("negative", NEGATIVE)):
            part = table[(table.series == f"{name} mixture") & np.isclose(table.parameter, a)]
            width = 2.4 if a == 0 else 1.3
            mixtures.plot(part.x, part.y, color=colour, alpha=shade, linewidth=width)
    mixtures.text(2.3, 0.35, "positives", color=POSITIVE)
    mixtures.text(-3.7, 0.35, "negatives", color=NEGATIVE)
    mixtures.annotate(
        "α = ½",
        (0, 0.242),
        (0, 0.385),
        ha="center",
        color=MUTED,
        fontsize=9,
        arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.8},
    )
    mixtures.set(title="Mixtures, α = 0 (dark) to ½", xlabel="τ", yticks=[], ylim=(0, 0.43))
    mixtures.grid(False)
    mixtures.spines["left"].set_visible(False)

    tau = np.linspace(-4.5, 4.5, 200)
    roc_axes(lines, "r(τ, α): curves of equal α and of equal τ")
    for x, y, a in zip(*(m.T for m in mesh(tau, MIXES)), MIXES, strict=True):
        lines.plot(x, y, color=INK if a == 0 else MUTED, linewidth=2.2 if a == 0 else 1)
    for t in np.linspace(-2.5, 2.5, 11):
        x, y = mesh(np.array([t]), MIXES[[0, -1]])
        lines.plot(x[0], y[0], color=POSITIVE, linewidth=1)
    lines.text(0.06, 0.93, "ROC* (α = 0)", fontsize=9)
    lines.text(0.62, 0.52, "α = ½", color=MUTED, fontsize=9)

    n = 14
    edges = np.concatenate([[-9], np.linspace(-2.6, 2.6, n - 1), [9]])
    x, y = mesh(edges, np.linspace(0, 0.5, 7))
    corners = [
        [(x[i, j], y[i, j]), (x[i + 1, j], y[i + 1, j]),
         (x[i + 1, j + 1], y[i + 1, j + 1]), (x[i, j + 1], y[i, j + 1])]
        for i in range(n) for j in range(6)
    ]  # fmt: skip
    shades = np.array([0.25 + 0.5 * ((i + j) % 2) for i in range(n) for j in range(6)])
    roc_axes(patches, "Surface elements: area AUC* − ½")
    patches.add_collection(
        PolyCollection(
            corners,
            facecolors=[(0, 0.62, 0.45, s * 0.7) for s in shades],
            edgecolors="white",
            linewidths=0.8,
        )
    )
    patches.text(
        0.96,
        0.06,
        f"{float(table.y[table.series == 'mesh area'].iloc[-1]):.4f}",
        ha="right",
        fontweight="bold",
    )

    m = 20
    roc_axes(bars, "Wilcoxon's bars: area AUC*")
    middle = (np.arange(m) + 0.5) / m
    bars.bar(
        middle,
        LAW.roc(middle),
        width=1 / m,
        color="#56B4E9",
        alpha=0.55,
        edgecolor="white",
        zorder=2,
    )
    rate = np.linspace(0, 1, 300)
    for panel in (patches, bars):
        panel.add_collection(
            LineCollection(
                [np.column_stack([rate, LAW.roc(rate)])], colors=INK, linewidths=2.2, zorder=3
            )
        )
    bars.text(
        0.96,
        0.06,
        f"{float(table.y[table.series == 'bars area'].iloc[-1]):.4f}",
        ha="right",
        fontweight="bold",
    )
    return fig


ITEM = Item(
    name="surface",
    title="Mixtures, the surface under ROC*, and Wilcoxon's bars",
    paper="Figures 3 and 4: the α-mixtures, their mesh in the ROC square, and histogram bars.",
    compute=compute,
    judge=judge,
    draw=draw,
)

if __name__ == "__main__":
    ITEM.main()
