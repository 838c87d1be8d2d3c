"""Integration over segments whose ends may be singular."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rocstar.checks import FloatArray
from rocstar.laws.ratio import Both, Nodes

# Halving the step of a tanh-sinh rule about squares its error once it resolves the integrand; this
# leaves room for integrands that it barely resolves.
ROUGH = 1e-10
HALVINGS = 8


def tanh_sinh(
    low: FloatArray, high: FloatArray, step: float = 1 / 10
) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of the tanh-sinh rule on each segment: one row a segment."""
    # An even number of steps, so that every second node makes the coarser rule.
    half = 2 * int(1.6 / step)
    t = np.arange(-half, half + 1) * step
    share = 1.0 / (1.0 + np.exp(-np.pi * np.sinh(t)))
    rest = share[::-1]
    width = (high - low)[:, None]
    # Measure each node from the nearer edge: next to a large edge its offset would be lost.
    nodes = np.where(t < 0, low[:, None] + width * share, high[:, None] - width * rest)
    return nodes, width * (step * np.pi * np.cosh(t) * share * rest)


class Rule(NamedTuple):
    """Segments, and nodes of the two laws of ``z`` with one row a segment."""

    # The CDFs may be left zero where no area is to be integrated.

    low: FloatArray
    high: FloatArray
    z: FloatArray
    pos: FloatArray
    neg: FloatArray
    cdf_pos: FloatArray
    cdf_neg: FloatArray

    @property
    def nodes(self) -> Nodes:
        """All nodes in one row."""
        return Nodes(self.z.ravel(), self.pos.ravel(), self.neg.ravel())

    @property
    def node_cdf(self) -> Both:
        """CDFs at the nodes."""
        return Both(self.cdf_pos.ravel(), self.cdf_neg.ravel())

    def roughness(self) -> FloatArray:
        """What leaving out every second node would change, for each segment."""
        masses, cdfs = (self.pos, self.neg), (self.cdf_pos, self.cdf_neg)
        parts = [*masses, *(mass * cdf for mass in masses for cdf in cdfs)]
        changes = [np.abs(part.sum(axis=1) - 2 * part[:, ::2].sum(axis=1)) for part in parts]
        return np.asarray(np.max(changes, axis=0))


def refined(rule_on: Callable[[FloatArray, FloatArray], Rule], cuts: FloatArray) -> Rule:
    """Halve segments until the rule and its coarser half agree on every mass and area."""
    low, high = cuts[:-1], cuts[1:]
    done: list[Rule] = []
    for halvings in range(HALVINGS + 1):
        rule = rule_on(low, high)
        rough = (rule.roughness() > ROUGH) & (halvings < HALVINGS)
        done.append(Rule(*(part[~rough] for part in rule)))
        low, high = low[rough], high[rough]
        if len(low) == 0:
            break
        middle = (low + high) / 2
        low, high = np.r_[low, middle], np.r_[middle, high]
    return Rule(*(np.concatenate(parts) for parts in zip(*done, strict=True)))
