"""Elementwise roots of monotone functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import elementwise

Array = NDArray[np.float64]


def monotone_root(
    function: Callable[[Array, Array], Array],
    low: Array,
    high: Array,
    goal: Array,
    *,
    atol: float = 1e-15,
    rtol: float = 1e-15,
) -> Array:
    """Solve ``function(x, goal) = 0`` on ``[low, high]`` for every element of ``goal``."""
    # `function` is monotone in `x`. Where it has no root, the end nearer to one is returned.
    at_low, at_high = function(low, goal), function(high, goal)
    root = np.where(np.abs(at_low) <= np.abs(at_high), low, high)
    inside = at_low * at_high < 0
    if inside.any():
        # The stubs of SciPy do not describe functions of several arrays.
        find_root: Any = elementwise.find_root
        # Where its interpolation does not apply, SciPy takes a root it then ignores.
        with np.errstate(invalid="ignore"):
            root[inside] = find_root(
                function,
                (low[inside], high[inside]),
                args=(goal[inside],),
                tolerances={"xatol": atol, "xrtol": rtol},
            ).x
    return root
