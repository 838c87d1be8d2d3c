"""Sentences on given scores: against the best, against each other, and as probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocstar.report import words


def score_sentence(score: Mapping[str, Any], found: float) -> str:
    """What one given score reaches, and how far below the best it is."""
    area = score["auc"]
    has = f"`{score['name']}` has an AUC of {words.interval(area)}"
    if score["suspicious"]:
        return (
            f"{has}, far above the best model found ({words.number(found)}): it was probably "
            "fitted on these rows, or it uses information that these columns do not hold. Give "
            "scores of rows that the model has not seen."
        )
    if area["high"] < 0.5:
        return f"{has}: it ranks in reverse, so its sign may have to be changed."
    return f"{has} and {distance(score)}."


def distance(score: Mapping[str, Any]) -> str:
    """How far a score is below the best, after its name."""
    room = score["headroom"]
    if room["low"] < words.NEGLIGIBLE:
        return "cannot be told apart from the best model found"
    return (
        f"is at least {words.rounded_down(room['low'])} AUC below the best achievable "
        f"({words.confidence(room['level'])})"
    )


def gap(scores: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The best given score's distance to the best achievable, for a tile: value and note."""
    judged = [score for score in scores if not score["suspicious"]]
    best = max(judged or scores, key=lambda score: score["auc"]["value"])
    has = f"{words.visible(best['name'])} has an AUC of {words.number(best['auc']['value'])}"
    if not judged:
        return "not judged", f"{has}, far above the best model found"
    room = best["headroom"]
    if room["low"] < words.NEGLIGIBLE:
        return "none shown", f"{has}; it cannot be told apart from the best model found"
    value = f"≥ {words.rounded_down(room['low'])} AUC"
    return value, f"{words.confidence(room['level'])}; {has}"


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
    return f"{said}; recalibrated it has {best}, but no gain is shown ({between})."
