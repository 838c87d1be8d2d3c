"""Ten small samples with two scores each, and what R's pROC says of them.

``python tools/ask_proc.py`` asks pROC again. The tests read its answers and need no R.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

REFERENCE = Path(__file__).parent / "reference" / "proc.json"


class Sample(NamedTuple):
    y: np.ndarray
    score: np.ndarray
    baseline: np.ndarray


# Positives, negatives, shift of the positives, decimals of the scores.
SHAPES = {
    "balanced": (40, 40, 1.0, 3),
    "imbalanced": (12, 150, 1.2, 3),
    "ties": (30, 50, 0.9, 1),
    "lattice": (40, 60, 1.0, 0),
    "separable but for one": (15, 25, 20.0, 3),
    "chance": (50, 50, 0.0, 3),
    "nearly perfect": (60, 80, 3.3, 3),
    "worse than chance": (30, 30, -1.0, 3),
    "five positives": (5, 60, 1.0, 3),
    "many rows": (400, 800, 1.2, 3),
}


def samples() -> dict[str, Sample]:
    """The same numbers for ever: `RandomState` is frozen, and rounding hides the last digits."""
    rng, out = np.random.RandomState(20), {}
    for name, (n_pos, n_neg, shift, decimals) in SHAPES.items():
        y = np.repeat([1, 0], [n_pos, n_neg])
        score = rng.normal(size=y.size) + shift * y
        baseline = 0.6 * score + 0.8 * rng.normal(size=y.size)
        if name == "separable but for one":
            score[0] = baseline[0] = 0.5  # among the negatives
        mixed = rng.permutation(y.size)
        out[name] = Sample(
            *(a[mixed] for a in (y, score.round(decimals), baseline.round(decimals)))
        )
    return out


def reference() -> dict:
    """Versions of R and pROC, and per sample what pROC computed."""
    return json.loads(REFERENCE.read_text())
