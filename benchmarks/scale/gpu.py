"""One GPU: a fit of 10⁸ rows against the cost of Gram passes, its precision, and Nyström features.

    SCIPY_ARRAY_API=1 python benchmarks/scale/gpu.py [--rows 100000000] [--out results.json]

Rows are generated on the device. Needs PyTorch with CUDA; checks CuPy too where it is installed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import sklearn
import torch
from sklearn.base import clone

from rocstar import ArctanRatio, MaximalAUCClassifier, certify
from rocstar.fitting.arrays import host_copy
from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows
from rocstar.fitting.solvers import newton

DEVICE = "cuda"
SHIFT = 0.15  # of each of 64 columns: Mahalanobis distance 1.2


def sample(n: int, d: int, seed: int, dtype: Any = torch.float32) -> tuple[Any, Any]:
    """Two Gaussians, classes in random order."""
    draw = torch.Generator(DEVICE).manual_seed(seed)
    y = torch.randint(0, 2, (n,), generator=draw, device=DEVICE)
    x = torch.empty((n, d), dtype=dtype, device=DEVICE)
    for rows in torch.split(torch.arange(n), 10_000_000):
        part = slice(int(rows[0]), int(rows[-1]) + 1)
        x[part] = torch.randn((len(rows), d), generator=draw, device=DEVICE, dtype=dtype)
        x[part] += SHIFT * y[part, None].to(dtype)
    return x, y


def seconds(function: Callable[[], Any], repeat: int = 5) -> float:
    """Median time after a warm-up, the device idle before and after."""
    times = []
    for _ in range(repeat + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        function()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def gram_pass(x: Any) -> Any:
    """X'X in blocks of the size the solver uses."""
    return sum(x[rows].T @ x[rows] for rows in MemoryRows(x, x[:, 0], x[:, 0]).slices())


class Counted:
    """A problem that counts its passes, in units of all rows."""

    def __init__(self, problem: Any, share: float = 1.0, counts: dict[int, float] | None = None):
        self.problem, self.share = problem, share
        self.counts = {1: 0.0, 2: 0.0} if counts is None else counts
        self.rounding = problem.rounding

    def evaluate(self, w: Any, order: int = 1, damping: float = 0.0) -> Any:
        self.counts[order] += self.share
        return self.problem.evaluate(w, order, damping)

    def thinned(self) -> Any:
        thin = self.problem.thinned()
        return None if thin is None else Counted(thin, self.share / 10, self.counts)


def problem_of(x: Any, y: Any) -> SmoothProblem:
    ups = float((y == 1).sum())
    weights = torch.where(y == 1, 1 / ups, 1 / (len(y) - ups)).to(x.dtype)
    return SmoothProblem(MemoryRows(x, (2 * y - 1).to(x.dtype), weights), LOSSES["tangent"], 1e-3)


def start(d: int) -> Any:
    w = np.zeros(d + 1)
    w[-1] = np.pi / 4
    return w


def large_fit(n: int, d: int) -> dict[str, Any]:
    x, y = sample(n, d, seed=0)
    problem = problem_of(x, y)
    gram = seconds(lambda: gram_pass(x))
    counted = Counted(problem)
    newton.minimize(counted, start(d))
    passes = dict(counted.counts)
    w = start(d)
    first, second = (seconds(lambda k=k: problem.evaluate(w, k, 1e-3)) for k in (1, 2))
    solve = seconds(lambda: newton.minimize(problem, start(d)))
    with sklearn.config_context(array_api_dispatch=True):
        whole = seconds(lambda: ArctanRatio().fit(x, y), repeat=3)
    return {
        "rows": n,
        "columns": d,
        "gram_pass_s": gram,
        "gradient_pass_s": first,
        "hessian_pass_s": second,
        "gradient_passes": passes[1],
        "hessian_passes": passes[2],
        "solve_s": solve,
        "solve_in_gram_passes": solve / gram,
        "fit_with_validation_s": whole,
        "fit_in_gram_passes": whole / gram,
        "memory_gib": torch.cuda.max_memory_allocated() / 2**30,
    }


def precision(n: int, d: int) -> dict[str, Any]:
    """The same rows in float32 and converted to float64."""
    x, y = sample(n, d, seed=1)
    out: dict[str, Any] = {"rows": n, "columns": d}
    with sklearn.config_context(array_api_dispatch=True):
        for loss in ("tangent", "log"):
            single = ArctanRatio(loss=loss).fit(x, y)
            double = ArctanRatio(loss=loss).fit(x.double(), y)
            error = (single.coef_.double() - double.coef_).abs().max()
            out[f"{loss}_coefficient_error"] = float(error)
            out[f"{loss}_intercept_error"] = abs(float(single.intercept_ - double.intercept_))
            assert single.coef_.is_cuda
    host = ArctanRatio().fit(x.double().cpu().numpy(), y.cpu().numpy())
    again = ArctanRatio()
    with sklearn.config_context(array_api_dispatch=True):
        again.fit(x.double(), y)
    out["device_against_host_float64"] = float(np.abs(again.coef_.cpu().numpy() - host.coef_).max())
    return out


def nystroem(n: int, d: int, landmarks: int) -> dict[str, Any]:
    x, y = sample(n, d, seed=2)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    model = ArctanRatio("rbf", n_components=landmarks, random_state=0)
    with sklearn.config_context(array_api_dispatch=True):
        elapsed = seconds(lambda: model.fit(x, y), repeat=1)
    return {
        "rows": n,
        "columns": d,
        "landmarks": landmarks,
        "fit_s": elapsed,
        "iterations": model.n_iter_,
        "arc_length": model.arc_length_,
        "extra_memory_gib": (torch.cuda.max_memory_allocated() - before) / 2**30,
        "features_of_all_rows_gib": 8 * n * landmarks / 2**30,
    }


def agreement(n: int, d: int) -> dict[str, Any]:
    """Estimators and certificates on the device, in each library, against the host."""
    x, y = sample(n, d, seed=3, dtype=torch.float64)
    host = x.cpu().numpy(), y.cpu().numpy()
    places: dict[str, Any] = {"torch": (x, y)}
    try:
        import cupy

        places["cupy"] = (cupy.asarray(x), cupy.asarray(y))
    except ImportError:
        pass
    models = {
        "linear": ArctanRatio(),
        "log": ArctanRatio(loss="log"),
        "rbf": ArctanRatio("rbf", n_components=100, random_state=0),
        "two_steps": MaximalAUCClassifier(),
    }
    out: dict[str, Any] = {"rows": n, "columns": d}
    for library, data in places.items():
        with sklearn.config_context(array_api_dispatch=True):
            for name, model in models.items():
                angle = clone(model).fit(*data).predict_angle(data[0])
                assert type(angle) is type(data[0])
                there = clone(model).fit(*host).predict_angle(host[0])
                out[f"{library}_{name}_angle"] = float(np.abs(host_copy(angle) - there).max())
            ours = certify(ArctanRatio(), *data, cv=2, random_state=0)
        theirs = certify(ArctanRatio(), *host, cv=2, random_state=0)
        out[f"{library}_certified_arc_length"] = ours.arc_length.low - theirs.arc_length.low
        out[f"{library}_certified_auc"] = ours.auc.low - theirs.auc.low
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    result: dict[str, Any] = {
        "device": torch.cuda.get_device_name(),
        "date": datetime.date.today().isoformat(),
        "commit": args.commit,
        "torch": torch.__version__,
        "scikit-learn": sklearn.__version__,
    }
    stages = {
        "precision": lambda: precision(1_000_000, 64),
        "differences_from_host": lambda: agreement(20_000, 16),
        "nystroem": lambda: nystroem(1_000_000, 64, 1000),
        "large_fit": lambda: large_fit(args.rows, 64),
    }
    for name, stage in stages.items():
        torch.cuda.empty_cache()
        result[name] = stage()
        print(name, json.dumps(result[name], indent=1), flush=True)
        if args.out:
            args.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
