"""Lower bounds of the four figures of a sample, and how often they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from samplers import Sample, Truth

from rocstar import arc_length_interval, auc_gain, auc_interval, youden_interval

N_DRAWS = 1000


def lower_bounds(sample: Sample, seed: int) -> Truth:
    """One-sided 95 % bounds by the library's default method."""
    given = {
        "side": "lower",
        "sample_weight": sample.weight,
        "groups": sample.group,
        "n_draws": N_DRAWS,
        "random_state": seed,  # fresh draws in each run, or all would share one error
    }
    return Truth(
        auc_interval(sample.y, sample.score, **given).low,
        arc_length_interval(sample.y, sample.angle, **given).low,
        youden_interval(sample.y, sample.decision, **given).low,
        auc_gain(sample.y, sample.score, sample.baseline, **given).low,
    )


def coverage(bounds: dict[str, list[Truth]], truth: Truth) -> dict[str, Any]:
    """Per figure the truth, and per method how often the bound holds and its median."""
    out: dict[str, Any] = {}
    for k, figure in enumerate(Truth._fields):
        out[f"{figure} truth"] = truth[k]
        for method, rows in bounds.items():
            lows = np.array([row[k] for row in rows])
            # A bound can lie on the truth itself, up to rounding.
            out[f"{figure} {method} coverage"] = float((lows <= truth[k] + 1e-9).mean())
            out[f"{figure} {method} median"] = float(np.median(lows))
    return out
