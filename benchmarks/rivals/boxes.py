"""Work "solve" of box problems: the rivals' formulations are those of ``benchmarks/box``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "box"))

import solvers

from rocstar.fitting.box import BoxProblem


def solved(by: str) -> Callable[[dict[str, np.ndarray], dict[str, Any]], dict[str, Any]]:
    """A method that solves with one of ``benchmarks/box/solvers.py``'s adapters."""

    def method(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
        problem = BoxProblem(
            arrays["phi"],
            arrays["positive"],
            arrays["weights"],
            options["alpha"],
            options["fit_intercept"],
        )
        w = solvers.SOLVERS[by](problem)
        angle = problem.angles(w)
        outside = max(float(-angle.min()), float(angle.max() - np.pi / 2), 0.0)
        return {"objective": float(problem.value(w)), "outside": outside}

    return method
