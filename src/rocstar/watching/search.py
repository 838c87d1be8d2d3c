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
from rocstar.tables.model import parts
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
class Sketch:
    """What a direction is made of, once it is needed: rows of a mean, and the better rule."""

    kind: str
    rule: int
    mean: FloatArray
    rows: int


@dataclass
class Candidate:
    """A model or a sketch of one, and how many standard errors separate rows it has not seen."""

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
            space = self.spaces[model.kind]
            return space.score(space.raw(X), model.w)
        return np.asarray(predict_angle(model, X), dtype=np.float64)

    def best(self, X: FloatArray, stands_for: int) -> Candidate | None:
        """The candidate that separates held-out rows of the stretch best, if any can be fitted."""
        if len(X) < 4:
            return None
        trials = [self._try(kind, X) for kind in self.spaces]
        found = max(trials, key=lambda trial: trial.z, default=None)
        if self.estimator is not None and (found is None or stands_for >= TREE_ROWS):
            fitted = self._fitted(X)
            found = fitted if found is None or fitted.z > found.z else found
        return found

    def model(self, candidate: Candidate) -> Any:
        """The candidate's model; of a sketch, the direction that all of its rows give."""
        sketch = candidate.model
        if not isinstance(sketch, Sketch):
            return sketch
        space = self.spaces[sketch.kind]
        n = 1 / (1 / sketch.rows + 1 / len(self.halves[0]))
        W, _ = space.directions((sketch.mean - space.means[0])[:, None], np.array([n]))
        return Direction(sketch.kind, W[:, sketch.rule])

    def separation(self, model: Any, X: FloatArray) -> float:
        """Standard errors between the scores of rows and of the reference's validation half."""
        return _separation(self.score(model, X), self.score(model, self.halves[1]))

    def _try(self, kind: str, X: FloatArray) -> Candidate:
        """Try both rules for a direction in features of one kind."""
        # Odd rows judge a direction of even rows, and the other way round, each with one half of
        # the reference's first part: errors of its mean must not agree between the two.
        space, n_reference = self.spaces[kind], np.array([len(half) for half in self.halves])
        # Rows of a stretch are in random order within each of its halves, older and newer.
        step = -(-len(X) * space.scale.size // MOST_CELLS)
        raw = space.raw(X[:: max(step, 1)])
        parts = (raw[::2], raw[1::2])
        n = np.array([len(part) for part in parts])
        means = np.stack([space.mean(part) for part in parts], axis=1)
        shifts = means - np.stack(space.means, axis=1)
        W, spread = space.directions(shifts, 1 / (1 / n + 1 / n_reference))
        z = np.zeros(2)
        for i in (0, 1):
            rules = slice(i, None, 2)
            gap, middle = shifts[:, 1 - i] @ W[:, rules], means[:, 1 - i] @ W[:, rules]
            scores = space.score(parts[1 - i], W[:, rules]) - middle
            error = np.einsum("ij,ij->j", scores, scores) / n[1 - i] ** 2
            error += spread[rules] / n_reference[i]
            z += np.divide(gap, np.sqrt(2 * error), out=np.zeros(2), where=error > 0)
        sketch = Sketch(kind, int(np.argmax(z)), means @ n / n.sum(), len(raw))
        return Candidate(sketch, float(z.max()))

    def _fitted(self, X: FloatArray) -> Candidate:
        train, test = X[::2], X[1::2]
        rows = np.concatenate([self.halves[0], train])
        labels = np.repeat([False, True], [len(self.halves[0]), len(train)])
        model = fitted_clone(self.estimator, rows, labels)
        for part in parts(model):
            # How the solver got there is of no use later, and no file of a monitor may hold it.
            vars(part).pop("solution_", None)
        return Candidate(model, self.separation(model, test))


def _separation(stream: FloatArray, reference: FloatArray) -> float:
    error = stream.var() / stream.size + reference.var() / reference.size
    gap = stream.mean() - reference.mean()
    return float(gap / np.sqrt(error)) if error > 0 else float(np.sign(gap) * NEEDED)
