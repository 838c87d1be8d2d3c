"""How much memory there is, and tables that would not fit into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil, isfinite
from typing import TYPE_CHECKING

from rocstar.checks import InputError
from rocstar.report.words import plural
from rocstar.tables.kinds import MAX_CATEGORIES, TEXT_COMPONENTS

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# What an audit needs, in copies of the float64 matrix, and beside them; checked by
# benchmarks/audit/speed.py.
COPIES_OF_MATRIX = 6
BYTES_BESIDE = 300 * 10**6
# What reading a small file takes, buffers and imports included: a limit below it is refused by what
# the table would need, not by whichever allocation comes first.
BYTES_TO_READ = 64 * 10**6
UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"))


def available_memory() -> float:
    """Bytes of memory that can be used now."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return float("inf")


@contextmanager
def at_most(limit: float | None) -> Iterator[None]:
    """Let this process allocate no more than so many further bytes, where the system can."""
    # What a hostile file can ask for is then bounded whatever its header says. Meant for a process
    # of our own, such as the command line: every thread is held to it.
    size = available_memory() if limit is None else limit
    used = _data_size()
    if used is None or not isfinite(size):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    set_before = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    allowed = min([int(used + max(size, BYTES_TO_READ)), *set_before])
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_size() -> int | None:
    """Bytes this process has mapped for data; None where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as lines:
            sizes = [line.split()[1] for line in lines if line.startswith("VmData:")]
    except OSError:
        return None
    return int(sizes[0]) * 1024 if sizes else None


def too_large(name: str, limit: float) -> str:
    """The sentence for a table that has turned out not to fit."""
    return (
        f"`{name}` needs more memory than the {_in_words(limit)} that may be used "
        "(`max_memory`): take fewer rows or columns."
    )


def refuse_large(rows: float, sample: DataFrame, name: str, limit: float) -> None:
    """Refuse a table of so many rows like those of a sample if its audit would not fit."""
    matrix = rows * sum(_dense_width(sample[column]) for column in sample.columns) * 8
    need = COPIES_OF_MATRIX * matrix + BYTES_BESIDE
    if need > limit:
        raise InputError(
            f"`{name}` has about {plural(round(rows), 'row')} of "
            f"{plural(sample.shape[1], 'column')} and needs about "
            f"{_in_words(need, rounded=ceil)} of memory, but {_in_words(limit)} may be used "
            "(`max_memory`): take fewer rows or columns, or audit it as a Dask dataframe."
        )


def _dense_width(values: Series) -> int:
    """Columns of the matrix that linear models will get for one column of the table."""
    from pandas.api import types

    if types.is_numeric_dtype(values):
        return 1
    if types.is_datetime64_any_dtype(values):
        return 6
    distinct = values.astype(str).nunique()
    return distinct if distinct <= MAX_CATEGORIES else TEXT_COMPONENTS


def _in_words(size: float, rounded: Callable[[float], int] = round) -> str:
    """A size in the largest unit of which there is one, such as 1.5 GB or 300 MB."""
    unit, name = next((u for u in UNITS if size >= u[0]), UNITS[-1])
    digits = 0 if size >= 10 * unit else 1
    return f"{rounded(size / unit * 10**digits) / 10**digits:,.{digits}f} {name}"
