"""Laws on the line with densities, scores and both tails to full accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from rocstar.laws.ratio import Array

# Mass that may be left outside a window: far below what 1e-10 relative accuracy can notice.
NEGLIGIBLE = 1e-30


@dataclass(frozen=True, eq=False)
class NormalMixture:
    """A finite mixture of normal laws on the line."""

    weights: Array
    means: Array
    sds: Array

    @property
    def center(self) -> float:
        """The mean."""
        return float(self.weights @ self.means)

    @property
    def knots(self) -> Array:
        """The components' means."""
        return self.means

    @property
    def scale(self) -> float:
        """The smallest standard deviation."""
        return float(self.sds.min())

    @property
    def window(self) -> tuple[float, float]:
        """Where every component has all but a negligible mass."""
        reach = float(-special.ndtri(NEGLIGIBLE))
        return float(np.min(self.means - reach * self.sds)), float(
            np.max(self.means + reach * self.sds)
        )

    def _standard(self, x: Array) -> Array:
        return (np.asarray(x)[..., None] - self.means) / self.sds

    def _log_parts(self, x: Array) -> Array:
        log_norm = np.log(self.weights / self.sds) - np.log(2 * np.pi) / 2
        return np.asarray(log_norm - self._standard(x) ** 2 / 2)

    def logpdf(self, x: Array) -> Array:
        """Log density."""
        parts = self._log_parts(x)
        # One component needs no exponential, and keeps its full accuracy far out.
        return parts[..., 0] if parts.shape[-1] == 1 else special.logsumexp(parts, axis=-1)

    def score(self, x: Array) -> Array:
        """Derivative of the log density: the components' scores, by responsibility."""
        share = special.softmax(self._log_parts(x), axis=-1)
        return np.asarray(-np.sum(share * self._standard(x) / self.sds, axis=-1))

    def cdf(self, x: Array) -> Array:
        """P(X ≤ x)."""
        return np.asarray(special.ndtr(self._standard(x)) @ self.weights)

    def sf(self, x: Array) -> Array:
        """P(X > x)."""
        return np.asarray(special.ndtr(-self._standard(x)) @ self.weights)


def normal(mean: float, sd: float) -> NormalMixture:
    """One normal law."""
    return NormalMixture(np.ones(1), np.array([mean]), np.array([sd]))
