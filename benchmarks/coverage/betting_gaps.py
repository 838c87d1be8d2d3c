"""Certificates by betting beside those of five folds and of a hold-out: distances to the truth.

A linear class on five columns of which one differs; every cell draws its own samples. "each" bounds
hold singly, "joint" ones together, as those of a certificate do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from cells import run_cells
from lean import LeanLinear

from rocstar import laws
from rocstar.estimators.splits import split_rows
from rocstar.geometry.bounds import implied_bounds
from rocstar.inference import certificate as certificates
from rocstar.inference.betting_bounds import SHARES, betting_bounds
from rocstar.inference.held_out import HeldOut, held_out
from rocstar.inference.prequential import prequential_splits

N_RUNS = 100
ERROR = 0.05
ALONE = (1.0, 1.0, 1.0)
SIZES = ((1, 100, 100), (2, 200, 200), (2, 500, 500), (3, 24, 1000), (2, 60, 1000), (2, 120, 1000))
NAMES = ("L", "AUC", "TV")


def dirichlet(held: HeldOut, *, joint: bool) -> list[float]:
    """Lower bounds of a certificate, or those that hold singly."""
    shared = certificates.joint_error
    try:
        if not joint:
            certificates.joint_error = lambda *_: ERROR
        found = certificates.certificate(held, 1 - ERROR)
    finally:
        certificates.joint_error = shared
    return [found.arc_length.low, found.auc.low, found.tv.low]


def simulate(shift: float, n_pos: int, n_neg: int) -> dict[str, Any]:
    law = laws.GaussianPair([float(shift), 0, 0, 0, 0], [0.0] * 5)
    truth = np.array([law.arc_length, law.auc, law.tv])
    gaps: dict[str, list[Any]] = {}
    for run in range(N_RUNS):
        X, y = law.sample(n_pos, n_neg, random_state=run)
        positive = y == 1
        splits = {
            "five folds": split_rows(5, positive, random_state=run),
            "hold-out": split_rows("holdout", positive, random_state=run),
            "betting": prequential_splits(None, positive, random_state=run),
        }
        for name, each in splits.items():
            held = held_out(LeanLinear(), X, positive, each)
            for joint in (False, True):
                if name == "betting":
                    low = implied_bounds(*betting_bounds(held, ERROR, SHARES if joint else ALONE))
                else:
                    low = dirichlet(held, joint=joint)
                key = f"{name} {'joint' if joint else 'each'}"
                gaps.setdefault(key, []).append(truth - low)
    out: dict[str, Any] = {"runs": N_RUNS}
    for key, found in gaps.items():
        for k, name in enumerate(NAMES):
            out[f"{key} {name}"] = float(np.median(np.array(found)[:, k]))
            out[f"{key} {name} coverage"] = float(np.mean(np.array(found)[:, k] >= -1e-9))
    return out


def main() -> None:
    cells = [{"shift": shift, "n_pos": n, "n_neg": m} for shift, n, m in SIZES]
    run_cells("betting_gaps", cells, simulate)


if __name__ == "__main__":
    main()
