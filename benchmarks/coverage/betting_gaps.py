"""Certificates by betting beside those of five folds and of a hold-out: distances to the truth.

A linear class on five columns of which one differs; every cell draws its own samples. The bounds
of a certificate hold together: by betting they share the error, those of folds use the correlation
of the figures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from cells import run_cells
from lean import LeanLinear

from rocstar import laws
from rocstar.estimators.splits import split_rows
from rocstar.inference.certificate import certificate
from rocstar.inference.held_out import held_out
from rocstar.inference.prequential import prequential_splits

N_RUNS = 40
SIZES = ((1, 100, 100), (2, 200, 200), (2, 500, 500), (3, 24, 1000), (2, 60, 1000), (2, 120, 1000))
NAMES = {"L": "arc_length", "AUC": "auc", "TV": "tv"}


def simulate(shift: float, n_pos: int, n_neg: int) -> dict[str, Any]:
    law = laws.GaussianPair([float(shift), 0, 0, 0, 0], [0.0] * 5)
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
            found = certificate(held, method="betting" if name == "betting" else "dirichlet")
            low = [getattr(law, figure) - getattr(found, figure).low for figure in NAMES.values()]
            gaps.setdefault(name, []).append(low)
    out: dict[str, Any] = {"runs": N_RUNS}
    for name, rows in gaps.items():
        for figure, column in zip(NAMES, np.array(rows).T, strict=True):
            out[f"{name} {figure}"] = float(np.median(column))
            out[f"{name} {figure} coverage"] = float(np.mean(column >= -1e-9))
    return out


def main() -> None:
    cells = [{"shift": shift, "n_pos": n, "n_neg": m} for shift, n, m in SIZES]
    run_cells("betting_gaps", cells, simulate)


if __name__ == "__main__":
    main()
