"""A command while it runs: progress, and messages unless they are unwanted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from rocstar.cli.errors import say

if TYPE_CHECKING:
    from rocstar.audits.stages import Progress, Stages

Tell = Callable[[str], None]
# Of progress in a log, which is no place for a bar.
SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def session(quiet: bool) -> Iterator[tuple[Stages, Tell]]:
    """The stages of the work, shown as progress, and a function that prints messages."""
    # Warnings of libraries are for programmers, and scikit-learn's own handling of them is not safe
    # between threads: it may warn of nothing.
    warnings.showwarning = lambda *_, **__: None
    with _progress(quiet) as progress:
        from rocstar.audits.stages import Stages

        yield Stages(progress), _silent if quiet else say


def _silent(message: str) -> None:
    pass


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as progress:
            yield progress
    else:
        yield plain_lines()


def plain_lines(clock: Callable[[], float] = monotonic) -> Progress:
    """Progress as lines of a log, at most one every few seconds and none of short work."""
    start = last = clock()

    def progress(stage: str, done: float) -> None:
        nonlocal last
        now = clock()
        if now - last >= SECONDS_BETWEEN_LINES and round(100 * done) >= 1:
            last = now
            spent, percent = now - start, f"{100 * done:.0f} %"
            say(f"{stage.capitalize()}: {percent} done in {_time(spent)}{pace(done, spent)}.")

    return progress


def pace(done: float, seconds: float) -> str:
    """How much of the work is done per minute, and the time that is left; nothing at the start."""
    if round(100 * done) < 1:
        return ""
    return f", {rate(done, seconds)}, about {_time(seconds * (1 - done) / done)} left"


def rate(done: float, seconds: float) -> str:
    share = 100 * done * 60 / max(seconds, 1e-9)
    return f"{share:.{0 if share >= 10 else 1}f} % per minute"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<16}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=3600,  # one fit may take minutes
    ) as bar:
        task, start = bar.add_task("Reading", total=1.0, rate=""), monotonic()

        def progress(stage: str, done: float) -> None:
            speed = rate(done, monotonic() - start) if done > 0 else ""
            bar.update(task, description=stage.capitalize(), completed=done, rate=speed)

        yield progress
