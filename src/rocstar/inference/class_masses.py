"""Joint draws of figures of more than two classes: one set of masses for all of them (theory §15).

Every figure is a sum over classes of means of one value per row, so masses of the rows, with one
unseen row per class, move all figures together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import beta, norm

from rocstar.checks import FloatArray, IntArray
from rocstar.inference.draws import spans

# Rows (or groups) of a class above which its means are drawn as normal variables with the mean and
# covariance that the masses give them: what is dropped is of relative size 1/√n.
MOST_UNITS = 3000
# A quantile is taken from draws if so many lie beyond it; farther out, a beta law of the draws'
# mean and variance is, which for values of 0 and 1 is their exact law.
LEAST_BEYOND = 40
N_JOINT, MOST_NORMALS = 40_000, 8_000_000

Span = tuple[float | FloatArray, float | FloatArray]
"""Least and largest value of all figures, or of each."""


class ClassFigures(NamedTuple):
    """Figures that are Σ_k share_k · mean over class k of their values, less a constant."""

    codes: IntArray  # class of each row
    weights: FloatArray
    units: IntArray | None  # rows of one group are dependent
    values: FloatArray  # (rows, figures)
    shares: FloatArray  # (classes, figures)
    constant: FloatArray  # (figures,)

    @property
    def n_classes(self) -> int:
        return len(self.shares)

    def estimates(self) -> FloatArray:
        """The figures themselves."""
        out = -self.constant
        for k in range(self.n_classes):
            rows = self.codes == k
            w = self.weights[rows] / self.weights[rows].sum()
            out = out + self.shares[k] * (w @ self.values[rows])
        return np.asarray(out)

    def contributions(self) -> FloatArray:
        """What each row, or group, adds to each figure, less its class's average."""
        out = np.empty_like(self.values)
        for k in range(self.n_classes):
            rows = self.codes == k
            w = self.weights[rows] / self.weights[rows].sum()
            centred = self.values[rows] - w @ self.values[rows]
            out[rows] = w[:, None] * centred * self.shares[k]
        if self.units is None:
            return out
        grouped = np.zeros((int(self.units.max()) + 1, out.shape[1]))
        np.add.at(grouped, self.units, out)
        return grouped

    def draws(self, rng: np.random.Generator, n_draws: int) -> ClassDraws:
        """Figures under random masses; what is unseen of a class counts nothing in `seen`."""
        n_figures = self.values.shape[1]
        seen = np.tile(-self.constant[:, None], (1, n_draws))
        unseen = np.zeros((n_figures, n_draws))
        used = [np.flatnonzero(share) for share in self.shares]
        rows = [
            np.flatnonzero((self.codes == k) & (self.weights > 0)) for k in range(self.n_classes)
        ]
        values = [self.values[np.ix_(*which)] for which in zip(rows, used, strict=True)]
        weights = [self.weights[which] for which in rows]
        if self.units is None:
            pairs = zip(values, weights, strict=True)
            drawn = [_class_means([v], [w], rng, n_draws)[0] for v, w in pairs]
        else:
            # A group has one mass, in whatever classes its rows are: its rows err together.
            units = np.unique(self.units, return_inverse=True)[1]
            parts = zip(values, weights, (units[which] for which in rows), strict=True)
            grouped = [_by_unit(*part, int(units.max()) + 1) for part in parts]
            drawn = _class_means([v for v, _ in grouped], [w for _, w in grouped], rng, n_draws)
        for k, (means, atom) in enumerate(drawn):
            share = self.shares[k, used[k]][:, None]
            seen[used[k]] += share * means
            unseen[used[k]] += np.abs(share) * atom
        return ClassDraws(seen, unseen)


class ClassDraws(NamedTuple):
    """Draws of figures (lines), and the share of each that the unseen holds."""

    seen: FloatArray
    unseen: FloatArray

    def low(self, error: float, worst: float = 0.0, span: Span = (0, 1)) -> FloatArray:
        """Lower confidence limits when the unseen takes the value ``worst``."""
        return _quantile(self.seen + worst * self.unseen, error, span, "lower")

    def high(self, error: float, best: float = 1.0, span: Span = (0, 1)) -> FloatArray:
        """Upper confidence limits when the unseen takes the value ``best``."""
        return _quantile(self.seen + best * self.unseen, 1 - error, span, "higher")

    def spread(self) -> FloatArray:
        """Standard deviation of each figure."""
        return np.asarray((self.seen + 0.5 * self.unseen).std(axis=1))


def joint_error(figures: ClassFigures, error: float, seed: int) -> float:
    """The error of each bound at which all of them hold together."""
    # As for two classes: figures of the same rows move together, as normal variables with the
    # correlations of the rows' contributions do.
    rows = figures.contributions().T
    size = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    rows = rows / np.where(size > 0, size, 1.0)
    correlation = rows @ rows.T
    np.fill_diagonal(correlation, 1.0)
    n = len(rows)
    noise = np.random.default_rng(seed).standard_normal((min(N_JOINT, MOST_NORMALS // n), n))
    variances, axes = np.linalg.eigh(correlation)
    drawn = noise @ (axes * np.sqrt(np.maximum(variances, 0.0))).T
    share = float(np.quantile(norm.cdf(drawn.min(axis=1)), error))
    return float(np.clip(share, error / n, error))


def _class_means(
    values: list[FloatArray], weights: list[FloatArray], rng: np.random.Generator, n_draws: int
) -> list[tuple[FloatArray, FloatArray]]:
    """Draws of each class's means, unseen ones counting 0, and the share of the unseen.

    Line g of every class belongs to the same unit, which has one mass in all of them.
    """
    if weights[0].size > MOST_UNITS:
        return _normal_means(values, weights, rng, n_draws)
    weighted = [w[:, None] * v for v, w in zip(values, weights, strict=True)]
    means = [np.empty((v.shape[1], n_draws)) for v in values]
    atoms = [np.empty(n_draws) for _ in values]
    for part in spans(n_draws, weights[0].size):
        mass = rng.standard_exponential((weights[0].size, part.stop - part.start))
        for k, w in enumerate(weights):
            # The atom weighs as much as the heaviest unit: an unseen one might.
            extra = w.max() * rng.standard_exponential(part.stop - part.start)
            total = w @ mass + extra
            means[k][:, part] = weighted[k].T @ mass / total
            atoms[k][part] = extra / total
    return list(zip(means, atoms, strict=True))


def _by_unit(
    values: FloatArray, weights: FloatArray, unit: IntArray, n_units: int
) -> tuple[FloatArray, FloatArray]:
    """Mean values and total weights of whole groups in one class; 0 where a group has no row."""
    sums = np.zeros((n_units, values.shape[1]))
    np.add.at(sums, unit, weights[:, None] * values)
    totals = np.bincount(unit, weights, n_units)
    return sums / np.where(totals > 0, totals, 1.0)[:, None], np.asarray(totals, dtype=np.float64)


def _normal_means(
    values: list[FloatArray], weights: list[FloatArray], rng: np.random.Generator, n_draws: int
) -> list[tuple[FloatArray, FloatArray]]:
    """The same for many units: normal, with the covariance that exponential masses give."""
    shares = [w / (w.sum() + w.max()) for w in weights]
    centres = [(share @ v) / share.sum() for share, v in zip(shares, values, strict=True)]
    apart = np.concatenate(
        [s[:, None] * (v - c * s.sum()) for s, v, c in zip(shares, values, centres, strict=True)],
        axis=1,
    )
    variances, axes = np.linalg.eigh(apart.T @ apart)
    noise = rng.standard_normal((n_draws, variances.size))
    moved = (noise @ (axes * np.sqrt(np.maximum(variances, 0.0))).T).T
    ends = np.cumsum([v.shape[1] for v in values])[:-1]
    found = []
    for w, centre, part in zip(weights, centres, np.split(moved, ends), strict=True):
        atom = w.max() / w.sum() * rng.standard_exponential(n_draws)
        found.append((np.asarray((centre[:, None] + part) * (1 - atom)), atom))
    return found


def _quantile(drawn: FloatArray, level: float, span: Span, method: str) -> FloatArray:
    """Quantile of each line, within the span of its figure."""
    found = np.asarray(np.quantile(drawn, level, axis=1, method=method))  # type: ignore[call-overload]
    if min(level, 1 - level) * drawn.shape[1] >= LEAST_BEYOND:
        return found
    low, width = np.asarray(span[0]), np.subtract(span[1], span[0])
    centre = np.clip((drawn.mean(axis=1) - low) / width, 1e-9, 1 - 1e-9)
    variance = np.maximum(drawn.var(axis=1) / width**2, 1e-18)
    size = np.maximum(centre * (1 - centre) / variance - 1, 1e-6)
    fitted = low + width * beta.ppf(level, centre * size, (1 - centre) * size)
    # Draws of a linearised AUC can leave the span, where the fit has lighter tails than they have.
    farther = np.minimum if method == "lower" else np.maximum
    return np.asarray(farther(fitted, found))
