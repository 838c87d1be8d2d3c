"""Coverage of the certified curve and of every measure over the law suite, at three prevalences.

Two ways to make the curve:

- "true angle": the best possible score on one held-out part. Nothing lies between the judged curve
  and ROC*, so that a bound has no slack.
- "folds": a linear class at a fixed penalty, judged out of five folds that are pooled, on laws
  that this class comes close to.

Command: ``nice python benchmarks/coverage/measures.py``; then ``python benchmarks/page.py``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from cells import run_cells
from lean import LeanLinear

from rocstar import laws
from rocstar.estimators.splits import split_rows
from rocstar.inference import bands, dirichlet_band, held_figures
from rocstar.inference.certified_curve import CertifiedCurve, certified_curve
from rocstar.inference.certified_measures import own_bound
from rocstar.inference.held_out import HeldOut, held_out, of_one_part
from rocstar.measures import (
    Accuracy,
    Cost,
    Epsilon,
    FScore,
    HockeyStick,
    Measure,
    NetBenefit,
    PartialAuc,
    Precision,
    PrecisionRecallArea,
    Recall,
    RocAuc,
    TotalVariation,
    Tpr,
)

# With 400 draws, as elsewhere here, the local level of a band would be too coarse.
N_RUNS, N_DRAWS, LEVEL = 1000, 1000, 0.95
OWN = (HockeyStick, NetBenefit)  # of those with a bound of their own
ROUGH = 1e-5  # a polygon through 2,001 points lies that close below ROC*
ROWS = {0.01: (10, 990), 0.1: (30, 270), 0.5: (80, 80)}
FIRST = ("gaussian-1d", "identical-5d")
FOLDED = ("gaussian-1d", "identical-5d", "gaussian-10d")


def measures_at(prevalence: float) -> dict[str, Measure]:
    """One of each, at settings that fit the prevalence."""
    return {
        "RocAuc": RocAuc(),
        "PartialAuc": PartialAuc(0.1),
        "Tpr": Tpr(0.1),
        "HockeyStick": HockeyStick(2.0),
        "TotalVariation": TotalVariation(),
        "Accuracy": Accuracy(prevalence),
        "NetBenefit": NetBenefit(prevalence, prevalence),
        "Cost": Cost(1 / prevalence, 1 / (1 - prevalence), prevalence),
        "Precision": Precision(0.5, prevalence),
        "Recall": Recall(min(0.9, 2 * prevalence), prevalence),
        "PrecisionRecallArea": PrecisionRecallArea(prevalence),
        "FScore": FScore(prevalence),
        "Epsilon": Epsilon(0.05),
    }


def judged(way: str, law: Any, prevalence: float, seed: int) -> Iterator[HeldOut]:
    """Held-out rows of independent samples."""
    n_pos, n_neg = ROWS[prevalence]
    for run in range(N_RUNS):
        X, y = law.sample(n_pos, n_neg, random_state=[seed, n_pos, run])
        if way == "true angle":
            angle = law.angle(X)
            yield of_one_part(y == 1, angle, angle, np.ones(y.size), None)
        else:
            splits = split_rows(5, y == 1, random_state=run)
            yield held_out(LeanLinear(alpha=1e-3), X, y == 1, splits)


def simulate(way: str, law: str, prevalence: float) -> dict[str, Any]:
    task, measures = laws.suite()[law], measures_at(prevalence)
    truth = {name: task.measure(measure) for name, measure in measures.items()}
    points = task.roc_star(2001)
    tops = np.append(np.diff(points.fpr) > 0, True)  # the top of a vertical piece
    dirichlet_band.N_DRAWS = held_figures.N_DRAWS = N_DRAWS
    under, gaps, own = [], [], []
    for run, held in enumerate(judged(way, task, prevalence, zlib.crc32(law.encode()))):
        # Fresh draws in each run: a fixed seed would lend all runs the same error in the quantile.
        held_figures.SEED = run
        curve = with_seed(held, run)
        best = np.interp(curve.fpr[1:-1], points.fpr[tops], points.tpr[tops])
        under.append(bool((curve.tpr[1:-1] <= best + ROUGH).all()))
        gaps.append([gap(m, truth[name], curve.measure(m)) for name, m in measures.items()])
        own.append(
            [
                gap(m, truth[name], own_bound(m, held, LEVEL))
                for name, m in measures.items()
                if isinstance(m, OWN)
            ]
        )
    named = [name for name, m in measures.items() if isinstance(m, OWN)]
    out: dict[str, Any] = {"runs": N_RUNS, "curve": float(np.mean(under))}
    for name, column in zip(measures, np.transpose(gaps), strict=True):
        out |= {name: float((column >= -1e-9).mean()), f"{name} gap": float(np.median(column))}
    for name, column in zip(named, np.transpose(own), strict=True):
        out |= {
            f"own {name}": float((column >= -1e-9).mean()),
            f"own {name} gap": float(np.median(column)),
        }
    return out


def with_seed(held: HeldOut, run: int) -> CertifiedCurve:
    """The certified curve with draws of its own."""
    drawn = np.random.default_rng
    bands.np.random.default_rng = lambda _: drawn(run)
    try:
        return certified_curve(held, LEVEL)
    finally:
        bands.np.random.default_rng = drawn


def gap(measure: Measure, truth: float, bound: float) -> float:
    """How far the bound is from the truth; negative where it is wrong."""
    if truth == bound:
        return 0.0
    return truth - bound if measure.greater_is_better else bound - truth


def distinct_laws() -> list[str]:
    """Laws of which no earlier one has the same ROC*, which is all that the true angle shows."""
    found: dict[tuple[float, ...], str] = {}
    for name, law in laws.suite().items():
        found.setdefault((round(law.arc_length, 8), round(law.auc, 8), round(law.tv, 8)), name)
    return list(found.values())


def main() -> None:
    ways = [("true angle", law) for law in FIRST] + [("folds", law) for law in FOLDED]
    ways += [("true angle", law) for law in distinct_laws() if law not in FIRST]
    cells = [
        {"way": way, "law": law, "prevalence": prevalence}
        for way, law in ways
        for prevalence in ROWS
    ]
    run_cells("measures", cells, simulate)


if __name__ == "__main__":
    main()
