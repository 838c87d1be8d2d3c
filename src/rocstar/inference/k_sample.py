"""Do more than two samples come from one law? The tests of `two_sample_test` for K labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedShuffleSplit

from rocstar.checks import FloatArray, IntArray
from rocstar.inference.class_held_out import ClassHeldOut, class_held_out

CHUNK = 1 << 22  # entries of the permuted labels held at once


def permuted_directions(
    codes: IntArray, direction: FloatArray, n_permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Divergence J − √K of held-out directions, and its rank among permuted labels."""
    # Exact for directions of a model that has seen none of these rows.
    k = direction.shape[1]
    terms = direction / np.bincount(codes, minlength=k)
    rows = np.arange(codes.size)
    observed = float(terms[rows, codes].sum())
    reached = 1
    step = max(1, CHUNK // codes.size)
    for start in range(0, n_permutations, step):
        copies = np.repeat(codes[None, :], min(step, n_permutations - start), axis=0)
        sums = terms[rows, rng.permuted(copies, axis=1)].sum(axis=1)
        reached += int((sums >= observed - 1e-12).sum())
    return observed - float(np.sqrt(k)), reached / (n_permutations + 1)


def class_split_test(
    estimator: Any,
    X: Any,
    codes: IntArray,
    classes: npt.NDArray[Any],
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Held-out divergence of a model trained on the other half, and its p-value."""
    halves = StratifiedShuffleSplit(1, test_size=0.5, random_state=int(rng.integers(2**31)))
    train, test = next(halves.split(np.zeros(codes.size), codes))
    held: ClassHeldOut = class_held_out(estimator, X, codes, [(train, test)], classes=classes)
    return permuted_directions(held.y, held.direction, n_permutations, rng)


def class_gains(
    codes: IntArray,
    views: list[tuple[Any, npt.NDArray[np.float32], FloatArray]],
    n_permutations: int,
    rng: np.random.Generator,
    gains: Callable[..., FloatArray],
) -> FloatArray:
    """Gain of every view and ridge (lines) for the observed labels and permuted ones (columns).

    One Newton step from the direction 1/√K gains, up to a constant, the sum over classes of
    δᵀ(S + λI)⁻¹δ with δ the class's mean less the mean over classes: for two classes half of what
    `two_sample_test` computes.
    """
    k = int(codes.max()) + 1
    counts = np.bincount(codes)
    blocks = []
    for labels in _permuted(codes, n_permutations, rng):
        # Contrasts of all classes sum to zero, so that the last is minus the sum of the others.
        own = [(labels == c).astype(np.float32) / counts[c] for c in range(k)]
        centre = sum(own) / np.float32(k)
        parts = [sum(gains(part - centre, view, *rest) for part in own) for view, *rest in views]
        blocks.append(np.concatenate(parts))
    return np.concatenate(blocks, axis=1)


def _permuted(
    codes: IntArray, n_permutations: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[np.int16]]:
    """The observed labels first, then permuted ones, a block of rows at a time."""
    row = codes.astype(np.int16)[None, :]
    yield row
    step = max(1, CHUNK // row.size)
    for start in range(0, n_permutations, step):
        copies = np.repeat(row, min(step, n_permutations - start), axis=0)
        yield rng.permuted(copies, axis=1)
