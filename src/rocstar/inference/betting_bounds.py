"""Lower bounds by betting from rows that were judged in turn (theory §12)."""

from __future__ import annotations

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.geometry.bounds import SHORTEST
from rocstar.inference.betting_intervals import auc_bets, gain_bets, refuse_weights, sum_bets
from rocstar.inference.group_masses import dependent
from rocstar.inference.held_out import HeldOut

EPSILONS = np.arange(0.0, 8.0, 0.02)[1:]
"""Candidates of ε, scanned upwards; beyond e⁸ no sample of fewer than 3,000 rows shows anything."""


SHARES = (0.25, 0.45, 0.3)
"""Of the error, for arc length, AUC and TV. What the AUC implies of the arc length, where ROC* is
close to a circular arc, is about as tight as a bound of its own, so that the AUC gets the most."""


def betting_bounds(
    held: HeldOut, error: float, shares: tuple[float, float, float] = SHARES
) -> tuple[float, float, float]:
    """Lower bounds of arc length, AUC and TV that hold together, as their errors sum to one's."""
    refuse_weights(held.weighted)
    y, chunk, units = held.y, held.fold, _units(held)
    return (
        sum_bets(y, held.terms, chunk, units).low(error * shares[0], SHORTEST),
        auc_bets(y, held.score, chunk, units).low(error * shares[1], 0.5),
        sum_bets(y, held.correct, chunk, units, shift=-1.0).low(error * shares[2], 0.0),
    )


def headroom_bound(held: HeldOut, theirs: FloatArray, error: float) -> float:
    """Lower bound of the best AUC less that of another score of the same entries."""
    return gain_bets(held.y, held.score, theirs, held.fold, _units(held)).low(error, 0.0)


def hockey_stick_bound(
    held: HeldOut, gamma: float, error: float, *, reverse: bool = False
) -> float:
    """Lower bound of sup P(A) − γ Q(A), by the set where the judged ratio exceeds γ."""
    if not 0 <= gamma < np.inf:
        raise ValueError(f"`gamma` must be a non-negative number; got {gamma}.")
    floor = max(0.0, 1.0 - gamma)
    if gamma == 0:
        return floor
    y, angle = (~held.y, np.pi / 2 - held.angle) if reverse else (held.y, held.angle)
    right = np.where(y, angle > np.arctan(gamma), angle <= np.arctan(gamma)).astype(np.float64)
    bets = sum_bets(y, right, held.fold, _units(held), weight=gamma, shift=-gamma)
    return bets.low(error, floor)


def rule_gain_bound(
    held: HeldOut, shares: FloatArray, ratio: float, error: float, cap: float = np.inf
) -> float:
    """Lower bound of a gain of right decisions, those of negatives worth ``ratio``, at least 0.

    ``shares`` are ½ plus half of each entry's gain, which lies between −1 and 1.
    """
    bets = sum_bets(held.y, shares, held.fold, _units(held), weight=ratio, shift=-(1 + ratio) / 2)
    return 2 * bets.low(error, 0.0, cap=cap / 2)


def epsilon_bound(held: HeldOut, delta: float, error: float) -> float:
    """Lower bound of the ε at which the classes can be (ε, δ)-indistinguishable."""
    if not 0 <= delta < 1:
        raise ValueError(f"`delta` must lie in [0, 1); got {delta}.")
    bound = 0.0
    for epsilon in EPSILONS:
        gamma = float(np.exp(epsilon))
        # Under (ε, δ) both P(A) − γ Q(A) and Q(B) − γ P(B) are at most δ, so that the two together
        # need no split of the error.
        high = held.angle > np.arctan(gamma)
        low = held.angle < np.arctan(1 / gamma)
        gain = np.where(held.y, high - gamma * low, low - gamma * high)
        values = (gain + gamma) / (1 + gamma)
        bets = sum_bets(held.y, values, held.fold, _units(held))
        if not bets.rejects(2 * (delta + gamma) / (1 + gamma), error):
            break
        bound = float(epsilon)
    return bound


def _units(held: HeldOut) -> IntArray | None:
    return dependent(held.groups, held.y.size)
