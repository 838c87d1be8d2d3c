"""`Estimate`: a number with confidence limits, and the limits that draws give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from rocstar.checks import check_fraction
from rocstar.inference.draws import Draws
from rocstar.rounding import rounded_down, rounded_up

Side = Literal["two-sided", "lower", "upper"]


@dataclass(frozen=True, repr=False)
class Estimate:
    """A number, its confidence limits, and what the limits promise.

    Attributes
    ----------
    value : float
        The point estimate.
    low, high : float
        With ``side="two-sided"`` both ends together hold the level. With ``"lower"`` only ``low``
        does: ``high`` is then the trivial limit or, in a certificate, a mere estimate. Likewise
        ``"upper"``.
    level : float
        Confidence level, such as 0.95.
    side : {"two-sided", "lower", "upper"}

    Examples
    --------
    >>> estimate = Estimate(0.921, 0.884, 0.95, 0.95, "lower")
    >>> estimate
    Estimate(0.9210, low=0.8840, high=0.9500, level=0.95, side='lower')
    >>> print(estimate)
    0.921; at least 0.884 (95 % confidence)
    >>> value, low, high = estimate
    >>> float(estimate), f"{estimate:.2f}"
    (0.921, '0.92')
    """

    value: float
    low: float
    high: float
    level: float
    side: Side

    def __float__(self) -> float:
        return float(self.value)

    def __iter__(self) -> Iterator[float]:
        return iter((self.value, self.low, self.high))

    def __format__(self, spec: str) -> str:
        """The value in the given format; without one, the sentence of ``str``."""
        return format(self.value, spec) if spec else str(self)

    def to_dict(self) -> dict[str, Any]:
        """Value, ends, level and side by name."""
        return {
            "value": float(self.value),
            "low": float(self.low),
            "high": float(self.high),
            "level": float(self.level),
            "side": self.side,
        }

    def __repr__(self) -> str:
        return (
            f"Estimate({self.value:.4f}, low={self.low:.4f}, high={self.high:.4f}, "
            f"level={self.level:g}, side={self.side!r})"
        )

    def __str__(self) -> str:
        sure = f"({100 * self.level:g} % confidence)"
        low, high = rounded_down(self.low), rounded_up(self.high)
        if self.side == "lower":
            return f"{self.value:.3f}; at least {low} {sure}"
        if self.side == "upper":
            return f"{self.value:.3f}; at most {high} {sure}"
        return f"{self.value:.3f}; between {low} and {high} {sure}"


def from_draws(
    value: float,
    draws: Draws,
    unseen: tuple[float, float],
    limits: tuple[float, float],
    level: float,
    side: Side,
) -> Estimate:
    """Limits by quantiles of the draws, with the unseen at either end of its range."""
    below, above = errors_of(level, side)
    low = draws.low(below, unseen[0]) if below else limits[0]
    high = draws.high(above, unseen[1]) if above else limits[1]
    # Where one row holds nearly all the weight, draws that move it would leave the value outside.
    return Estimate(value, min(low, value), max(high, value), level, side)


def errors_of(level: float, side: Side) -> tuple[float, float]:
    """Error spent on the lower and on the upper end."""
    error = 1 - check_fraction(level, "level")
    one_of(side, Side, "side")
    if side == "two-sided":
        return error / 2, error / 2
    return (error, 0.0) if side == "lower" else (0.0, error)


def one_of(value: str, choices: object, name: str) -> None:
    if value not in get_args(choices):
        listed = ", ".join(repr(choice) for choice in get_args(choices))
        raise ValueError(f"`{name}` must be one of {listed}; got {value!r}.")
