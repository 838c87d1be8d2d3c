"""FLAML, for as many seconds as it is given."""

from __future__ import annotations

from typing import Any

import numpy as np
from flaml import AutoML
from serving import serve


def ranked(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
    model = AutoML()
    model.fit(
        arrays["X"],
        arrays["y"],
        task="classification",
        metric="roc_auc",
        time_budget=options["seconds"],
        n_jobs=1,
        seed=0,
        verbose=0,
    )
    return {"score": model.predict_proba(arrays["X_test"])[:, 1], "best": model.best_estimator}


if __name__ == "__main__":
    serve({"rank": {"FLAML": ranked}}, ("flaml", "lightgbm", "scikit-learn"))
