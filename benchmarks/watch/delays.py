"""Days until alarm after a change, beside peers, and false alarms of a year without one.

    python benchmarks/watch/delays.py [--streams 10] [--years 4] [--out JSON]

A reference of 2,000 rows with five numbers and one category, 200 rows a day, a change after day 20
that lasts. The four sudden changes have a total variation distance of 0.12; the gradual one reaches
0.24 after 60 days. Delays are counted in days, the first day of the change being 1, up to 40. Peers
look at every day alone:

- evidently: its default preset (normed Wasserstein and Jensen-Shannon distances above 0.1), and
  Kolmogorov-Smirnov and chi-squared tests with Bonferroni's correction for columns and days.
  Formulas of evidently 0.7.23, which takes half a second per day, checked against it to 1e-6.
- frouros: Cramér–von Mises tests of the numbers (SciPy's, as it does), with the same correction.
- Hotelling's test of all columns, each day at level 0.05/365: what a linear class sees in a day.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import chi2_contingency, cramervonmises_2samp, ks_2samp, wasserstein_distance
from worlds import stream_of

OUT = Path(__file__).parents[1] / "results" / "watch_delays.json"
REFERENCE, BATCH, QUIET, MOST = 2000, 200, 20, 40
COLUMNS, CODES = 6, (5,)
SHARES = np.array([0.6, 0.3, 0.1])
Rows = np.ndarray


def rows(rng: np.random.Generator, n: int, change: str = "none", day: int = 0) -> Rows:
    """Rows of a day; ``day`` counts from the first day of the change."""
    X = rng.normal(size=(n, COLUMNS))
    shares = SHARES + np.array([-0.12, 0, 0.12]) if change == "one category" else SHARES
    X[:, 5] = rng.choice(3, n, p=shares)
    if change == "mean":
        X[:, 0] += 0.302
    elif change == "variance":
        X[:, 0] *= 1.285
    elif change == "correlation":
        X[:, 1] = 0.36 * X[:, 0] + np.sqrt(1 - 0.36**2) * X[:, 1]
    elif change == "gradual":
        X[:, 0] += 0.61 * min(day / 60, 1.0)
    return X


CHANGES = ("mean", "variance", "one category", "correlation", "gradual")


class Daily:
    """A look at every day alone."""

    def __init__(self, reference: Rows, alarm: Callable[[Rows, Rows], bool]) -> None:
        self.reference, self.rule, self.alarm = reference, alarm, False

    def take(self, X: Rows) -> None:
        self.alarm = self.alarm or self.rule(self.reference, X)


def _category_table(a: Rows, b: Rows) -> Rows:
    return np.stack([np.bincount(side[:, 5].astype(int), minlength=3) for side in (a, b)])


def distances(a: Rows, b: Rows) -> list[float]:
    """Evidently's defaults for more than 1,000 rows."""
    found = [
        wasserstein_distance(a[:, k], b[:, k]) / max(float(a[:, k].std()), 0.001) for k in range(5)
    ]
    table = _category_table(a, b)
    shares = table / table.sum(axis=1, keepdims=True)
    return [*found, float(jensenshannon(shares[0], shares[1]))]


def tests(a: Rows, b: Rows) -> list[float]:
    found = [ks_2samp(a[:, k], b[:, k]).pvalue for k in range(5)]
    table = _category_table(a, b)
    expected = table[0] / table[0].sum() * table[1].sum()
    from scipy.stats import chisquare

    return [*found, float(chisquare(table[1], expected).pvalue)]


def cramer(a: Rows, b: Rows) -> list[float]:
    found = [cramervonmises_2samp(a[:, k], b[:, k]).pvalue for k in range(5)]
    return [*found, float(chi2_contingency(_category_table(a, b)).pvalue)]


def mean_test(a: Rows, b: Rows) -> float:
    """Hotelling's test of the numbers and the category, the linear class without tuning."""
    from scipy.stats import f as fisher

    phi = [np.column_stack([X[:, :5], X[:, 5] == 1, X[:, 5] == 2]) for X in (a, b)]
    n, m, d = len(a), len(b), phi[0].shape[1]
    pooled = ((n - 1) * np.cov(phi[0].T) + (m - 1) * np.cov(phi[1].T)) / (n + m - 2)
    gap = phi[0].mean(axis=0) - phi[1].mean(axis=0)
    t2 = n * m / (n + m) * gap @ np.linalg.solve(pooled, gap)
    return float(fisher.sf(t2 * (n + m - d - 1) / (d * (n + m - 2)), d, n + m - d - 1))


SMALL = 0.05 / 365
METHODS: dict[str, Callable[[Rows, int], object]] = {
    "rocstar Monitor": lambda ref, seed: stream_of(ref, "auto", seed, CODES),
    "evidently, KS and chi-squared, Bonferroni": lambda ref, seed: Daily(
        ref, lambda a, b: min(tests(a, b)) < SMALL / COLUMNS
    ),
    "Hotelling's test, 5 %/365": lambda ref, seed: Daily(ref, lambda a, b: mean_test(a, b) < SMALL),
    "evidently, default preset, any column": lambda ref, seed: Daily(
        ref, lambda a, b: max(distances(a, b)) > 0.1
    ),
    "rocstar Monitor, linear": lambda ref, seed: stream_of(ref, "linear", seed, CODES),
    "frouros, Cramér–von Mises, Bonferroni": lambda ref, seed: Daily(
        ref, lambda a, b: min(cramer(a, b)) < SMALL / COLUMNS
    ),
}


def delay(method: str, change: str, seed: int) -> tuple[int, bool]:
    """Days until the alarm, and whether it came before the change."""
    rng = np.random.default_rng([seed, CHANGES.index(change), 5])
    watched = METHODS[method](rng.permutation(rows(rng, REFERENCE)), seed)
    for _ in range(QUIET):
        watched.take(rows(rng, BATCH))
    if watched.alarm:
        return 0, True
    for day in range(1, MOST + 1):
        watched.take(rows(rng, BATCH, change, day))
        if watched.alarm:
            return day, False
    return MOST, False


def false_alarm(method: str, seed: int) -> bool:
    """Whether a year without a change raised an alarm."""
    rng = np.random.default_rng([seed, 99, 5])
    watched = METHODS[method](rows(rng, REFERENCE), seed)
    for _ in range(365):
        watched.take(rows(rng, BATCH))
        if watched.alarm:
            return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=10)
    parser.add_argument("--years", type=int, default=4)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    found: dict[str, dict[str, object]] = {}
    for method in METHODS:
        start = process_time()
        entry: dict[str, object] = {}
        found[method] = entry
        for change in CHANGES:
            runs = [delay(method, change, seed) for seed in range(options.streams)]
            fair = [days for days, early in runs if not early]
            entry[change] = {
                "mean": float(np.mean(fair)) if fair else None,
                "se": float(np.std(fair) / np.sqrt(len(fair))) if fair else None,
                "missed": sum(days == MOST for days in fair),
                "early": len(runs) - len(fair),
                "streams": len(runs),
            }
            options.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        alarms = [false_alarm(method, seed) for seed in range(options.years)]
        entry["false alarms in a year"] = [sum(alarms), len(alarms)]
        entry["seconds"] = round(process_time() - start, 1)
        options.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
