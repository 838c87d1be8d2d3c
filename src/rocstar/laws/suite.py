"""Named tasks with known truth."""

from __future__ import annotations

import numpy as np

from rocstar.laws.base import Law
from rocstar.laws.gaussian import GaussianPair


def suite() -> dict[str, Law]:
    """Return the benchmark tasks by their stable names."""
    return {
        "identical-1d": GaussianPair(0.0),
        "gaussian-1d": GaussianPair(2.0),
        "gaussian-10d": GaussianPair.shifted(1.0, 10),
        "gaussian-50d": GaussianPair.shifted(2.0, 50),
        "gaussian-scale-1d": GaussianPair(0.0, 0.0, 1.0, 9.0),
        "gaussian-scale-10d": GaussianPair(np.zeros(10), 0.0, 1.0, 2.0),
    }
