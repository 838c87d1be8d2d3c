"""Draws of a figure, with room for what the sample did not show (theory §8).

Each draw gives the rows of a class, and one atom that stands for the unseen, masses that are
uniform on the simplex (Dirichlet(1, …, 1), normalised exponentials). Placing the atoms as badly as
possible and taking a low quantile over the draws gives Gaffke's lower bound of a mean, and its
two-sample form for the AUC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rocstar.checks import FloatArray

N_DRAWS = 4000
"""A 5 % quantile of 4,000 draws has level 5 % ± 0.35 % (one standard error)."""

CHUNK = 1 << 20
"""Random numbers held at once (8 MiB), so that memory stays flat whatever the sample size."""


class Draws(NamedTuple):
    """Draws of a figure: what the seen rows contribute, and the share the unseen holds."""

    # Arrays of two dimensions hold one row for each place the unseen may take; the worst one
    # counts.

    seen: FloatArray
    unseen: FloatArray

    def low(self, error: float, worst: float) -> float:
        """Lower confidence limit when the unseen takes the value ``worst``."""
        drawn = np.atleast_2d(self.seen + worst * self.unseen).min(axis=0)
        return float(np.quantile(drawn, error, method="lower"))

    def high(self, error: float, best: float) -> float:
        """Upper confidence limit when the unseen takes the value ``best``."""
        drawn = np.atleast_2d(self.seen + best * self.unseen).max(axis=0)
        return float(np.quantile(drawn, 1 - error, method="higher"))

    def spread(self, typical: float) -> float:
        """Standard deviation of the figure when the unseen takes the value ``typical``."""
        return float(np.std(self.seen + typical * self.unseen, axis=-1).mean())

    def minus(self, constant: float) -> Draws:
        """Draws of the figure less a constant."""
        return Draws(self.seen - constant, self.unseen)


def spans(n_draws: int, cells: int) -> Iterator[slice]:
    """Draws that are made at once, given the random numbers that each needs."""
    step = max(1, CHUNK // max(cells, 1))
    for start in range(0, n_draws, step):
        yield slice(start, min(start + step, n_draws))
