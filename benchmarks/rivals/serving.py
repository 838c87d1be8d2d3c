"""What every adapter shares: answer jobs from standard input, one line of JSON each.

Runs under the interpreter of any rival, so it needs NumPy and the standard library only. An adapter
maps kinds of work to named methods and calls `serve`; what a kind of work takes and returns is said
at `WORKS` in ``harness.py``.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

Method = Callable[..., Mapping[str, Any]]


def serve(methods: Mapping[str, Mapping[str, Method]], packages: tuple[str, ...]) -> None:
    """Answer jobs until standard input ends.

    Parameters
    ----------
    methods : dict of dict of callables
        ``methods[work][name](arrays, options) -> dict`` of numbers and arrays.
    packages : tuple of str
        Distributions whose versions every row carries.
    """
    warnings.simplefilter("ignore")
    # Rivals print; only answers may reach the harness.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    listing = {work: sorted(names) for work, names in methods.items()}
    print(json.dumps({"versions": versions, "methods": listing}), file=answers, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(_answer(job, methods)), file=answers, flush=True)


def _answer(job: dict[str, Any], methods: Mapping[str, Mapping[str, Method]]) -> dict[str, Any]:
    with np.load(job["data"]) as file:
        arrays = {name: file[name] for name in file.files}
    method = methods[job["work"]][job["method"]]
    before = _start_of_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        found = dict(method(arrays, job["options"]))
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    out = {
        "wall_s": time.perf_counter() - wall,
        "cpu_s": time.process_time() - cpu,
        "peak_mb": _peak_mb() - before,
    }
    found_arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    np.savez(job["answer"], **found_arrays)
    numbers = {name: value for name, value in found.items() if name not in found_arrays}
    return {**out, "numbers": numbers}


def _start_of_peak() -> float:
    """Forget the peak so far where the system can, and return the memory in use, in MB."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    except OSError:
        return _peak_mb()
    return _status("VmRSS")


def _peak_mb() -> float:
    try:
        return _status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _status(field: str) -> float:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(field):
            return float(line.split()[1]) / 1024
    raise OSError(f"no {field} in /proc/self/status")


Angles = Callable[[np.ndarray], np.ndarray]


def plugged_in(fit: Callable[[np.ndarray, np.ndarray], Angles]) -> Method:
    """Work "angles": a model's angles on its own rows, and on rows held out in the given folds.

    ``fit(X, y)`` returns a function from rows to angles. With the option ``in_sample_only`` the
    folds are left out, for rivals too slow to be fitted six times.
    """

    def method(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
        X, y, fold = arrays["X"], arrays["y"], arrays["fold"]
        found = {"inside": fit(X, y)(X)}
        if not options.get("in_sample_only"):
            outside = np.empty(len(y))
            for k in np.unique(fold):
                test = fold == k
                outside[test] = fit(X[~test], y[~test])(X[test])
            found["outside"] = outside
        return found

    return method


def angle_of_ratio(ratio: np.ndarray) -> np.ndarray:
    """Angles of density ratios p/q; what is not a ratio (negative or missing) counts as 0."""
    return np.arctan(np.clip(np.nan_to_num(ratio, nan=0.0, posinf=1e300), 0.0, None))


def angle_of_probability(c: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Angles of a classifier's probabilities, its training labels undone."""
    prior = np.mean(y)
    return np.arctan2(c * (1 - prior), (1 - c) * prior)
