"""Models of what has changed: found in a stretch of the stream, tried on rows they have not seen.

Only the reference's first part and the stream are used here, as often as one likes. The second
part, which judges, is asked about a model only once the model has proved itself here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rocstar.checks import FloatArray, IntArray
from rocstar.estimators.fits import fitted_clone
from rocstar.estimators.unwrap import predict_angle
from rocstar.watching.features import Scales, Space

NEEDED = 3.8
"""Standard errors by which a model must separate rows it has not seen before it may judge. By
chance alone that is reached about once in a year of daily batches."""
BETTER = 2.0
"""Standard errors by which it must exceed the model that judges now."""
TREE_ROWS = 10_000
"""Rows of a stretch from which on "auto" also grows trees, which take longest of all."""
MOST_CELLS = 2_000_000
"""Rows times features of one look: of the products of 50 columns, 1,568 rows of a stretch."""
KINDS = {"linear": ("linear",), "auto": ("linear", "additive", "pairs"), "trees": ()}


@dataclass
class Direction:
    """A linear score of features."""

    kind: str
    w: FloatArray


@dataclass
class Candidate:
    """A model, and by how many standard errors it separates rows it has not seen."""

    model: Any
    z: float


@dataclass
class Search:
    """Looks for a model that tells a stretch of the stream from the reference's first part."""

    kind: str
    estimator: Any  # fitted to long stretches, or to all if there is no direction to look for
    halves: tuple[FloatArray, FloatArray]
    categorical: IntArray
    spaces: dict[str, Space] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._prepare()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is computed from the rest."""
        return {name: value for name, value in vars(self).items() if name != "spaces"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    def _prepare(self) -> None:
        scales = Scales.learn(np.concatenate(self.halves), self.categorical)
        kinds = KINDS.get(self.kind, ())
        self.spaces = {
            kind: Space(scales, kind, self.halves)
            for kind in kinds
            if kind != "pairs" or scales.has_pairs
        }

    def score(self, model: Any, X: FloatArray) -> FloatArray:
        """The model's score of encoded rows; larger is more like the stream."""
        if isinstance(model, Direction):
            return np.asarray(self.spaces[model.kind](X) @ model.w)
        return np.asarray(predict_angle(model, X), dtype=np.float64)

    def best(self, X: FloatArray, stands_for: int) -> Candidate | None:
        """The candidate that separates held-out rows of the stretch best, if any can be fitted."""
        if len(X) < 4:
            return None
        found = max(
            (self._direction(kind, X) for kind in self.spaces), key=lambda c: c.z, default=None
        )
        if self.estimator is not None and (found is None or stands_for >= TREE_ROWS):
            fitted = self._fitted(X)
            found = fitted if found is None or fitted.z > found.z else found
        return found

    def separation(self, model: Any, X: FloatArray) -> float:
        """Standard errors between the scores of rows and of the reference's validation half."""
        return _separation(self.score(model, X), self.score(model, self.halves[1]))

    def _direction(self, kind: str, X: FloatArray) -> Candidate:
        """The better of the directions that two rules find in features of one kind."""
        # Odd rows judge a direction of even rows, and the other way round, each with one half of
        # the reference's first part: errors of its mean must not agree between the two.
        space, reference = self.spaces[kind], [len(half) for half in self.halves]
        # Rows of a stretch are in random order within each of its halves, older and newer.
        step = -(-len(X) * space.scale.size // MOST_CELLS)
        phi = space(X[:: max(step, 1)])
        parts = (phi[::2], phi[1::2])
        means = [part.mean(axis=0) for part in parts]
        rules, z = (space.dense, space.sparse), np.zeros(2)
        for i in (0, 1):
            shift, n = means[i] - space.means[i], _harmonic(len(parts[i]), reference[i])
            W = np.stack([rule(shift, n) for rule in rules], axis=1)
            gap = (means[1 - i] - space.means[1 - i]) @ W
            spread = space.values @ (space.vectors.T @ W) ** 2
            error = (parts[1 - i] @ W).var(axis=0) / len(parts[1 - i]) + spread / reference[i]
            z += np.divide(gap, np.sqrt(2 * error), out=np.zeros(2), where=error > 0)
        best = int(np.argmax(z))
        shift, n = phi.mean(axis=0) - space.means[0], _harmonic(len(phi), reference[0])
        return Candidate(Direction(kind, rules[best](shift, n)), float(z[best]))

    def _fitted(self, X: FloatArray) -> Candidate:
        train, test = X[::2], X[1::2]
        rows = np.concatenate([self.halves[0], train])
        labels = np.repeat([False, True], [len(self.halves[0]), len(train)])
        model = fitted_clone(self.estimator, rows, labels)
        return Candidate(model, self.separation(model, test))


def _harmonic(n: int, m: int) -> float:
    """Rows of a sample whose mean is as uncertain as the gap between two."""
    return 1 / (1 / n + 1 / m)


def _separation(stream: FloatArray, reference: FloatArray) -> float:
    error = stream.var() / stream.size + reference.var() / reference.size
    gap = stream.mean() - reference.mean()
    return float(gap / np.sqrt(error)) if error > 0 else float(np.sign(gap) * NEEDED)
