"""Bounds as text: printing must not promise more than was certified."""

from __future__ import annotations

from math import ceil, floor, isfinite

# Decimals that are rounded first, so that 0.29 held as 0.28999999999999998 stays 0.29.
_EXACT = 9


def rounded_down(value: float, digits: int = 3) -> str:
    """So many decimals, never more than the value."""
    if not isfinite(value):
        return str(value)
    return f"{floor(round(value * 10**digits, _EXACT)) / 10**digits:.{digits}f}"


def rounded_up(value: float, digits: int = 3) -> str:
    """So many decimals, never less than the value."""
    if not isfinite(value):
        return str(value)
    return f"{ceil(round(value * 10**digits, _EXACT)) / 10**digits:.{digits}f}"
