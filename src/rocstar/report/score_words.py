"""Sentences on given scores: against each other, in segments, and as probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report import words


def gain_sentence(entry: Mapping[str, Any]) -> str:
    """Whether one score ranks better than another."""
    gain = entry["gain"]
    better, other = f"`{entry['name']}`", f"`{entry['other']}`"
    by = f"by {words.number(gain['value'])} AUC ({words.between(gain['low'], gain['high'])})"
    if gain["low"] > 0:
        return f"{better} ranks better than {other} {by}."
    return f"{better} and {other} cannot be told apart: they differ {by}."


def segment_sentence(entry: Mapping[str, Any]) -> str:
    """A segment in plain words: its rows, its share of the loss, and what is certified of it."""
    rows, loss = (words.percent(entry[key]) for key in ("rows", "loss"))
    room = entry["headroom"]
    said = f"{entry['segment']}: {rows} of rows, {loss} of what `{entry['score']}` loses"
    if room["low"] <= 0:
        return f"{said}; no headroom was certified here."
    return (
        f"{said}; here it is at least {words.rounded_down(room['low'])} AUC below the best "
        f"achievable ({words.confidence(room['level'])}, all segments together)."
    )


def calibration_sentence(entry: Mapping[str, Any]) -> str:
    """Whether a probability can be improved without changing its ranks."""
    gain, brier = entry["gain"], words.number(entry["brier"], 4)
    said = f"`{entry['name']}` has a Brier score of {brier}"
    best = words.number(entry["recalibrated"], 4)
    between = words.between(gain["low"], gain["high"], 4)
    if gain["low"] > 0:
        saved = words.number(gain["value"], 4)
        return f"{said}; recalibrated it has {best}, a gain of {saved} ({between})."
    return f"{said}; recalibration does not help ({best}; the gain lies within {between})."
