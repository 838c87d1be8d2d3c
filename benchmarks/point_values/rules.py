"""Values of certificates and midpoints, from the rows of ``trials.py``; and the price of any rule.

    python benchmarks/point_values/rules.py

writes ``benchmarks/results/point_values.json``, from which ``page.py`` makes its tables. A midpoint
is the mean of the in-sample and the held-out figure, given up where in-sample J exceeds 1.98, or
held-out J by 0.25; AUC and TV of a stack are then clipped to the sharp range of the arc length.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import RESULTS
from trials import EARLIER, FAINT, FIGURES, FIRST_HALF, LAWS, NOTHING

from rocstar import auc_bounds, tv_bounds

SHORTEST = np.sqrt(2)
SMALLEST = {"arc_length": SHORTEST, "auc": 0.5, "tv": 0.0}
LARGEST = {"arc_length": 2.0, "auc": 1.0, "tv": 1.0}


def midpoint(rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """What the values would be without regard to what is confirmed."""
    inside, outside = rows["arc_length_in"], rows["arc_length_out"]
    first_order = (inside <= 1.98) & (inside - outside <= 0.25)
    share = np.where(first_order, rows["share"], 0.0)
    found = {f: share * rows[f"{f}_in"] + (1 - share) * rows[f"{f}_out"] for f in FIGURES}
    length = np.clip(found["arc_length"], SHORTEST, 2.0)
    clipped = (rows["model"] == "stack") & first_order
    for figure, bounds in (("auc", auc_bounds), ("tv", tv_bounds)):
        low, high = bounds(length)
        found[figure] = np.where(clipped, np.clip(found[figure], low, high), found[figure])
    return {
        f: np.maximum(np.clip(found[f], SMALLEST[f], LARGEST[f]), rows[f"{f}_low"]).to_numpy()
        for f in FIGURES
    }


def now(rows: pd.DataFrame) -> dict[str, np.ndarray]:
    return {f: rows[f"{f}_value"].to_numpy() for f in FIGURES}


RULES = {"midpoint": midpoint, "now": now}


def where_nothing_differs(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Mean values and their standard errors at identical laws."""
    found = []
    for model, part in rows[rows["law"] == NOTHING].groupby("model", sort=False):
        row: dict[str, Any] = {"model": model, "samples": len(part)}
        for name, rule in RULES.items():
            for figure, values in rule(part).items():
                row[f"{figure} {name}"] = [values.mean(), values.std(ddof=1) / np.sqrt(len(part))]
        found.append(row)
    return found


def squared_errors(rows: pd.DataFrame) -> pd.DataFrame:
    """Squared error of each rule in each row."""
    found = rows[["model", "law", "n"]].copy()
    for figure in FIGURES:
        truth = rows["law"].map(lambda law, f=figure: getattr(LAWS[law], f))
        for name, rule in RULES.items():
            found[f"{figure} {name}"] = (rule(rows)[figure] - truth) ** 2
    return found


def of_faint_laws(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """RMSE by model and law, and the geometric mean of the ratios over laws."""
    errors = squared_errors(rows[rows["law"].isin(FAINT) & (rows["n"] == 200)])
    found = []
    for model, part in errors.groupby("model", sort=False):
        means = part.groupby("law").mean(numeric_only=True).drop(columns="n")
        for law in FAINT:
            if law in means.index:
                row = {"model": model, "law": law, "samples": int((part["law"] == law).sum())}
                found.append({**row, **np.sqrt(means.loc[law]).to_dict()})
    return found


def against_the_earlier(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """RMSE of the stack over that of the earlier default, by law: all samples, second half."""
    keys = ["law", "repetition"]
    both = [rows[rows["model"] == model].set_index(keys) for model in ("stack", EARLIER)]
    found = []
    for law in FAINT:
        pairs = [part.loc[law] for part in both]
        common = pairs[0].index.intersection(pairs[1].index)
        row: dict[str, Any] = {"law": law, "samples": len(common)}
        for part, chosen in (("", common), (" fresh", common[common >= FIRST_HALF[law]])):
            for figure in FIGURES:
                truth = getattr(LAWS[law], figure)
                errors = [(p.loc[chosen, f"{figure}_value"] - truth) ** 2 for p in pairs]
                row[figure + part] = float(np.sqrt(errors[0].mean() / errors[1].mean()))
        found.append(row)
    return found


def of_the_earlier(rows: pd.DataFrame) -> dict[str, list[float]]:
    """Mean values of the earlier default at identical laws, and their standard errors."""
    part = rows[(rows["model"] == EARLIER) & (rows["law"] == NOTHING)]
    found = {"samples": len(part)}
    for figure in FIGURES:
        values = part[f"{figure}_value"]
        found[figure] = [values.mean(), values.std(ddof=1) / np.sqrt(len(part))]
    return found


def fresh_nothing(rows: pd.DataFrame) -> dict[str, float]:
    """Mean values of the stack on the second half of the samples of identical laws."""
    part = rows[(rows["model"] == "stack") & (rows["law"] == NOTHING)]
    part = part[part["repetition"] >= FIRST_HALF[NOTHING]]
    return {figure: float(part[f"{figure}_value"].mean()) for figure in FIGURES}


def over_the_suite(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Differences from the oracle in units of its standard deviation, and AUCs at a sharp end."""
    variances = pd.read_csv(RESULTS / "oracle.csv", index_col="law")
    found = []
    for n, part in rows[(rows["model"] == "stack") & rows["law"].isin(variances.index)].groupby(
        "n"
    ):
        for name, rule in RULES.items():
            values = rule(part)
            row: dict[str, Any] = {"n": int(n), "rule": name, "samples": len(part)}
            row["laws"] = int(part["law"].nunique())
            for figure in FIGURES:
                variance = part["law"].map(variances[figure]) / n
                gaps = (values[figure] - part[f"{figure}_oracle"]) ** 2 / variance
                by_law = gaps[variance > 1e-8].groupby(part["law"]).mean()
                row[figure] = float(np.exp(0.5 * np.log1p(by_law).mean()))
            length = np.clip(values["arc_length"], SHORTEST, 2.0)
            low, high = auc_bounds(length)
            inside = (length > SHORTEST + 1e-6) & (length < 2 - 1e-6)
            at_end = (values["auc"] >= high - 1e-5) | (values["auc"] <= low + 1e-5)
            row["at an end"] = float(at_end[inside].mean())
            found.append(row)
    return found


def price(d: int = 10, n: int = 200, shift: float = 0.25) -> dict[str, float]:
    """The least RMSE at a faint law of any rule whose mean AUC at identical laws is at most .52."""
    # Excess AUC is |shift| / (2√π) to first order; |estimated shift|² is sufficient for |shift|.
    # Minimise E₁(f − shift)² subject to E₀ f ≤ c: f = (shift − λ p₀/p₁)₊, on a histogram.
    unit, noise, runs = 1 / (2 * np.sqrt(np.pi)), np.sqrt(2 / n), 400_000
    rng = np.random.default_rng(0)
    squares = []
    for mean in (0.0, shift):
        z = noise * rng.normal(size=(runs, d))
        z[:, 0] += mean
        squares.append((z**2).sum(axis=1))
    edges = np.quantile(np.concatenate(squares), np.linspace(0, 1, 401))
    edges[[0, -1]] = -np.inf, np.inf
    null, other = (np.histogram(s, edges)[0] / runs for s in squares)
    low, high = 0.0, 10.0
    for _ in range(60):
        penalty = (low + high) / 2
        rule = np.maximum(0.0, shift - penalty * null / np.maximum(other, 1e-12))
        low, high = (penalty, high) if null @ rule > 0.02 / unit else (low, penalty)
    # In sample |z|, held out what is left of it after the noise's share: their mean.
    size = np.sqrt(squares[1])
    midpoint = np.maximum((size + (squares[1] - d * noise**2) / size) / 2, 0.0)
    return {
        "best": float(unit * np.sqrt(other @ (rule - shift) ** 2)),
        "midpoint": float(unit * np.sqrt(np.mean((midpoint - shift) ** 2))),
    }


def main() -> None:
    every = pd.read_csv(RESULTS / "point_values.csv")
    rows = every[every["share"].notna()]
    tables = {
        "nothing": where_nothing_differs(rows),
        "nothing fresh": fresh_nothing(rows),
        "earlier nothing": of_the_earlier(every),
        "earlier faint": against_the_earlier(every[every["n"] == 200]),
        "faint": of_faint_laws(rows),
        "suite": over_the_suite(rows),
        "price": price(),
    }
    (RESULTS / "point_values.json").write_text(json.dumps(tables, indent=1) + "\n")
    print(json.dumps(tables["nothing"] + tables["suite"] + [tables["price"]], indent=1))


if __name__ == "__main__":
    main()
