"""Dask on two cores: against memory, two workers against one, and a table larger than memory.

    python benchmarks/scale/cluster.py memory   [--rows 4000000]
    python benchmarks/scale/cluster.py messages
    python benchmarks/scale/cluster.py travelled [--rows 2000000]
    python benchmarks/scale/cluster.py parquet  [--gigabytes 12] [--folder /tmp/rocstar-parquet]

Each writes a JSON file with the machine and the commit to benchmarks/scale/results.
"""

from __future__ import annotations

import argparse
import datetime
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import futures_of, wait
from threadpoolctl import threadpool_limits

from rocstar import ArctanRatio
from rocstar.fitting.losses import LOSSES
from rocstar.fitting.problem import SmoothProblem
from rocstar.fitting.rows import MemoryRows
from rocstar.scale.client import connected
from rocstar.scale.partitions import partitions
from rocstar.scale.tasks import task_per_partition, tree_sum

RESULTS = Path(__file__).parent / "results"
SHIFT = 0.15
DISTINCT_FILES = 16


def labelled_rows(seed: int, n: int, d: int) -> np.ndarray:
    """Two Gaussians, the class in the last column."""
    rng = np.random.default_rng(seed)
    rows = np.empty((n, d + 1))
    rows[:, d] = rng.random(n) < 0.5
    rng.standard_normal(out=(x := np.empty((n, d))))
    rows[:, :d] = x + SHIFT * rows[:, d:]
    return rows


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def collections(n: int, d: int, n_parts: int) -> tuple[Any, Any]:
    """Persisted on the workers, each partition from its own seed."""
    size = n // n_parts
    make = dask.delayed(labelled_rows)
    rows = da.concatenate(
        [da.from_delayed(make(i, size, d), (size, d + 1), float) for i in range(n_parts)]
    )
    # A copy of its own for each: a view would keep the labels beside the features.
    x = rows[:, :d].map_blocks(np.ascontiguousarray).persist()
    y = rows[:, d].map_blocks(np.ascontiguousarray).persist()
    wait([x, y])
    return x, y


def in_memory(n: int, d: int, n_parts: int) -> Callable[[], Any]:
    rows = np.concatenate([labelled_rows(i, n // n_parts, d) for i in range(n_parts)])
    x, y = np.ascontiguousarray(rows[:, :d]), np.ascontiguousarray(rows[:, d])

    def fit() -> Any:
        with threadpool_limits(2):
            return ArctanRatio().fit(x, y)

    return fit


@contextmanager
def on_workers(n: int, d: int, n_parts: int, n_workers: int) -> Iterator[Callable[[], Any]]:
    """A fit by workers of one thread that hold the rows already."""
    with connected(f"local:{n_workers}") as client:
        with client.as_current():
            x, y = collections(n, d, n_parts)

        def fit() -> Any:
            with client.as_current():
                return ArctanRatio().fit(x, y)

        yield fit


def passes_a_second(ready: Any, rates: Any, d: int, spent: float = 4.0) -> None:
    """Gradient passes over 10⁶ rows by one process of one thread, with no Dask about it."""
    rows = labelled_rows(0, 1_000_000, d)
    up = rows[:, d] > 0
    problem = SmoothProblem(
        MemoryRows(
            np.ascontiguousarray(rows[:, :d]), np.where(up, 1.0, -1.0), np.full(len(up), 2e-6)
        ),
        LOSSES["tangent"],
        1e-3,
    )
    w = np.full(d + 1, 0.01)
    with threadpool_limits(1):
        problem.evaluate(w)
        ready.wait()
        begun, count = time.perf_counter(), 0
        while time.perf_counter() - begun < spent:
            problem.evaluate(w)
            count += 1
        rates.put(count / (time.perf_counter() - begun))


def processes(n: int, d: int) -> float:
    """Passes a second of n such processes together: what the machine can give, at most."""
    context = multiprocessing.get_context("spawn")
    ready, rates = context.Barrier(n), context.Queue()
    started = [context.Process(target=passes_a_second, args=(ready, rates, d)) for _ in range(n)]
    for process in started:
        process.start()
    total = sum(rates.get() for _ in started)
    for process in started:
        process.join()
    return total


def memory(args: argparse.Namespace) -> dict[str, Any]:
    n, d, parts = args.rows, 50, args.partitions
    # Each for a few fits by turns, so that a change of load on the machine meets all three; one
    # cluster at a time, as the heartbeats of idle workers would take from those who use all cores.
    found: dict[str, list[float]] = {"memory": [], "two": [], "one": []}
    models = {}
    here: AbstractContextManager[Callable[[], Any]] = nullcontext(in_memory(n, d, parts))
    for _ in range(args.rounds):
        two, one = (on_workers(n, d, parts, workers) for workers in (2, 1))
        for name, way in {"memory": here, "two": two, "one": one}.items():
            with way as fit:
                fit()  # a first one, not counted: threads start, modules are read
                for _ in range(args.fits):
                    spent, models[name] = seconds(fit)
                    found[name].append(spent)
    plain = processes(2, d) / processes(1, d)
    medians = {name: statistics.median(times) for name, times in found.items()}
    return {
        "rows": n,
        "columns": d,
        "partitions": parts,
        "in_memory_two_threads_s": medians["memory"],
        "two_workers_s": medians["two"],
        "one_worker_s": medians["one"],
        "two_workers_over_memory": medians["two"] / medians["memory"],
        "one_worker_over_two": medians["one"] / medians["two"],
        "two_plain_processes_over_one": plain,
        "all_times_s": {name: [round(t, 3) for t in times] for name, times in found.items()},
        "coefficient_difference": float(np.abs(models["memory"].coef_ - models["two"].coef_).max()),
        "iterations": models["memory"].n_iter_,
    }


def travelled(args: argparse.Namespace) -> dict[str, Any]:
    """Rows from the client or from other workers: buffers that arrive need not be aligned."""
    n, d, parts = args.rows, 40, args.partitions
    rows = np.concatenate([labelled_rows(i, n // parts, d) for i in range(parts)])
    x, y = np.ascontiguousarray(rows[:, :d]), np.ascontiguousarray(rows[:, d])
    del rows
    models: dict[str, Any] = {}
    with connected("local:2") as client, client.as_current():
        sent = [da.from_array(a, chunks=(n // parts, *a.shape[1:])).persist() for a in (x, y)]
        copied = [a.map_blocks(np.array).persist() for a in sent]
        shuffled = [a.shuffle(_shuffled(n, parts), axis=0).persist() for a in copied]
        wait([*sent, *copied, *shuffled])
        rebalanced = [_on_the_other_worker(client, a) for a in copied]
        wait(rebalanced)
        arrays = {"sent": sent, "copied": copied, "shuffled": shuffled, "rebalanced": rebalanced}
        unaligned = {
            name: sum(not start for start in dask.compute(*map(_is_aligned, _blocks(pair[0]))))
            for name, pair in arrays.items()
        }
        ways: dict[str, Any] = {"memory": (x, y), **arrays}
        found: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(args.fits + 1):
            for name, way in ways.items():
                with threadpool_limits(2):
                    spent, models[name] = seconds(partial(ArctanRatio().fit, *way))
                found[name].append(spent)
    medians = {name: statistics.median(times[1:]) for name, times in found.items()}
    return {
        "rows": n,
        "columns": d,
        "partitions": parts,
        "unaligned_partitions": unaligned,
        **{f"{name}_s": median for name, median in medians.items()},
        **{f"{name}_over_memory": medians[name] / medians["memory"] for name in arrays},
        "all_times_s": {name: [round(t, 3) for t in times] for name, times in found.items()},
        "coefficient_difference": max(
            float(np.abs(models["memory"].coef_ - models[name].coef_).max()) for name in arrays
        ),
    }


def _shuffled(n: int, parts: int) -> list[list[int]]:
    """All rows in random order, in so many parts."""
    order = np.random.default_rng(0).permutation(n // parts * parts)
    return [part.tolist() for part in np.split(order, parts)]


def _on_the_other_worker(client: Any, rows: Any) -> Any:
    """Each block sent by the worker that made it to the other one, as rebalancing does."""
    workers, moved = set(client.scheduler_info()["workers"]), []
    for block in sorted(futures_of(rows), key=lambda future: future.key):
        others = workers - set(client.who_has(block)[block.key]) or workers
        moved.append(dask.delayed(client.submit(_same, block, workers=[min(others)])))
    shape = (rows.chunks[0][0], *rows.shape[1:])
    return da.concatenate([da.from_delayed(m, shape, rows.dtype) for m in moved]).persist()


def _same(block: np.ndarray) -> np.ndarray:
    return block


def _blocks(rows: Any) -> list[Any]:
    return list(np.ravel(rows.to_delayed()))


@dask.delayed
def _is_aligned(block: np.ndarray) -> bool:
    return bool(block.flags.aligned)


def nothing(*_: Any) -> int:
    return 0


def idle_pass(parts: list[Any]) -> None:
    tree_sum(task_per_partition(parts, nothing))


def messages(_: argparse.Namespace) -> dict[str, Any]:
    """A pass that computes nothing, by partitions on two workers: what Dask itself takes."""
    found = {}
    with connected("local:2"):
        for count in (2, 4, 8, 16):
            held = collections(1000 * count, 2, count)  # or the workers would drop them
            parts = partitions(*held)
            times = [seconds(partial(idle_pass, parts))[0] for _ in range(60)]
            found[str(count)] = statistics.median(times)
    return {"pass_s_by_partitions": found}


def write_parquet(folder: Path, gigabytes: float, d: int) -> tuple[int, float]:
    """Files of 64 MB each; after the first sixteen they repeat as links, to be read like others."""
    per_file = 64_000_000 // (8 * (d + 1))
    n_files = int(np.ceil(gigabytes * 1e9 / 64e6))
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"x{j}" for j in range(d)] + ["y"]
    paths = [folder / f"part-{i:05d}.parquet" for i in range(n_files)]
    for i, path in enumerate(paths):
        if path.exists():
            continue
        if i < DISTINCT_FILES:
            frame = pd.DataFrame(labelled_rows(i, per_file, d), columns=names)
            frame.to_parquet(path, compression=None, use_dictionary=False)
        else:
            os.link(paths[i % DISTINCT_FILES], path)
    total = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    return n_files * per_file, total / 1e9


def parquet(args: argparse.Namespace) -> dict[str, Any]:
    d = 50
    n, gigabytes = write_parquet(args.folder, args.gigabytes, d)
    limit = 1.5e9
    with connected("local:2", memory=2 * limit) as client:
        table = dd.read_parquet(args.folder)
        x, y = table[[f"x{j}" for j in range(d)]], table["y"]
        start = time.perf_counter()
        model = ArctanRatio().fit(x, y)
        spent = time.perf_counter() - start
        peaks = client.run(peak_memory)
    if not args.keep:
        shutil.rmtree(args.folder)
    return {
        "rows": n,
        "columns": d,
        "gigabytes": gigabytes,
        "fit_s": spent,
        "iterations": model.n_iter_,
        "converged": bool(model.solution_.status.ok),
        "worker_limit_gb": limit / 1e9,
        "worker_peak_gb": max(peaks.values()) / 1e9,
    }


def peak_memory() -> int:
    import resource

    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["memory", "messages", "travelled", "parquet"])
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument("--gigabytes", type=float, default=12.0)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/rocstar-parquet"))
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    result = {
        "machine": f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start",
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "dask": dask.__version__,
        **{"memory": memory, "messages": messages, "travelled": travelled, "parquet": parquet}[
            args.what
        ](args),
    }
    print(json.dumps(result, indent=1))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{args.what}.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
