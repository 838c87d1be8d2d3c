"""Problems × adapters → CSV: one process per adapter, jobs interleaved, finished rows kept.

An adapter is a file of ``rivals/`` that serves named methods of some kinds of work. It runs under
its own interpreter where it has one (``rivals/setup.py`` makes them), with one thread. Every row
carries seconds, CPU seconds, peak memory above what the process held before, versions and commit.

WORKS, and what their methods get and give:

- ``values``: X, y, fold → value and low of arc_length, tv, auc.
- ``angles``: X, y, fold → angles of all rows ``inside`` (own rows) and ``outside`` (held out).
- ``information``: X, y → ``js`` in nats.
- ``rank``: X, y, X_test, fold → ``score`` of the test rows, and their ``probability`` if any.
- ``test``: X, y → ``pvalue``.
- ``solve``: arrays of the problem → ``objective`` reached.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
RIVALS = HERE / "rivals"
RESULTS = HERE / "results"

# Adapter file -> environment of `rivals/setup.py`; None runs under this interpreter.
ADAPTERS = {
    "with_ours": None,
    "with_sklearn": None,
    "with_baselines": None,
    "with_scipy": None,
    "with_densratio": "densratio",
    "with_adapt": "adapt",
    "with_npeet": "npeet",
    "with_lightgbm": "boosting",
    "with_xgboost": "boosting",
    "with_catboost": "catboost",
    "with_flaml": "automl",
    "with_autogluon": "automl",
    "with_libauc": "libauc",
    "with_hyppo": "hyppo",
    "with_alibi": "alibi",
    "with_ipopt": "ipopt",
}
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")
ONE_THREAD = {
    **{f"{library}_NUM_THREADS": "1" for library in THREADS},
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "",
}


class Absent(Exception):
    """A rival that cannot run here, and why."""


def interpreter(adapter: str, environments: Path | None) -> str:
    """The Python of an adapter.

    Raises
    ------
    Absent
        If its environment is not there.
    """
    name = ADAPTERS[adapter]
    if name is None:
        return sys.executable
    if environments is None:
        raise Absent("not installed: no folder of environments was given (--rivals)")
    python = environments / name / "bin" / "python"
    failed = environments / f"{name}.failed"
    if failed.exists():
        raise Absent(f"not installed: {failed.read_text().strip()}"[:200])
    if not python.exists():
        raise Absent("not installed: run benchmarks/rivals/setup.py")
    return str(python)


class Worker:
    """A running adapter."""

    def __init__(self, adapter: str, environments: Path | None, log: Path) -> None:
        python = interpreter(adapter, environments)
        self._log = log.open("a", encoding="utf-8")
        path = os.pathsep.join([str(HERE.parent / "src"), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [python, str(RIVALS / f"{adapter}.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
        )
        hello = self._line()
        if "error" in hello:
            raise Absent(f"does not start: {self._last_words(log)}")
        self.versions: str = hello["versions"]
        self.methods: dict[str, list[str]] = hello["methods"]

    def ask(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """One job's answer; a dead process is an answer too."""
        assert self._process.stdin is not None
        try:
            print(json.dumps(job), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            return {"error": "the process has ended"}
        return self._line()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return {"error": f"the process ended with status {self._process.wait()}"}
        return dict(json.loads(line))

    @staticmethod
    def _last_words(log: Path) -> str:
        lines = [line for line in log.read_text(encoding="utf-8").splitlines() if line.strip()]
        return lines[-1][:200] if lines else "no message"


@dataclass
class Team:
    """Adapters, started when first asked."""

    environments: Path | None
    log: Path
    _workers: dict[str, Worker | Absent] = field(default_factory=dict)

    def worker(self, adapter: str) -> Worker | Absent:
        if adapter not in self._workers:
            try:
                self._workers[adapter] = Worker(adapter, self.environments, self.log)
            except Absent as reason:
                self._workers[adapter] = reason
        return self._workers[adapter]

    def ask(
        self,
        adapter: str,
        work: str,
        method: str,
        arrays: Mapping[str, np.ndarray],
        options: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Measurements, numbers and arrays of one job, with status and versions."""
        worker = self.worker(adapter)
        if isinstance(worker, Absent):
            return {"status": str(worker)}
        with tempfile.TemporaryDirectory() as folder:
            data, answer = Path(folder, "data.npz"), Path(folder, "answer.npz")
            np.savez(data, **arrays)
            job = {"work": work, "method": method, "options": dict(options or {})}
            found = worker.ask({**job, "data": str(data), "answer": str(answer)})
            if "error" in found:
                return {"status": f"failed: {found['error']}", "versions": worker.versions}
            with np.load(answer) as file:
                found["arrays"] = {name: file[name] for name in file.files}
        return {"status": "done", "versions": worker.versions, **found}

    def close(self) -> None:
        for worker in self._workers.values():
            if isinstance(worker, Worker):
                worker.close()


def measurements(found: Mapping[str, Any]) -> dict[str, Any]:
    """The columns every table has."""
    return {
        "wall_s": _short(found.get("wall_s")),
        "cpu_s": _short(found.get("cpu_s")),
        "peak_mb": _short(found.get("peak_mb")),
        "status": found["status"],
        "versions": found.get("versions", ""),
        "commit": commit(),
    }


class Table:
    """A CSV that grows by finished rows; what it holds already is not run again."""

    only: frozenset[str] = frozenset()  # methods to run, all others being left; empty: all

    def __init__(self, path: Path, key: Iterable[str]) -> None:
        self.path, self.key = path, tuple(key)
        self._done: set[tuple[str, ...]] = set()
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                self._done = {
                    tuple(row[name] for name in self.key)
                    for row in csv.DictReader(file)
                    if not row["status"].startswith("not installed")
                }

    def has(self, *values: Any) -> bool:
        """Whether there is nothing to run; the method is the last part of a key."""
        if self.only and values[-1] not in self.only:
            return True
        return tuple(str(value) for value in values) in self._done

    def add(self, row: Mapping[str, Any]) -> None:
        fresh = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            if fresh:
                writer.writeheader()
            writer.writerow({name: _short(value) for name, value in row.items()})
        self._done.add(tuple(str(row[name]) for name in self.key))
        print(self.path.stem, *(row[name] for name in self.key), row["status"], flush=True)


@cache
def commit() -> str:
    """The commit of the tree, with a mark if files differ from it."""
    asked = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    found = subprocess.run(asked, capture_output=True, text=True, cwd=HERE)
    return found.stdout.strip() or "unknown"


def _short(value: Any) -> Any:
    return f"{value:.5g}" if isinstance(value, float) else value
