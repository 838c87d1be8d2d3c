"""The files that monitors are kept in, and the lock that keeps two runs from one file.

Like model files they are written with skops, never pickle: loading one builds objects of the types
named here and of nothing else, whatever the file asks for.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import skops.io

from rocstar.checks import InputError
from rocstar.tables.model_files import TRUSTED, trusted_content
from rocstar.tables.writing import replace_file
from rocstar.watching.monitor import Monitor

FORMAT = 6
PARTS = (
    "classes.Classes",
    "columns.Columns",
    "columns.Plan",
    "features.Scales",
    "features.Space",
    "labels.AucWatch",
    "means.Average",
    "means.RunningMean",
    "memory.Memory",
    "memory.Stretch",
    "payoffs.Judge",
    "payoffs.Payoffs",
    "resets.Spending",
    "search.Candidate",
    "search.Direction",
    "search.Search",
    "search.Sketch",
    "shifts.Profile",
    "stream.Epoch",
    "stream.Stream",
    "wealth.Evidence",
    "wealth.Wealth",
)
TRUSTED_PARTS = (
    "classes.Classes",
    *TRUSTED,
    "rocstar.inference.estimate.Estimate",
    *(f"rocstar.watching.{part}" for part in PARTS),
)
"""Types beyond those skops trusts itself that a file of a monitor may hold."""
SECONDS_TO_WAIT = 300.0


def save(monitor: Monitor, path: str | Path) -> None:
    """Write a monitor to a skops file, whole or not at all."""
    content = {"rocstar_watch": FORMAT, "monitor": vars(monitor)}
    data = skops.io.dumps(content, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    foreign = sorted(set(skops.io.get_untrusted_types(data=data)) - set(TRUSTED_PARTS))
    if foreign:
        raise InputError(
            f"`model` must be a name or an estimator of rocstar for a monitor to be saved; it "
            f"holds {foreign[0]}."
        )
    replace_file(path, data)


def load(path: str | Path, *, max_memory: float | None = None) -> Monitor:
    """Monitor of a file that `save` has written; a file that holds anything else is refused."""
    name = Path(path).name
    content = trusted_content(path, TRUSTED_PARTS, "monitor", max_memory)
    try:
        known, state = content["rocstar_watch"], dict(content["monitor"])
    except (KeyError, TypeError, ValueError):
        raise InputError(f"`{name}` is not a monitor file of rocstar.") from None
    if known != FORMAT:
        raise InputError(
            f"`{name}` was written by another version of rocstar; begin anew with another file."
        )
    monitor = Monitor.__new__(Monitor)
    vars(monitor).update(state)
    return monitor


@contextmanager
def locked(path: str | Path, seconds: float = SECONDS_TO_WAIT) -> Iterator[None]:
    """Hold a file for oneself; another run waits for a while and then gives up."""
    # The lock is that of the operating system, on a file beside: it ends with the process, however
    # that ends. The file stays, since removing it would race with the next run.
    path = Path(path)
    beside = path.with_name(f".{path.name}.lock")
    try:
        handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"`{path}` cannot be written: {error.strerror}.") from None
    try:
        end = monotonic() + seconds
        while not _acquired(handle):
            if monotonic() >= end:
                raise InputError(f"`{path}` is in use by another run; try again once it ends.")
            sleep(0.05)
        yield
    finally:
        os.close(handle)


def _acquired(handle: int) -> bool:
    try:
        if os.name == "nt":  # pragma: no cover - the other branch is tested
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
