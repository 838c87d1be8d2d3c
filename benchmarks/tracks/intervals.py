"""Track 3: two-sided 95 % intervals of the AUC of a fixed score, few positives, 1,000 negatives."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
from harness import RESULTS, Table, Team, measurements
from scipy.stats import norm

METHODS = {
    "rocstar": "with_ours",
    "DeLong": "with_ours",
    "DeLong logit": "with_ours",
    "bootstrap percentile": "with_scipy",
    "bootstrap BCa": "with_scipy",
}
AUCS = (0.8, 0.95, 0.99)
POSITIVES = (10, 24, 120)
LAWS = ("binormal", "exponential")
NEGATIVES = 1000
# Runs and draws; the bootstrap sets the pace.
SIZES = {"quick": (20, 200), "full": (100, 500)}


def run(team: Team, size: str, data: Path | None = None, results: Path = RESULTS) -> None:
    """Fill ``intervals.csv``."""
    table = Table(results / "intervals.csv", ("law", "auc", "positives", "method"))
    runs, draws = SIZES[size]
    for law in LAWS:
        for auc in AUCS[: 1 if size == "quick" else None]:
            for positives in POSITIVES[: 2 if size == "quick" else None]:
                seed = [2022, zlib.crc32(law.encode()), round(1000 * auc), positives]
                pos, neg = scores(law, auc, positives, runs, np.random.default_rng(seed))
                cell = {"law": law, "auc": auc, "positives": positives}
                for method, adapter in METHODS.items():
                    if table.has(*cell.values(), method):
                        continue
                    arrays = {"pos": pos, "neg": neg}
                    found = team.ask(adapter, "intervals", method, arrays, {"draws": draws})
                    row = {**cell, "method": method, "runs": runs, "draws": draws}
                    table.add({**row, **figures(auc, found), **measurements(found)})


def scores(
    law: str, auc: float, n_pos: int, runs: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Scores with a known AUC: N(δ, 1) against N(0, 1), or exponentials of rates 1 and r."""
    if law == "binormal":
        shift = np.sqrt(2) * norm.ppf(auc)
        return rng.normal(shift, 1, (runs, n_pos)), rng.normal(0, 1, (runs, NEGATIVES))
    # P(E/1 > E'/r) = r/(1 + r).
    return rng.exponential(1, (runs, n_pos)), rng.exponential((1 - auc) / auc, (runs, NEGATIVES))


def figures(auc: float, found: dict) -> dict[str, float | str]:
    """Coverage of both ends, of each, and the median width."""
    if "arrays" not in found:
        return dict.fromkeys(("covered", "low_held", "high_held", "width"), "")
    low, high = found["arrays"]["low"], found["arrays"]["high"]
    low, high = np.nan_to_num(low, nan=auc + 1), np.nan_to_num(high, nan=auc - 1)
    return {
        "covered": float(((low <= auc) & (auc <= high)).mean()),
        "low_held": float((low <= auc).mean()),
        "high_held": float((auc <= high).mean()),
        "width": float(np.median(high - low)),
    }
