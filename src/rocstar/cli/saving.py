"""The state of ``rocstar watch``: whole batches are saved, and a run that is stopped says which."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocstar.cli.errors import STOPS, Stopped

if TYPE_CHECKING:
    from rocstar.watching.monitor import Monitor


@dataclass
class Saved:
    """What a run has saved so far, in words."""

    sentence: str = "nothing was written"

    @contextmanager
    def whole_batches(self, monitor: Monitor, state: str | None) -> Iterator[None]:
        """Save the monitor at the end; if it comes early, what was counted until then."""
        # A monitor counts a batch whole or not at all, whatever stops it.
        counted, resets = len(monitor.records), monitor.stream.resets
        try:
            yield
        except BaseException:
            if len(monitor.records) > counted:
                self._save(monitor, state, counted, resets)
            raise
        self._save(monitor, state, counted, resets)

    def _save(self, monitor: Monitor, state: str | None, counted: int, resets: int) -> None:
        if state is None:
            return
        from rocstar.report.words import plural
        from rocstar.watching.files import save

        save(monitor, state)
        new = len(monitor.records) - counted
        counted_now = f"{plural(new, 'table')} {'was' if new == 1 else 'were'} counted and saved"
        after = " after the reset" if monitor.stream.resets > resets else ""
        self.sentence = (counted_now if new else "the state was saved") + after


@contextmanager
def told_what_is_saved() -> Iterator[Saved]:
    """What is saved until a signal ends the run, which then says so."""
    saved = Saved()
    try:
        yield saved
    except STOPS as signal:
        raise Stopped(signal, saved.sentence) from None
