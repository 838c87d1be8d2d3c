"""hyppo: MMD and energy distance with its fast chi-square approximation of the null law."""

from __future__ import annotations

from typing import Any

import numpy as np
from hyppo.ksample import MMD, Energy
from serving import serve


def pvalue(test: Any):
    def method(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
        X, y = arrays["X"], arrays["y"]
        return {"pvalue": float(test().test(X[y == 1], X[y == 0], auto=True)[1])}

    return method


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    for test in (MMD, Energy):  # compiled on first use
        test().test(rng.normal(size=(30, 2)), rng.normal(size=(30, 2)), auto=True)
    serve(
        {"test": {"hyppo fast MMD": pvalue(MMD), "hyppo energy": pvalue(Energy)}},
        ("hyppo", "numba", "numpy"),
    )
