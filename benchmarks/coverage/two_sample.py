"""Level of `two_sample_test`, and its power beside hyppo's fast MMD on the suite's hard tasks.

hyppo lives in an environment of its own, so its p-values are computed by ``hyppo_mmd.py`` there:

    HYPPO_PYTHON=/path/to/python-with-hyppo python two_sample.py
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from cells import run_cells

from rocstar import ArctanRatio, laws, two_sample_test
from rocstar.laws import GaussianPair

HARD = (
    "gaussian-faint-10d",
    "gaussian-correlated-10d",
    "contaminated-5d",
    "student-df-1d",
    "scale-10d",
    "scale-50d",
    "quadric-10d",
    "bimodal-20d",
    "needle-50d",
)
IDENTICAL = {
    "gaussian-1d": GaussianPair(0.0),
    "gaussian-5d": GaussianPair.shifted(0.0, 5),
    "gaussian-20d": GaussianPair.shifted(0.0, 20),
}


def level(test: str, law: str, n_pos: int, n_neg: int, runs: int) -> dict[str, Any]:
    """Share of p-values at most 5 % when both samples have one law."""
    options: dict[str, Any] = {
        "score": {},
        "split": {"estimator": ArctanRatio(alpha=1e-2, tol=1e-4)},
        "5 splits": {"estimator": ArctanRatio(alpha=1e-2, tol=1e-4), "n_splits": 5},
    }[test]
    rejected = np.empty(runs)
    for run in range(runs):
        X, y = IDENTICAL[law].sample(n_pos, n_neg, random_state=[n_pos, run])
        result = two_sample_test(X, y, n_permutations=199, random_state=run, **options)
        rejected[run] = result.pvalue <= 0.05
    return {"rejected": float(rejected.mean()), "se": float(np.sqrt(0.05 * 0.95 / runs))}


def power(law: str, n: int, runs: int) -> dict[str, Any]:
    """Rejection rates and CPU seconds of both tests on the same samples, n rows per class."""
    samples = [
        laws.suite()[law].sample(n, n, random_state=[zlib.crc32(law.encode()), n, run])
        for run in range(runs)
    ]
    start = time.process_time()
    ours = [two_sample_test(X, y, random_state=run).pvalue for run, (X, y) in enumerate(samples)]
    seconds = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data.npz"), Path(folder, "out.npz")
        np.savez(data, **{str(run): X for run, (X, _) in enumerate(samples)})
        script = Path(__file__).parent / "hyppo_mmd.py"
        subprocess.run([os.environ["HYPPO_PYTHON"], script, data, out], check=True)
        theirs = np.load(out)
        return {
            "power": float(np.mean(np.array(ours) <= 0.05)),
            "hyppo power": float(np.mean(theirs["pvalues"] <= 0.05)),
            "ms": 1000 * seconds / runs,
            "hyppo ms": float(1000 * theirs["seconds"] / runs),
        }


def main() -> None:
    warnings.simplefilter("ignore")
    levels = [
        {"test": "score", "law": "gaussian-1d", "n_pos": 50, "n_neg": 50, "runs": 2000},
        {"test": "score", "law": "gaussian-5d", "n_pos": 30, "n_neg": 200, "runs": 2000},
        {"test": "score", "law": "gaussian-20d", "n_pos": 100, "n_neg": 100, "runs": 2000},
        {"test": "split", "law": "gaussian-5d", "n_pos": 50, "n_neg": 50, "runs": 2000},
        {"test": "5 splits", "law": "gaussian-5d", "n_pos": 50, "n_neg": 50, "runs": 1000},
    ]
    run_cells("two_sample_level", levels, level)
    if "HYPPO_PYTHON" in os.environ:
        cells = [{"law": law, "n": n, "runs": 100} for n in (100, 500) for law in HARD]
        run_cells("two_sample_power", cells, power)


if __name__ == "__main__":
    main()
