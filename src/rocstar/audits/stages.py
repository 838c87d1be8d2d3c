"""How far the work is: seconds spent on each stage, and the share of the whole that is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

Progress = Callable[[str, float], None]
"""Called after every step with the stage and the share of the work that is done."""

AFTER_FITS = 0.25
"""Share of the work that comes after all fits: in trials between a sixth and a half."""


class Stages:
    """Seconds spent on each stage, and the share of the whole work that is done."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress
        self.total = 1.0
        self.done = 0.0
        self.name = ""
        self.seconds: dict[str, float] = {}

    def plan(self, fits: float) -> None:
        """From now on, so many units of work up to the last fit, and then the last stages."""
        self.total = self.done + fits / (1 - AFTER_FITS)

    @contextmanager
    def __call__(self, name: str, *, share: float = 0.0) -> Iterator[None]:
        """A stage that takes a share of the work that is left when it begins."""
        self.name, start, units = name, perf_counter(), share * (self.total - self.done)
        self.tick(0.0)
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
        self.tick(units)

    def tick(self, units: float = 1.0) -> None:
        """So many units of work are done."""
        self.done += units
        if self.progress is not None:
            self.progress(self.name, min(self.done / self.total, 1.0))
