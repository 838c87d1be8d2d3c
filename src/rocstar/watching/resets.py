"""What resets cost: shares of the error for the time between them and for the models found then."""

from __future__ import annotations

from dataclasses import dataclass

from rocstar.watching.wealth import trial_share

FIRST_SHARE = 0.8
"""Share of the error until the first reset."""


def epoch_share(resets: int) -> float:
    """Share of the error between one reset and the next: a sequence that sums to one."""
    return FIRST_SHARE if resets == 0 else (1 - FIRST_SHARE) / (resets * (resets + 1))


@dataclass
class Spending:
    """Shares of the error of the reference's bounds: one for each model that may judge.

    An alarm depends on the second part of the reference, and so does a reset that follows it. What
    comes after may depend on the second part too, but only through the times of the resets: for
    given times, later models do not know it. So the models after each possible sequence of times
    have a share of their own; all shares sum to one (theory §14).
    """

    resets: int = 0
    batches: int = 0  # of this reference
    reset_at: int = 0
    times: float = 1.0  # share of the times at which the resets have come
    promoted: int = 0  # models since the last reset

    def reset(self) -> None:
        """Count a reset after the batches so far."""
        waited = self.batches - self.reset_at
        # A first reset before all batches cannot depend on the reference; a later one may come
        # after the one before it without a batch between them.
        number = waited + 1 if self.resets else max(waited, 1)
        self.times *= float(trial_share(number))
        self.resets += 1
        self.reset_at, self.promoted = self.batches, 0

    def next_share(self) -> float:
        """Share of one more model."""
        self.promoted += 1
        return epoch_share(self.resets) * self.times * float(trial_share(self.promoted))
