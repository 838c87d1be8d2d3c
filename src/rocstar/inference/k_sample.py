"""Do more than two samples come from one law? The tests of `two_sample_test` for K labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedShuffleSplit

from rocstar.checks import FloatArray, IntArray
from rocstar.inference.bundles import Bundles
from rocstar.inference.class_held_out import ClassHeldOut, class_held_out
from rocstar.inference.feature_views import components, feature_space, ranked_gain

CHUNK = 1 << 20  # entries of the permuted labels held at once


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


def class_score_test(
    X: FloatArray, codes: IntArray, n_permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Largest standardised gain of one Newton step, and its rank among permuted labels."""
    # One step from the direction 1/√K gains, up to a constant, the sum over classes of
    # δᵀ(S + λI)⁻¹δ with δ the class's mean less the mean over classes: for two classes, half of
    # what `two_sample_test` computes.
    n, counts = codes.size, np.bincount(codes)
    alone = Bundles(np.arange(n), 1, np.zeros(n, dtype=np.bool_), np.zeros(0, dtype=np.intp))
    parts = components(feature_space(X, rng), alone, np.zeros(n))
    blocks = []
    for labels in _permuted(codes, n_permutations, rng):
        own = [
            (labels == k).astype(np.float32) / np.float32(count) for k, count in enumerate(counts)
        ]
        centre = np.sum(own, axis=0) / np.float32(counts.size)
        contrasts = [shares - centre for shares in own]
        gains = [np.sum([part.gains(c) for c in contrasts], axis=0) for part in parts]
        blocks.append(np.concatenate(gains))
    return ranked_gain(np.concatenate(blocks, axis=1), parts)


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
