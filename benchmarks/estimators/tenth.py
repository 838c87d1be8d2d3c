"""Does a tenth of the rows choose the shares of a stack as well as three folds do?

    python benchmarks/estimators/tenth.py --data DIR [--tables magic adult]

So many rows of a table train that the rarer class has about 5,300, if there are so many and a tenth
is left to judge. The members are those of the default, and `certify` fits such a stack once per
fold. Rows go to ``results/tenth.csv``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from rocstar import TableEncoder, arc_length_score
from rocstar.estimators.members import class_rows
from rocstar.estimators.shares import ENOUGH_ROWS_PER_CLASS
from rocstar.tables.model import table_model

HERE = Path(__file__).parent
SPLITS, MOST_TEST, MORE = 4, 25_000, 1.06


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", nargs="*")
    options = parser.parse_args()
    found = []
    for path in sorted(options.data.glob("*.parquet"), key=lambda path: path.stat().st_size):
        frame = pd.read_parquet(path)
        y = frame.pop("target").to_numpy() == 1
        rarer = min(y.mean(), 1 - y.mean())
        rows = round(MORE * ENOUGH_ROWS_PER_CLASS / rarer)
        if rows > 0.9 * len(y) or (options.tables and path.stem not in options.tables):
            continue
        for split in range(SPLITS):
            order = np.random.default_rng([5, split]).permutation(len(y))
            train, test = order[:rows], order[rows:][:MOST_TEST]
            encoder = TableEncoder()
            X, fresh = encoder.fit_transform(frame.iloc[train]), encoder.transform(frame.iloc[test])
            shape = {"rows": rows, "columns": X.shape[1], "rarer": class_rows(y[train])[1]}
            categorical = encoder.categorical_.tolist()
            stack = table_model(**shape, categorical=categorical, random_state=split)
            folds = StratifiedKFold(3, shuffle=True, random_state=split)
            for name, cv in {"three folds": folds, "a tenth": 3}.items():
                start = time.process_time()
                model = clone(stack).set_params(cv=cv).fit(X, y[train])
                seconds = time.process_time() - start
                angle = model.predict_angle(fresh)
                found.append(
                    {
                        "table": path.stem,
                        "split": split,
                        "rows": rows,
                        "shares by": name,
                        "auc": roc_auc_score(y[test], angle),
                        "J": arc_length_score(y[test], angle),
                        "log_loss": log_loss(y[test], model.predict_proba(fresh)[:, 1]),
                        "cpu_s": seconds,
                    }
                )
                print(found[-1], flush=True)
        pd.DataFrame(found).round(5).to_csv(HERE / "results" / "tenth.csv", index=False)
    figures = ["auc", "J", "log_loss", "cpu_s"]
    means = pd.DataFrame(found).groupby(["shares by", "table"])[figures].mean()
    print(means.round(4).to_string())
    gaps = means.loc["a tenth"] - means.loc["three folds"]
    print(pd.DataFrame({"mean": gaps.mean(), "se": gaps.std() / np.sqrt(len(gaps))}).round(5))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
