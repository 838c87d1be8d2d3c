"""The page: ``python benchmarks/page.py`` puts the tables and pictures into the template."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import goals
import numpy as np
import pandas as pd
import plots
import standings

HERE = Path(__file__).parent


def markdown(frame: pd.DataFrame) -> str:
    """A table; numbers as they are rounded already."""
    head = [str(name) for name in frame.columns]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in frame.itertuples(index=False):
        lines.append("| " + " | ".join(_cell(value) for value in row) + " |")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "–" if np.isnan(value) else f"{value:.3g}"
    return str(value)


def brief(results: Path) -> str:
    """For a reader in a hurry: the comparison with others, and the goals that were missed."""
    rows = goals.judged(results)
    peers = [row for row in rows if row.area == "peers"]
    missed = [row for row in rows if row.verdict == goals.MISSED]
    met = sum(row.verdict == goals.MET for row in rows)
    table = {"against other packages": [row.goal for row in peers]}
    table |= {"measured": [row.measured for row in peers], "": [row.verdict for row in peers]}
    elsewhere = [row for row in missed if row not in peers]
    lines = [f"- {row.area}: {row.goal}: {row.measured}." for row in elsewhere]
    return "\n".join(
        [
            f"Of {len(rows)} goals {met} are met and {len(missed)} missed.",
            "",
            markdown(pd.DataFrame(table)),
            "",
            "Missed elsewhere:" if lines else "",
            "",
            *lines,
        ]
    )


def goal_table(results: Path) -> str:
    rows = goals.judged(results)
    table = pd.DataFrame(
        {
            "area": [row.area for row in rows],
            "goal": [row.goal for row in rows],
            "measured": [row.measured for row in rows],
            "": [row.verdict for row in rows],
            "what was tried": [row.tried for row in rows],
        }
    )
    counts = [sum(row.verdict == verdict for row in rows) for verdict in (goals.MET, goals.MISSED)]
    left = len(rows) - sum(counts)
    total = f"{counts[0]} met, {counts[1]} missed, {left} open."
    return f"{total}\n\n{markdown(table)}"


class Values:
    """Track 1, computed once."""

    def __init__(self, results: Path, pictures: Path) -> None:
        self.results, self.table = results, standings.value_errors(results)
        self.rows = standings.read(results / "values.csv")
        self.duels = standings.duels(self.table, "rocstar stack")
        self.pictures = pictures

    def repetitions(self) -> str:
        """Samples of every law, by method and rows per class."""
        counts = self.rows.groupby(["method", "n", "law"])["repetition"].nunique()
        spans = counts.groupby(level=["method", "n"]).agg(_span).unstack("n")
        alike = spans.reset_index().groupby(list(spans.columns), dropna=False)["method"]
        table = alike.agg(", ".join).reset_index()
        table.insert(0, "methods", table.pop("method"))
        names = {n: f"n = {n:,}" for n in spans.columns}
        return markdown(table.rename(columns=names).fillna("none").iloc[::-1])

    def won(self) -> str:
        lines = []
        for ours in ("rocstar stack", "rocstar linear", "rocstar rbf", "best of ours", "oracle"):
            duels = standings.duels(self.table, ours)
            name = "the oracle in our place" if ours == "oracle" else ours
            row: dict[str, Any] = {"ours": name, "all cells": _share(duels)}
            for n, part in duels.groupby("n"):
                row[f"n = {n:,}"] = _share(part)
            for quantity, part in duels.groupby("quantity", sort=False):
                row[plots.NAMES[quantity]] = _share(part)
            row["without covariance"] = _share(standings.duels(self.table, ours, "steady_rmse"))
            lines.append(row)
        plots.duels(self.duels, self.pictures / "values_cells.png")
        return markdown(pd.DataFrame(lines))

    def methods(self) -> str:
        table = self.table[(self.table["oracle_sd"] > 1e-4) & (self.table["method"] != "oracle")]
        table = table.assign(log=np.log(table["rmse"] / table["oracle_sd"]))
        keys = ["n", "method", "how"]
        means = np.exp(table.groupby([*keys, "quantity"], sort=False)["log"].mean())
        wide = means.unstack("quantity").reindex(columns=list(standings.QUANTITIES)).reset_index()
        plots.methods(wide, self.pictures / "values_methods.png")
        seconds = self.rows[self.rows["status"] == "done"].groupby(keys)["cpu_s"].median()
        memory = self.rows[self.rows["status"] == "done"].groupby(keys)["peak_mb"].max()
        bias = self.table.groupby([*keys, "quantity"])["bias"].mean().unstack("quantity")
        wide = wide.set_index(keys)
        wide["bias of arc length"] = bias["arc_length"].round(4)
        base = seconds.xs(("rocstar stack", "certify"), level=("method", "how"))
        wide["CPU over the stack's"] = [
            float(seconds[key] / base[key[0]]) if key[0] in base.index else np.nan
            for key in wide.index
        ]
        wide["peak MB"] = [float(memory[key]) for key in wide.index]
        wide = wide.rename(columns=plots.NAMES).reset_index()
        return markdown(wide.sort_values(["n", "arc length"]))

    def each(self) -> str:
        table = standings.against_each(self.results).copy()
        for column in ("won", "won by the oracle"):
            table[column] = table[column].map("{:.0%}".format)
        return markdown(table)

    def lost(self) -> str:
        lost = self.duels[~self.duels["won"]]
        rows = []
        for law, part in lost.groupby("law", sort=False):
            worst = part.loc[part["ratio"].idxmax()]
            rows.append(
                {
                    "law": law,
                    "cells lost": f"{len(part)} of {(self.duels['law'] == law).sum()}",
                    "worst": f"{plots.NAMES[worst['quantity']]}, n = {worst['n']:,}",
                    "ratio": worst["ratio"],
                    "to": f"{worst['method_rival']}, {worst['how_rival']}",
                    "our bias": round(worst["bias"], 4),
                    "its bias": round(worst["bias_rival"], 4),
                    "sd of the oracle": round(worst["oracle_sd"], 4),
                }
            )
        if not rows:
            return "None."
        return markdown(pd.DataFrame(rows).sort_values("ratio", ascending=False))

    def bounds(self) -> str:
        return markdown(standings.bound_coverage(self.rows))

    def information(self) -> str:
        done = self.rows[(self.rows["status"] == "done") & self.rows["js"].notna()].copy()
        suite = standings.laws.suite()
        done["error"] = done["js"].astype(float) - done["law"].map(lambda law: suite[law].js)
        found = done.groupby(["n", "method", "how"])["error"].agg(
            bias="mean", rmse=lambda e: float(np.sqrt((e**2).mean()))
        )
        return markdown(found.round(4).reset_index().sort_values(["n", "rmse"]))


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low} to {high}" if low < high else f"{high}"


def _share(duels: pd.DataFrame) -> str:
    return f"{duels['won'].mean():.0%} of {len(duels)}"


def point_value_tables(results: Path, pictures: Path) -> dict[str, str]:
    """Values where nothing or little differs."""
    found = json.loads((results / "point_values.json").read_text())
    figures = {"auc": "AUC", "tv": "TV", "arc_length": "arc length"}
    nothing = [
        {
            "model": row["model"],
            "samples": row["samples"],
            **{
                f"{name}, {rule}": "{:.4f} ± {:.4f}".format(*row[f"{figure} {rule}"])
                for figure, name in figures.items()
                for rule in ("midpoint", "now")
            },
        }
        for row in found["nothing"]
    ]
    earlier = found["earlier nothing"]
    then = {f"{n}, midpoint": "{:.4f} ± {:.4f}".format(*earlier[f]) for f, n in figures.items()}
    nothing.append({"model": "earlier stack", "samples": earlier["samples"], **then})
    faint = pd.DataFrame(found["faint"])
    for figure, name in figures.items():
        faint[name] = faint[f"{figure} now"] / faint[f"{figure} midpoint"]
    faint["all three"] = np.exp(np.log(faint[list(figures.values())]).mean(axis=1))
    columns = [*figures.values(), "all three"]
    means = np.exp(np.log(faint[columns]).groupby(faint["model"], sort=False).mean()).reset_index()
    means.insert(1, "law", "geometric mean")
    means.insert(2, "samples", faint.groupby("model", sort=False)["samples"].sum().to_numpy())
    shown = pd.concat([faint[["model", "law", "samples", *columns]], means])
    suite = pd.DataFrame(found["suite"]).rename(columns={"n": "rows per class", **figures})
    suite["at an end"] = suite["at an end"].map("{:.0%}".format)
    return {
        "values_nothing": markdown(pd.DataFrame(nothing).fillna("")),
        "values_earlier": markdown(
            _over_the_earlier(pd.DataFrame(found["earlier faint"]), figures)
        ),
        "values_fresh": _fresh(found),
        "values_faint": markdown(shown.sort_values("model", kind="stable")),
        "values_suite": markdown(suite),
        "values_price": "{best:.4f} and {midpoint:.4f}".format(**found["price"]),
    }


def _over_the_earlier(laws: pd.DataFrame, figures: dict[str, str]) -> pd.DataFrame:
    """Ratios of RMSEs by law, their geometric means beside and below."""
    shown = laws[["law", "samples", *figures]].rename(columns=figures)
    ratios = shown[[*figures.values()]]
    mean = {"law": "geometric mean", "samples": shown["samples"].sum()}
    mean |= np.exp(np.log(ratios).mean()).to_dict()
    shown = pd.concat([shown, pd.DataFrame([mean])], ignore_index=True)
    shown["all three"] = np.exp(np.log(shown[[*figures.values()]]).mean(axis=1))
    return shown


def _fresh(found: dict[str, Any]) -> str:
    """The same figures on the second half of the samples."""
    ratios = [
        row[f"{f} fresh"] for row in found["earlier faint"] for f in ("auc", "tv", "arc_length")
    ]
    mean, nothing = np.exp(np.mean(np.log(ratios))), found["nothing fresh"]
    return (
        f"On the second half of them the mean ratio is {mean:.3f}, and the stack's mean values at "
        f"identical laws are {nothing['auc']:.4f} (AUC) and {nothing['tv']:.4f} (TV)."
    )


def ranking_tables(results: Path, pictures: Path) -> dict[str, str]:
    from tracks.ranking import LINEAR, SPLITS

    rows = standings.read(results / "ranking.csv")
    if rows.empty:
        raise FileNotFoundError
    rows["positives"] = rows["positives"].astype(str)
    table = standings.ranking(rows)
    plots.ranks(table, pictures / "ranking.png")
    wide = table.pivot(index="method", columns="positives", values=["auc", "rank"])
    out = pd.DataFrame({"method": wide.index})
    for part in [p for p in ("24", "120", "full", "all") if ("auc", p) in wide.columns]:
        out[f"AUC, {part}"] = wide[("auc", part)].map("{:.4f}".format).to_numpy()
        out[f"rank, {part}"] = wide[("rank", part)].map("{:.2f}".format).to_numpy()
    large = boosters_table(rows, ("full", "large"), {"AUC": "auc", "log loss": "log_loss"})
    others = rows[rows["split"] >= SPLITS["full"]]
    few, many = (
        boosters_table(others, parts, {"AUC": "auc"}) for parts in (("24", "120"), ("large",))
    )
    rows = rows[rows["positives"] != "large"]
    out["CPU s"] = rows.groupby("method")["cpu_s"].median().reindex(wide.index).to_numpy()
    out["peak MB"] = rows.groupby("method")["peak_mb"].max().reindex(wide.index).to_numpy()
    order = wide[("rank", "all")].to_numpy().argsort()
    paired = []
    for theirs in (name for name in LINEAR if name != "rocstar linear"):
        if theirs in wide.index:
            gap, se = standings.paired_difference(rows, "rocstar linear", theirs)
            paired.append({"rocstar linear less": theirs, "AUC": f"{gap:+.4f} ± {se:.4f}"})
    tasks = int(table[table["positives"] == "all"]["tasks"].iloc[0])
    splits = rows.groupby(["table", "positives"])["split"].nunique()
    note = f"{tasks} tasks (table and size) that every method finished, "
    note += f"{splits.min()} to {splits.max()} splits each."
    return {
        "ranking": f"{note}\n\n{markdown(out.iloc[order])}",
        "ranking_fresh": few,
        "ranking_large_fresh": many,
        "ranking_large": large,
        "ranking_linear": markdown(pd.DataFrame(paired)),
    }


def boosters_table(rows: pd.DataFrame, parts: tuple[str, ...], figures: dict[str, str]) -> str:
    """Means and mean ranks of the stack and the boosters, on the tables that the last part has."""
    done = rows[rows["status"] == "done"]
    last = done[done["positives"] == parts[-1]]
    done = done[done["method"].isin(last["method"]) & done["table"].isin(last["table"])]
    # Only splits that all of them have.
    done = done[done["positives"].isin(parts)]
    keys = ["positives", "table", "split"]
    complete = done.groupby(keys)["method"].transform("nunique") == done["method"].nunique()
    done = done[complete]
    if done.empty:
        return "Not run."
    found, notes = {}, []
    for part in parts:
        chosen = done[done["positives"] == part]
        for name, column in figures.items():
            means = chosen.groupby(["table", "method"])[column].mean().unstack("method")
            found[f"{name}, {part}"] = means.mean().map("{:.4f}".format)
            places = means.rank(axis=1, ascending=column != "auc").mean()
            found[f"rank by {name}, {part}"] = places.map("{:.2f}".format)
        found[f"CPU s, {part}"] = chosen.groupby("method")["cpu_s"].median()
        splits = chosen.groupby("table")["split"].nunique()
        notes.append(f"{part}: {len(splits)} tables, {_span(splits)} splits each")
    table = pd.DataFrame(found).sort_values(f"rank by AUC, {parts[-1]}")
    return f"{'; '.join(notes)}.\n\n{markdown(table.rename_axis('method').reset_index())}"


def automl_tables(results: Path, pictures: Path) -> dict[str, str]:
    rows = standings.read(results / "automl.csv")
    if rows.empty:
        raise FileNotFoundError
    rows = rows.drop_duplicates(["table", "split", "method"], keep="last")
    table = standings.ranking(rows.assign(positives="full"))
    table = table[table["positives"] == "full"].sort_values("rank")
    out = pd.DataFrame({"method": table["method"], "AUC": table["auc"].map("{:.4f}".format)})
    gaps = [
        standings.paired_difference(rows.assign(positives="full"), "rocstar stack", method)
        for method in table["method"]
    ]
    out["stack less it"] = ["" if not gap else f"{gap:+.4f} ± {se:.4f}" for gap, se in gaps]
    place = zip(table["rank"], table["rank_se"], strict=True)
    out["mean rank"] = [f"{rank:.2f} ± {se:.2f}" for rank, se in place]
    single = rows.pivot_table(index=["table", "split"], columns="method", values="auc")
    ranks = single.rank(axis=1, ascending=False).mean()
    out["mean rank in single splits"] = ranks[table["method"]].map("{:.2f}".format).to_numpy()
    seconds = rows.groupby("method")["cpu_s"].median()
    out["CPU s"] = seconds.reindex(table["method"]).map("{:.1f}".format).to_numpy()
    time = (rows["wall_s"] / rows["seconds"]).groupby(rows["method"]).mean()
    out["time"] = time.reindex(table["method"]).map("{:.2f}".format).to_numpy()
    splits = rows["split"].nunique()
    return {"automl": f"{table['tasks'].iloc[0]} tables, {splits} splits each.\n\n{markdown(out)}"}


def interval_tables(results: Path, pictures: Path) -> dict[str, str]:
    rows = standings.read(results / "intervals.csv")
    if rows.empty:
        raise FileNotFoundError
    rows = rows[rows["status"] == "done"]
    plots.intervals(rows, pictures / "intervals.png")
    se = 100 * np.sqrt(0.95 * 0.05 / rows["runs"].min())
    table = rows.assign(
        text=[
            f"{100 * c:.0f} % / {w:.3f}"
            for c, w in zip(rows["covered"], rows["width"], strict=True)
        ]
    ).pivot(index=["law", "auc", "positives"], columns="method", values="text")
    order = [name for name in dict.fromkeys(rows["method"]) if name in table.columns]
    least = rows.groupby("method")[["covered", "low_held", "high_held"]].min()
    cost = rows.groupby("method")["cpu_s"].median() / rows["runs"].iloc[0]
    least = (100 * least).round(1).assign(milliseconds=(1000 * cost).round(1)).reindex(order)
    return {
        "intervals": f"Coverage / median width, {rows['runs'].min()} runs per cell (one standard "
        f"error at 95 % is {se:.1f} points).\n\n" + markdown(table[order].reset_index()),
        "intervals_least": markdown(
            least.reset_index().rename(
                columns={
                    "covered": "least coverage %",
                    "low_held": "lower end held, least %",
                    "high_held": "upper end held, least %",
                    "milliseconds": "CPU ms an interval",
                }
            )
        ),
    }


def two_sample_tables(results: Path, pictures: Path) -> dict[str, str]:
    rows = standings.read(results / "two_sample.csv")
    if rows.empty:
        raise FileNotFoundError
    table, grown = standings.powers(rows), standings.growth(rows)
    plots.powers(table, grown, pictures / "two_sample.png")
    table["text"] = [
        f"{100 * r:.0f} ± {100 * np.sqrt(max(r * (1 - r), 0.01) / n):.0f}"
        for r, n in zip(table["rejected"], table["runs"], strict=True)
    ]
    wide = table.pivot(index=["law", "n"], columns="method", values="text")
    wide.insert(0, "runs", table.groupby(["law", "n"])["runs"].min())
    wide = wide.reindex(list(dict.fromkeys(zip(table["law"], table["n"], strict=True))))
    grown["text"] = [
        f"{s:.3g} s, {max(m, 0):.0f} MB" for s, m in grown[["cpu_s", "peak_mb"]].to_numpy()
    ]
    cost = grown.pivot(index="method", columns="n", values="text").fillna("–").reset_index()
    return {
        "two_sample": markdown(wide.reset_index().rename(columns={"n": "rows per class"})),
        "two_sample_cost": markdown(
            cost.rename(columns=lambda n: f"{n:,}" if isinstance(n, int) else n)
        ),
        "two_sample_failed": _failures(rows),
    }


def large_two_sample_tables(results: Path, pictures: Path) -> dict[str, str]:
    """Bundled rows against every row alone: cost, and p-values of the same samples."""
    found = json.loads((results / "two_sample_growth.json").read_text())
    cost = [
        {
            "rows": f"{row['rows']:,}",
            **{
                name: f"{row[name]['cpu_s']:.2f} s, {row[name]['peak_mb']:.0f} MB"
                for name in ("bundled", "alone")
            },
        }
        for row in found["growth"]
    ]
    compared = pd.DataFrame(found["pvalues"])
    for name in ("rejected bundled", "rejected alone"):
        compared[name] = compared[name].map("{:.0%}".format)
    return {
        "two_sample_large": markdown(pd.DataFrame(cost)),
        "two_sample_bundled": markdown(compared),
    }


def solver_tables(results: Path, pictures: Path) -> dict[str, str]:
    rows = standings.read(results / "solvers.csv")
    if rows.empty:
        raise FileNotFoundError
    done = rows[rows["status"] == "done"]
    grouped = done.groupby(["problem", "method"], sort=False)
    table = grouped.agg(
        cpu=("cpu_s", "median"),
        spread=("cpu_s", lambda s: float(s.max() - s.min())),
        peak=("peak_mb", "max"),
        objective=("objective", "last"),
        runs=("cpu_s", "size"),
    ).reset_index()
    ours = table[table["method"].isin(["rocstar box", "ArctanRatio"])].set_index("problem")
    table["times ours"] = [
        float(c / ours.loc[p, "cpu"]) for p, c in zip(table["problem"], table["cpu"], strict=True)
    ]
    plots.solvers(table, pictures / "solvers.png")
    table["objective"] = table["objective"].map("{:.8f}".format)
    table = table.rename(columns={"cpu": "CPU s", "spread": "max − min", "peak": "peak MB"})
    return {"solvers": f"{markdown(table)}\n\n{_failures(rows)}"}


def _failures(rows: pd.DataFrame) -> str:
    """Methods that gave no answer, and why."""
    bad = (
        rows[rows["status"] != "done"].groupby(["method", "status"]).size().reset_index(name="rows")
    )
    return "" if bad.empty else "Without an answer:\n\n" + markdown(bad)


def versions(results: Path) -> str:
    found: dict[str, set[str]] = {}
    for path in sorted(results.glob("*.csv")):
        rows = standings.read(path)
        if "versions" in rows:
            for method, text in rows[["method", "versions"]].dropna().drop_duplicates().to_numpy():
                found.setdefault(text, set()).add(method)
    commits = set()
    for path in results.glob("*.csv"):
        rows = standings.read(path)
        if "commit" in rows:
            commits |= set(rows["commit"].dropna())
    table = pd.DataFrame(
        [{"versions": text, "methods": ", ".join(sorted(names))} for text, names in found.items()]
    )
    return f"Commits: {', '.join(sorted(commits))}.\n\n{markdown(table)}"


def parts(results: Path, pictures: Path) -> dict[str, str]:
    """Everything the template asks for; a track without results says so."""
    out: dict[str, str] = {
        "brief": brief(results),
        "goals": goal_table(results),
        "versions": versions(results),
    }
    try:
        values = Values(results, pictures)
        for name in ("repetitions", "won", "each", "methods", "lost", "bounds", "information"):
            out[f"values_{name}"] = getattr(values, name)()
        out["values_failed"] = _failures(values.rows)
    except FileNotFoundError:
        pass
    tracks: list[Callable[[Path, Path], dict[str, str]]] = [
        point_value_tables,
        ranking_tables,
        automl_tables,
        interval_tables,
        two_sample_tables,
        large_two_sample_tables,
        solver_tables,
    ]
    for track in tracks:
        try:
            out |= track(results, pictures)
        except FileNotFoundError:
            continue
    return out


def write(results: Path, page: Path, pictures: Path) -> None:
    """Fill the template; a hole without results reads *Not run.*"""
    found = parts(results, pictures)
    template = (HERE / "README.template.md").read_text(encoding="utf-8")
    text = re.sub(r"\{\{(\w+)\}\}", lambda hole: found.get(hole[1], "*Not run.*"), template)
    drawn = {path.name for path in pictures.glob("*.png")}
    text = re.sub(r"!\[[^]]*\]\(PLOTS/(\S+)\)\n", lambda m: m[0] if m[1] in drawn else "", text)
    text = text.replace("PLOTS", str(pictures.relative_to(page.parent)))
    page.write_text(re.sub(r"\n{3,}", "\n\n", text), encoding="utf-8")
    print(f"wrote {page}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=HERE / "results")
    arguments = parser.parse_args()
    page = HERE / "README.md"
    if arguments.results.resolve() != (HERE / "results").resolve():
        page = arguments.results / "README.md"
    write(arguments.results, page, arguments.results / "plots")


if __name__ == "__main__":
    main()
