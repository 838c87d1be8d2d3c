"""Samples with weights and with groups, and the exact figures of the populations behind them.

Each sample carries what every interval needs: labels, a score, a baseline to compare it with, an
angle and a decision fixed beforehand. Each law knows the true AUC, arc length J of that angle,
Youden index of that decision, and AUC gain over that baseline.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

SHARED, SHRUNK = 0.7, 0.8  # the baseline: its correlation with the score, its share of the shift
FAR = 9.0  # standard normals beyond this hold less than 1e-18


class Sample(NamedTuple):
    """Rows of two classes; ``weight`` or ``group`` is None where rows do not have it."""

    y: Any
    score: Any
    baseline: Any
    angle: Any
    decision: Any
    weight: Any = None
    group: Any = None


class Truth(NamedTuple):
    auc: float
    arc_length: float
    youden: float
    gain: float


@dataclass(frozen=True)
class Mixture:
    """Scores N(0, 1) of negatives and a mixture of N(shift, 1) of positives, in the population."""

    shares: tuple[float, ...]
    shifts: tuple[float, ...]

    @classmethod
    def of_auc(cls, auc: float, shares: tuple[float, ...], scales: tuple[float, ...]) -> Mixture:
        """Shifts in the proportions ``scales`` such that the AUC is as given."""

        def excess(shift: float) -> float:
            return float(np.dot(shares, norm.cdf(shift * np.array(scales) / np.sqrt(2)))) - auc

        shift = 0.0 if auc == 0.5 else float(brentq(excess, 0, 40))
        return cls(shares, tuple(shift * scale for scale in scales))

    @property
    def cut(self) -> float:
        """Threshold of the decision: half of the largest shift."""
        return max(self.shifts) / 2

    def densities(self, score: Any) -> tuple[Any, Any]:
        parts = [s * norm.pdf(score - d) for s, d in zip(self.shares, self.shifts, strict=True)]
        return np.sum(parts, axis=0), norm.pdf(score)

    def angle(self, score: Any) -> Any:
        """The true angle; at identical laws that of normals one apart, lest it be constant."""
        if max(self.shifts) == 0:
            return np.arctan(np.exp(score - 0.5))
        return np.arctan2(*self.densities(score))

    def baseline(self, score: Any, mean: Any, noise: Any) -> Any:
        """A second score, less shifted and correlated with the first within each class."""
        return SHRUNK * mean + SHARED * (score - mean) + np.sqrt(1 - SHARED**2) * noise

    @cached_property
    def truth(self) -> Truth:
        shares, shifts = np.array(self.shares), np.array(self.shifts)
        auc, other = (float(shares @ norm.cdf(k * shifts / np.sqrt(2))) for k in (1, SHRUNK))

        def length(score: float) -> float:
            (p, q), angle = self.densities(score), self.angle(score)
            return float(p * np.sin(angle) + q * np.cos(angle))

        ends = -FAR, max(self.shifts) + FAR
        arc_length = quad(length, *ends, points=sorted({0.0, *self.shifts}), limit=200)[0]
        youden = float(shares @ norm.cdf(shifts - self.cut)) - float(norm.sf(self.cut))
        return Truth(auc, arc_length, youden, auc - other)


WeightKind = Literal["heavy-bad", "heavy-good", "independent", "strata"]


@dataclass(frozen=True)
class WeightedLaw:
    """Rows drawn from a proposal, weighted by the density ratio of the population to it.

    Parameters
    ----------
    auc : float
        Of the population.
    kind : {"heavy-bad", "heavy-good", "independent", "strata"}
        Heavy rows are the misplaced ones (positives scored low, negatives scored high), or the
        well-placed ones; or the weights say nothing of the score. "strata": half of the population
        is a stratum with half the shift of the other, and rare in the sample.
    effective : float
        Effective sample size per row, (E w)² / E w².
    """

    auc: float
    kind: WeightKind
    effective: float

    @cached_property
    def population(self) -> Mixture:
        if self.kind == "strata":
            return Mixture.of_auc(self.auc, (0.5, 0.5), (1.0, 0.5))
        return Mixture.of_auc(self.auc, (1.0,), (1.0,))

    @property
    def truth(self) -> Truth:
        return self.population.truth

    def sample(self, n_pos: int, n_neg: int, rng: np.random.Generator) -> Sample:
        law, y = self.population, np.repeat([True, False], [n_pos, n_neg])
        mean, noise = y * law.shifts[0], rng.normal(size=y.size)
        if self.kind == "strata":
            # Two weights, 1/(2 share) in each stratum: E w² = 1/(4 share (1 − share)).
            rare = 0.5 * (1 - np.sqrt(1 - self.effective))
            heavy = rng.random(y.size) < rare
            mean = np.where(heavy, y * law.shifts[1], mean)
            weight = 0.5 / np.where(heavy, rare, 1 - rare)
        else:
            # A normal drawn ``tilt`` too high has log-normal weights with E w² = exp(tilt²).
            tilt = np.sqrt(-np.log(self.effective))
            drawn = rng.normal(tilt, 1, y.size)
            weight = np.exp(tilt**2 / 2 - tilt * drawn)
            sign = np.where(y, 1, -1) * (1 if self.kind == "heavy-bad" else -1)
            noise = rng.normal(size=y.size) if self.kind == "independent" else sign * drawn
        score = mean + noise
        baseline = law.baseline(score, mean, rng.normal(size=y.size))
        return Sample(y, score, baseline, law.angle(score), score > law.cut, weight=weight)


MEAN_SIZE, LARGEST, LARGE = 5, 50, 10
SIZES = np.arange(1, LARGEST + 1)


@cache
def heavy_sizes() -> Any:
    """Probabilities of the group sizes 1 to 50: a power law of mean five."""

    def law(exponent: float) -> Any:
        raw = SIZES**-exponent
        return raw / raw.sum()

    return law(float(brentq(lambda exponent: law(exponent) @ SIZES - MEAN_SIZE, 0.1, 4)))


@dataclass(frozen=True)
class GroupedLaw:
    """Independent groups of dependent rows; the population is that of rows, not of groups.

    Parameters
    ----------
    auc : float
        Of the population of rows: a pair drawn from different groups. 0.5: identical laws.
    shape : {"normal", "two-point"}
        "two-point": a share 1 − AUC of the positives lies below all negatives, the others above,
        and the baseline is perfect; with AUC 1 the classes are separable.
    sizes : {"fixed", "heavy", "heavy-bad"}
        Five rows each; a power law from 1 to 50, mean five; or that, and groups of more than ten
        rows are worse: half of the shift ("normal"), or all of the misplaced rows ("two-point").
    classes : {"mixed", "pure"}
        Each row of either class with equal chances, or one class per group, half of the groups.
    correlation : float
        Of the latent normals of two rows of one group and class, and of different classes.
    """

    auc: float
    shape: Literal["normal", "two-point"] = "normal"
    sizes: Literal["fixed", "heavy", "heavy-bad"] = "fixed"
    classes: Literal["mixed", "pure"] = "mixed"
    correlation: float = 0.0

    @cached_property
    def large_share(self) -> float:
        """Share of the population of rows that is in groups of more than ten rows."""
        rows = heavy_sizes() * SIZES
        return float(rows[SIZES > LARGE].sum() / rows.sum())

    @cached_property
    def population(self) -> Mixture:
        """Of the normal shape."""
        if self.sizes == "heavy-bad":
            shares = (1 - self.large_share, self.large_share)
            return Mixture.of_auc(self.auc, shares, (1.0, 0.5))
        return Mixture.of_auc(self.auc, (1.0,), (1.0,))

    @property
    def truth(self) -> Truth:
        if self.shape == "two-point":
            return Truth(self.auc, 1 + self.auc, self.auc, self.auc - 1)
        return self.population.truth

    def sample(self, n_groups: int, rng: np.random.Generator) -> Sample:
        """Rows of ``n_groups`` groups, both classes among them."""
        while True:
            sample = self._sample(n_groups, rng)
            if sample.y.any() and not sample.y.all():
                return sample

    def _sample(self, n_groups: int, rng: np.random.Generator) -> Sample:
        if self.sizes == "fixed":
            size = np.full(n_groups, MEAN_SIZE)
        else:
            size = rng.choice(SIZES, n_groups, p=heavy_sizes())
        group = np.repeat(np.arange(n_groups), size)
        y = group % 2 == 0 if self.classes == "pure" else rng.random(group.size) < 0.5
        bad = (size > LARGE)[group] & (self.sizes == "heavy-bad")
        latent, noise = self._latent(group, rng), self._latent(group, rng)
        if self.shape == "two-point":
            return self._two_point(y, bad, latent, group)
        law = self.population
        mean = y * np.where(bad, law.shifts[-1], law.shifts[0])
        score = mean + latent
        baseline = law.baseline(score, mean, noise)
        return Sample(y, score, baseline, law.angle(score), score > law.cut, group=group)

    def _latent(self, group: Any, rng: np.random.Generator) -> Any:
        """Standard normals of the given correlation within groups."""
        common = rng.normal(size=group[-1] + 1)[group]
        own = rng.normal(size=group.size)
        return np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own

    def _two_point(self, y: Any, bad: Any, latent: Any, group: Any) -> Sample:
        rank, missed = norm.cdf(latent), np.full(y.size, 1 - self.auc)
        if self.sizes == "heavy-bad":
            missed = bad * missed / self.large_share
        above = y & (rank >= missed)
        score = np.where(y, np.where(above, 2.0, -1.0), rank)
        return Sample(y, score, y * 1.0, above * np.pi / 2, above, group=group)
