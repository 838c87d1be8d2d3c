"""Settings of the whole process, made before the numeric libraries are loaded."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from threading import current_thread, main_thread
from types import FrameType
from typing import TextIO

from rocstar.cli.errors import Terminated

SETTINGS = {
    # Threads that wait must not burn the cores that others compute on, and each of our threads
    # computes alone.
    "OMP_WAIT_POLICY": "PASSIVE",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Arrow's own allocator would set a gigabyte aside, out of reach of --max-memory.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

# On fewer numbers, threads wait for Python's lock more than they compute: with 19 columns, 1,000
# rows take 6 % longer and 20 % more work on two threads, 4,000 rows 11 % less time.
FEWEST_NUMBERS_FOR_THREADS = 50_000
# Objects between two searches for unreachable cycles. Those that imports make all stay: with 700,
# as by default, looking through them takes 5 % of the audit of 1,000 rows.
OBJECTS_BETWEEN_COLLECTIONS = 50_000


def prepare_process() -> None:
    """Set what the caller has not set otherwise."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    return_freed_arrays()
    for stream in (sys.stdout, sys.stderr):
        write_utf8(stream)


@contextmanager
def ends_in_order() -> Iterator[None]:
    """Let a request to end stop the work as an interruption does: what was counted is saved."""
    # Schedulers ask with SIGTERM, which by default ends a process on the spot. Whoever has chosen
    # otherwise, as by ``trap '' TERM`` in a shell, keeps that choice.
    default = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not default or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise Terminated


def write_utf8(stream: TextIO) -> None:
    """Make files and pipes the same bytes on every system; a terminal keeps its own encoding."""
    if not isinstance(stream, TextIOWrapper):  # a stand-in of whoever calls `main`
        return
    if stream.isatty():
        stream.reconfigure(errors="replace")
    else:
        stream.reconfigure(encoding="utf-8", errors=stream.errors, newline="\n")


def return_freed_arrays() -> None:
    """Ask the C library to give large arrays back to the system as soon as they are freed."""
    # By default glibc keeps what threads have freed for later, which grows an audit of 50,000 rows
    # by two hundred megabytes. Giving back smaller arrays too takes longer than it is worth.
    import ctypes

    trim_threshold, mmap_threshold, size = -1, -3, 8 << 20
    try:
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(mmap_threshold, size)
        mallopt(trim_threshold, size)
    except (OSError, AttributeError, TypeError):  # a C library without this setting
        return


def threads(jobs: int | None, numbers: int) -> int:
    """As many as asked for; else one per core that this process may use, or one for few numbers."""
    if jobs:
        return jobs
    if numbers < FEWEST_NUMBERS_FOR_THREADS:
        return 1
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
