"""Values of certificates where the truth is known, and the figures that they are computed from.

    python benchmarks/point_values/trials.py nothing   # identical laws
    python benchmarks/point_values/trials.py faint     # laws with AUC* of at most .6
    python benchmarks/point_values/trials.py suite     # the stack on samples of track 1

One row per model, law, rows per class and sample goes to ``benchmarks/results/point_values.csv``;
rows that are there already are skipped, so a run may be interrupted. ``rules.py`` computes tables,
and other rules from the same figures, without a fit.

The default as it was with three members, whose values were too large where nothing differs, is
measured by that version on the same samples; only its values and lower bounds are kept:

    git worktree add EARLIER adaa9ae
    PYTHONPATH=EARLIER/src python benchmarks/point_values/trials.py earlier
"""

from __future__ import annotations

import sys
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import RESULTS, Table

from rocstar import ArctanRatioCV, StackedRatio, arc_length_score, certify, laws, roc_auc

SEED = 2022  # that of track 1, so that its samples are these
FIGURES = ("arc_length", "auc", "tv")
MODELS = {
    "linear": lambda: ArctanRatioCV("linear", cv=5, random_state=0),
    "rbf": lambda: ArctanRatioCV("rbf", cv=5, random_state=0),
    "stack": lambda: StackedRatio(random_state=0),
}
NOTHING = "identical-10d"
FAINT = {
    **{k: laws.suite()[k] for k in ("gaussian-faint-10d", "contaminated-5d", "student-df-1d")},
    "faint-1d": laws.GaussianPair.shifted(0.3, 1),
    "faint-scale-10d": laws.GaussianPair(np.zeros(10), 0.0, 1.0, 1.15),
}
LAWS = {**laws.suite(), **FAINT, NOTHING: laws.GaussianPair.shifted(0.0, 10)}
KEYS = ("model", "law", "n", "repetition")
EARLIER = "earlier stack"
# The first half of the samples of each law: rules that do well on these must do well on the others.
FIRST_HALF = {NOTHING: 200, **dict.fromkeys(FAINT, 60)}


def plan(which: str) -> Iterator[tuple[str, str, int, int]]:
    """Model, law, rows per class and number of the sample, every law early."""
    if which == "nothing":
        yield from ((model, NOTHING, 200, k) for k in range(200) for model in MODELS)
        yield from (("stack", NOTHING, 200, k) for k in range(200, 400))
    elif which == "faint":
        yield from ((m, law, 200, k) for k in range(60) for m in MODELS for law in FAINT)
        yield from (("stack", law, 200, k) for k in range(60, 120) for law in FAINT)
    elif which == "earlier":
        yield from ((EARLIER, law, 200, k) for k in range(120) for law in FAINT)
        yield from ((EARLIER, NOTHING, 200, k) for k in range(60))
    else:
        rounds = [(200, 0), (1000, 0), (200, 1), (200, 2), (1000, 1), (200, 3)]
        yield from (("stack", law, n, k) for n, k in rounds for law in laws.suite())


def trial(model: str, name: str, n: int, repetition: int) -> dict[str, Any]:
    """The values of one certificate and what they rest on."""
    law = LAWS[name]
    X, y = law.sample(n, n, random_state=[SEED, zlib.crc32(name.encode()), n, repetition])
    splitter = StratifiedKFold(5, shuffle=True, random_state=repetition)
    estimator = MODELS["stack" if model == EARLIER else model]()
    found = certify(estimator, X, y, cv=list(splitter.split(X, y)), random_state=0)
    oracle, held = _oracle(law, X, y), found.held_out
    inside, outside = (None, None) if model == EARLIER else (held.in_sample, held.figures())
    row: dict[str, Any] = {"share": inside.share if inside else ""}
    for k, figure in enumerate(FIGURES):
        estimate = getattr(found, figure)
        row[f"{figure}_in"] = _text(inside.figures[k]) if inside else ""
        row[f"{figure}_out"] = _text(outside[k]) if outside else ""
        row[f"{figure}_oracle"] = _text(oracle[k])
        row |= {f"{figure}_{end}": _text(getattr(estimate, end)) for end in ("value", "low")}
    return {**row, "status": "done"}


def _text(number: float) -> str:
    return f"{number:.6f}"


def _oracle(law: laws.Law, X: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Figures of the true angle on the same rows."""
    angle = law.angle(X)
    rule = angle > np.pi / 4
    tv = rule[y == 1].mean() - rule[y == 0].mean()
    score = np.clip(law.log_ratio(X), -1e300, 1e300)
    return float(arc_length_score(y, angle)), float(roc_auc(y, score)), float(tv)


def main(which: str) -> None:
    warnings.simplefilter("ignore")
    table = Table(RESULTS / "point_values.csv", KEYS)
    for cell in plan(which):
        if not table.has(*cell):
            table.add({**dict(zip(KEYS, cell, strict=True)), **trial(*cell)})


if __name__ == "__main__":
    main(*sys.argv[1:])
