"""The Wasserstein distance of two laws on the line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from rocstar.checks import FloatArray
from rocstar.laws.line import LineRatio, Marginal
from rocstar.laws.ratio import monotone_root


class Moments(Marginal, Protocol):
    """A law on the line whose `center` is its mean and whose CDF has a known integral."""

    def lower_moment(self, x: FloatArray) -> FloatArray:
        """∫ F from −∞ to x."""


def cdf_crossings(pos: Marginal, neg: Marginal) -> FloatArray:
    """Points where the two CDFs cross."""
    # Their difference is monotone between the points where the densities meet.
    meets = LineRatio(pos, neg).coordinates_at(np.zeros(1))
    low = min(pos.window[0], neg.window[0])
    high = max(pos.window[1], neg.window[1])
    edges = np.unique(np.concatenate([[low], meets, [high]]))

    def difference(x: FloatArray, _: FloatArray) -> FloatArray:
        right = neg.sf(x) - pos.sf(x)
        return np.where(x > pos.center, right, pos.cdf(x) - neg.cdf(x))

    gap = difference(edges, edges)
    # Between the outermost edge and its neighbour the difference only dies out.
    crossed = np.flatnonzero(gap[1:-2] * gap[2:-1] < 0) + 1
    return monotone_root(difference, edges[crossed], edges[crossed + 1], np.zeros(len(crossed)))


def line_wasserstein(pos: Moments, neg: Moments) -> float:
    """W₁ = ∫|F₊ − F₋|, from partial moments between the crossings of the CDFs."""
    crossings = cdf_crossings(pos, neg)
    area = pos.lower_moment(crossings) - neg.lower_moment(crossings)
    # Over the whole line the signed area is the difference of the means.
    return float(np.sum(np.abs(np.diff(np.r_[0.0, area, neg.center - pos.center]))))


def warped_wasserstein(
    pos: Marginal, neg: Marginal, warp: Callable[[FloatArray], FloatArray]
) -> float | None:
    """W₁ of the images of two laws under a monotone map; ``None`` if the tails are too heavy."""
    # Between two crossings of the CDFs, ∫|F₊ − F₋| dg = |∫ g (p − q) dx|.
    crossings = cdf_crossings(pos, neg)
    x, weight = LineRatio(pos, neg).quadrature(crossings)
    ends = np.array([x[0], x[-1]])
    with np.errstate(over="ignore", invalid="ignore"):
        term = warp(x) * (np.exp(pos.logpdf(x)) - np.exp(neg.logpdf(x))) * weight
        part = np.searchsorted(crossings, x)
        total = float(np.sum(np.abs(np.bincount(part, term, minlength=len(crossings) + 1))))
        beyond = np.abs(warp(ends)) * [
            pos.cdf(ends)[0] + neg.cdf(ends)[0],
            pos.sf(ends)[1] + neg.sf(ends)[1],
        ]
        converged = np.max(beyond) < 1e-12 * total
    return total if converged else None
