"""Lower bands of ROC* beside Clopper and Pearson's bounds at hull points: ε and partial AUC.

The rule of jax_privacy takes the vertices of the empirical hull and bounds both rates of each by
Clopper and Pearson, every bound at its share of the error. It is no theorem, since the vertices are
chosen by the rows that judge them. ε of (ε, 0)-indistinguishability is the larger of both
directions, by the vertices of the least concave curve over a band; the partial AUC is the mean
height of that curve up to a false positive rate of 1 %.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from cells import run_cells
from scipy.stats import beta, laplace, norm

from rocstar import roc_band
from rocstar.geometry.curves import roc_hull
from rocstar.geometry.polygons import concave_majorant

N_RUNS = 40
MOST_ROWS = 200
METHODS = ("concave", "hull points", "exact", "dirichlet")
LAWS = {
    "Laplace, ε = 1": (laplace, 1.0),
    "normal, δ = 1": (norm, 1.0),
    "normal, δ = 2": (norm, 2.0),
}


def hull_points(y: Any, score: Any, error: float = 0.05) -> tuple[Any, Any]:
    hull, sizes = roc_hull(y, score), np.bincount(y)
    tpr, fpr = hull.tpr[1:-1], hull.fpr[1:-1]
    each = error / (2 * fpr.size)
    up, down = np.rint(tpr * sizes[1]), np.rint(fpr * sizes[0])
    low = np.where(up > 0, beta.ppf(each, np.maximum(up, 1), sizes[1] - up + 1), 0.0)
    high = beta.isf(each, down + 1, np.maximum(sizes[0] - down, 1e-9))
    return concave_majorant(np.where(down < sizes[0], high, 1.0), low)


def epsilon(fpr: Any, low: Any) -> float:
    forth, back = (fpr > 0) & (low > 0), (low < 1) & (fpr < 1)
    ratios = [low[forth] / fpr[forth], (1 - fpr[back]) / (1 - low[back])]
    return float(np.log(np.concatenate(ratios)).max())


def simulate(law: str, n: int) -> dict[str, Any]:
    rng = np.random.default_rng([zlib.crc32(law.encode()), n])
    noise, shift = LAWS[law]
    rates = np.linspace(0, 0.01, 201)
    grid = np.concatenate([np.geomspace(1e-5, 0.1, 300), np.linspace(0.1, 1, 300)])
    truth = noise.sf(noise.isf(grid) - shift)
    # The default of many rows takes most of the time and is not at stake here.
    methods = [method for method in METHODS if method != "dirichlet" or n <= MOST_ROWS]
    found: dict[str, list[Any]] = {method: [] for method in methods}
    for _ in range(N_RUNS):
        y = np.repeat([1, 0], n)
        score = noise.rvs(size=2 * n, random_state=rng) + shift * y
        for method in methods:
            if method == "hull points":
                curve = hull_points(y, score)
            else:
                band = roc_band(y, score, method=method)
                curve = concave_majorant(band.fpr, band.low)
            held = bool((np.interp(grid, *curve) <= truth + 1e-9).all())
            found[method].append((epsilon(*curve), np.interp(rates, *curve).mean(), held))
    out: dict[str, Any] = {"runs": N_RUNS}
    for method in METHODS:
        figures = np.array(found.get(method, [[np.nan] * 3]), dtype=np.float64)
        out[f"{method} ε"], out[f"{method} partial AUC"] = np.median(figures[:, :2], axis=0)
        out[f"{method} coverage"] = figures[:, 2].mean()
    return out


def main() -> None:
    run_cells("proven_bands", [{"law": law, "n": n} for n in (200, 1000) for law in LAWS], simulate)


if __name__ == "__main__":
    main()
