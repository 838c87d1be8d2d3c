"""Template: a bound of your own, here of the best AUC given the total variation distance.

Copy this file, change the formula, keep the checks at the end. A bound is a pure function of
numbers that returns an `Interval`. Its docstring says when each end is attained.

    python examples/extensions/own_bound.py
"""

from __future__ import annotations

import numpy as np

from rocstar import Interval
from rocstar.laws import DiscretePair, GaussianPair


def auc_bounds_of_tv(tv):
    """Sharp bounds of AUC*, given the total variation distance.

    ROC* is concave and rises above the diagonal by TV. The least such curve has one corner, at
    that rise; the largest follows the parallel to the diagonal at that height.
    """
    rise = np.asarray(tv, dtype=float)
    if np.any((rise < 0) | (rise > 1)):
        raise ValueError(f"`tv` must be in [0, 1]; got {tv!r}.")
    return Interval((1 + rise) / 2, 1 - (1 - rise) ** 2 / 2)


def check() -> None:
    """Laws whose truth is known are inside; two laws attain the ends."""
    for law in (*map(GaussianPair, (0.1, 0.5, 1.0, 3.0)), GaussianPair(0.0, cov_pos=4.0)):
        low, high = auc_bounds_of_tv(law.tv)
        assert low - 1e-9 <= law.auc <= high + 1e-9, law
    corner = DiscretePair([0.8, 0.2], [0.3, 0.7])
    np.testing.assert_allclose(corner.auc, auc_bounds_of_tv(corner.tv).low)
    plateau = DiscretePair([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])  # slopes infinity, one and zero
    top = auc_bounds_of_tv(plateau.tv).high
    np.testing.assert_allclose(plateau.auc, top)


if __name__ == "__main__":
    check()
    low, high = auc_bounds_of_tv(0.4)
    print(f"TV = 0.4: AUC* is between {low:.3f} and {high:.3f}")
