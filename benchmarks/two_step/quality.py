"""Held-out AUC of the two-step procedure beside its first step, baselines and regularised rivals.

    python benchmarks/two_step/quality.py [--data DIR] [--seeds 2]

Linear models on standardised columns, each with its penalty chosen by 3-fold cross-validation: of
J for the angle, of AUC for the pairwise losses, of log loss for logistic regression; shrinkage
discriminant analysis by Ledoit and Wolf's formula. Beside them the two steps with a Gaussian
kernel. The law suite at 1,000 + 1,000 samples, or with ``--data``, Parquet tables with a 0/1 column
``target``, 1,500 training rows. Writes results/laws.csv or results/tables.csv.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rocstar import ArctanRatioCV, MaximalAUCClassifier, laws
from rocstar.baselines import SPAUC, PairwiseHingeAUC, PairwiseSquaredAUC

HERE = Path(__file__).parent
ALPHAS = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
TRAIN, TEST, MOST_COLUMNS = 1500, 5000, 200


def tuned(model: BaseEstimator, alphas: list[float] = ALPHAS) -> BaseEstimator:
    search = GridSearchCV(model, {"alpha": alphas}, scoring="roc_auc", cv=FOLDS)
    return make_pipeline(StandardScaler(), search)


def angle(kernel: str) -> ArctanRatioCV:
    return ArctanRatioCV(kernel, alphas=ALPHAS, cv=3, n_components=60, random_state=0)


def logistic() -> BaseEstimator:
    model = LogisticRegressionCV(
        Cs=np.logspace(-4, 3, 8),
        l1_ratios=(0.0,),
        cv=FOLDS,
        scoring="neg_log_loss",
        max_iter=1000,
        use_legacy_attributes=False,
    )
    return make_pipeline(StandardScaler(), model)


METHODS = {
    "one-step": angle("linear"),
    "two-step": MaximalAUCClassifier(angle("linear")),
    "pairwise squared": tuned(PairwiseSquaredAUC()),
    "pairwise hinge": tuned(PairwiseHingeAUC()),
    "SPAUC": tuned(SPAUC(n_epochs=5, random_state=0), [1e-4, 1e-2]),
    "logistic CV": logistic(),
    "shrinkage LDA": make_pipeline(
        StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    ),
    "one-step rbf": angle("rbf"),
    "two-step rbf": MaximalAUCClassifier(angle("rbf")),
}
Sample = tuple[np.ndarray, np.ndarray]


def law_tasks(seeds: int) -> Iterator[tuple[str, Sample, Sample]]:
    for name, law in laws.suite().items():
        for seed in range(seeds):
            train = law.sample(1000, 1000, random_state=seed)
            yield name, train, law.sample(10_000, 10_000, random_state=1000 + seed)


def table_tasks(folder: Path, seeds: int) -> Iterator[tuple[str, Sample, Sample]]:
    for path in sorted(folder.glob("*.parquet")):
        frame = pd.read_parquet(path)
        y = frame.pop("target").to_numpy()
        for seed in range(seeds):
            test_size = min(TEST, len(y) - min(TRAIN, len(y) // 2))
            train_size = min(TRAIN, len(y) // 2)
            split = StratifiedShuffleSplit(
                1, train_size=train_size, test_size=test_size, random_state=seed
            )
            train, test = next(split.split(y, y))
            encoder = encoding(frame).fit(frame.iloc[train])
            parts = [encoder.transform(frame.iloc[rows]) for rows in (train, test)]
            varying = np.flatnonzero(parts[0].std(axis=0))[:MOST_COLUMNS]
            yield path.stem, (parts[0][:, varying], y[train]), (parts[1][:, varying], y[test])


def encoding(frame: pd.DataFrame) -> BaseEstimator:
    numbers = frame.select_dtypes("number").columns
    others = [column for column in frame.columns if column not in set(numbers)]
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=20, sparse_output=False
    )
    return make_column_transformer(
        (SimpleImputer(strategy="median"), numbers), (one_hot, others), sparse_threshold=0
    )


def run(tasks: Iterator[tuple[str, Sample, Sample]], out: Path) -> None:
    seconds = dict.fromkeys(METHODS, 0.0)
    found: dict[str, list[list[float]]] = {}
    for name, (X, y), (X_test, y_test) in tasks:
        row = []
        for method, model in METHODS.items():
            start = time.process_time()
            fitted = clone(model).fit(X, y)
            seconds[method] += time.process_time() - start
            row.append(float(roc_auc_score(y_test, fitted.decision_function(X_test))))
        found.setdefault(name, []).append(row)
        print(name, *(f"{auc:.4f}" for auc in row), flush=True)
    means = np.array([np.mean(rows, axis=0) for rows in found.values()])
    ranks = np.mean([rankdata(-row.round(4)) for row in means], axis=0)
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["task", *METHODS])
        for name, row in zip(found, means, strict=True):
            table.writerow([name, *(f"{auc:.4f}" for auc in row)])
        table.writerow(["mean AUC", *(f"{auc:.4f}" for auc in means.mean(axis=0))])
        table.writerow(["mean rank", *(f"{rank:.2f}" for rank in ranks)])
        table.writerow(["CPU seconds", *(f"{s:.1f}" for s in seconds.values())])
    print(out.read_text(encoding="utf-8")[-600:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.data is None:
        run(law_tasks(arguments.seeds), HERE / "results" / "laws.csv")
    else:
        run(table_tasks(arguments.data, arguments.seeds), HERE / "results" / "tables.csv")


if __name__ == "__main__":
    main()
