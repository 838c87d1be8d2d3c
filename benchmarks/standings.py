"""From rows to standings: errors, ranks and coverages of each track."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from rocstar import laws

QUANTITIES = ("arc_length", "tv", "auc")
ORACLE_ROWS = 50_000
CLOSE = 1.05  # "within 5 % of the lowest"


def read(path: Path) -> pd.DataFrame:
    """A track's rows; none if it has not been run."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame()


# ------------------------------------------------------------------ track 1


def oracle_variances(cache: Path) -> pd.DataFrame:
    """n times the variance of the oracle's figures with n rows per class, from a large sample."""
    if cache.exists():
        return pd.read_csv(cache, index_col="law")
    rows = {name: _oracle_variance(law) for name, law in laws.suite().items()}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("law")
    table.to_csv(cache, float_format="%.6g")
    return table


def _oracle_variance(law: laws.Law) -> dict[str, float]:
    n = ORACLE_ROWS
    X, y = law.sample(n, n, random_state=1)
    up = y == 1
    v, z = law.angle(X), np.clip(law.log_ratio(X), -1e300, 1e300)
    rates = [(v[side] > np.pi / 4).mean() for side in (up, ~up)]
    return {
        "arc_length": float(np.sin(v[up]).var() + np.cos(v[~up]).var()),
        "tv": float(sum(rate * (1 - rate) for rate in rates)),
        # DeLong's components: where a row stands among the other class.
        "auc": float(_placed(z[up], z[~up]).var() + _placed(-z[~up], -z[up]).var()),
    }


def _placed(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The share of the others below each score, ties one half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    return below / (2 * len(others))


@cache
def value_errors(results: Path) -> pd.DataFrame:
    """`errors` of a folder of results, computed once for all who ask."""
    return errors(_value_rows(results), oracle_variances(results / "oracle.csv"))


def _value_rows(results: Path) -> pd.DataFrame:
    rows = read(results / "values.csv")
    if rows.empty:
        raise FileNotFoundError
    done = rows[rows["status"] == "done"].copy()
    done["how"] = done["how"].fillna("")
    return done


def errors(rows: pd.DataFrame, variances: pd.DataFrame) -> pd.DataFrame:
    """RMSE and bias of every method in every cell (law, n, quantity).

    An error is the oracle's plus the deviation from the oracle on the same sample. The variance of
    the first is known, so only the second and their covariance are estimated:
    ``σ² + mean d² + 2 cov(e, d)``. That is unbiased and, with few repetitions, far less noisy than
    the plain mean square, in which a method with a bias may be lucky. Its last term is the noisy
    one; ``steady_rmse`` leaves it out, as if errors beyond the oracle's had nothing to do with it.
    """
    suite = laws.suite()
    found = []
    for (law, n), cell in rows.groupby(["law", "n"], sort=False):
        oracle = cell[cell["method"] == "oracle"].set_index("repetition")
        for (method, how), mine in cell.groupby(["method", "how"], sort=False):
            mine = mine.set_index("repetition")
            for quantity in QUANTITIES:
                estimate = pd.to_numeric(mine[quantity]).dropna()
                if estimate.empty:
                    continue
                truth = getattr(suite[law], quantity)
                e = oracle[quantity].reindex(estimate.index) - truth
                d = estimate - oracle[quantity].reindex(estimate.index)
                variance = variances.loc[law, quantity] / n
                steady = variance + (d**2).mean()
                square = steady + (2 * np.cov(e, d)[0, 1] if len(d) > 1 else 0.0)
                plain = float(((e + d) ** 2).mean())
                found.append(
                    {
                        "law": law,
                        "n": n,
                        "quantity": quantity,
                        "method": method,
                        "how": how,
                        "runs": len(d),
                        "rmse": np.sqrt(square if square > 0 else plain),
                        "plain_rmse": np.sqrt(plain),
                        "steady_rmse": np.sqrt(steady),
                        "bias": d.mean(),
                        "oracle_sd": np.sqrt(variance),
                    }
                )
    return pd.DataFrame(found)


def duels(table: pd.DataFrame, ours: str, measure: str = "rmse") -> pd.DataFrame:
    """In each cell: our RMSE, the best rival's, and whether ours is within 5 % of the lowest."""
    keys = ["law", "n", "quantity"]
    rivals = table[~table["method"].str.startswith("rocstar") & (table["method"] != "oracle")]
    best = rivals.loc[rivals.groupby(keys)[measure].idxmin()].set_index(keys)
    if ours == "best of ours":
        mine = table[table["method"].str.startswith("rocstar")]
        mine = mine.loc[mine.groupby(keys)[measure].idxmin()].set_index(keys)
    else:
        mine = table[table["method"] == ours].set_index(keys)
    both = mine.join(best.add_suffix("_rival"), how="inner")
    # A cell where both are exact is a draw.
    both["ratio"] = (both[measure] + 1e-6) / (both[f"{measure}_rival"] + 1e-6)
    both["won"] = both["ratio"] <= CLOSE
    return both.reset_index()


@cache
def against_each(results: Path) -> pd.DataFrame:
    """Shares of cells in which the stack, and the oracle, is within 5 % of one rival or lower.

    Both are judged by the samples that the rival has: luck that all share then does not count.
    """
    rows, keys = _value_rows(results), ["law", "n", "quantity"]
    variances = oracle_variances(results / "oracle.csv")
    sample = rows.set_index(["law", "n", "repetition"]).index
    rivals = rows[~rows["method"].str.startswith("rocstar") & (rows["method"] != "oracle")]
    found = []
    for (method, how), part in rivals.groupby(["method", "how"], sort=False):
        common = sample.isin(part.set_index(["law", "n", "repetition"]).index)
        both = rows["method"].isin(("rocstar stack", "oracle"))
        table = errors(pd.concat([part, rows[common & both]]), variances).set_index(keys)
        theirs = table[table["method"] == method]["rmse"]
        ratios = {
            name: ((table[table["method"] == name]["rmse"] + 1e-6) / (theirs + 1e-6)).dropna()
            for name in ("rocstar stack", "oracle")
        }
        ours, best = ratios.values()
        if ours.empty:
            continue
        found.append(
            {
                "rival": method,
                "how": how,
                "cells": len(ours),
                "won": (ours <= CLOSE).mean(),
                "won by the oracle": (best <= CLOSE).mean(),
                "median ratio": ours.median(),
            }
        )
    return pd.DataFrame(found).sort_values("won")


def bound_coverage(rows: pd.DataFrame) -> pd.DataFrame:
    """How often our lower bounds held, by method, rows and quantity."""
    suite = laws.suite()
    done = rows[(rows["status"] == "done") & (rows["how"] == "certify")]
    found = []
    for (method, n), part in done.groupby(["method", "n"], sort=False):
        row = {"method": method, "rows per class": n, "certificates": len(part)}
        for quantity in QUANTITIES:
            truth = part["law"].map(lambda law, q=quantity: getattr(suite[law], q))
            held = part[f"{quantity}_low"].astype(float) <= truth + 1e-9
            row[f"{quantity} %"] = 100 * held.mean()
        found.append(row)
    return pd.DataFrame(found)


# ------------------------------------------------------------------ track 2


def ranking(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean AUC, mean rank and the standard error of the rank, by positives and over all.

    A table counts once. Methods are compared in pairs, on the splits that both have: the rank is
    that among these means, and the AUC is the stack's plus the mean difference to it.
    """
    ranks, aucs = {}, {}
    for task, part in _split_aucs(rows).groupby(level=["positives", "table"], sort=False):
        auc = part.dropna(axis=1, how="all")
        lead = pd.DataFrame({name: auc.sub(auc[name], axis=0).mean() for name in auc}).round(9)
        # A method is level with itself, and with those that it shares no split with.
        ranks[task] = 0.5 + (lead < 0).sum(axis=1) + (~(lead.abs() > 0)).sum(axis=1) / 2
        aucs[task] = auc["rocstar stack"].mean() + lead["rocstar stack"]
    ranks, aucs = (pd.DataFrame.from_dict(found, orient="index") for found in (ranks, aucs))
    parts = {"all": ranks.dropna()}
    for size, chosen in ranks.groupby(level=0, sort=False):
        # Of large tables only some methods were asked.
        parts[size] = chosen.dropna(axis=1, how="all").dropna()
    found = []
    for part, chosen in parts.items():
        for method in chosen.columns:
            found.append(
                {
                    "positives": part,
                    "method": method,
                    "auc": aucs.loc[chosen.index, method].mean(),
                    "rank": chosen[method].mean(),
                    "rank_se": chosen[method].std(ddof=1) / np.sqrt(len(chosen)),
                    "tasks": len(chosen),
                }
            )
    return pd.DataFrame(found)


def paired_difference(rows: pd.DataFrame, ours: str, theirs: str) -> tuple[float, float]:
    """Mean difference of AUC over tables and sizes, and its standard error over tables."""
    auc = _split_aucs(rows)
    gaps = (auc[ours] - auc[theirs]).dropna().groupby(level=["positives", "table"]).mean()
    by_table = gaps.groupby(level="table").mean()
    return float(by_table.mean()), float(by_table.std(ddof=1) / np.sqrt(len(by_table)))


def _split_aucs(rows: pd.DataFrame) -> pd.DataFrame:
    """One line per positives, table and split, one column per method."""
    done = rows[rows["status"] == "done"]
    return done.pivot_table(index=["positives", "table", "split"], columns="method", values="auc")


# ------------------------------------------------------------------ track 5


def powers(rows: pd.DataFrame) -> pd.DataFrame:
    """Share of tests below 5 % by task and method."""
    done = rows[(rows["status"] == "done") & (rows["law"] != "quadric-10d")]
    share = (done["pvalue"].astype(float) <= 0.05).groupby(
        [done["law"], done["n"], done["method"]], sort=False
    )
    return pd.DataFrame({"rejected": share.mean(), "runs": share.size()}).reset_index()


def growth(rows: pd.DataFrame) -> pd.DataFrame:
    """Median CPU seconds and peak memory by rows per class; the first repetition warms up."""
    part = rows[(rows["status"] == "done") & (rows["law"] == "quadric-10d")]
    later = part[part["run"] > 0] if (part["run"] > 0).any() else part
    return later.groupby(["method", "n"])[["cpu_s", "peak_mb"]].median().reset_index()
