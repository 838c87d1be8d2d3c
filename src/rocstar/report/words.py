"""Numbers and names as a reader sees them, the same in terminal, page, Markdown and JSON.

Lower bounds are rounded down and upper ones up: no sentence promises more than was certified.
Sentences are in `verdicts`, `method_words` and their like.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rocstar import rounding

MISSING = "–"

MEASURES = {
    "arc_length": "arc length",
    "divergence": "ROC divergence",
    "tv": "total variation",
    "auc": "best AUC",
    "balanced_accuracy": "balanced accuracy",
}

FIGURE_NAMES = {"auc": "AUC", "arc_length": "arc length", "balanced_accuracy": "balanced accuracy"}
"""What is followed over numbers of rows, or lost without a column, in running text."""

_DIGITS = 3
NEGLIGIBLE = 5e-4
"""A bound of the headroom or of a difference below this is not worth a sentence."""
_SEVERITY = {"note": "Note", "warning": "Warning", "invalid": "Invalid result"}
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
    return number(float(rounding.rounded_up(value, digits)), digits)


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


def percent_down(value: float) -> str:
    """Share as a percentage of at most one decimal that never exceeds it."""
    return f"{float(rounding.rounded_down(100 * value, 1)):g} %"


def pvalue(value: float | None) -> str:
    """p-value with its relation sign."""
    if value is None or not math.isfinite(value):
        return f"p {MISSING}"
    if value < 1e-4:
        return "p < 0.0001"
    digits = 4 if value < 1e-3 else 3
    return f"p = {value:.{digits}f}"


def rejected(value: float, level: float) -> bool:
    """Whether a p-value excludes chance at a confidence level."""
    return value <= 1 - level + 1e-12


def chance(value: float, level: float) -> str:
    """Answer to "Could this be chance?"."""
    return "No" if rejected(value, level) else "Yes"


def seconds(value: float | None) -> str:
    """Duration that a person can compare."""
    if value is None:
        return MISSING
    if value >= 60:
        return f"{int(value // 60)} min {round(value % 60)} s"
    return f"{value:.1f} s" if value >= 1 else f"{value:.2f} s"


def confidence(level: float | None) -> str:
    """The level as every sentence gives it."""
    return f"{100 * level:.6g} % confidence" if level is not None else ""


def plural(n: int, noun: str) -> str:
    """So many of a thing."""
    if n == 1:
        return f"1 {noun}"
    ending = re.sub(r"y$", "ie", noun) + ("es" if noun.endswith(("s", "ch")) else "s")
    return f"{count(n)} {ending}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a sentence lists them."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def at_least(estimate: Mapping[str, Any] | None) -> str:
    """Certified end first, then the estimate, which nobody certifies."""
    if not estimate:
        return MISSING
    guess = f"estimate {number(estimate.get('value'))}"
    low = estimate.get("low")
    if low is None:
        return guess
    sure = confidence(estimate.get("level"))
    return f"at least {rounded_down(low)}{f' ({sure})' if sure else ''}, {guess}"


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


def between(low: float | None, high: float | None, digits: int = _DIGITS) -> str:
    """Both ends of an interval, rounded outwards."""
    if low is None or high is None:
        return MISSING
    return f"{rounded_down(low, digits)} to {rounded_up(high, digits)}"


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


def columns_used(columns: Sequence[Mapping[str, Any]]) -> list[str]:
    """How many columns went into the model, and how many did not; nothing if there are none."""
    if not columns:
        return []
    aside = sum(not column["used"] for column in columns)
    used = plural(len(columns) - aside, "column")
    return [f"{used} used, {count(aside)} set aside" if aside else f"{used} used"]


def remark(severity: str, text: str) -> str:
    """A remark on the data, with its severity."""
    return f"{_SEVERITY.get(severity, severity)}: {text}"
