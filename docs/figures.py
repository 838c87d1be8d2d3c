"""Draw every figure of the documentation into ``docs/images``: ``python docs/figures.py``.

The files are committed, so that the README and the documentation build need no drawing. The same
versions give the same bytes: identifiers are salted and no date is written.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Arc
from scipy.stats import norm

from rocstar import (
    ArctanRatioCV,
    auc_bounds,
    certify,
    headroom,
    hull_angle,
    liu_tv_bounds,
    roc_auc,
    roc_hull,
    roc_points,
    tv_bounds,
)
from rocstar.laws import GaussianPair
from rocstar.rounding import rounded_down

IMAGES = Path(__file__).parent / "images"
ROOT2, H = np.sqrt(2), np.pi / 2
INK, POSITIVE, NEGATIVE, SHARP, LOOSE = "#1f2933", "#c2410c", "#1d4ed8", "#0f766e", "#9aa5b1"
STYLE = {
    "svg.hashsalt": "rocstar",
    "font.size": 10,
    "axes.edgecolor": LOOSE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "lines.linewidth": 1.8,
}


def landing() -> Figure:
    """The product in ten seconds: a model, what is certified above it, and what nobody knows."""
    law = GaussianPair.shifted(1.5, dim=3)
    X, y = law.sample(1000, 1000, random_state=0)
    best = certify(ArctanRatioCV(), X, y, random_state=0)
    mine = roc_auc(y, X[:, 0])
    low, found = best.auc.low, best.auc.value
    gap = headroom(y, X[:, 0], best).low
    figure, ax = plt.subplots(figsize=(9.6, 2.9), layout="constrained")
    for start, end, colour in ((0.5, mine, LOOSE), (mine, low, SHARP), (low, 1.0, "#e4e7eb")):
        ax.barh(0, end - start, 0.3, start, color=colour)
    said = f"your model\nAUC {mine:.3f}"
    ax.text((0.5 + mine) / 2, 0, said, color="white", ha="center", va="center", linespacing=1.4)
    certain = f"Some classifier reaches at least\n{rounded_down(low)} (95 % confidence)"
    ax.text(low, 0.36, certain, color=SHARP, ha="center", weight="bold", linespacing=1.4)
    ax.plot([low, low], [-0.22, 0.32], color=SHARP, lw=2.5)
    ax.plot(found, 0, "o", color=INK, ms=7)
    ax.text(found + 0.008, 0, f"best model found: {found:.3f}", color=INK, va="center")
    ax.annotate(
        "",
        (mine, -0.3),
        (low, -0.3),
        arrowprops={"arrowstyle": "<->", "color": POSITIVE, "lw": 1.6},
    )
    room = f"room for improvement: at least {rounded_down(gap)} (95 % confidence)"
    ax.text((mine + low) / 2, -0.36, room, color=POSITIVE, ha="center", va="top", weight="bold")
    more = "no sample can rule\nout a higher AUC"
    ax.text(1.0, -0.36, more, color="#616e7c", ha="right", va="top")
    ax.text(0.5, -0.36, "0.5: guessing", color="#616e7c", ha="left", va="top")
    ax.set(xlim=(0.495, 1.005), ylim=(-0.6, 0.85))
    ax.set_title("How good could any classifier be on your table, and how far is yours from it?")
    ax.axis("off")
    return figure


def overview() -> Figure:
    """ROC* with what is read off it, and what its length alone says about total variation."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.5), layout="constrained")
    delta = 1.5
    law = GaussianPair(delta)
    threshold = np.linspace(-4, 6, 161)
    fpr, tpr = norm.sf(threshold), norm.sf(threshold - delta)
    angle = np.arctan(np.exp(delta * threshold - delta**2 / 2))

    left.fill_between(fpr, tpr, color=SHARP, alpha=0.08, lw=0)
    left.plot([0, 1], [0, 1], color=LOOSE, lw=1, ls=":")
    left.plot(norm.sf(threshold), norm.sf(threshold - 0.8), color=LOOSE, ls="--")
    left.text(0.52, 0.665, "a model's ROC", color="#616e7c", rotation=37, ha="center", va="center")
    steps = np.stack([fpr, tpr], axis=1)
    curve = LineCollection(
        np.stack([steps[:-1], steps[1:]], axis=1),
        array=angle[:-1],
        cmap="coolwarm",
        lw=3.5,
        capstyle="round",
    )
    curve.set_clim(0, H)
    left.add_collection(curve)
    bar = figure.colorbar(curve, ax=left, ticks=[0, H / 2, H], shrink=0.6, pad=0.02)
    bar.ax.set_yticklabels(["0", "π/4", "π/2"])
    bar.set_label("angle  v = atan(p/q)")
    _total_variation_mark(left, law.tv)
    _tangent_mark(left, delta, at=0.35)
    left.text(0.6, 0.25, f"length  L* = {law.arc_length:.3f}", color=INK)
    left.text(0.6, 0.18, f"area  AUC* = {law.auc:.3f}", color=SHARP)
    left.text(0.6, 0.11, f"rise  TV = {law.tv:.3f}", color=NEGATIVE)
    _unit_square(left, "ROC*: no score can do better")

    _tv_bands(right)
    right.set_title("What the length alone says")
    right.legend(loc="upper left")
    return figure


def bounds() -> Figure:
    """Both sharp bounds with thousands of random discrete pairs inside them."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.3), layout="constrained")
    p, q = _random_pairs()
    lengths = np.hypot(p, q).sum(axis=1)
    cross = p[:, :, None] * q[:, None, :]
    area = 0.5 + np.abs(cross - cross.swapaxes(1, 2)).sum(axis=(1, 2)) / 4
    dots = {"s": 3, "color": INK, "alpha": 0.25, "lw": 0, "rasterized": True}
    left.scatter(lengths, np.abs(p - q).sum(axis=1) / 2, **dots)
    right.scatter(lengths, area, label="random discrete pairs", **dots)
    _tv_bands(left)
    length = np.linspace(ROOT2, 2, 400)
    low, high = auc_bounds(length)
    right.fill_between(length, low, high, color=SHARP, alpha=0.18, lw=0)
    right.plot(length, low, color=SHARP, label="sharp")
    right.plot(length, high, color=SHARP)
    right.set(xlabel="arc length of ROC*", ylabel="AUC*", xlim=(ROOT2, 2), ylim=(0.5, 1.0))
    left.legend(loc="upper left")
    right.legend(loc="upper left")
    return figure


def extremal() -> Figure:
    """The four curves of one length that attain the four bounds."""
    figure, axes = plt.subplots(1, 4, figsize=(10.5, 3.1), layout="constrained")
    length = 1.6
    low, high = tv_bounds(length)
    y = 2 * auc_bounds(length).low - 1
    radius = (2 - length) / (2 - H)
    turn = np.linspace(np.pi, H, 100)
    arc = radius * (1 + np.cos(turn)), 1 - radius * (1 - np.sin(turn))
    curves = {
        f"least TV: {low:.3f}": ([0, 0, 1 - low, 1], [0, low, 1, 1]),
        f"most TV: {high:.3f}": ([0, (1 - high) / 2, 1], [0, (1 + high) / 2, 1]),
        f"least AUC*: {(1 + y) / 2:.3f}": ([0, 0, 1], [0, y, 1]),
        f"most AUC*: {auc_bounds(length).high:.3f}": (
            np.concatenate([[0], arc[0], [1]]),
            np.concatenate([[0], arc[1], [1]]),
        ),
    }
    for ax, (title, (fpr, tpr)) in zip(axes, curves.items(), strict=True):
        ax.plot([0, 1], [0, 1], color=LOOSE, lw=1, ls=":")
        ax.fill_between(fpr, tpr, color=SHARP, alpha=0.12, lw=0)
        ax.plot(fpr, tpr, color=SHARP, lw=2.4)
        _unit_square(ax, title)
        ax.set(xticks=[0, 1], yticks=[0, 1])
    return figure


def proofs() -> Figure:
    """The turned coordinates, and a vertex that slides without changing the area."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
    curve = GaussianPair(1.5).roc_star(201)
    u, h = (curve.fpr + curve.tpr) / ROOT2, (curve.tpr - curve.fpr) / ROOT2
    top = int(np.argmax(h))
    left.plot([0, ROOT2 / 2, ROOT2], [0, ROOT2 / 2, 0], color=LOOSE, lw=1, ls=":")
    left.fill_between(u, h, color=SHARP, alpha=0.12, lw=0)
    left.plot(u, h, color=SHARP, lw=2.4)
    arrow = {"arrowstyle": "<->", "color": NEGATIVE, "lw": 1.4}
    left.annotate("", (u[top], h[top]), (u[top], 0), arrowprops=arrow)
    left.text(u[top] + 0.03, 0.2, "max h = TV/√2", color=NEGATIVE)
    left.text(u[top] - 0.05, 0.12, "area = AUC* − ½", color=SHARP, ha="right")
    left.text(0.16, 0.3, "slopes within ±1", color="#616e7c", rotation=45, ha="center", va="center")
    left.set(xlabel="u, along the diagonal", ylabel="h, above it", aspect="equal")
    left.set(xlim=(-0.02, ROOT2 + 0.02), ylim=(-0.02, 0.78), title="The picture turned by 45°")

    before = np.array([[0, 0], [0.12, 0.55], [0.3, 0.76], [1, 1]])
    slope = (before[2, 1] - before[0, 1]) / (before[2, 0] - before[0, 0])
    after = before.copy()
    after[1] = 0, before[1, 1] - slope * before[1, 0]
    right.plot([0, 1], [0, 1], color=LOOSE, lw=1, ls=":")
    right.plot(*before[[0, 2]].T, color=LOOSE, lw=1, ls="--")
    right.plot(*before.T, "o-", color=LOOSE, label="before")
    right.plot(*after.T, "o-", color=SHARP, label="after: as much area, no shorter")
    for name, point, shift in zip(
        ("V₀", "V₁", "V₂", "V₃"), before, ((10, -2), (-18, 2), (-2, 7), (-16, -14)), strict=True
    ):
        right.annotate(name, point, shift, textcoords="offset points", color=INK)
    right.annotate("", after[1], before[1], arrowprops={"arrowstyle": "->", "color": POSITIVE})
    _unit_square(right, "A vertex slides until its side is vertical")
    right.legend(loc="lower right")
    return figure


def hull() -> Figure:
    """A staircase, its hull, and the angle that the hull gives each score."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.3), layout="constrained")
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 25)
    score = np.round(rng.normal(size=50) + 1.2 * y, 2)
    points, vertices = roc_points(y, score), roc_hull(y, score)
    length = np.hypot(np.diff(vertices.fpr), np.diff(vertices.tpr)).sum()
    left.plot([0, 1], [0, 1], color=LOOSE, lw=1, ls=":")
    left.plot(points.fpr, points.tpr, color=LOOSE, label="staircase, length 2 whatever the data")
    left.plot(
        vertices.fpr, vertices.tpr, "o-", color=SHARP, ms=5, label=f"hull, length {length:.3f}"
    )
    left.legend(loc="lower right")
    _unit_square(left, "The curve and its hull")

    order = np.argsort(score)
    angle = hull_angle(y, score)
    right.step(score[order], angle[order], where="post", color=SHARP)
    for label, colour, height in ((1, POSITIVE, H + 0.12), (0, NEGATIVE, -0.12)):
        name = "positives" if label else "negatives"
        right.plot(score[y == label], np.full(25, height), "|", color=colour, ms=9, label=name)
    right.set(xlabel="score", ylabel="angle", yticks=[0, H / 2, H], yticklabels=["0", "π/4", "π/2"])
    right.set_title("The slope angle of each score's side")
    right.legend(loc="center right")
    return figure


def losses() -> Figure:
    """The exact terms on the box and the tangents that continue them."""
    figure, ax = plt.subplots(figsize=(6.0, 3.6), layout="constrained")
    z = np.linspace(-1, H + 1, 400)
    inside = np.clip(z, 0, H)
    ax.axvspan(0, H, color=SHARP, alpha=0.07, lw=0)
    ax.plot(z, -np.sin(inside) - np.minimum(z, 0), color=POSITIVE, label="positives")
    ax.plot(z, -np.cos(inside) + np.maximum(z - H, 0), color=NEGATIVE, label="negatives")
    ax.set(xlabel="score z", ylabel="loss", xticks=[0, H / 2, H], xticklabels=["0", "π/4", "π/2"])
    ax.legend(loc="upper center")
    return figure


def _tv_bands(ax: Axes) -> None:
    length = np.linspace(ROOT2, 2, 400)
    for bound, colour, alpha, name in (
        (liu_tv_bounds, LOOSE, 0.25, "Liu (2022)"),
        (tv_bounds, SHARP, 0.18, "sharp"),
    ):
        low, high = bound(length)
        ax.fill_between(length, low, high, color=colour, alpha=alpha, lw=0)
        ax.plot(length, low, color=colour, label=name)
        ax.plot(length, high, color=colour)
    ax.set(xlabel="arc length of ROC*", ylabel="total variation", xlim=(ROOT2, 2), ylim=(0, 1))
    ax.set_xticks([ROOT2, 1.6, 1.8, 2.0], ["√2", "1.6", "1.8", "2"])


def _total_variation_mark(ax: Axes, tv: float) -> None:
    x = (1 - tv) / 2
    ax.annotate(
        "", (x, x + tv), (x, x), arrowprops={"arrowstyle": "<->", "color": NEGATIVE, "lw": 1.4}
    )


def _tangent_mark(ax: Axes, delta: float, at: float) -> None:
    """The slope angle of ROC* at one false positive rate."""
    threshold = norm.isf(at)
    height, slope = norm.sf(threshold - delta), np.exp(delta * threshold - delta**2 / 2)
    ax.plot([at, at + 0.3], [height, height + 0.3 * slope], color=INK, lw=1)
    ax.plot([at, at + 0.3], [height, height], color=INK, lw=1, ls=":")
    ax.add_patch(Arc((at, height), 0.36, 0.36, theta2=np.rad2deg(np.arctan(slope)), color=INK))
    ax.text(at + 0.2, height + 0.02, "v", color=INK, style="italic")
    ax.plot(at, height, "o", color=INK, ms=4)


def _unit_square(ax: Axes, title: str) -> None:
    ax.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal", title=title)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.03))


def _random_pairs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    counts = rng.gamma(rng.choice([0.05, 0.2, 0.6, 2.0, 8.0], (4_000, 1, 1)), size=(4_000, 2, 6))
    counts[rng.random(4_000) < 0.5, :, 3:] = 0
    p, q = (counts / counts.sum(axis=2, keepdims=True)).swapaxes(0, 1)
    return p, q


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for draw in (landing, overview, bounds, extremal, proofs, hull, losses):
        with plt.rc_context(STYLE):
            figure = draw()
            figure.savefig(IMAGES / f"{draw.__name__}.svg", metadata={"Date": None}, dpi=150)
            plt.close(figure)


if __name__ == "__main__":
    main()
