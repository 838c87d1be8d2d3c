"""Pictures of the standings, drawn from the same tables as the page."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

mpl.use("Agg")

import matplotlib.pyplot as plt

OURS, THEIRS, NEUTRAL = "#c1272d", "#4a6fa5", "#8a8a8a"
NAMES = {"arc_length": "arc length", "tv": "TV", "auc": "AUC*"}


def save(figure: plt.Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


def colour(method: str) -> str:
    return OURS if method.startswith("rocstar") else THEIRS


def duels(table: pd.DataFrame, path: Path) -> None:
    """Laws by cells: our RMSE over the best rival's, on a logarithmic scale around one."""
    table = table.assign(cell=list(zip(table["n"], table["quantity"], strict=True)))
    cells = sorted(table["cell"].unique(), key=lambda c: (c[0], list(NAMES).index(c[1])))
    grid = table.pivot(index="law", columns="cell", values="ratio")
    grid = grid.reindex(index=list(dict.fromkeys(table["law"])), columns=cells)
    figure, axes = plt.subplots(figsize=(1.6 + 0.75 * len(cells), 1.2 + 0.24 * len(grid)))
    shown = np.log2(grid.to_numpy(dtype=float)).clip(-2, 2)
    image = axes.imshow(shown, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
    for i, row in enumerate(grid.to_numpy(dtype=float)):
        for j, value in enumerate(row):
            if np.isfinite(value):
                text = f"{value:.2f}" if value < 10 else "> 10"
                ink = "white" if abs(shown[i, j]) > 1.3 else "black"
                axes.text(j, i, text, ha="center", va="center", fontsize=7, color=ink)
    axes.set_xticks(range(len(cells)), [f"{NAMES[q]}\n{n:,}" for n, q in cells], fontsize=8)
    axes.set_yticks(range(len(grid)), grid.index, fontsize=8)
    axes.set_title(
        "RMSE of the stack over that of the best rival, by rows per class (blue: ours is lower)",
        fontsize=9,
    )
    bar = figure.colorbar(image, ax=axes, shrink=0.5)
    bar.set_ticks([-2, -1, 0, 1, 2], labels=["≤ ¼", "½", "1", "2", "≥ 4"])
    save(figure, path)


def methods(table: pd.DataFrame, path: Path) -> None:
    """RMSE over the oracle's, geometric mean over laws, one panel a number of rows."""
    sizes = sorted(table["n"].unique())
    figure, panels = plt.subplots(1, len(sizes), figsize=(5.2 * len(sizes), 4.4), squeeze=False)
    for axes, n in zip(panels[0], sizes, strict=True):
        part = table[table["n"] == n].sort_values("arc_length")
        labels = [
            f"{m}, {h}" if h not in ("certify",) else m
            for m, h in part[["method", "how"]].to_numpy()
        ]
        for k, (quantity, marker) in enumerate(zip(NAMES, "osd", strict=True)):
            axes.scatter(
                part[quantity],
                np.arange(len(part)) + 0.18 * (k - 1),
                marker=marker,
                s=22,
                c=[colour(m) for m in part["method"]],
                label=NAMES[quantity],
            )
        axes.set_yticks(range(len(part)), labels, fontsize=8)
        axes.set_xscale("log")
        ticks = [k for k in (1, 2, 3, 5, 10, 20) if k == 1 or k < 1.1 * axes.get_xlim()[1]]
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.axvline(1, color=NEUTRAL, lw=0.8)
        axes.set_xlabel("RMSE / RMSE of the oracle (geometric mean over laws)", fontsize=8)
        axes.set_title(f"{n:,} rows per class", fontsize=9)
        axes.invert_yaxis()
        axes.grid(axis="x", alpha=0.3)
    panels[0][0].legend(fontsize=8, loc="upper right")
    figure.set_layout_engine("tight")
    save(figure, path)


def ranks(table: pd.DataFrame, path: Path) -> None:
    """Mean rank with its standard error, by number of positives."""
    titles = {
        "all": "first three sizes",
        "24": "24 positives",
        "120": "120 positives",
        "full": "up to 5,000 rows",
        "large": "up to 14,000 rows",
    }
    parts = [part for part in titles if part in set(table["positives"])]
    columns = min(len(parts), 3)
    lines = -(-len(parts) // columns)
    shape = {"figsize": (3.9 * columns, 3.6 * lines), "squeeze": False}
    figure, panels = plt.subplots(lines, columns, **shape)
    for axes in panels.flat[len(parts) :]:
        axes.set_axis_off()
    for axes, part in zip(panels.flat, parts, strict=False):
        rows = table[table["positives"] == part].sort_values("rank")
        axes.barh(
            rows["method"],
            rows["rank"],
            xerr=rows["rank_se"],
            color=[colour(m) for m in rows["method"]],
            error_kw={"lw": 0.8},
        )
        axes.invert_yaxis()
        axes.tick_params(labelsize=8)
        axes.set_title(f"{titles[part]} ({rows['tasks'].iloc[0]} tasks)", fontsize=9)
        axes.set_xlabel("mean rank of test AUC (1 is best)", fontsize=8)
    figure.set_layout_engine("tight")
    save(figure, path)


def intervals(rows: pd.DataFrame, path: Path) -> None:
    """Coverage against width, one panel a number of positives."""
    sizes = sorted(rows["positives"].unique())
    figure, panels = plt.subplots(1, len(sizes), figsize=(3.9 * len(sizes), 3.4), squeeze=False)
    marks = dict(zip(dict.fromkeys(rows["method"]), "osd^v", strict=False))
    for axes, n in zip(panels[0], sizes, strict=True):
        for method, part in rows[rows["positives"] == n].groupby("method", sort=False):
            axes.scatter(
                part["width"], part["covered"], s=26, marker=marks[method], color=colour(method),
                label=method, alpha=0.8,
            )  # fmt: skip
        axes.axhline(0.95, color=NEUTRAL, lw=0.8)
        axes.set_title(f"{n} positives, 1,000 negatives", fontsize=9)
        axes.set_xlabel("median width", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("coverage, nominal 95 %", fontsize=8)
    panels[0][-1].legend(fontsize=7, loc="lower right")
    figure.set_layout_engine("tight")
    save(figure, path)


def powers(table: pd.DataFrame, grown: pd.DataFrame, path: Path) -> None:
    """Rejections by task, and how time and memory grow."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.2))
    methods = list(dict.fromkeys(table["method"]))
    tints = dict(zip(methods, [OURS, "#27496d", "#4a6fa5", "#7fa3cc", NEUTRAL], strict=False))
    tasks = list(dict.fromkeys(zip(table["law"], table["n"], strict=True)))
    for k, method in enumerate(methods):
        part = table[table["method"] == method].set_index(["law", "n"])["rejected"].reindex(tasks)
        spot = np.arange(len(tasks)) + 0.15 * (k - len(methods) / 2 + 0.5)
        left.barh(spot, part, height=0.14, color=tints[method], label=method)
        mine = grown[grown["method"] == method].sort_values("n")
        middle.plot(mine["n"], mine["cpu_s"], "o-", color=tints[method], label=method)
        right.plot(mine["n"], mine["peak_mb"].clip(lower=0.1), "o-", color=tints[method])
    left.set_yticks(range(len(tasks)), [f"{law}, {n}" for law, n in tasks], fontsize=8)
    left.invert_yaxis()
    left.axvline(0.05, color=NEUTRAL, lw=0.8)
    left.set_xlabel("share of tests that reject at 5 % (first task: level)", fontsize=8)
    left.tick_params(axis="x", labelsize=8)
    if methods:
        middle.legend(fontsize=7, loc="upper left")
    counts = sorted(grown["n"].unique())
    for axes, label in ((middle, "CPU seconds a test"), (right, "peak memory above start, MB")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(counts, [f"{n:,}" for n in counts], fontsize=8)
        axes.minorticks_off()
        axes.set_xlabel("rows per class", fontsize=8)
        axes.set_title(label, fontsize=9)
        axes.grid(alpha=0.3)
    figure.set_layout_engine("tight")
    save(figure, path)


def solvers(table: pd.DataFrame, path: Path) -> None:
    """CPU time over ours, problem by problem."""
    problems = list(dict.fromkeys(table["problem"]))
    figure, axes = plt.subplots(figsize=(7.5, 0.6 + 0.42 * len(problems)))
    names = list(dict.fromkeys(table["method"]))
    for k, method in enumerate(names):
        part = table[table["method"] == method]
        spot = [problems.index(p) for p in part["problem"]]
        axes.scatter(part["times ours"], spot, s=30, marker="osd^vPX*"[k % 8], label=method)
    axes.set_xscale("log")
    axes.axvline(1, color=OURS, lw=1)
    axes.set_yticks(range(len(problems)), problems, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("CPU time over ours (right of the line: slower than ours)", fontsize=8)
    axes.legend(fontsize=7)
    axes.grid(axis="x", alpha=0.3)
    save(figure, path)
