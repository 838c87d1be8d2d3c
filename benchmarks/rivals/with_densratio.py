"""densratio: uLSIF and KLIEP, bandwidth and penalty by its own cross-validation."""

from __future__ import annotations

import numpy as np
from densratio import densratio
from serving import angle_of_ratio, plugged_in, serve


def fit(method: str):
    def fitted(X: np.ndarray, y: np.ndarray):
        # It draws its kernel centres from the global generator.
        np.random.seed(0)  # noqa: NPY002
        found = densratio(X[y == 1], X[y == 0], method=method, verbose=False)
        return lambda new: angle_of_ratio(np.ravel(found.compute_density_ratio(new)))

    return fitted


if __name__ == "__main__":
    serve(
        {"angles": {f"densratio {name}": plugged_in(fit(name)) for name in ("uLSIF", "KLIEP")}},
        ("densratio", "numpy"),
    )
