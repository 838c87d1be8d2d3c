"""SciPy: bootstraps of the AUC, percentile and BCa; its general solvers on the box problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from boxes import solved
from scipy.stats import bootstrap, rankdata
from serving import serve


def auc(pos: np.ndarray, neg: np.ndarray, axis: int = -1) -> np.ndarray:
    """By ranks, along an axis."""
    pos, neg = np.moveaxis(pos, axis, -1), np.moveaxis(neg, axis, -1)
    n, m = pos.shape[-1], neg.shape[-1]
    ranks = rankdata(np.concatenate([pos, neg], axis=-1), axis=-1)[..., :n]
    return (ranks.sum(axis=-1) - n * (n + 1) / 2) / (n * m)


def resampled(method: str):
    def intervals(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
        low, high = [], []
        for pos, neg in zip(arrays["pos"], arrays["neg"], strict=True):
            found = bootstrap(
                (pos, neg),
                auc,
                vectorized=True,
                n_resamples=options["draws"],
                confidence_level=0.95,
                method=method,
                rng=np.random.default_rng(0),
            ).confidence_interval
            low.append(found.low)
            high.append(found.high)
        return {"low": np.array(low), "high": np.array(high)}

    return intervals


if __name__ == "__main__":
    serve(
        {
            "intervals": {
                "bootstrap percentile": resampled("percentile"),
                "bootstrap BCa": resampled("BCa"),
            },
            "solve": {"SLSQP": solved("slsqp"), "trust-constr": solved("trust-constr")},
        },
        ("scipy", "numpy"),
    )
