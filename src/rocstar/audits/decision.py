"""Where a score will be used: what the reader of an audit says of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from rocstar.checks import InputError, check_fraction
from rocstar.geometry.linear_measures import Cost, LinearMeasure, NetBenefit


@dataclass(frozen=True)
class Decision:
    """Where a score will be used: prevalence, costs of errors, and a threshold probability."""

    prevalence: float | None = None
    cost_fn: float | None = None
    cost_fp: float | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        for name in ("prevalence", "threshold"):
            if getattr(self, name) is not None:
                check_fraction(getattr(self, name), name)
        for name, other in (("cost_fn", "cost_fp"), ("cost_fp", "cost_fn")):
            cost = getattr(self, name)
            if cost is not None and not 0 < cost < inf:
                raise InputError(f"`{name}` must be a positive number; got {cost:g}.")
            if cost is not None and None in (self.cost_fn, self.cost_fp):
                raise InputError(f"`{name}` must come with `{other}`.")

    @property
    def asked(self) -> bool:
        """Whether anything was given."""
        return any(value is not None for value in vars(self).values())

    @property
    def cut(self) -> float | None:
        """The probability above which acting pays: as given, or where both errors cost the same."""
        if self.threshold is not None or self.cost_fn is None or self.cost_fp is None:
            return self.threshold
        return self.cost_fp / (self.cost_fp + self.cost_fn)

    def at(self, prevalence: float) -> LinearMeasure | None:
        """What the best operating point minimises or maximises."""
        if self.cost_fn is not None and self.cost_fp is not None:
            return Cost(self.cost_fn, self.cost_fp, prevalence)
        return None if self.cut is None else NetBenefit(self.cut, prevalence)
