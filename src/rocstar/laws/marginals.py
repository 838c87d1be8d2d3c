"""Laws on the line with densities, scores and both tails to full accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from rocstar.checks import FloatArray

# Mass that may be left outside a window: far below what 1e-10 relative accuracy can notice.
NEGLIGIBLE = 1e-30


@dataclass(frozen=True, eq=False)
class NormalMixture:
    """A finite mixture of normal laws on the line."""

    weights: FloatArray
    means: FloatArray
    sds: FloatArray

    @property
    def center(self) -> float:
        """The mean."""
        return float(self.weights @ self.means)

    @property
    def knots(self) -> FloatArray:
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

    def _standard(self, x: FloatArray) -> FloatArray:
        return (np.asarray(x)[..., None] - self.means) / self.sds

    def _log_parts(self, x: FloatArray) -> FloatArray:
        log_norm = np.log(self.weights / self.sds) - np.log(2 * np.pi) / 2
        return np.asarray(log_norm - self._standard(x) ** 2 / 2)

    def logpdf(self, x: FloatArray) -> FloatArray:
        """Log density."""
        parts = self._log_parts(x)
        # One component needs no exponential, and keeps its full accuracy far out.
        return parts[..., 0] if parts.shape[-1] == 1 else special.logsumexp(parts, axis=-1)

    def score(self, x: FloatArray) -> FloatArray:
        """Derivative of the log density: the components' scores, by responsibility."""
        share = special.softmax(self._log_parts(x), axis=-1)
        return np.asarray(-np.sum(share * self._standard(x) / self.sds, axis=-1))

    def cdf(self, x: FloatArray) -> FloatArray:
        """P(X ≤ x)."""
        return np.asarray(special.ndtr(self._standard(x)) @ self.weights)

    def sf(self, x: FloatArray) -> FloatArray:
        """P(X > x)."""
        return np.asarray(special.ndtr(-self._standard(x)) @ self.weights)

    def lower_moment(self, x: FloatArray) -> FloatArray:
        """∫ F from −∞ to x."""
        t = self._standard(x)
        density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
        return np.asarray((t * special.ndtr(t) + density) @ (self.weights * self.sds))


def normal(mean: float, sd: float) -> NormalMixture:
    """One normal law."""
    return NormalMixture(np.ones(1), np.array([mean]), np.array([sd]))


@dataclass(frozen=True, eq=False)
class StudentT:
    """Student's t law on the line."""

    loc: float
    spread: float
    df: float

    @property
    def center(self) -> float:
        """The median."""
        return self.loc

    @property
    def knots(self) -> FloatArray:
        """The mode, and where the bulk turns into the tails."""
        return np.asarray(self.loc + self.spread * np.array([-12.0, -3.0, 0.0, 3.0, 12.0]))

    @property
    def scale(self) -> float:
        """The scale parameter."""
        return self.spread

    @property
    def window(self) -> tuple[float, float]:
        """Where all but a negligible mass lies; far out, for few degrees of freedom."""
        reach = self.spread * _student_reach(self.df)
        return self.loc - reach, self.loc + reach

    def _standard(self, x: FloatArray) -> FloatArray:
        return (np.asarray(x) - self.loc) / self.spread

    def logpdf(self, x: FloatArray) -> FloatArray:
        """Log density."""
        log_norm = -special.betaln(self.df / 2, 0.5) - np.log(self.df) / 2 - np.log(self.spread)
        square = self._standard(x) ** 2 / self.df
        return np.asarray(log_norm - (self.df + 1) / 2 * np.log1p(square))

    def score(self, x: FloatArray) -> FloatArray:
        """Derivative of the log density."""
        t = self._standard(x)
        return np.asarray(-(self.df + 1) * t / (self.df + t**2) / self.spread)

    def cdf(self, x: FloatArray) -> FloatArray:
        """P(X ≤ x)."""
        t = self._standard(x)
        # P(T > t) = I_{ν/(ν+t²)}(ν/2, ½)/2 keeps its digits in both tails.
        tail = special.betainc(self.df / 2, 0.5, self.df / (self.df + t**2)) / 2
        body = special.betainc(0.5, self.df / 2, t**2 / (self.df + t**2)) / 2
        inner = t**2 < self.df
        return np.where(
            t < 0, np.where(inner, 0.5 - body, tail), np.where(inner, 0.5 + body, 1.0 - tail)
        )

    def sf(self, x: FloatArray) -> FloatArray:
        """P(X > x)."""
        return self.cdf(2 * self.loc - np.asarray(x))

    def lower_moment(self, x: FloatArray) -> FloatArray:
        """∫ F from −∞ to x; finite for more than one degree of freedom."""
        t = self._standard(x)
        pdf = np.exp(self.logpdf(x)) * self.spread
        return np.asarray(self.spread * (t * self.cdf(x) + (self.df + t**2) / (self.df - 1) * pdf))


@dataclass(frozen=True, eq=False)
class StudentRadius:
    """Distance from the centre of an isotropic multivariate t vector."""

    dim: int
    spread: float
    df: float

    @property
    def center(self) -> float:
        """A typical radius."""
        return self.spread * float(np.sqrt(self.dim))

    @property
    def knots(self) -> FloatArray:
        """A typical radius, and where the bulk turns into the tails."""
        return self.center * np.array([0.1, 0.4, 1.0, 2.0, 6.0])

    @property
    def scale(self) -> float:
        """The scale parameter."""
        return self.spread

    @property
    def window(self) -> tuple[float, float]:
        """From near the centre to where only a negligible mass remains."""
        # P(R > r) is at most a constant times (r/s)^−ν, P(R < r) one times (r/s)^d with d ≥ 2.
        return self.center * 1e-10, self.center * 10.0 ** (30.0 / self.df + 2.0)

    def logpdf(self, x: FloatArray) -> FloatArray:
        """Log density of the radius."""
        r = np.asarray(x) / self.spread
        log_norm = np.log(2.0) - special.betaln(self.dim / 2, self.df / 2) - np.log(self.spread)
        power = (self.dim - 1) * np.log(r) - self.dim / 2 * np.log(self.df)
        return np.asarray(log_norm + power - (self.dim + self.df) / 2 * np.log1p(r**2 / self.df))

    def score(self, x: FloatArray) -> FloatArray:
        """Derivative of the log density, up to a term that all radii of one dimension share."""
        r = np.asarray(x) / self.spread
        return np.asarray(-(self.dim + self.df) * r / (self.df + r**2) / self.spread)

    def cdf(self, x: FloatArray) -> FloatArray:
        """P(R ≤ x)."""
        r = np.asarray(x) / self.spread
        return np.asarray(special.betainc(self.dim / 2, self.df / 2, r**2 / (self.df + r**2)))

    def sf(self, x: FloatArray) -> FloatArray:
        """P(R > x)."""
        r = np.asarray(x) / self.spread
        return np.asarray(special.betainc(self.df / 2, self.dim / 2, self.df / (self.df + r**2)))


def _student_reach(df: float) -> float:
    """A standardised value beyond which Student's law has less than negligible mass."""
    # P(T > t) ≤ const·t^−ν bounds it for few degrees of freedom; for many, the law is nearly
    # normal only in its bulk, so the same power still holds far out.
    return float(np.sqrt(df) * 10.0 ** (30.0 / df + 1.0))
