"""Cost of a certificate by betting beside that of five folds, in seconds of processor time.

1,000 + 1,000 rows of ten columns; the lesser of two runs each. For the stack five folds are those
of boosted trees, ``cross_val_predict(HistGradientBoostingClassifier(), cv=5)``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from cells import run_cells
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from rocstar import StackedRatio, certify, laws

N_RUNS = 2
LEARNERS: dict[str, Any] = {
    "boosted trees": HistGradientBoostingClassifier(random_state=0),
    "forest": RandomForestClassifier(random_state=0),
    "logistic regression": LogisticRegression(),
    "stack": StackedRatio(random_state=0),
}


def seconds(work: Callable[[], object]) -> float:
    spent = []
    for _ in range(N_RUNS):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def simulate(learner: str) -> dict[str, Any]:
    model = LEARNERS[learner]
    X, y = laws.GaussianPair([1.5] + [0.0] * 9, [0.0] * 10).sample(1000, 1000, random_state=0)
    if learner == "stack":
        folds = seconds(lambda: cross_val_predict(LEARNERS["boosted trees"], X, y, cv=5))
    else:
        folds = seconds(lambda: certify(model, X, y, cv=5, random_state=0))
    turns = seconds(lambda: certify(model, X, y, method="betting", random_state=0))
    return {"five folds": folds, "betting": turns, "ratio": turns / folds}


def main() -> None:
    run_cells("betting_cost", [{"learner": learner} for learner in LEARNERS], simulate)


if __name__ == "__main__":
    main()
