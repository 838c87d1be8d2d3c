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
    tolerance: float, unit: str, period: int, drop: float, score: str | None, target: str | None
) -> None:
    """Refuse settings that cannot be used, in one sentence."""
    if unit not in get_args(Unit):
        raise ValueError(f"`unit` must be 'tv' or 'divergence'; got {unit!r}.")
    most = 1.0 if unit == "tv" else 2 - ROOT_TWO
    if not 0 <= tolerance < most:
        raise ValueError(f"`tolerance` must be at least 0 and below {most:.3g}; got {tolerance}.")
    if isinstance(period, bool) or int(period) != period or period < 1:
        raise ValueError(f"`period` must be a whole number of batches, 1 or more; got {period}.")
    if not 0 <= drop < 1:
        raise ValueError(f"`auc_drop` must be at least 0 and below 1; got {drop}.")
    if drop and score is None and target is None:
        raise ValueError("`auc_drop` must come with `score` and a target, whose AUC is watched.")
    if (score is None) != (target is None):
        given, other = ("score", "target") if target is None else ("target", "score")
        raise ValueError(f"`{given}` must come with `{other}`: both are columns of the reference.")
