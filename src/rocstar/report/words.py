"""Numbers and names as a reader sees them; every renderer words the same fact the same way."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from rocstar import rounding

MISSING = "–"

INDISTINGUISHABLE = math.sqrt(2)
SEPARABLE = 2.0
"""Ends of the arc length's scale (theory §1)."""

_DIGITS = 3
# C0 and C1 controls, and the bidirectional overrides, can rewrite a terminal line or reverse a
# sentence, and a lone surrogate cannot be written as UTF-8; a column name may hold any of them.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_CODE = re.compile(r"`([^`]+)`")


def number(value: float | None, digits: int = _DIGITS) -> str:
    """Fixed-point text, or a dash where there is no number."""
    if value is None or not math.isfinite(value):
        return MISSING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def rounded_down(value: float | None, digits: int = _DIGITS) -> str:
    """Fixed-point text that never exceeds the value: a lower bound must not grow by printing."""
    if value is None or not math.isfinite(value):
        return MISSING
    return number(float(rounding.rounded_down(value, digits)), digits)


def rounded_up(value: float | None, digits: int = _DIGITS) -> str:
    """Fixed-point text that is never below the value."""
    if value is None or not math.isfinite(value):
        return MISSING
    return number(math.ceil(round(value * 10**digits, 9)) / 10**digits, digits)


def count(value: float | None) -> str:
    """Whole number with thousands separated."""
    return MISSING if value is None else f"{int(value):,}"


def percent(value: float | None, digits: int = 0) -> str:
    """Share as a percentage."""
    if value is None or not math.isfinite(value):
        return MISSING
    exact = 100 * value
    if digits == 0 and value >= 0.9 and abs(exact - round(exact)) > 1e-9:
        digits = 1 if abs(10 * exact - round(10 * exact)) < 1e-9 else 2
    return f"{exact:.{digits}f} %"


def pvalue(value: float | None) -> str:
    """p-value with its relation sign."""
    if value is None or not math.isfinite(value):
        return f"p {MISSING}"
    if value < 1e-4:
        return "p < 0.0001"
    digits = 4 if value < 1e-3 else 3
    return f"p = {value:.{digits}f}"


def chance(value: float, level: float) -> str:
    """What a p-value says, without the jargon."""
    if value <= 1 - level + 1e-12:
        return "chance alone would rarely do this"
    return "chance alone could do this"


def seconds(value: float | None) -> str:
    """Duration that a person can compare."""
    if value is None:
        return MISSING
    if value >= 60:
        return f"{int(value // 60)} min {round(value % 60)} s"
    return f"{value:.1f} s" if value >= 1 else f"{value:.2f} s"


def at_least(estimate: Mapping[str, Any] | None) -> str:
    """Certified end first, then the estimate, which nobody certifies."""
    if not estimate:
        return MISSING
    guess = f"estimate {number(estimate.get('value'))}"
    low = estimate.get("low")
    if low is None:
        return guess
    level = estimate.get("level")
    confidence = f" with {percent(level)} confidence" if level is not None else ""
    return f"at least {rounded_down(low)}{confidence}, {guess}"


def interval(estimate: Mapping[str, Any] | None) -> str:
    """Value and both ends, rounded outwards."""
    if not estimate:
        return MISSING
    value, low, high = (estimate.get(key) for key in ("value", "low", "high"))
    if low is None:
        return number(value)
    if high is None:
        return f"{number(value)} (at least {rounded_down(low)})"
    return f"{number(value)} ({rounded_down(low)} to {rounded_up(high)})"


def headroom(value: Mapping[str, Any] | None) -> str:
    """What one score leaves on the table, in AUC."""
    if not value:
        return MISSING
    low, guess = value.get("low"), number(value.get("value"))
    if low is not None and low >= 5e-4:
        return f"leaves at least {rounded_down(low)} AUC on the table, estimate {guess}"
    return f"no certain room for improvement, estimate {guess}"


def visible(text: object) -> str:
    """Text of any origin on one line, with every control character made visible."""

    def picture(match: re.Match[str]) -> str:
        code = ord(match.group())
        return chr(0x2400 + code) if code < 0x20 else "\ufffd"

    return _CONTROL.sub(picture, str(text))


def code_spans(sentence: object) -> list[tuple[bool, str]]:
    """Sentence cut at its backquoted names: pairs of (is a name, text)."""
    pieces = _CODE.split(visible(sentence))
    return [(i % 2 == 1, piece) for i, piece in enumerate(pieces) if piece]
