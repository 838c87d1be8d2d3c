"""Is our churn model worth improving? Numbers and figure of the case study.

    python docs/case-studies/churn.py --data DIR

DIR holds churn.parquet: the features and a 0/1 column `target`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rocstar import auc_gain, auc_interval, audit, certify, headroom

HERE = Path(__file__).parent
FOLDS = StratifiedKFold(5, shuffle=True, random_state=1)


def out_of_fold(model, X, y):
    return cross_val_predict(model, X, y, cv=FOLDS, method="predict_proba")[:, 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    table = pd.read_parquet(parser.parse_args().data / "churn.parquet")
    y, X = table.pop("target").to_numpy(), table.astype(float)
    # The last word is spoken by customers whom nobody looked at before.
    X, X_last, y, y_last = train_test_split(X, y, test_size=1500, stratify=y, random_state=0)
    old = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    new = HistGradientBoostingClassifier(
        learning_rate=0.05, max_leaf_nodes=8, max_iter=200, random_state=0
    )

    lines = [f"{len(y):,} customers to work with, {y.sum()} of them left; 1,500 kept for the end"]
    score = out_of_fold(old, X, y)
    found = audit(X, y, scores={"the model in use": score}, random_state=0, name="churn")
    lines += ["", str(found), ""]

    challenger = out_of_fold(new, X, y)
    left = headroom(y, challenger, found.certificate)
    lines += [
        f"boosted trees, out of fold: AUC {auc_interval(y, challenger)}",
        f"what they leave: {left.value:.3f}, at least {max(left.low, 0):.3f}",
        "",
    ]
    fewer = certify(new, X.drop(columns=_calls(X)), y, random_state=0)
    lines += [f"AUC* without the columns on service calls and plans: {fewer.auc}", ""]

    before, after = (model.fit(X, y).predict_proba(X_last)[:, 1] for model in (old, new))
    gain = auc_gain(y_last, after, before, side="lower")
    lines += [
        "1,500 fresh customers",
        f"  model in use:  AUC {auc_interval(y_last, before)}",
        f"  boosted trees: AUC {auc_interval(y_last, after)}",
        f"  gain: {gain}",
        *_contacts(y_last, before, after),
    ]
    (HERE / "results" / "churn.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _draw(found, y_last, before, after)


def _calls(X):
    return [name for name in X if "customer_service" in name or "plan" in name]


def _contacts(y, before, after, budget=150):
    """Leavers among the customers we can afford to call."""
    return [
        f"  of {y.sum()} leavers, the {budget} customers called include "
        f"{y[np.argsort(-before)[:budget]].sum()} (in use) and "
        f"{y[np.argsort(-after)[:budget]].sum()} (boosted trees)"
    ]


def _draw(found, y, before, after) -> None:
    plt.rcParams.update(
        {"svg.hashsalt": "rocstar", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    found.plot_roc(left)
    left.set_title("What is possible, and what we have")
    called = np.arange(1, 401)
    for score, name, colour in (
        (before, "model in use", "#9aa5b1"),
        (after, "boosted trees", "#0f766e"),
    ):
        right.plot(called, np.cumsum(y[np.argsort(-score)])[:400], color=colour, label=name)
    right.plot(called, np.minimum(called, y.sum()), color="#1f2933", lw=1, ls=":", label="perfect")
    right.set(xlabel="customers called, of 1,500 fresh ones", ylabel="leavers among them")
    right.set_title("What it is worth")
    right.legend()
    figure.savefig(HERE.parent / "images" / "case-churn.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
