"""Lower bounds of a mean in [0, 1] and of an AUC by betting beside those of others.

Those of confseq are simulated where its Python modules can be imported; it has no wheel, but the
folder ``src`` of its source distribution on the path will do, with ``np.float_`` put back for
version 0.0.11.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from cells import run_cells
from scipy.stats import beta, norm

from rocstar import auc_interval, mean_interval

N_RUNS, CONFSEQ_RUNS = 300, 30
ERROR = 0.05
MEANS = ("betting", "Gaffke", "Clopper–Pearson", "Hoeffding", "empirical Bernstein", "normal")
AUCS = ("betting", "dirichlet", "delong", "bootstrap")


def mean_bounds(x: Any, run: int) -> list[float]:
    n, m, v = x.size, x.mean(), x.var(ddof=1)
    log = np.log(2 / ERROR)
    whole = np.isin(x, (0.0, 1.0)).all()
    k = x.sum()
    return [
        mean_interval(x, side="lower", method="betting", random_state=run).low,
        mean_interval(x, side="lower", n_draws=1000, random_state=run).low,
        (beta.ppf(ERROR, k, n - k + 1) if k else 0.0) if whole else np.nan,
        m - np.sqrt(np.log(1 / ERROR) / (2 * n)),
        m - np.sqrt(2 * v * log / n) - 7 * log / (3 * (n - 1)),  # Maurer and Pontil 2009
        m - norm.isf(ERROR) * np.sqrt(v / n),
    ]


def auc_bounds(y: Any, score: Any, run: int) -> list[float]:
    rng = np.random.default_rng(run)
    up, down = score[y == 1], np.sort(score[y == 0])
    again = []
    for _ in range(200):
        negatives = np.sort(rng.choice(down, down.size))
        places = np.searchsorted(negatives, rng.choice(up, up.size))
        again.append(places.mean() / down.size)
    given: list[Any] = ["betting", "dirichlet", "delong"]
    found = [
        auc_interval(y, score, side="lower", method=m, n_draws=1000, random_state=run).low
        for m in given
    ]
    return [*found, float(np.quantile(again, ERROR))]


def simulate(figure: str, law: str, n: int) -> dict[str, Any]:
    rng = np.random.default_rng([len(figure), len(law), n])
    gaps = []
    for run in range(N_RUNS):
        if figure == "AUC":
            y, shift = np.repeat([1, 0], [n, 500]), np.sqrt(2) * norm.ppf(float(law))
            score = rng.normal(size=y.size) + shift * y
            gaps.append(float(law) - np.array(auc_bounds(y, score, run)))
        else:
            a, b = LAWS[law]
            x = rng.beta(a, b, n) if b else (rng.random(n) < a).astype(np.float64)
            gaps.append((a / (a + b) if b else a) - np.array(mean_bounds(x, run)))
    out: dict[str, Any] = {"runs": N_RUNS}
    names = AUCS if figure == "AUC" else MEANS
    for k in range(len(MEANS)):
        known = k < len(names) and not np.isnan(gaps[0][k])
        column = np.array([gap[k] for gap in gaps]) if known else np.array([np.nan])
        out[f"{k} gap"] = float(np.median(column))
        out[f"{k} coverage"] = float(np.mean(column >= 0)) if known else np.nan
    return out


def simulate_confseq(law: str, n: int) -> dict[str, Any]:
    """Betting intervals of confseq, whose two sides have half of twice the error each."""
    from confseq.betting import betting_ci

    rng = np.random.default_rng([len(law), n])
    a, b = LAWS[law]
    gaps = []
    for run in range(CONFSEQ_RUNS):
        x = rng.beta(a, b, n) if b else (rng.random(n) < a).astype(np.float64)
        ours = mean_interval(x, side="lower", method="betting", random_state=run).low
        gaps.append((a / (a + b) if b else a) - np.array([ours, betting_ci(x, alpha=2 * ERROR)[0]]))
    medians = np.median(gaps, axis=0)
    return {"runs": CONFSEQ_RUNS, "betting gap": medians[0], "confseq gap": medians[1]}


LAWS = {"two points, .9": (0.9, 0), "Beta(2, 5)": (2, 5), "Beta(9, 1)": (9, 1)}


def main() -> None:
    cells = [{"figure": "mean", "law": law, "n": n} for n in (20, 100, 1000) for law in LAWS]
    cells += [
        {"figure": "AUC", "law": auc, "n": n} for n in (24, 120, 500) for auc in (".8", ".95")
    ]
    run_cells("betting_peers", cells, simulate)
    if find_spec("confseq") is not None:
        cells = [{"law": law, "n": n} for n in (20, 100, 1000) for law in LAWS]
        run_cells("betting_confseq", cells, simulate_confseq)


if __name__ == "__main__":
    main()
