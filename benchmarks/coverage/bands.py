"""Coverage of simultaneous lower bands of the ROC curve."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from cells import run_cells
from scipy.stats import norm

from rocstar import roc_band

N_RUNS = 200
SHIFT = 2.0


def sample(law: str, rng: np.random.Generator, n_pos: int, n_neg: int) -> tuple[Any, Any]:
    y = np.repeat([1, 0], [n_pos, n_neg])
    if law == "two-point":
        above = rng.random(y.size) < 0.9
        return y, np.where(y == 1, np.where(above, 2.0, -1.0), rng.random(y.size))
    normal = rng.normal(size=y.size) + SHIFT * y
    return y, normal if law == "binormal" else np.rint(normal)


def truth(law: str) -> tuple[Any, Any]:
    """Points of the true curve, dense where the law is continuous."""
    if law == "two-point":
        fpr = np.linspace(0, 1, 2001)
        return fpr, np.where(fpr < 1, 0.9, 1.0)
    cuts = np.arange(-8.5, 11) if law == "lattice" else np.linspace(-6, 8, 4001)
    return norm.sf(cuts), norm.sf(cuts - SHIFT)


def simulate(law: str, n_pos: int, n_neg: int) -> dict[str, Any]:
    rng = np.random.default_rng([zlib.crc32(law.encode()), n_pos, n_neg])
    fpr, tpr = truth(law)
    at_tenth = float(tpr[np.abs(fpr - 0.1).argmin()])
    held = {method: [] for method in ("dirichlet", "exact")}
    gaps = {method: [] for method in held}
    for _ in range(N_RUNS):
        y, score = sample(law, rng, n_pos, n_neg)
        for method in held:
            band = roc_band(y, score, method=method)
            held[method].append(bool((band.at(fpr) <= tpr + 1e-9).all()))
            gaps[method].append(at_tenth - float(band.at(0.1)))
    out: dict[str, Any] = {"runs": N_RUNS}
    for method in held:
        out[f"{method} coverage"] = float(np.mean(held[method]))
        out[f"{method} gap at .1"] = float(np.median(gaps[method]))
    return out


def main() -> None:
    cells = [
        {"law": law, "n_pos": n_pos, "n_neg": n_neg}
        for n_pos, n_neg in ((10, 1000), (24, 1000), (120, 1000), (200, 200), (1000, 1000))
        for law in ("binormal", "two-point", "lattice")
    ]
    run_cells("bands", cells, simulate)


if __name__ == "__main__":
    main()
