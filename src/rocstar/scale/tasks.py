"""One task per partition, and a tree of sums of what the tasks return.

Both run on whatever Dask client is active, or in threads when there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from rocstar.scale.client import active_client

# Partial sums that one task adds up: wide trees are shallow, and a Hessian is small.
FAN_IN = 16


def task_per_partition(
    parts: Sequence[tuple[Any, ...]], work: Callable[..., Any], /, **large: Any
) -> list[Any]:
    """A delayed ``work(*part, **large)`` for each part."""
    # What the work brings along travels with every task, which is the fastest way for a few
    # kilobytes; what is ``large`` is sent to each worker once.
    import dask

    # Dask need not look for collections inside these.
    task = dask.delayed(work, pure=False, traverse=False)
    nodes = {k: dask.delayed(v, pure=False, traverse=False) for k, v in large.items()}
    return [task(*part, **nodes) for part in parts]


def tree_sum(tasks: list[Any]) -> Any:
    """Compute delayed summands and add them up on the workers, the last few here; skips None."""
    import dask

    gather = dask.delayed(_sum_of_present, pure=False)
    while len(tasks) > FAN_IN:
        tasks = [gather(tasks[i : i + FAN_IN]) for i in range(0, len(tasks), FAN_IN)]
    return _sum_of_present(list(dask.compute(*tasks, **_compute_options())))


def _compute_options() -> dict[str, bool]:
    """Workers on this machine are asked directly: the scheduler would copy all results again."""
    client = active_client()
    if client is None:
        return {}
    from distributed import LocalCluster

    return {"direct": True} if isinstance(client.cluster, LocalCluster) else {}


def _sum_of_present(parts: list[Any]) -> Any:
    present = [part for part in parts if part is not None]
    return reduce(add, present) if present else None
