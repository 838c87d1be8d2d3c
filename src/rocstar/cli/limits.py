"""Limits that a pipeline sets to an audit: which of them it breaks, and the exit code of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rocstar.cli.errors import HEADROOM, LEAK, TOO_LOW


@dataclass(frozen=True)
class Limits:
    """What an audit must reach; None sets no limit."""

    below: float | None = None
    headroom: float | None = None
    on: str | None = None

    def broken(self, summary: dict[str, Any]) -> list[tuple[int, str]]:
        """Exit code and sentence of each broken limit; a leak first, which invalidates the rest."""
        return [*self._leaks(summary), *self._too_low(summary), *self._too_far(summary)]

    def _leaks(self, summary: dict[str, Any]) -> list[tuple[int, str]]:
        if self.on != "leak":
            return []
        leaks = [c["name"] for c in summary["data"]["columns"] if "leak" in c["flags"]]
        if not leaks:
            return []
        from rocstar.report.words import listed

        verb = "is a likely leak" if len(leaks) == 1 else "are likely leaks"
        return [(LEAK, f"{listed([f'`{name}`' for name in leaks])} {verb} of the target.")]

    def _too_low(self, summary: dict[str, Any]) -> list[tuple[int, str]]:
        many = summary["kind"] == "multiclass"
        low = summary["balanced_accuracy" if many else "auc"]["low"]
        if self.below is None or low >= self.below:
            return []
        from rocstar.report.words import rounded_down

        what = "balanced accuracy" if many else "AUC"
        certified = f"The lower bound of the best {what} is {rounded_down(low)}"
        return [(TOO_LOW, f"{certified}, below the limit of {self.below:g}.")]

    def _too_far(self, summary: dict[str, Any]) -> list[tuple[int, str]]:
        if self.headroom is None:
            return []
        from rocstar.report.words import rounded_down

        return [
            (
                HEADROOM,
                f"`{score['name']}` is at least {rounded_down(low)} "
                f"{'' if summary['kind'] == 'multiclass' else 'AUC '}below the best achievable, "
                f"more than the limit of {self.headroom:g}.",
            )
            for score in summary["scores"]
            if (low := score["headroom"]["low"]) > self.headroom
        ]
