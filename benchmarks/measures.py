"""What was measured of each goal, read from the committed results: (text, met or not).

None instead of a verdict means that the goal has not been measured completely.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import standings
from scipy.stats import binom

HERE = Path(__file__).parent
FIGURES = ("L", "AUC", "TV")
BAND_FIGURES = ("ε", "partial AUC")


def _csv(path: str, **options: object) -> pd.DataFrame:
    return pd.read_csv(HERE / path, **options)


def _json(path: str) -> dict:
    return json.loads((HERE / path).read_text())


# ------------------------------------------------------------------ estimators


def _speed(method: str) -> pd.Series:
    table = _csv("estimators/results/speed.csv", comment="#")
    return table[table["method"].str.contains(method, regex=False)].iloc[0]


def gram_passes() -> tuple[str, bool]:
    passes = float(_speed("ArctanRatio()")["Gram passes"])
    return f"{passes:.1f} passes", passes <= 4


def against_logistic(solver: str, least: float) -> Callable[[], tuple[str, bool]]:
    def measure() -> tuple[str, bool]:
        times = float(_speed(solver)["times ours"])
        return f"{times:.1f} times", times >= least

    return measure


def linear_exactness() -> tuple[str, bool]:
    row = _speed("ArctanRatio()")
    norm, extra = float(row["gradient norm"]), float(row["extra memory / X"])
    return f"{norm:.0e}; {extra:.0%} of X", norm <= 1e-8 and extra <= 0.1


def against_densratio() -> tuple[str, bool]:
    times = float(_speed("uLSIF")["times ours (cpu)"])
    auc = float(_speed("ArctanRatioCV('rbf')")["test AUC"])
    return f"{times:.1f} times; AUC {auc:.3f}", times >= 10 and auc >= 0.75


def stack_members() -> tuple[str, bool]:
    table = _csv("estimators/results/stack.csv")
    means = table.groupby("model")[["auc", "J"]].mean()
    members = means.drop(index="stack").max()
    stack = means.loc["stack"]
    text = f"AUC {stack.auc:.4f} against {members.auc:.4f}, J {stack.J:.4f} against {members.J:.4f}"
    return text, bool(stack.auc >= members.auc and stack.J >= members.J)


def angle_error(model: str) -> Callable[[], tuple[str, bool]]:
    def measure() -> tuple[str, bool]:
        table = _csv("box/results/simulation.csv")
        errors = table[table["model"] == model]["squared_error"]
        se = errors.std(ddof=1) / np.sqrt(len(errors))
        return f"{errors.mean():.4f} ± {se:.4f}, {len(errors)} runs", errors.mean() <= 0.0065

    return measure


def fresh_angle_error() -> tuple[str, bool]:
    errors = _csv("estimators/results/simulation.csv")["squared_error"]
    se = errors.std(ddof=1) / np.sqrt(len(errors))
    text = f"{errors.mean():.4f} ± {se:.4f}, {len(errors)} runs on fresh seeds"
    return text, bool(errors.mean() <= 0.0065)


# ------------------------------------------------------------------ box and two steps


def against_ipopt(kind: str, solver: str) -> Callable[[], tuple[str, bool]]:
    def measure() -> tuple[str, bool]:
        table = _csv("box/results/solvers.csv")
        part = table[table["solver"].str.fullmatch(solver) & table["problem"].str.contains(kind)]
        fewest, excess = part["ratio"].min(), part["relative_excess"].abs().max()
        text = f"{fewest:.0f} to {part['ratio'].max():.0f} times; optima within {excess:.0e}"
        return text, bool(fewest >= 20 and excess <= 1e-7)

    return measure


def against_scipy(solver: str) -> Callable[[], tuple[str, bool]]:
    def measure() -> tuple[str, bool]:
        rows = _csv("box/results/solvers.csv")
        ratios = rows[rows["solver"] == solver]["ratio"]
        return f"{ratios.min():,.0f} to {ratios.max():,.0f} times", bool(ratios.min() >= 100)

    return measure


def box_passes() -> tuple[str, bool]:
    table = _csv("box/results/gram_passes.csv").set_index("n")
    row = table.loc[100_000]
    return f"{row['gram_passes']:.0f} Gram passes, {row['status'].lower()}", bool(
        row["status"] == "CONVERGED"
    )


def two_step_growth() -> tuple[str, bool]:
    table = _csv("two_step/results/growth.csv")
    mine = table[table["method"] == "two-step"]
    slopes = []
    for low, high in ((500, 4_000), (4_000, 1_000_000)):
        part = mine[mine["n_a_side"].between(low, high)]
        slopes.append(np.polyfit(np.log(part["n_a_side"]), np.log(part["cpu_s"]), 1)[0])
    return f"{slopes[0]:.2f} to 4,000, {slopes[1]:.2f} on to 10⁶", bool(max(slopes) <= 1.15)


def two_step_quality() -> tuple[str, None]:
    table = _csv("two_step/results/tables.csv").set_index("task").loc["mean rank"]
    return ", ".join(f"{name} {float(rank):.2f}" for name, rank in table.items()), None


def box_or_tangent() -> tuple[str, bool]:
    table = _csv("box/results/laws.csv")
    better = (table["box_less_tangent"] > 0.001).sum()
    worse = (table["box_less_tangent"] < -0.001).sum()
    return f"box better in {better}, worse in {worse} of {len(table)} cells", True


# ------------------------------------------------------------------ certificates


def auc_bound_coverage() -> tuple[str, bool | None]:
    table = _csv("coverage/results/auc_bound.csv")
    se = 2 * np.sqrt(0.94 * 0.06 / table["runs"])
    low = table["dirichlet coverage"]
    text = f"least {low.min():.1%} over {len(table)} of 45 cells"
    held = bool((low >= 0.94 - se).all())
    return text, held if len(table) >= 45 or not held else None


def auc_bound_width() -> tuple[str, bool]:
    table = _csv("coverage/results/auc_bound.csv")
    # The two-point law is not one of the goal's: there no valid bound is closer than this one,
    # which is Clopper and Pearson's.
    part = table[(table["n_pos"] == 120) & (table["law"] != "two-point")]
    gap = part["auc"] - part["dirichlet median"]
    worst = part.loc[gap.idxmax()]
    return f"largest gap {gap.max():.3f} ({worst['law']}, AUC {worst['auc']})", bool(
        gap.max() <= 0.06
    )


def certify_coverage() -> tuple[str, bool | None]:
    table = _csv("coverage/results/certify_bounds.csv")
    least = table[[f"{q} coverage" for q in ("arc_length", "auc", "tv")]].min().min()
    cells = len(table)
    held = bool(least >= 0.94 - 2 * np.sqrt(0.94 * 0.06 / table["runs"].min()))
    text = f"least {least:.1%} over {cells} of 102 cells"
    return text, held if cells >= 102 or not held else None


def _values() -> pd.DataFrame:
    return _csv("coverage/results/values.csv")


def betting_level() -> tuple[str, bool]:
    table = _csv("coverage/results/betting.csv")
    misses = np.rint((1 - table["betting coverage"]) * table["runs"])
    least = binom.sf(misses - 1, table["runs"], 0.05).min()
    text = f"{len(table)} cells, lowest coverage {100 * table['betting coverage'].min():.1f} %"
    return text, bool(least >= 0.01 / len(table))


def _betting_ratios(other: str) -> pd.DataFrame:
    table = _csv("coverage/results/betting_gaps.csv")
    ratios = {name: table[f"betting {name}"] / table[f"{other} {name}"] for name in FIGURES}
    return pd.DataFrame(ratios).assign(balanced=table["n_pos"] == table["n_neg"])


def betting_gaps() -> tuple[str, bool]:
    found = _betting_ratios("five folds")
    most = np.where(found["balanced"], 1.45, 1.25)
    met = (found["AUC"] <= most).all() and (found[["L", "TV"]] <= 1.25).all().all()
    ends = (f"{name} {found[name].min():.2f} to {found[name].max():.2f}" for name in FIGURES)
    return ", ".join(ends), bool(met)


def betting_against_holdout() -> tuple[str, bool]:
    found = _betting_ratios("hold-out")[list(FIGURES)]
    return f"{found.min().min():.2f} to {found.max().max():.2f}", bool((found <= 1).all().all())


def betting_cost() -> tuple[str, bool]:
    table = _csv("coverage/results/betting_cost.csv").set_index("learner")["ratio"]
    text = ", ".join(f"{name} {ratio:.2f}" for name, ratio in table.items())
    return text, bool(table["stack"] <= 4 and (table.drop("stack") <= 1).all())


def proven_band() -> tuple[str, bool]:
    table = _csv("coverage/results/proven_bands.csv")
    ratios = [table[f"concave {name}"] / table[f"hull points {name}"] for name in BAND_FIGURES]
    text = (
        f"{least:.2f} to {most:.2f} times for {name}"
        for name, least, most in zip(
            BAND_FIGURES, map(np.min, ratios), map(np.max, ratios), strict=True
        )
    )
    return ", ".join(text), bool(np.min(ratios) >= 1)


def flexible_coverage() -> tuple[str, bool | None]:
    table = _values()
    # The default stack was run a few times only, for its bias.
    part = table[table["model"].isin(["rbf", "small stack"])]
    least = part[["arc_length coverage", "auc coverage", "tv coverage"]].min().min()
    if part.empty:
        return "no cell yet", None
    held = bool(least >= 0.94 - 2 * np.sqrt(0.94 * 0.06 / part["runs"].min()))
    text = f"least {least:.1%} over {len(part)} cells"
    return text, held if len(part) >= 10 or not held else None


def value_rmse() -> tuple[str, bool | None]:
    table = _values()
    part = table[table["model"].str.startswith("linear")]
    ratio = part["arc_length value rmse"] / part["arc_length oracle rmse"]
    text = f"{ratio.min():.2f} to {ratio.max():.2f} times over {len(part)} cells"
    met = bool(ratio.max() <= 1.2)
    return text, met if len(part) >= 4 or not met else None


def stack_bias() -> tuple[str, bool]:
    table = _values()
    part = table[table["model"] == "stack"]
    worst = part.loc[part["arc_length bias"].abs().idxmax()]
    text = (
        f"at most {worst['arc_length bias']:+.3f} ({worst['law']}) over {len(part)} laws, "
        f"{worst['runs']} runs each; AUC {part['auc bias'].abs().max():.3f}"
    )
    return text, bool(part["arc_length bias"].abs().max() <= 0.02)


def level() -> tuple[str, bool | None]:
    table = _csv("coverage/results/two_sample_level.csv")
    worst = table.loc[table["rejected"].idxmax()]
    text = f"at most {worst['rejected']:.1%} over {len(table)} cells"
    return text, bool(worst["rejected"] <= 0.05 + 2 * worst["se"])


def power() -> tuple[str, bool | None]:
    table = _csv("coverage/results/two_sample_power.csv")
    se = np.sqrt(2 * 0.25 / table["runs"])
    behind = table["hyppo power"] - table["power"] > 2 * se
    mean = (table["power"] - table["hyppo power"]).mean()
    cost = (table["ms"] / table["hyppo ms"]).median()
    text = (
        f"behind by two s.e. in {behind.sum()} of {len(table)} cells, "
        f"mean difference {mean:+.2f}; {cost:.2f} of its time"
    )
    return text, bool(not behind.any() and mean >= 0 and cost <= 0.5)


def neyman_pearson() -> tuple[str, bool]:
    table = _csv("coverage/results/neyman_pearson.csv")
    over = table["violations"] - table["delta"] - 2 * table["se"]
    worst = table.loc[over.idxmax()]
    return f"{worst['violations']:.1%} where {worst['delta']:.0%} is allowed, at worst", bool(
        over.max() <= 0
    )


# ------------------------------------------------------------------ audit, paper, scale


def audit_speed(mode: str, limit: float) -> Callable[[], tuple[str, bool]]:
    def measure() -> tuple[str, bool]:
        table = _csv("audit/speed.csv")
        walls = table[(table["set"] == "adult") & (table["mode"] == mode)]["wall_s"]
        text = " and ".join(f"{wall:.1f} s" for wall in walls)
        return text, bool(walls.max() <= limit)

    return measure


def audit_ratios() -> tuple[str, bool]:
    """CPU time of `audit` in one thread, learning curve included, over five boosted fits."""
    table = _csv("estimators/results/default.csv")
    latest = table["label"] == table["label"].iloc[-1]
    audits = table[table["work"].str.startswith("audit, ") & latest]
    found = audits.groupby("work", sort=False)["ratio"].max()
    text = "; ".join(f"{work.removeprefix('audit, ')} {most:.1f}" for work, most in found.items())
    return text, bool(found.max() <= 8)


def audit_times() -> tuple[str, bool]:
    """Clock and CPU time of whole commands, small to large."""
    table = _csv("audit/speed.csv").set_index(["set", "mode"])
    goals = {"made-1000": 5, "adult": 20, "made-200000": 80}
    rows = [(table.loc[(name, "full")], most) for name, most in goals.items()]
    text = "; ".join(f"{r['rows']:,} rows {r['wall_s']} s, {r['times']} times" for r, _ in rows)
    return text, all(row["times"] <= 8 and row["wall_s"] <= most for row, most in rows)


def audit_memory() -> tuple[str, bool]:
    table = _csv("audit/speed.csv")
    share = (table["peak_mb"] / table["allowed_mb"]).max()
    size = table["report_mb"].max()
    text = f"at most {share:.0%} of what is allowed; report {size:.2f} MB ({len(table)} audits)"
    return text, bool(share <= 1 and size < 6)


def paper_claims() -> tuple[str, bool]:
    text = (HERE.parent / "paper" / "README.md").read_text()
    found = re.search(r"(\d+) reproduced, (\d+) corrected, (\d+) not reproduced", text)
    assert found is not None
    return found[0], int(found[3]) == 0


def dask_ratio() -> tuple[str, bool]:
    found = _json("scale/results/memory.json")
    ratio, gap = found["two_workers_over_memory"], found["coefficient_difference"]
    return f"{ratio:.2f} times; coefficients within {gap:.0e}", ratio <= 1.5 and gap <= 1e-8


def dask_workers() -> tuple[str, bool]:
    found = _json("scale/results/memory.json")["one_worker_over_two"]
    return f"{found:.2f} times", found >= 1.6


def parquet() -> tuple[str, bool]:
    found = _json("scale/results/parquet.json")
    peak, size = found["worker_peak_gb"], found["gigabytes"]
    return f"{size:.0f} GB fitted, worker peak {peak:.2f} GB", bool(
        found["converged"] and size >= 12 and peak <= found["worker_limit_gb"]
    )


def growth() -> tuple[str, bool]:
    table = _csv("scale/results/growth.csv")
    slope = table[table["rows"] > 1_000_000]["exponent"].max()
    return f"{slope:.2f}", bool(slope <= 1.05)


def gpu() -> tuple[str, bool]:
    found = _json("results/h200.json")
    passes = found["large_fit"]["fit_in_gram_passes"]
    error = found["precision"]["tangent_coefficient_error"]
    return f"{passes:.1f} Gram passes; coefficients within {error:.0e}", bool(
        passes <= 13 and error <= 1e-5
    )


# ------------------------------------------------------------------ peers


def value_ratios(results: Path) -> tuple[str, bool]:
    table = standings.value_errors(results)
    mine = table[(table["method"] == "rocstar stack") & (table["oracle_sd"] > 1e-4)]
    ratios = np.log(mine["rmse"] / mine["oracle_sd"]).groupby([mine["n"], mine["quantity"]]).mean()
    means = np.exp(ratios).unstack("quantity")[list(standings.QUANTITIES)]
    text = "; ".join(
        f"n = {n:,}: " + ", ".join(f"{ratio:.2f}" for ratio in row) for n, row in means.iterrows()
    )
    most = np.where(means.index >= 1000, 1.2, 1.3)
    return f"{text} (arc length, TV, AUC)", bool((means.max(axis=1).to_numpy() <= most).all())


def each_rival(results: Path) -> tuple[str, bool]:
    table = standings.against_each(results)
    ours = table["won"]
    enough = ours >= np.minimum(0.9, table["won by the oracle"])
    text = f"{ours.min():.0%} to {ours.max():.0%}; enough against {enough.sum()} of {len(ours)}"
    return text, bool(enough.all())


def value_at_identical_laws(model: str) -> Callable[[], tuple[str, bool]]:
    def measure() -> tuple[str, bool]:
        rows = {row["model"]: row for row in _json("results/point_values.json")["nothing"]}
        row = rows[model]
        text = "AUC {:.4f} ± {:.4f}, ".format(*row["auc now"])
        text += "TV {:.4f} ± {:.4f}; ".format(*row["tv now"])
        text += f"{row['samples']} samples"
        return text, bool(row["auc now"][0] <= 0.52 and row["tv now"][0] <= 0.03)

    return measure


def price_at_faint_laws(model: str) -> Callable[[], tuple[str, bool]]:
    """RMSE at faint laws over that of the values as they were: of the default, of its time's."""

    def measured() -> tuple[str, bool]:
        found = _json("results/point_values.json")
        if model == "stack":
            rows = pd.DataFrame(found["earlier faint"])
            ratios = np.concatenate([rows[f] for f in standings.QUANTITIES])
        else:
            rows = pd.DataFrame(found["faint"])
            rows = rows[rows["model"] == model]
            pairs = [(rows[f"{f} now"], rows[f"{f} midpoint"]) for f in standings.QUANTITIES]
            ratios = np.concatenate([now / midpoint for now, midpoint in pairs])
        mean = float(np.exp(np.log(ratios).mean()))
        return f"{mean:.2f}", mean <= 1.05

    return measured


def stack_rank(results: Path) -> tuple[str, bool]:
    table = standings.ranking(standings.read(results / "ranking.csv"))
    table = table[table["positives"] == "all"].sort_values("rank")
    first = table.iloc[0]
    mine = table[table["method"] == "rocstar stack"].iloc[0]
    others = table[~table["method"].str.startswith("rocstar")]
    text = (
        f"stack {mine['rank']:.2f} ± {mine['rank_se']:.2f}, best rival {others.iloc[0]['method']} "
        f"{others.iloc[0]['rank']:.2f}; {mine['tasks']} tasks"
    )
    return text, bool(first["method"] == "rocstar stack")


def stack_rank_by_size(results: Path) -> tuple[str, bool]:
    table = standings.ranking(standings.read(results / "ranking.csv"))
    texts, first = [], True
    for size in ("24", "120", "full", "large"):
        part = table[table["positives"].astype(str) == size].set_index("method")["rank"]
        others = part[~part.index.str.startswith("rocstar")]
        first &= bool(part["rocstar stack"] < others.min())
        texts.append(f"{size}: {part['rocstar stack']:.2f}, {others.idxmin()} {others.min():.2f}")
    return "; ".join(texts), first


def linear_class(results: Path) -> tuple[str, bool]:
    from tracks.ranking import LINEAR

    rows = standings.read(results / "ranking.csv")
    table = standings.ranking(rows)
    table = table[(table["positives"] == "all") & table["method"].isin(LINEAR)]
    rivals = table[table["method"] != "rocstar linear"].sort_values("auc")
    best = rivals.iloc[-1]["method"]
    gap, se = standings.paired_difference(rows, "rocstar linear", best)
    return f"{gap:+.4f} ± {se:.4f} AUC against {best}", bool(gap >= -se)


def interval_coverage(results: Path) -> tuple[str, bool]:
    rows = standings.read(results / "intervals.csv")
    least = rows.groupby("method")["covered"].min()
    text = ", ".join(f"{name} {value:.0%}" for name, value in least.sort_values().items())
    se = 2 * np.sqrt(0.95 * 0.05 / rows["runs"].min())
    return f"least coverage of a cell: {text}", bool(least["rocstar"] >= 0.95 - se)
