"""How the time of the two-step procedure grows, beside three ways to the pairwise baselines.

    OMP_NUM_THREADS=1 python benchmarks/two_step/growth.py [--most 1000000]

CPU seconds in one thread. The pairwise squared loss is minimised as written, over all n² pairs,
by L-BFGS (naive), and in closed form; the squared hinge by sorting. All reach the same kind of
linear score, so the held-out AUC stands beside the time. Writes results/growth.csv.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from rocstar import ArctanRatio, MaximalAUCClassifier, laws
from rocstar.baselines import PairwiseHingeAUC, PairwiseSquaredAUC

HERE = Path(__file__).parent
LAW = laws.GaussianPair.shifted(2.0, 10)
ALPHA = 1e-3


class NaivePairs:
    """Every pair of a positive and a negative is visited, as the paper's baseline does."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> NaivePairs:
        positives, negatives = X[y == 1], X[y == 0]
        pairs = len(positives) * len(negatives)

        def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
            short = 1.0 - np.subtract.outer(positives @ w, negatives @ w)
            slope = short.sum(axis=1) @ positives - short.sum(axis=0) @ negatives
            value = (short**2).sum() / pairs + ALPHA * w @ w
            return value, -2 * slope / pairs + 2 * ALPHA * w

        start = np.zeros(X.shape[1])
        self.coef_ = minimize(objective, start, jac=True, method="L-BFGS-B").x
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_


METHODS: dict[str, tuple[Callable[[], object], int]] = {
    "one-step": (lambda: ArctanRatio(alpha=ALPHA), 10**9),
    "two-step": (lambda: MaximalAUCClassifier(ArctanRatio(alpha=ALPHA)), 10**9),
    "pairwise squared, naive": (NaivePairs, 4000),
    "pairwise squared, closed form": (lambda: PairwiseSquaredAUC(ALPHA), 10**9),
    "pairwise hinge, sorted": (lambda: PairwiseHingeAUC(ALPHA), 10**9),
}
SIZES = [500, 1000, 2000, 4000, 10_000, 30_000, 100_000, 300_000, 1_000_000]


def timed(make: Callable[[], object], X: np.ndarray, y: np.ndarray) -> tuple[float, object]:
    seconds, model = [], None
    for _ in range(5 if len(y) <= 20_000 else 2):
        model = make()
        start = time.process_time()
        model.fit(X, y)  # type: ignore[attr-defined]
        seconds.append(time.process_time() - start)
    return min(seconds), model


def exponent(times: dict[int, float], low: int, high: int) -> float:
    chosen = [(n, t) for n, t in times.items() if low <= n <= high]
    n, t = np.log(np.array(chosen)).T
    return float(np.polyfit(n, t, 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000)
    most = parser.parse_args().most
    test, labels = LAW.sample(50_000, 50_000, random_state=1)
    times: dict[str, dict[int, float]] = {name: {} for name in METHODS}
    with (HERE / "results" / "growth.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["n_a_side", "method", "cpu_s", "test_auc"])
        for n in [size for size in SIZES if size <= most]:
            X, y = LAW.sample(n, n, random_state=0)
            for name, (make, limit) in METHODS.items():
                if n > limit:
                    continue
                seconds, model = timed(make, X, y)
                times[name][n] = seconds
                auc = roc_auc_score(labels, model.decision_function(test))  # type: ignore[attr-defined]
                table.writerow([n, name, f"{seconds:.5g}", f"{auc:.5f}"])
                file.flush()
                print(n, name, f"{seconds:.5g}", f"{auc:.5f}", flush=True)
    for name, of in times.items():
        ends = [(500, 4000), (4000, max(of)), (500, max(of))]
        print(name, {f"{a}-{b}": round(exponent(of, a, b), 3) for a, b in ends if b > a})


if __name__ == "__main__":
    main()
