"""The default stack beside its members on real tables, at 1,500 training rows.

    python benchmarks/estimators/stack.py --data DIR [--splits 2]

Tables are Parquet files with a 0/1 column ``target``; rows beyond 20,000 are subsampled.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import OneHotEncoder

from rocstar import StackedRatio, arc_length_score, predict_angle

HERE = Path(__file__).parent
TRAIN, MOST = 1500, 20_000


def encoded(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Categories one column each, missing numbers replaced by the median."""
    frame = pd.read_parquet(path)
    if len(frame) > MOST:
        frame = frame.sample(MOST, random_state=0)
    features = frame.drop(columns="target")
    numbers = features.select_dtypes("number").columns
    encoder = make_column_transformer(
        (SimpleImputer(strategy="median"), numbers),
        (
            OneHotEncoder(min_frequency=10, sparse_output=False),
            features.columns.difference(numbers),
        ),
    )
    return encoder.fit_transform(features), frame["target"].to_numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=2)
    options = parser.parse_args()
    rows = []
    for path in sorted(options.data.glob("*.parquet")):
        X, y = encoded(path)
        train_size = min(TRAIN, int(0.7 * len(y)))
        splits = StratifiedShuffleSplit(
            options.splits, train_size=train_size, random_state=0
        ).split(X, y)
        for k, (train, test) in enumerate(splits):
            stack = StackedRatio(random_state=k).fit(X[train], y[train])
            models = {**stack.estimators_, "stack": stack}
            for name, model in models.items():
                angle = predict_angle(model, X[test])
                row = {
                    "table": path.stem,
                    "split": k,
                    "model": name,
                    "auc": roc_auc_score(y[test], model.decision_function(X[test])),
                    "J": arc_length_score(y[test], angle),
                    "share": stack.weights_.get(name, np.nan),
                }
                rows.append(row)
                print(row, flush=True)
    frame = pd.DataFrame(rows)
    frame.round(5).to_csv(HERE / "results" / "stack.csv", index=False, quoting=csv.QUOTE_MINIMAL)
    print(frame.groupby("model")[["auc", "J"]].mean().round(4))


if __name__ == "__main__":
    main()
