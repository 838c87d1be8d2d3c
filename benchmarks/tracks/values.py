"""Track 1: arc length, total variation and AUC* from samples of laws whose truth is known.

Ours is `certify`, its ``value`` and ``low``. A rival is a ratio or a classifier, plugged in: the
angle on its own rows ("in sample") and on rows held out in the five folds that ours gets too
("5 folds"); then J, TPR − FPR of "angle above π/4" and the AUC. All estimates are clipped to what
is possible. The oracle knows the true angle and only averages.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness import RESULTS, Table, Team, measurements
from sklearn.model_selection import StratifiedKFold

from rocstar import arc_length_score, laws, roc_auc

QUANTITIES = ("arc_length", "tv", "auc")
LIMITS = {
    "arc_length": (np.sqrt(2), 2.0),
    "tv": (0.0, 1.0),
    "auc": (0.5, 1.0),
    "js": (0.0, np.log(2)),
}
SEED = 2022

OURS = ("rocstar stack", "rocstar linear", "rocstar rbf")
RIVALS = {
    "logistic CV": "with_sklearn",
    "kNN": "with_sklearn",
    "KDE": "with_sklearn",
    "HistGradientBoosting": "with_sklearn",
    "densratio uLSIF": "with_densratio",
    "densratio KLIEP": "with_densratio",
    "adapt KLIEP": "with_adapt",
    "adapt ULSIF": "with_adapt",
    "npeet_plus": "with_npeet",
}
# Too slow to be fitted six times with more rows per class than this: in sample only.
MOST_FOLDED = {
    "densratio uLSIF": 1000,
    "densratio KLIEP": 1000,
    "adapt KLIEP": 0,
    "adapt ULSIF": 1000,
    "KDE": 1000,
}
# Too slow at all.
MOST_ROWS = {"adapt KLIEP": 1000, "densratio KLIEP": 1000}

QUICK_LAWS = ("gaussian-10d", "quadric-2d", "bimodal-1d", "uniform-1d")


class Size(NamedTuple):
    """Repetitions for each number of rows per class, and the laws."""

    repetitions: dict[int, int]
    laws: tuple[str, ...]


# Twice as many samples for the stack and the rival that comes closest: their ratio is noisy, mostly
# through the covariance of errors with the oracle's.
CLOSEST = ("oracle", "rocstar stack", "kNN")
SIZES = {
    "quick": Size({200: 1}, QUICK_LAWS),
    "full": Size({200: 12, 1000: 12, 5000: 8}, tuple(laws.suite())),
}


def run(team: Team, size: str, data: Path | None = None, results: Path = RESULTS) -> None:
    """Fill ``values.csv``, few rows first but no size left behind: a run may be interrupted."""
    table = Table(results / "values.csv", ("law", "n", "repetition", "method"))
    plan = SIZES[size]
    rounds = [(n, r) for n, repetitions in plan.repetitions.items() for r in range(repetitions)]
    for n, repetition in sorted(rounds, key=lambda cell: (cell[1] + 1) * np.sqrt(cell[0])):
        for law in plan.laws:
            _cell(team, table, law, n, repetition)
    if size == "full":
        more = [(n, r + c) for n, c in plan.repetitions.items() for r in range(c)]
        for n, repetition in sorted(more, key=lambda cell: (cell[1] + 1) * np.sqrt(cell[0])):
            for law in plan.laws:
                _cell(team, table, law, n, repetition, CLOSEST)


def _cell(
    team: Team, table: Table, name: str, n: int, repetition: int, only: Collection[str] = ()
) -> None:
    """Every method, or some, on one sample; the order is turned at every repetition."""
    law = laws.suite()[name]
    X, y = law.sample(n, n, random_state=[SEED, zlib.crc32(name.encode()), n, repetition])
    fold = np.empty(len(y), dtype=int)
    splitter = StratifiedKFold(5, shuffle=True, random_state=repetition)
    for k, (_, test) in enumerate(splitter.split(X, y)):
        fold[test] = k
    arrays = {"X": X, "y": y, "fold": fold}
    cell = {"law": name, "n": n, "repetition": repetition}
    jobs = [("oracle", "")] + [(m, "with_ours") for m in OURS] + list(RIVALS.items())
    jobs = [job for job in jobs if not only or job[0] in only]
    turn = repetition % len(jobs)
    for method, adapter in jobs[turn:] + jobs[:turn]:
        if table.has(*cell.values(), method) or n > MOST_ROWS.get(method, n):
            continue
        for row in _rows(team, law, arrays, method, adapter):
            table.add({**cell, "method": method, **row})


def _rows(
    team: Team, law: laws.Law, arrays: dict[str, np.ndarray], method: str, adapter: str
) -> Iterator[dict[str, Any]]:
    y = arrays["y"]
    if method == "oracle":
        X = arrays["X"]
        figures = _figures(y, law.angle(X), law.log_ratio(X), None)
        yield _row("knows the angle", figures, {}, {"status": "done"})
        return
    if method in OURS:
        found = team.ask(adapter, "values", method, arrays)
        numbers = found.get("numbers", {})
        values = {name: numbers.get(f"{name} value", "") for name in QUANTITIES}
        if numbers:
            values["js"] = jensen_shannon(y, found["arrays"]["angle"])
        lows = {name: numbers.get(f"{name} low", "") for name in QUANTITIES}
        yield _row("certify", values, lows, found)
        return
    if method == "npeet_plus":
        found = team.ask(adapter, "information", method, arrays)
        yield _row("neighbours", found.get("numbers", {}), {}, found)
        return
    options = {"in_sample_only": len(y) / 2 > MOST_FOLDED.get(method, np.inf)}
    found = team.ask(adapter, "angles", method, arrays, options)
    angles = found.get("arrays", {})
    for how, name, fold in (
        ("in sample", "inside", None),
        ("5 folds", "outside", arrays["fold"]),
    ):
        if name in angles:
            yield _row(how, _figures(y, angles[name], angles[name], fold), {}, found)
    if not angles:
        yield _row("", {}, {}, found)


def _figures(
    y: np.ndarray, angle: np.ndarray, score: np.ndarray, fold: np.ndarray | None
) -> dict[str, float]:
    """Arc length, TPR − FPR and AUC; ranks are compared within folds only."""
    rule = angle > np.pi / 4
    score = np.clip(score, -1e300, 1e300)
    parts = [np.ones(len(y), bool)] if fold is None else [fold == k for k in np.unique(fold)]
    found = {
        "arc_length": arc_length_score(y, angle),
        "tv": rule[y == 1].mean() - rule[y == 0].mean(),
        "auc": np.mean([roc_auc(y[part], score[part]) for part in parts]),
        "js": jensen_shannon(y, angle),
    }
    return {name: float(np.clip(value, *LIMITS[name])) for name, value in found.items()}


def jensen_shannon(y: np.ndarray, angle: np.ndarray) -> float:
    """The divergence in nats that these angles reach: on average a lower bound if held out."""
    share = np.clip(np.sin(angle) / (np.sin(angle) + np.cos(angle)), 1e-12, 1 - 1e-12)
    gain = np.log(2 * share[y == 1]).mean() / 2 + np.log(2 * (1 - share[y == 0])).mean() / 2
    return float(np.clip(gain, *LIMITS["js"]))


def _row(
    how: str, values: dict[str, Any], lows: dict[str, Any], found: dict[str, Any]
) -> dict[str, Any]:
    return {
        "how": how,
        **{name: values.get(name, "") for name in (*QUANTITIES, "js")},
        **{f"{name}_low": lows.get(name, "") for name in QUANTITIES},
        **measurements(found),
    }
