"""alibi-detect: least-squares density difference, its permutation test at its defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from alibi_detect.cd import LSDDDrift
from serving import serve

torch.set_num_threads(1)


def lsdd(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
    X, y = arrays["X"].astype(np.float32), arrays["y"]
    torch.manual_seed(options["seed"])
    np.random.seed(options["seed"])  # noqa: NPY002
    detector = LSDDDrift(X[y == 1], backend="pytorch", n_permutations=100)
    return {"pvalue": float(detector.predict(X[y == 0])["data"]["p_val"])}


if __name__ == "__main__":
    serve({"test": {"alibi-detect LSDD": lsdd}}, ("alibi-detect", "torch", "numpy"))
