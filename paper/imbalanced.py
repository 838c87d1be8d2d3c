"""Figure 6: test AUC of one-versus-rest tasks on CIFAR-10, few positives, 1,000 negatives."""

from __future__ import annotations

import shutil
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cifar10 import draws
from record import HERE, Claim, Item, Judgement, Number
from style import GOLD, GREEN, INK, MUTED, NEGATIVE, PINK, POSITIVE, SKY

NAMES = [
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
]  # fmt: skip
WORK = HERE.parent / "local" / "paper-imbalanced"
LOOKS = {
    "two-step": (POSITIVE, "-", "o"),
    "first step": (GOLD, "--", "s"),
    "SPAUC": (NEGATIVE, "-", "^"),
    "closed-form pairwise": (SKY, "--", "v"),
    "logistic": (MUTED, "-", "D"),
    "tangent two-step": (GREEN, "-", "o"),
    "tangent": (GREEN, ":", "s"),
    "tangent rbf": (PINK, "-", "P"),
    "stack": (INK, "-", "X"),
}
RIVALS = ["first step", "closed-form pairwise", "SPAUC", "logistic"]
CELL = ["features", "part", "n_pos"]


def compute(quick: bool) -> pd.DataFrame:
    if quick:
        folder = WORK.with_name("paper-imbalanced-quick")
        shutil.rmtree(folder, ignore_errors=True)
        path = draws.run(folder, n_draws=2, classes=[3], positives=[24])
    else:
        path = draws.run(WORK)
        draws.run(
            WORK, "features-ceiling-1", ("unpenalised",), draws.FEW_DRAWS, positives=[24, 120]
        )
    raw = pd.read_csv(path)
    return pd.concat([by_class(raw), averages(raw), paired(raw)], ignore_index=True)


def by_class(raw: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard error over the draws of each task."""
    table = raw.groupby([*CELL, "method", "class"]).auc.agg(["mean", "sem", "count"]).reset_index()
    return table.assign(kind="task")


def over_classes(table: pd.DataFrame) -> pd.DataFrame:
    """The mean over tasks; their draws are independent, so the variances add up."""
    group = table.groupby([*CELL, "method"])
    return pd.DataFrame(
        {
            "mean": group["mean"].mean(),
            "sem": group["sem"].apply(lambda s: float(np.sqrt((s**2).sum()) / len(s))),
            "count": group["count"].min(),
        }
    ).reset_index()


def averages(raw: pd.DataFrame) -> pd.DataFrame:
    return over_classes(by_class(raw)).assign(kind="average")


def paired(raw: pd.DataFrame) -> pd.DataFrame:
    """Two-step minus each rival on the same draws."""
    wide = raw.pivot_table(index=[*CELL, "class", "draw"], columns="method", values="auc")
    pairs = [("two-step", rival) for rival in RIVALS]
    pairs += [("SPAUC", "logistic"), ("tangent two-step", "tangent")]
    parts = []
    for ours, rival in pairs:
        gap = (wide[ours] - wide[rival]).dropna().reset_index(name="auc")
        parts.append(over_classes(by_class(gap.assign(method=f"{ours} − {rival}"))))
    return pd.concat(parts, ignore_index=True).assign(kind="difference")


def judge(table: pd.DataFrame) -> Judgement:
    main = table[table.features == "features"]
    mean = main[main.kind == "average"].set_index(["part", "method", "n_pos"])
    gaps = main[main.kind == "difference"].set_index(["part", "method", "n_pos"])
    sizes = sorted(int(n) for n in main.n_pos.unique())
    fewest = sizes[0]

    def gap(rival: str, part: str = "unpenalised", ours: str = "two-step") -> pd.DataFrame:
        return gaps.loc[part].xs(f"{ours} − {rival}", level="method")

    def spread(rows: pd.DataFrame) -> str:
        return ", ".join(
            f"{m:+.4f} ± {s:.4f}" for m, s in zip(rows["mean"], rows["sem"], strict=True)
        )

    def clear(rows: pd.DataFrame) -> bool:
        return bool((rows["mean"] > 2 * rows["sem"]).all())

    logistic = {m: gap("logistic", ours=m) for m in ("two-step", "SPAUC")}
    level = float(gap("SPAUC")["mean"].abs().max())
    helps = gap("first step")
    gains = {
        m: float(
            mean.loc[("tuned", m, fewest), "mean"] - mean.loc[("unpenalised", m, fewest), "mean"]
        )
        for m in ("two-step", *RIVALS)
    }
    return Judgement(
        summary=(
            f"Mean test AUC over the ten tasks below; draws a task: {draws_made(main)}; standard "
            f"errors about {float(mean['sem'].median()):.0e}. Penalties are chosen once a task, "
            "on a draw of its own, and from images the network was trained on, so that "
            "cross-validation sees cleaner data than the test images are. Held-out AUC is close to "
            "1 there, and the search took the strongest penalty for the pairwise losses nearly "
            "always; held-out J and log loss ask for small penalties, which the box withstands "
            "and the tangent relaxation, its kernel form and their stack seem not to (in a trial "
            "of one draw of five tasks at n₊ = 24, linear tangent had .9899 at λ = 10⁻³ and .9928 "
            "at λ = 1). **SPAUC's step size and number of passes (0.1 and 5) were chosen by the "
            "test AUC of nine trial draws, so its figures are flattered; no other method's are.** "
            "Without penalty it stops short of the minimiser, which is a regularisation too; the "
            "closed form is that minimiser. What counts as about as well (0.005) and as little "
            "lost (0.002) was set for this page, the latter after first results."
        ),
        details=details(table),
        claims=[
            Claim(
                "The two-step procedure performs about as well as the AUC maximiser (SPAUC).",
                "reproduced" if level < 0.005 else "not reproduced",
                f"two-step minus SPAUC, n₊ = {sizes}: {spread(gap('SPAUC'))}; minus the exact "
                f"minimiser of the same pairwise loss: {spread(gap('closed-form pairwise'))}",
            ),
            Claim(
                "Both significantly outperform vanilla logistic regression.",
                "reproduced" if all(map(clear, logistic.values())) else "not reproduced",
                "; ".join(f"{m} minus logistic: {spread(rows)}" for m, rows in logistic.items()),
            ),
            Claim(
                "The second step makes a good score for AUC.",
                "reproduced" if clear(helps) else "corrected",
                ("a good score" if clear(helps) else "good, but the first step is as good")
                + f": two-step minus first step {spread(helps)}; tuned "
                f"{spread(gap('first step', 'tuned'))}; tuned tangent "
                f"{spread(gap('tangent', 'tuned', 'tangent two-step'))}",
            ),
            Claim(
                "No regularisation is needed, the models being simple and the samples sufficient.",
                "reproduced" if max(gains.values()) < 0.002 else "corrected",
                "little is lost, though every draw is separable and an unpenalised logistic fit "
                f"has no finite optimum: tuned minus unpenalised at n₊ = {fewest}: "
                + ", ".join(f"{m} {gain:+.4f}" for m, gain in gains.items()),
            ),
        ],
        numbers={
            f"{part}, {method}, n₊ = {n}": Number(float(row["mean"]), 3e-3)
            for (part, method, n), row in mean.iterrows()
        },
    )


def details(table: pd.DataFrame) -> str:
    """Mean test AUC of every method, as a Markdown table."""
    average = table[table.kind == "average"]
    sizes = sorted(int(n) for n in average.n_pos.unique())
    lines = [
        "| | method | " + " | ".join(f"n₊ = {n}" for n in sizes) + " |",
        "|---|---|" + "---|" * len(sizes),
    ]
    parts = average.groupby(["features", "part"])
    for features, part in sorted(parts.groups, key=lambda key: (key[0], key[1] == "tuned")):
        group = parts.get_group((features, part))
        wide = group.pivot(index="method", columns="n_pos", values="mean")
        for method, row in wide.sort_values(sizes[0], ascending=False).iterrows():
            cells = ("" if np.isnan(row.get(n, np.nan)) else f"{row[n]:.4f}" for n in sizes)
            where = part if features == "features" else f"{part}, ceiling 1"
            lines.append(f"| {where} | {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draws_made(table: pd.DataFrame) -> str:
    """How many draws stand behind each method of each part."""
    least = table[table.kind == "task"].groupby(["part", "method"])["count"].min()
    texts = []
    for part, counts in least.groupby(level="part", sort=False):
        usual = int(counts.mode().max())
        others = [f"{m} {int(c)}" for (_, m), c in counts.items() if c != usual]
        texts.append(f"{part} {usual}" + (f" ({', '.join(others)})" if others else ""))
    return "; ".join(texts[::-1])


def draw(table: pd.DataFrame) -> Any:
    fig = plt.figure(figsize=(13.5, 11.5))
    grid = fig.add_gridspec(3, 1, height_ratios=[1, 1, 1.35])
    small = [row.subgridspec(1, 5).subplots() for row in (grid[0], grid[1])]
    wide = grid[2].subgridspec(1, 3).subplots()
    main = table[table.features == "features"]
    tasks = main[(main.kind == "task") & (main.part == "unpenalised")]
    for label, ax in zip(draws.CLASSES, np.ravel(small), strict=True):
        lines(ax, tasks[tasks["class"] == label])
        ax.set_title(NAMES[label])
        ax.set_xticks(draws.POSITIVES)
    for row in small:
        row[0].set_ylabel("test AUC")
    average = main[main.kind == "average"]
    for ax, part, title in (
        (wide[0], "unpenalised", "Mean of the ten tasks, no penalty"),
        (wide[1], "tuned", "The same, tuned by cross-validation"),
    ):
        lines(ax, average[average.part == part], labels=True)
        ax.set(title=title, xlabel="positives")
        ax.set_xticks(draws.POSITIVES)
        ax.legend(ncols=2, fontsize=8.5, loc="lower right")
        low, high = ax.get_ylim()
        ax.set_ylim(low - 0.35 * (high - low), high)
    wide[0].set_ylabel("test AUC")
    gaps = main[(main.kind == "difference") & (main.part == "unpenalised")]
    for k, rival in enumerate(RIVALS):
        rows = gaps[gaps.method == f"two-step − {rival}"]
        colour, _, marker = LOOKS[rival]
        wide[2].errorbar(
            rows.n_pos + 2.5 * (k - 1.5), rows["mean"], 2 * rows["sem"], color=colour,
            marker=marker, linestyle="", capsize=2.5, label=f"minus {rival}",
        )  # fmt: skip
    wide[2].axhline(0, color=INK, linewidth=1)
    wide[2].set(title="Two-step minus each, no penalty (± 2 s.e.)", xlabel="positives")
    wide[2].set_xticks(draws.POSITIVES)
    wide[2].legend(fontsize=8.5, ncols=2, loc="upper center")
    low, high = wide[2].get_ylim()
    wide[2].set_ylim(low, high + 0.2 * (high - low))
    return fig


def lines(ax: Any, table: pd.DataFrame, labels: bool = False) -> None:
    for method, (colour, dashes, marker) in LOOKS.items():
        rows = table[table.method == method].sort_values("n_pos")
        if len(rows):
            ax.errorbar(
                rows.n_pos, rows["mean"], rows["sem"], color=colour, linestyle=dashes,
                marker=marker, markersize=4, linewidth=1.5, capsize=2,
                label=method if labels else None,
            )  # fmt: skip


ITEM = Item(
    name="imbalanced",
    title="Imbalanced classification on CIFAR-10",
    paper=(
        "Figure 6: test AUC of ten one-versus-rest tasks, n₊ = 24 to 120 against 1,000 negatives, "
        "96 draws; linear models of 50 bounded features, no penalty."
    ),
    compute=compute,
    judge=judge,
    draw=draw,
)

if __name__ == "__main__":
    ITEM.main()
