"""Settings of a monitor: their checks, and distances in one unit as those in the other."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

Unit = Literal["tv", "divergence"]
ROOT_TWO = float(np.sqrt(2))


def tolerance_in_tv(tolerance: float, unit: Unit) -> float:
    """Total variation distance that no divergence up to the tolerance exceeds (theory §9)."""
    if unit == "tv":
        return tolerance
    return float(np.sqrt(ROOT_TWO * tolerance + tolerance**2 / 2))


def implied_divergence(tv: float) -> float:
    """Smallest divergence of two laws at this total variation distance (theory §9)."""
    return float(np.sqrt(2 * (1 + tv**2))) - ROOT_TWO


def check_settings(
    tolerance: float,
    unit: str,
    period: int,
    drop: float,
    score: str | None,
    target: str | None,
    positive: str | None = None,
) -> None:
    """Refuse settings that cannot be used, in one sentence."""
    if unit not in get_args(Unit):
        raise ValueError(f"`unit` must be 'tv' or 'divergence'; got {unit!r}.")
    _check_below("tolerance", tolerance, 1.0 if unit == "tv" else 2 - ROOT_TWO)
    if not (_number(period) >= 1 and _number(period).is_integer()):
        raise ValueError(f"`period` must be a whole number of batches, 1 or more; got {period!r}.")
    _check_below("auc_drop", drop, 1.0)
    watched = "`score` and a target, whose AUC is watched"
    if drop and score is None and target is None:
        raise ValueError(f"`auc_drop` must come with {watched}.")
    if positive is not None and score is None and target is None:
        raise ValueError(f"`positive` must come with {watched}; got {positive!r} alone.")
    if (score is None) != (target is None):
        given, other = ("score", "target") if target is None else ("target", "score")
        raise ValueError(f"`{given}` must come with `{other}`: both are columns of the reference.")


def _check_below(name: str, value: object, most: float) -> None:
    if not 0 <= _number(value) < most:
        what = "" if _number(value) == value else "a number, "
        raise ValueError(f"`{name}` must be {what}at least 0 and below {most:.3g}; got {value!r}.")


def _number(value: object) -> float:
    """What is no number is NaN, which lies in no range."""
    known = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return float(value) if known else np.nan  # type: ignore[arg-type]
