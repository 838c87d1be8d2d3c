"""A command while it runs: progress on a terminal, and messages unless they are unwanted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rocstar.cli.errors import say

if TYPE_CHECKING:
    from rocstar.audits.judge import Progress, Stages

Tell = Callable[[str], None]


@contextmanager
def session(quiet: bool) -> Iterator[tuple[Stages, Tell]]:
    """The stages of the work, shown as progress, and a function that prints messages."""
    # Warnings of libraries are for programmers, and scikit-learn's own handling of them is not safe
    # between threads: it may warn of nothing.
    warnings.showwarning = lambda *_, **__: None
    with _progress(quiet) as progress:
        from rocstar.audits.judge import Stages

        yield Stages(progress), _silent if quiet else say


def _silent(message: str) -> None:
    pass


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<16}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("left"),
    )
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=3600,  # one fit may take minutes
    ) as bar:
        task = bar.add_task("Reading", total=1.0)
        yield lambda stage, done: bar.update(task, description=stage.capitalize(), completed=done)
