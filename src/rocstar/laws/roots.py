"""Elementwise roots of monotone functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import elementwise

from rocstar.checks import FloatArray


def monotone_root(
    function: Callable[[FloatArray, FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    goal: FloatArray,
    *,
    atol: float = 1e-15,
    rtol: float = 1e-15,
) -> FloatArray:
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
