"""AutoGluon, for as many seconds as it is given."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pandas as pd
from autogluon.tabular import TabularPredictor
from serving import serve


def ranked(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
    rows, test = (pd.DataFrame(arrays[name]).add_prefix("x") for name in ("X", "X_test"))
    with tempfile.TemporaryDirectory() as folder:
        model = TabularPredictor("target", eval_metric="roc_auc", path=folder, verbosity=0)
        model.fit(rows.assign(target=arrays["y"]), time_limit=options["seconds"], num_cpus=1)
        return {"score": model.predict_proba(test)[1].to_numpy(), "best": model.model_best}


if __name__ == "__main__":
    serve({"rank": {"AutoGluon": ranked}}, ("autogluon.tabular", "scikit-learn"))
