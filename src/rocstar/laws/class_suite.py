"""Named tasks of more than two classes with known truth."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from rocstar.checks import FloatArray
from rocstar.laws.families import FiniteFamily, LawFamily
from rocstar.laws.gaussian_families import GaussianFamily, MixtureFamily, SimplexFamily


def class_suite(n_classes: Any) -> dict[str, LawFamily]:
    """Tasks of so many classes by their stable names; names end in the dimension."""
    if not isinstance(n_classes, Integral) or n_classes < 2:
        raise ValueError(f"`n_classes` must be a whole number of at least 2; got {n_classes!r}.")
    k = int(n_classes)
    ring = _ring(k)
    return {
        "identical-5d": GaussianFamily(np.zeros((k, 5))),
        "line-1d": GaussianFamily(np.arange(k, dtype=np.float64)[:, None]),
        "ring-5d": GaussianFamily(np.pad(ring, ((0, 0), (0, 3)))),
        "ring-faint-10d": GaussianFamily(np.pad(0.4 * ring, ((0, 0), (0, 8)))),
        # Two classes are hard to tell apart, and all others easy.
        "twins-4d": GaussianFamily(np.pad(_twins(k), ((0, 0), (0, 2)))),
        f"simplex-{k}d": SimplexFamily(k, 2.0),
        "combs-3d": MixtureFamily([(1.5 * j, 1.5 * (j + k)) for j in range(k)], dim=3),
        "steps-1d": FiniteFamily(_steps(k)),
    }


def _ring(k: int) -> FloatArray:
    """Places on a circle, neighbours two apart."""
    turn = 2 * np.pi * np.arange(k) / k
    return np.asarray(np.stack([np.cos(turn), np.sin(turn)], axis=1) / np.sin(np.pi / k))


def _twins(k: int) -> FloatArray:
    places = 1.5 * _ring(k)
    places[1] = places[0] + [0.5, 0.0]
    return places


def _steps(k: int) -> FloatArray:
    """Class j prefers the points near j, the farther the less."""
    away = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    masses = 0.45**away
    return np.asarray(masses / masses.sum(axis=1, keepdims=True))
