"""Audit a table on which a model misses something, and compare with the truth.

The rows come from a pair of laws whose truth is known exactly, so that every number of the report
can be checked. The report is written to ``audit.html``.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from rocstar import auc_bounds, audit, liu_tv_bounds, report, tv_bounds
from rocstar.laws import GaussianPair

REPORT = Path("audit.html")


def main() -> None:
    # The classes differ in the mean of `dose` and in the spread of `rhythm`: a linear model sees
    # the first difference and is blind to the second.
    law = GaussianPair([0.8, 0.0, 0.0, 0.0], 0.0, [1.0, 4.0, 1.0, 1.0], 1.0)
    X, y = law.sample(600, 600, random_state=0)
    table = pd.DataFrame(X, columns=["dose", "rhythm", "age", "weight"])
    model = LogisticRegression()
    score = cross_val_predict(model, table, y, method="decision_function")

    result = audit(table, y, scores={"logistic regression": score}, random_state=0, name="a clinic")
    print(report.terminal(result.summary()))
    result.to_html(REPORT)

    print("\nThe truth about these laws, which the audit did not know:\n")
    print(f"  arc length {law.arc_length:.3f}, total variation {law.tv:.3f}, AUC* {law.auc:.3f}")
    print("\nWhat the true arc length alone would say:\n")
    for name, (low, high) in {
        "total variation, sharp": tv_bounds(law.arc_length),
        "total variation, Liu (2022)": liu_tv_bounds(law.arc_length),
        "AUC*, sharp": auc_bounds(law.arc_length),
    }.items():
        print(f"  {name:<28}{low:.3f} to {high:.3f}")
    print(f"\nThe full report is in {REPORT}: open it in a browser.")


if __name__ == "__main__":
    main()
