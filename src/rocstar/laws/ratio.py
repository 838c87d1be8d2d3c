r"""The law of the log-likelihood ratio: the one-dimensional problem behind every pair of laws.

ROC*, its length, its area and every f-divergence of ``p`` and ``q`` depend on the pair only through
the law of :math:`z = \log(p/q)` under ``p`` and under ``q``. A pair of laws, in whatever dimension,
therefore hands over one `RatioLaw`, and the truths are derived here once for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import elementwise

from rocstar.checks import FloatArray

# exp of this is finite, and ratios beyond it are infinite for every purpose here.
LARGEST_LOG = 700.0


class Both(NamedTuple):
    """One quantity under the positive and under the negative law."""

    pos: FloatArray
    neg: FloatArray


class Nodes(NamedTuple):
    """A quadrature of the pair of laws of ``z``."""

    # `sum(phi(pos, neg))` is the integral of `phi(p, q)` for every `phi` that is homogeneous of
    # degree one, smooth except where `p = q`: node `i` stands for mass `pos[i]` of `p` and `neg[i]`
    # of `q`, both at log ratio `z[i]`.

    z: FloatArray
    pos: FloatArray
    neg: FloatArray


class RatioLaw(ABC):
    """The laws of the log ratio ``z`` under ``p`` and under ``q``."""

    # A concrete law supplies `nodes`, `cdf` and `sf`; everything else follows.

    #: Relative error that the method keeps to, as long as all mass is found.
    method_accuracy: float = 1e-10
    #: Whether ``z`` has a density, so that thresholds are points of the curve.
    continuous: bool = True

    @property
    @abstractmethod
    def nodes(self) -> Nodes:
        """Quadrature nodes of the pair."""

    @abstractmethod
    def cdf(self, z: FloatArray) -> Both:
        """P(Z < z) + P(Z = z)/2 under each law."""

    @abstractmethod
    def sf(self, z: FloatArray) -> Both:
        """P(Z > z) + P(Z = z)/2 under each law: the point of ROC* at threshold ``z``."""

    @abstractmethod
    def density(self, z: FloatArray) -> Both:
        """Densities of ``z`` under each law."""

    @cached_property
    def accuracy(self) -> float:
        """Bound of the relative error of the truths: that of the method, or any mass missed."""
        missed = max(abs(1.0 - float(np.sum(mass))) for mass in self.nodes[1:])
        return max(self.method_accuracy, missed)

    @cached_property
    def node_cdf(self) -> Both:
        """`cdf` at the nodes."""
        return self.cdf(self.nodes.z)

    # The forms below subtract nothing nearly equal, so that they keep their relative accuracy
    # both for laws nearly identical and for laws nearly disjoint.

    @cached_property
    def overlap(self) -> float:
        """2 − L*: what the arc length lacks to that of disjoint laws."""
        _, p, q = self.nodes
        total = p + q + np.hypot(p, q)
        return float(np.sum(np.divide(2 * p * q, total, out=np.zeros_like(p), where=total > 0)))

    @cached_property
    def divergence(self) -> float:
        """L* − √2."""
        _, p, q = self.nodes
        total = np.hypot(p, q) + (p + q) / np.sqrt(2)
        half_square = (p - q) ** 2 / 2
        return float(np.sum(np.divide(half_square, total, out=np.zeros_like(p), where=total > 0)))

    @cached_property
    def tv(self) -> float:
        """Total variation distance."""
        _, p, q = self.nodes
        return float(np.sum(np.abs(p - q)) / 2)

    @cached_property
    def kl(self) -> float:
        """KL(p‖q)."""
        z, p, _ = self.nodes
        return float(np.sum(p[p > 0] * z[p > 0]))

    @cached_property
    def js(self) -> float:
        """Jensen–Shannon divergence, in nats."""
        _, p, q = self.nodes
        mean = (p + q) / 2
        return float(np.sum(special.rel_entr(p, mean) + special.rel_entr(q, mean)) / 2)

    @cached_property
    def hellinger(self) -> float:
        """Hellinger distance: the root of 1 − ∫√(pq)."""
        _, p, q = self.nodes
        return float(np.sqrt(np.sum((np.sqrt(p) - np.sqrt(q)) ** 2) / 2))

    @cached_property
    def auc(self) -> float:
        """AUC*, ties counted one half."""
        return float(np.sum(self.nodes.pos * self.node_cdf.neg))

    @cached_property
    def surface_area(self) -> float:
        """Area of the surface of theory §7 between the diagonal and ROC*."""
        _, p, q = self.nodes
        cdf = self.node_cdf
        return float(np.sum((p + q) * np.abs(cdf.neg - cdf.pos)) / 2)

    def threshold(self, fpr: FloatArray) -> FloatArray:
        """Log ratio above which ``q`` has mass ``fpr``."""
        return self.level(lambda both: both.neg, fpr, self.negative_sf)

    def negative_sf(self, z: FloatArray) -> FloatArray:
        """`sf` under ``q`` alone, where that is cheaper."""
        return self.sf(z).neg

    def level(
        self,
        rate: Callable[[Both], FloatArray],
        goal: FloatArray,
        rate_at: Callable[[FloatArray], FloatArray] | None = None,
    ) -> FloatArray:
        """Log ratio at which ``rate(sf(z))``, a share of the two tails, is ``goal``."""
        # `rate_at` is a shorter way to `rate(sf(z))`.
        rate_at = rate_at or (lambda z: rate(self.sf(z)))
        order = np.argsort(self.nodes.z)
        z = self.nodes.z[order]
        falling = rate(Both(*(1.0 - side[order] for side in self.node_cdf)))
        # The table brackets each root; its own rounding must not leave the root outside.
        first = np.searchsorted(-falling, -goal - 1e-12, side="left") - 1
        last = np.searchsorted(-falling, -goal + 1e-12, side="right")
        low, high = (z[np.clip(index, 0, len(z) - 1)] for index in (first, last))
        # `roc` squares what error is left here.
        return monotone_root(lambda z, goal: rate_at(z) - goal, low, high, goal, atol=1e-9)

    def roc(self, fpr: FloatArray) -> FloatArray:
        """Height of ROC* at ``fpr``."""
        z = self.threshold(fpr)
        tpr, reached = self.sf(z)
        # ROC* has slope exp(z): one step along the tangent squares the error of the threshold.
        slope = np.exp(np.minimum(z, LARGEST_LOG))
        tpr = np.clip(tpr + slope * (fpr - reached), 0.0, 1.0)
        return np.where(fpr <= 0, 0.0, np.where(fpr >= 1, 1.0, tpr))

    def curve(self, n: int) -> tuple[FloatArray, FloatArray]:
        """(fpr, tpr) of ``n`` points about evenly spaced along ROC*, its ends included."""
        order = np.argsort(self.nodes.z)[::-1]
        tpr, fpr = (1.0 - side[order] for side in self.node_cdf)
        length = np.cumsum(np.hypot(np.diff(fpr, prepend=0.0), np.diff(tpr, prepend=0.0)))
        z = np.interp(np.linspace(0, length[-1], n)[1:-1], length, self.nodes.z[order])
        between = self.sf(z)
        return np.r_[0.0, between.neg, 1.0], np.r_[0.0, between.pos, 1.0]


def monotone_root(
    function: Callable[[FloatArray, FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    goal: FloatArray,
    *,
    atol: float = 1e-15,
    rtol: float = 1e-15,
) -> FloatArray:
    """Solve ``function(x, goal) = 0`` on ``[low, high]`` for every element of ``goal``."""
    # `function` is monotone in `x`. Where it has no root, the end nearer to one is returned.
    at_low, at_high = function(low, goal), function(high, goal)
    root = np.where(np.abs(at_low) <= np.abs(at_high), low, high)
    inside = at_low * at_high < 0
    if inside.any():
        # The stubs of SciPy do not describe functions of several arrays.
        find_root: Any = elementwise.find_root
        # Where its interpolation does not apply, SciPy takes a root it then ignores.
        with np.errstate(invalid="ignore"):
            root[inside] = find_root(
                function,
                (low[inside], high[inside]),
                args=(goal[inside],),
                tolerances={"xatol": atol, "xrtol": rtol},
            ).x
    return root
