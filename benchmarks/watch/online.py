"""alibi-detect's online detectors at the false-alarm rate of the others: 5 % per year.

    python benchmarks/watch/online.py [--years 60] [--streams 24] [--out JSON]
    python benchmarks/watch/online.py --check        # in an environment with alibi-detect

The package sets its thresholds by bootstrap samples, ten times as many as rows between false
alarms: for 5 % per year of 200 rows a day that is 15 million. Here a threshold is the value that
5 % of simulated years without a change exceed, each with a reference of its own. No user could know
it, and no bootstrap would come closer. The statistics, MMD and LSDD of a window of the last rows
against the reference, are computed for all rows of a stream at once; ``--check`` compares them with
the package row by row. Streams, changes and delays are those of `delays.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from daily import BATCH, CHANGES, MOST, QUIET, REFERENCE, Rows, rows, stream

OUT = Path(__file__).parents[1] / "results" / "watch_online.json"
WINDOWS = (50, 200)
DAYS, RATE = 365, 0.05
LAMBDAS = 4.0 ** -np.arange(10)
LARGEST_DIFFERENCE = 0.2
SAMPLES = 200


def encoded(X: Rows) -> Rows:
    """Numbers and a column per category."""
    return np.column_stack([X[:, :5], X[:, 5:] == np.arange(3)]).astype(np.float32)


def squares(a: Rows, b: Rows) -> Rows:
    """Squared distances."""
    found = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * (a @ b.T)
    return np.maximum(found, 0.0)


def median_sigma(X: Rows) -> float:
    """The median heuristic of the package, which leaves the diagonal out."""
    distances = np.sort(squares(X, X), axis=None)
    return float(np.sqrt(0.5 * distances[len(X) + (distances.size - len(X)) // 2 - 1]))


class Mmd:
    """Squared MMD of the last rows and most of the reference."""

    def __init__(self, reference: Rows, window: int, rng: np.random.Generator) -> None:
        self.window, self.sigma = window, median_sigma(reference)
        order = rng.permutation(len(reference))
        self.use(reference[order[: len(order) - 2 * window + 1]], reference[order[-window:]])

    def use(self, kept: Rows, first: Rows) -> None:
        """Take the rows to compare with, and those that fill the first window."""
        self.kept, self.first = kept, first
        n = len(kept)
        self.own = (self._kernel(squares(kept, kept)).sum() - n) / (n * (n - 1))

    def statistics(self, X: Rows) -> Rows:
        """After each row."""
        w, X = self.window, np.concatenate([self.first, X])
        parts = np.array_split(X, max(len(X) // 4000, 1))
        to_reference = [self._kernel(squares(p, self.kept)).mean(axis=1) for p in parts]
        cross = _window_sums(np.concatenate(to_reference), w)[1:] / w
        within = np.zeros(len(cross))
        for lag in range(1, w):
            pairs = self._kernel(((X[lag:] - X[:-lag]) ** 2).sum(axis=1))
            within += _window_sums(pairs, w - lag)[1:]
        return self.own + 2 * within / (w * (w - 1)) - 2 * cross

    def _kernel(self, distances: Rows) -> Rows:
        return np.exp(-distances / (2 * self.sigma**2))


class Lsdd:
    """Least-squares density difference of the last rows and most of the reference."""

    def __init__(self, reference: Rows, window: int, rng: np.random.Generator) -> None:
        self.window = window
        self.mean, self.scale = reference.mean(axis=0), reference.std(axis=0, ddof=1) + 1e-12
        Z = (reference - self.mean) / self.scale
        self.sigma = median_sigma(Z)
        order = rng.permutation(len(Z))
        centres, others = Z[order[: 2 * window]], Z[order[2 * window :]]
        centres = centres + 1e-6 * rng.normal(size=centres.shape).astype(np.float32)
        order = rng.permutation(len(others))
        kept, first = others[order[: len(order) - 2 * window + 1]], others[order[-window:]]
        self.use(centres, kept, first, self._inverse(centres, others, rng))

    def use(self, centres: Rows, kept: Rows, first: Rows, inverse: Rows) -> None:
        """Take centres, rows to compare with, those of the first window, and the metric."""
        self.centres, self.first, self.inverse = centres, first, inverse
        self.means = self._kernel(kept).mean(axis=0)

    def statistics(self, X: Rows) -> Rows:
        """After each row."""
        Z = np.concatenate([self.first, ((X - self.mean) / self.scale).astype(np.float32)])
        sums = _window_sums(self._kernel(Z).astype(np.float64), self.window)[1:]
        h = self.means - sums / self.window
        return np.einsum("ij,ij->i", h @ self.inverse, h)

    def _kernel(self, Z: Rows) -> Rows:
        return np.exp(-squares(Z, self.centres) / (2 * self.sigma**2))

    def _inverse(self, centres: Rows, others: Rows, rng: np.random.Generator) -> Rows:
        """The regularised metric: the strongest that changes estimates by less than a fifth."""
        self.centres = centres
        H = np.exp(-squares(centres, centres) / (4 * self.sigma**2)).astype(np.float64)
        k, w = self._kernel(others).astype(np.float64), self.window
        found = []
        for _ in range(SAMPLES):
            order = rng.permutation(len(others))
            at = len(order) - 2 * w + 1
            found.append(k[order[:at]].mean(axis=0) - k[order[at : at + w]].mean(axis=0))
        h = np.array(found)
        for lam in LAMBDAS:
            inverse = np.linalg.inv(H + lam * np.eye(len(H)))
            omega = h @ inverse
            plain = np.einsum("ij,ij->i", h, omega)
            bent = np.einsum("ij,ij->i", omega @ H, omega)
            if np.mean(1 - bent / plain) < LARGEST_DIFFERENCE:
                break
        return 2 * inverse - inverse @ H @ inverse


def _window_sums(x: Rows, w: int) -> Rows:
    total = np.cumsum(np.concatenate([np.zeros((1, *x.shape[1:])), x]), axis=0)
    return total[w:] - total[:-w]


def day_of_alarm(statistics: Rows, threshold: float, first: int = 0) -> int | None:
    """The first day, counted from ``first`` on, with a row above the threshold."""
    above = np.flatnonzero(statistics > threshold)
    return None if above.size == 0 else int(above[0]) // BATCH + 1 - first


def joined(days: Iterable[Rows]) -> Rows:
    return encoded(np.concatenate(list(days)))


def threshold_of(kind: type, window: int, years: int) -> tuple[float, list[float]]:
    """What 5 % of years without a change exceed, and the highest values of all years."""
    highest = []
    for seed in range(years):
        rng = np.random.default_rng([seed, 77, 5])
        detector = kind(encoded(rows(rng, REFERENCE)), window, rng)
        year = joined(rows(rng, BATCH) for _ in range(DAYS))
        highest.append(float(detector.statistics(year).max()))
    return float(np.quantile(highest, 1 - RATE)), highest


def delays(kind: type, window: int, threshold: float, streams: int) -> dict[str, Any]:
    """Mean days until the alarm, as `delays.py` counts them."""
    entry: dict[str, Any] = {}
    for change in CHANGES:
        found = []
        for seed in range(streams):
            reference, quiet, changed = stream(change, seed)
            rng = np.random.default_rng([seed, 78, 5])
            detector = kind(encoded(reference), window, rng)
            days = [*quiet, *changed]
            found.append(day_of_alarm(detector.statistics(joined(days)), threshold, QUIET))
        late = [MOST if day is None else day for day in found if day is None or day > 0]
        entry[change] = {
            "mean": round(float(np.mean(late)), 3),
            "se": round(float(np.std(late) / np.sqrt(len(late))), 3),
            "missed": sum(day is None for day in found),
            "early": sum(day is not None and day <= 0 for day in found),
            "streams": streams,
        }
    return entry


def check() -> None:
    """Compare the statistics with the package's, row by row."""
    from alibi_detect.cd import LSDDDriftOnline, MMDDriftOnline

    rng = np.random.default_rng(0)
    reference, X = encoded(rows(rng, 500)), encoded(rows(rng, 300, "mean"))
    settings = {"ert": 50, "window_size": 20, "backend": "pytorch", "n_bootstraps": 200}
    theirs = MMDDriftOnline(reference, **settings, verbose=False)._detector
    ours: Any = Mmd(reference, 20, rng)
    kept, first = (theirs.x_ref[each].numpy() for each in (theirs.ref_inds, theirs.init_test_inds))
    ours.use(kept, first)
    theirs.reset_state()
    gaps = [abs(theirs.score(x) - own) for x, own in zip(X, ours.statistics(X), strict=True)]
    print(f"MMD: sigma {ours.sigma / float(theirs.kernel.sigma):.6f}; gaps up to {max(gaps):.2g}")
    theirs = LSDDDriftOnline(reference, **settings, verbose=False)._detector
    ours = Lsdd(reference, 20, rng)
    kept, first = (
        theirs.x_ref_eff[each].numpy() for each in (theirs.ref_inds, theirs.init_test_inds)
    )
    ours.use(theirs.kernel_centers.numpy(), kept, first, theirs.H_lam_inv.numpy())
    theirs.reset_state()
    values = ours.statistics(X)
    gaps = [abs(theirs.score(x) - own) for x, own in zip(X, values, strict=True)]
    print(f"LSDD: sigma {ours.sigma / float(theirs.kernel.sigma):.6f}; gaps up to {max(gaps):.2g}")
    print(f"largest statistics {values.max():.3g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=60)
    parser.add_argument("--streams", type=int, default=24)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        check()
        return
    found: dict[str, Any] = {}
    for name, kind in (("MMD", Mmd), ("LSDD", Lsdd)):
        for window in WINDOWS:
            start = process_time()
            threshold, highest = threshold_of(kind, window, options.years)
            entry = delays(kind, window, threshold, options.streams)
            above = sum(value > threshold for value in highest)
            entry["false alarms in a year"] = [above, options.years]
            entry["threshold"] = threshold
            entry["seconds"] = round(process_time() - start, 1)
            found[f"alibi-detect, online {name}, window of {window} rows"] = entry
            options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
