"""What judged rows of two and of more classes have in common: one entry per row and split."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rocstar.checks import BoolArray, FloatArray, IntArray
from rocstar.inference.group_masses import dependent


class HeldEntries:
    """Entries of a dataclass with the fields named here; those of `per_entry` have one each."""

    row: IntArray
    y: BoolArray | IntArray
    fold: IntArray
    repeat: IntArray
    weights: FloatArray
    groups: IntArray | None
    models: tuple[Any, ...]

    per_entry: ClassVar[tuple[str, ...]]
    # The figure that a learning curve follows, by the name that summaries use.
    followed: ClassVar[str]

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        raise NotImplementedError

    def followed_values(self) -> FloatArray:
        """Values of the entries whose class means add up to that figure, but for a constant."""
        raise NotImplementedError

    def followed_figures(self) -> tuple[float, float]:
        """Arc length and that figure."""
        raise NotImplementedError

    @staticmethod
    def said_by(model: Any, X: Any) -> tuple[FloatArray, ...]:
        """What a fitted model says of rows."""
        raise NotImplementedError

    def with_said(self, said: tuple[FloatArray, ...]) -> Self:
        """The same entries with something else said of them."""
        raise NotImplementedError

    @property
    def n_splits(self) -> int:
        """How many splits held rows out; one is a hold-out."""
        return int(self.fold.max()) + 1

    @property
    def n_repeats(self) -> int:
        """How often each judged row was held out."""
        return int(self.repeat.max()) + 1

    @property
    def units(self) -> IntArray | None:
        """Which entries are one observation: those of a group, or of a row that was repeated."""
        return self.row if self.groups is None and self.n_repeats > 1 else self.groups

    def entries(self, which: BoolArray | IntArray) -> Self:
        """Some of the entries, all of the models."""
        some: dict[str, npt.NDArray[Any]] = {n: getattr(self, n)[which] for n in self.per_entry}
        groups = None if self.groups is None else self.groups[which]
        return replace(self, **some, groups=groups)  # type: ignore[type-var]

    def mean_sum(self, values: FloatArray) -> float:
        """Sum of the class means."""
        parts = (self.y == k for k in range(self.n_classes))
        return sum(float(np.average(values[rows], weights=self.weights[rows])) for rows in parts)

    def contributions(self, values: FloatArray) -> FloatArray:
        """What each observation adds to the sum of class means, less its class's average."""
        out = np.empty(values.size)
        for k in range(self.n_classes):
            rows = self.y == k
            w = self.weights[rows] / self.weights[rows].sum()
            out[rows] = w * (values[rows] - w @ values[rows])
        units = dependent(self.units, values.size)
        return out if units is None else np.asarray(np.bincount(units, out), dtype=np.float64)
