"""scikit-learn: plug-in angles, rankings, and the plain classifier test."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm
from serving import angle_of_probability, angle_of_ratio, plugged_in, serve
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tuning import ranked

PENALTIES = np.logspace(-4, 3, 8)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def logistic_cv() -> Any:
    model = LogisticRegressionCV(
        Cs=PENALTIES,
        l1_ratios=(0.0,),
        cv=FOLDS,
        scoring="neg_log_loss",
        max_iter=1000,
        use_legacy_attributes=False,
    )
    return make_pipeline(StandardScaler(), model)


def neighbours(X: np.ndarray, y: np.ndarray) -> Any:
    """k from √n/2 to 4√n, by held-out log loss of the smoothed shares."""
    sizes = [max(2, int(share * np.sqrt(len(y)))) for share in (0.5, 1, 2, 4)]
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": sizes}, scoring="neg_brier_score", cv=FOLDS
    )
    return make_pipeline(StandardScaler(), search).fit(X, y)


def by_classifier(make: Any):
    def fit(X: np.ndarray, y: np.ndarray):
        model = make().fit(X, y)
        return lambda new: angle_of_probability(model.predict_proba(new)[:, 1], y)

    return fit


def by_neighbours(X: np.ndarray, y: np.ndarray):
    model = neighbours(X, y)
    return lambda new: angle_of_probability(model.predict_proba(new)[:, 1], y)


def by_densities(X: np.ndarray, y: np.ndarray):
    """The quotient of two Gaussian kernel estimates, each with its bandwidth by likelihood."""
    scaler = StandardScaler().fit(X)
    logs = []
    for label in (1, 0):
        rows = scaler.transform(X[y == label])
        scott = len(rows) ** (-1 / (rows.shape[1] + 4))
        search = GridSearchCV(
            KernelDensity(rtol=1e-4), {"bandwidth": scott * np.array([0.35, 0.6, 1.0, 1.5])}, cv=3
        )
        logs.append(search.fit(rows).best_estimator_)
    above, below = logs

    def angles(new: np.ndarray) -> np.ndarray:
        rows = scaler.transform(new)
        log_ratio = above.score_samples(rows) - below.score_samples(rows)
        return angle_of_ratio(np.exp(np.clip(log_ratio, -500, 500)))

    return angles


def classifier_test(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
    """Accuracy of logistic regression on a held-out half against one half, by the normal law."""
    X, y = arrays["X"], arrays["y"]
    rng = np.random.default_rng(options["seed"])
    half = np.zeros(len(y), dtype=bool)
    for label in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == label))
        half[rows[: len(rows) // 2]] = True
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[half], y[half])
    n = int((~half).sum())
    right = float((model.predict(X[~half]) == y[~half]).mean())
    return {"pvalue": float(norm.sf((right - 0.5) * 2 * np.sqrt(n)))}


def logistic_fit(solver: str):
    def method(arrays: dict[str, np.ndarray], options: dict[str, Any]) -> dict[str, Any]:
        model = LogisticRegression(solver=solver).fit(arrays["X"], arrays["y"])
        return {
            "objective": float(model.score(arrays["X"][:1000], arrays["y"][:1000])),
            "outside": 0.0,
        }

    return method


TREES = HistGradientBoostingClassifier(random_state=0)
TREE_GRID = {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [7, 31], "max_iter": [100, 400]}
CS = {"logisticregression__C": PENALTIES.tolist()}


def logistic(class_weight: str | None) -> Any:
    return make_pipeline(
        StandardScaler(), LogisticRegression(class_weight=class_weight, max_iter=2000)
    )


def shrunk_lda() -> Any:
    return make_pipeline(
        StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    )


if __name__ == "__main__":
    serve(
        {
            "angles": {
                "logistic CV": plugged_in(by_classifier(logistic_cv)),
                "kNN": plugged_in(by_neighbours),
                "KDE": plugged_in(by_densities),
                "HistGradientBoosting": plugged_in(
                    by_classifier(lambda: HistGradientBoostingClassifier(random_state=0))
                ),
            },
            "rank": {
                "logistic": ranked(logistic(None), CS),
                "logistic balanced": ranked(logistic("balanced"), CS),
                "shrinkage LDA": ranked(shrunk_lda(), {}),
                "HistGradientBoosting": ranked(TREES, TREE_GRID),
            },
            "test": {"classifier test": classifier_test},
            "solve": {
                f"LogisticRegression {solver}": logistic_fit(solver)
                for solver in ("lbfgs", "newton-cholesky")
            },
        },
        ("scikit-learn", "numpy"),
    )
