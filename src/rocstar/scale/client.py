"""Clients of Dask: the active one, one of a scheduler, one of workers on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rocstar.checks import require

# Seconds in which a scheduler must answer, and have a worker.
PATIENCE = 10.0
# A worker with less, Python and its libraries included, is killed and started again for ever.
LEAST_WORKER_BYTES = 150_000_000
# What Dask measures of itself fifty times a second, for a dashboard that a cluster of our own does
# not have: on two workers that costs a tenth of a core.
NO_MONITORING = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
}


@contextmanager
def connected(address: str, memory: float | None = None) -> Iterator[Any]:
    """A client of the scheduler at ``tcp://host:port``, or of workers on this machine."""
    # Those are ``local`` or ``local:N``: N processes of one thread each, by default one per core;
    # ``memory`` is in bytes, for all of them together, by default what the machine has.
    kind, _, count = address.partition(":")
    local = kind == "local" and (not count or (count.isdecimal() and int(count) > 0))
    if not local and "://" not in address:
        raise ValueError(
            "`address` must be local, local:WORKERS or an address such as tcp://host:8786; got "
            f"{address}."
        )
    require("dask", "dask", "distributed")
    with _local_client(count, memory) if local else _remote_client(address) as client:
        yield client


@contextmanager
def _local_client(count: str, memory: float | None) -> Iterator[Any]:
    import logging

    import dask
    import distributed

    workers = int(count) if count else distributed.system.CPU_COUNT
    if memory is not None and memory < workers * LEAST_WORKER_BYTES:
        raise ValueError(
            f"`memory` must give each of {workers} workers "
            f"{LEAST_WORKER_BYTES / 1e6:.0f} MB at least; got {memory / 1e6:.0f} MB for all: "
            "give more, or start fewer workers, such as local:1."
        )
    with dask.config.set(NO_MONITORING):  # which workers inherit
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit="auto" if memory is None else int(memory / workers),
            dashboard_address=None,
            # Any free port: the usual one may be another cluster's.
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            silence_logs=logging.CRITICAL,
        )
    with cluster, distributed.Client(cluster) as client:
        yield client


@contextmanager
def _remote_client(address: str) -> Iterator[Any]:
    import distributed

    try:
        # A client of an address that Dask does not understand would be left behind half made.
        distributed.comm.resolve_address(address)
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError):
        raise ValueError(f"No scheduler answers at {address}: start one, or use local.") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ValueError(
                f"The scheduler at {address} has no workers: start one with `dask worker "
                f"{address}`."
            ) from None
        yield client


def active_client() -> Any | None:
    """The client that Dask would use, if there is one."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def active_workers() -> dict[str, Any]:
    """What the scheduler of the active client knows about each worker, by its address."""
    client = active_client()
    return {} if client is None else client.scheduler_info(n_workers=-1)["workers"]


def worker_memory() -> float | None:
    """Bytes that all workers of the active client may use; None without one or without a limit."""
    if active_client() is None:
        return None
    limits = [worker["memory_limit"] for worker in active_workers().values()]
    return float(sum(limits)) if all(limits) else None
