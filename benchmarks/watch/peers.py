"""Checks of the formulas in `daily.py` against evidently and frouros.

    python benchmarks/watch/peers.py

Needs both packages, in an environment of their own; not rocstar.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from daily import CHANGES, Rows, cramer, distances, stream, tests


def check(days: int = 3) -> None:
    """Compare formulas with the packages' own answers on days with each change."""
    import pandas as pd
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset
    from frouros.detectors.data_drift import ChiSquareTest, CVMTest

    names = [f"x{k}" for k in range(6)]
    definition = DataDefinition(numerical_columns=names[:5], categorical_columns=names[5:])

    def evidently(a: Rows, b: Rows, **settings: Any) -> list[float]:
        sets = [
            Dataset.from_pandas(pd.DataFrame(X, columns=names), data_definition=definition)
            for X in (b, a)
        ]
        metrics = Report([DataDriftPreset(**settings)]).run(*sets).dict()["metrics"]
        by_name = {
            each["metric_id"] if "metric_id" in each else each["metric_name"]: each["value"]
            for each in metrics
        }
        return [next(v for key, v in by_name.items() if f"column={name}" in key) for name in names]

    def frouros(a: Rows, b: Rows) -> list[float]:
        found = []
        for k in range(6):
            detector = ChiSquareTest() if k == 5 else CVMTest()
            detector.fit(X=a[:, k])
            found.append(detector.compare(X=b[:, k])[0].p_value)
        return found

    worst = 0.0
    for change in CHANGES:
        reference, _, changed = stream(change, 0)
        for X, _ in zip(changed, range(days), strict=False):
            pairs = [
                (distances(reference, X), evidently(reference, X)),
                (
                    tests(reference, X),
                    evidently(reference, X, num_method="ks", cat_method="chisquare"),
                ),
                (cramer(reference, X), frouros(reference, X)),
            ]
            for ours, theirs in pairs:
                worst = max(worst, float(np.abs(np.subtract(ours, theirs)).max()))
    print(f"{3 * days * len(CHANGES)} days, largest difference {worst:.2g}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    check()
