"""Whom should we call before they leave? Numbers and figure of the case study.

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

from rocstar import auc_gain, audit, headroom, roc_points
from rocstar.measures import Cost

HERE = Path(__file__).parent
FOLDS = StratifiedKFold(5, shuffle=True, random_state=1)
# Two in a hundred leave in a month. One who leaves costs 400, one who is called 10.
MONTHLY, LEAVES, CALL = 0.02, 400.0, 10.0
COST = Cost(LEAVES, CALL, MONTHLY)


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
    score, challenger = (out_of_fold(model, X, y) for model in (old, new))
    found = audit(
        X,
        y,
        scores={"the model in use": score},
        prevalence=MONTHLY,
        cost_fn=LEAVES,
        cost_fp=CALL,
        random_state=0,
        name="churn",
    )
    summary = found.summary()
    lines = [
        f"{len(y):,} customers to work with, {y.sum()} of them left; 1,500 kept for the end",
        "",
        found.verdict,
        "",
        *summary["decision"]["sentences"],
        "",
        *(segment["sentence"] for segment in summary["segments"]),
        "",
        *(
            f"{c['name']}: AUC falls by {c['importance']:.3f} "
            f"({c['low']:.3f} to {c['high']:.3f}) when shuffled"
            for c in summary["columns_importance"][:4]
        ),
        "",
        f"boosted trees, out of fold: headroom {headroom(y, challenger, found.certificate)}",
        "",
        "1,500 fresh customers, cuts chosen before they were looked at",
    ]
    for name, model, seen in (("model in use", old, score), ("boosted trees", new, challenger)):
        cut = best_cut(y, seen)
        fresh = model.fit(X, y).predict_proba(X_last)[:, 1]
        fpr, tpr = ((fresh >= cut)[y_last == label].mean() for label in (0, 1))
        cost, called = 1000 * COST.at(fpr, tpr), MONTHLY * tpr + (1 - MONTHLY) * fpr
        lines.append(
            f"  {name}: calls {100 * called:.1f} % of customers, reaches {100 * tpr:.0f} % of the "
            f"leavers, costs {cost:,.0f} per 1,000 customers and month"
        )
    before, after = (model.predict_proba(X_last)[:, 1] for model in (old, new))
    lines.append(f"  gain in AUC: {auc_gain(y_last, after, before, side='lower')}")
    (HERE / "results" / "churn.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _draw(summary["decision"])


def best_cut(y, score):
    """The threshold of least cost at the monthly prevalence."""
    points = roc_points(y, score)
    return points.thresholds[np.argmin(COST.at(points.fpr, points.tpr))]


def _draw(decision) -> None:
    plt.rcParams.update(
        {"svg.hashsalt": "rocstar", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    for axes, curve, x, y in (
        (left, decision["precision_recall"], "recall", "precision"),
        (right, decision["curve"], "threshold", "net_benefit"),
    ):
        axes.fill_between(curve[x], 0, curve["low"], color="#0f766e", alpha=0.15, lw=0)
        axes.plot(curve[x], curve["low"], color="#0f766e", lw=1, label="certified (95 %)")
        axes.plot(curve[x], curve["found"], color="#0f766e", lw=2, label="best model found")
        (given,) = curve["scores"]
        axes.plot(curve[x], given[y], color="#b1500c", label="the model in use")
        axes.set(xlabel=x, ylabel=y.replace("_", " "), ylim=(0, None))
    right.plot(curve["threshold"], curve["all"], color="#9aa5b1", ls="--", label="call everybody")
    right.locator_params(axis="x", nbins=5)
    right.axvline(decision["threshold"], color="#1f2933", lw=1, ls=":")
    left.set_title("Precision when 2 % leave")
    right.set_title("Net benefit; dotted: our costs")
    right.legend()
    figure.savefig(HERE.parent / "images" / "case-churn.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
