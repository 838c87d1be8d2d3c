"""Small problems and their plain objectives, for tests of problems and solvers."""

import numpy as np

from rocstar.fitting.pairs import ClassRows
from rocstar.fitting.rows import MemoryRows

H = np.pi / 2


def class_weights(y, counts=None):
    """Weights that sum to one in each class."""
    counts = np.ones(len(y)) if counts is None else counts
    weights = np.zeros(len(y))
    for side in (y, ~y):
        total = counts[side].sum()
        weights[side] = counts[side] / total if total > 0 else 0.0
    return weights


def memory_rows(n=200, d=3, shift=0.7, seed=0, weighted=True):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    positive = rng.random(n) < 0.4
    positive[:2] = [True, False]
    x[positive] += shift
    weights = rng.random(n) if weighted else np.ones(n)
    weights /= np.where(positive, weights[positive].sum(), weights[~positive].sum())
    return MemoryRows(x, np.where(positive, 1.0, -1.0), weights)


def plain_objective(w, r, name, alpha, fit_intercept):
    """The formula of theory §3 and §4, one sample at a time."""
    d = r.phi.shape[1]
    total = 0.5 * alpha * float(w[:d] @ w[:d])
    for x, sign, weight in zip(r.phi, r.sign, r.weights, strict=True):
        z = float(x @ w[:d]) + (w[d] if fit_intercept else 0.0)
        if name == "log":
            term = np.sin(np.arctan(np.exp(z))) if sign > 0 else np.cos(np.arctan(np.exp(z)))
            total -= weight * term
        elif sign > 0:
            total += weight * (-z if z < 0 else -1.0 if z > H else -np.sin(z))
        else:
            total += weight * (-1.0 if z < 0 else z - H if z > H else -np.cos(z))
    return total


def all_pairs(loss, w, positives, negatives):
    """The plain double sum, O(n²)."""
    margins = (positives.x @ w)[:, None] - (negatives.x @ w)[None, :]
    return positives.weights @ loss(margins) @ negatives.weights


def hinge(margins):
    return np.maximum(0, 1 - margins) ** 2


def two_sides(seed, n=30, d=3, ties=False):
    rng = np.random.default_rng(seed)
    sides = []
    for shift, m in ((0.7, n), (0.0, n // 2)):
        x = rng.normal(shift, 1, size=(m, d))
        weights = rng.random(m)
        sides.append(ClassRows(np.round(x) if ties else x, weights / weights.sum()))
    return sides
