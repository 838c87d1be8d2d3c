"""Which applicants should a bank refuse? Numbers and figure of the case study.

    python docs/case-studies/credit.py --data DIR

DIR holds give_me_some_credit.parquet: ten features and a 0/1 column `target`, 1 for a customer who
got into serious arrears.
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
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split

from rocstar import NeymanPearsonClassifier, audit, mean_interval
from rocstar.measures import Cost

HERE = Path(__file__).parent
PROMISE = 0.05
# Four in a hundred applicants of next year are expected to fail, fewer than among past customers.
# A loan that fails costs 5,000, a good customer refused 250.
PREVALENCE, FAILS, REFUSED = 0.04, 5000.0, 250.0
COST = Cost(FAILS, REFUSED, PREVALENCE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--banks", type=int, default=40, help="0 leaves the many banks out")
    given = parser.parse_args()
    table = pd.read_parquet(given.data / "give_me_some_credit.parquet")
    y = table.pop("target").to_numpy()
    X = table.fillna(-1).to_numpy(dtype=float)  # no column is negative: trees can split gaps off
    small = np.random.default_rng(0).permutation(len(y))
    # A small bank: 6,000 customers to learn from. All others play the future.
    X_bank, y_bank = X[small[:6000]], y[small[:6000]]
    X_future, y_future = X[small[6000:]], y[small[6000:]]
    trees = HistGradientBoostingClassifier(
        learning_rate=0.05, max_leaf_nodes=8, max_iter=150, random_state=0
    )
    lines = [
        f"{len(y_bank):,} customers of the bank, {y_bank.sum()} in arrears; "
        f"{len(y_future):,} in the future",
        "",
    ]

    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    probability = cross_val_predict(trees, X_bank, y_bank, cv=folds, method="predict_proba")[:, 1]
    late = X_bank[:, list(table).index("NumberOfTimes90DaysLate")]
    found = audit(
        table.iloc[small[:6000]].reset_index(drop=True),
        y_bank,
        scores={"times 90 days late": late, "trees": probability},
        model=trees,
        prevalence=PREVALENCE,
        cost_fn=FAILS,
        cost_fp=REFUSED,
        random_state=0,
        name="the bank",
    ).summary()
    lines += [found["verdict"], "", *found["decision"]["sentences"], ""]
    lines += [score["sentence"] for score in found["scores"]]

    model = NeymanPearsonClassifier(trees, fpr=PROMISE, random_state=0).fit(X_bank, y_bank)
    good, bad = X_future[y_future == 0], X_future[y_future == 1]
    lines += [
        "",
        f"{model.n_calibration_:,} good customers set aside; threshold at rank {model.rank_:,}",
        f"good customers of the future refused: {model.predict(good).mean():.4f}",
        f"customers in arrears refused: {mean_interval(model.predict(bad))}",
        "",
        f"{len(y_future):,} customers of the future, weighted to {100 * PREVALENCE:.0f} % arrears",
    ]
    fitted = trees.fit(X_bank, y_bank)
    chances = fitted.predict_proba(X_future)[:, 1]
    # Next year's odds are those of the bank's own customers times the change of the odds.
    shift = PREVALENCE / (1 - PREVALENCE) / (y_bank.mean() / (1 - y_bank.mean()))
    adjusted = shift * chances / (1 - chances + shift * chances)
    cut = REFUSED / (REFUSED + FAILS)
    for name, refused in (
        ("nobody refused", np.zeros(len(y_future), dtype=bool)),
        ("the board's rule", model.predict(X_future) == 1),
        (f"probability above {cut:.3f}", chances >= cut),
        (f"the same, adjusted to {100 * PREVALENCE:.0f} %", adjusted >= cut),
    ):
        fpr, tpr = (refused[y_future == label].mean() for label in (0, 1))
        lines.append(
            f"  {name}: refuses {100 * fpr:.1f} % of the good and {100 * tpr:.1f} % of the bad, "
            f"costs {1000 * COST.at(fpr, tpr):,.0f} per 1,000 applicants"
        )
    (HERE / "results" / "credit.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if given.banks:
        many_banks(X, y, trees, given.banks)


def many_banks(X, y, trees, n) -> None:
    """How often each way of setting a threshold keeps the board's rule."""
    rates = [draws(X, y, trees, seed) for seed in range(n)]
    naive, promised, caught_naive, caught = np.array(rates).T
    lines = [
        f"{n} banks of 2,000 customers each, judged by all customers they did not see",
        f"  promise broken: {np.sum(naive > PROMISE)} times by the quantile, "
        f"{np.sum(promised > PROMISE)} times by the order statistic",
        f"  good customers refused, worst bank: {naive.max():.3f} and {promised.max():.3f}",
        f"  arrears caught, on average: {caught_naive.mean():.3f} and {caught.mean():.3f}",
    ]
    (HERE / "results" / "credit_banks.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    draw(naive, promised, caught_naive, caught)


def draws(X, y, trees, seed):
    """True rates of the quantile and of the promised threshold, for one bank of 2,000."""
    bank, rest = train_test_split(np.arange(len(y)), train_size=2000, stratify=y, random_state=seed)
    model = NeymanPearsonClassifier(trees, fpr=PROMISE, random_state=seed).fit(X[bank], y[bank])
    inner = model.estimator_.decision_function
    # The same number of good customers that did not train, for the quantile.
    aside = rest[y[rest] == 0][: model.n_calibration_]
    threshold = np.quantile(inner(X[aside]), 1 - PROMISE)
    judged = np.setdiff1d(rest, aside)
    score, label = inner(X[judged]), y[judged]
    over, above = score > threshold, score > model.threshold_
    return (
        over[label == 0].mean(),
        above[label == 0].mean(),
        over[label == 1].mean(),
        above[label == 1].mean(),
    )


def draw(naive, promised, caught_naive, caught) -> None:
    plt.rcParams.update(
        {"svg.hashsalt": "rocstar", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, ax = plt.subplots(figsize=(7.2, 4), layout="constrained")
    ax.axvspan(PROMISE, 0.1, color="#c2410c", alpha=0.07, lw=0)
    ax.axvline(PROMISE, color="#c2410c")
    ax.plot(naive, caught_naive, "o", color="#9aa5b1", label="95 % quantile")
    ax.plot(promised, caught, "o", color="#0f766e", label="promised")
    ax.text(PROMISE, ax.get_ylim()[0], "  promise broken", color="#c2410c", va="bottom")
    ax.set(xlabel="good customers refused", ylabel="customers in arrears refused")
    ax.set(xlim=(0.02, 0.08), title="40 banks of 2,000 customers")
    ax.legend(loc="upper left")
    figure.savefig(HERE.parent / "images" / "case-credit.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
