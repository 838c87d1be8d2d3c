"""rocstar itself, through its public names."""

from __future__ import annotations

from typing import Any

import numpy as np
from boxes import solved
from serving import serve
from tuning import ranks_of, splits

from rocstar import ArctanRatio, ArctanRatioCV, StackedRatio, auc_interval, certify, two_sample_test

Arrays = dict[str, np.ndarray]
MODELS = {
    "stack": lambda cv: StackedRatio(random_state=0),
    "linear": lambda cv: ArctanRatioCV("linear", cv=cv, random_state=0),
    "rbf": lambda cv: ArctanRatioCV("rbf", cv=cv, random_state=0),
}


def certificate(model: str):
    def method(arrays: Arrays, options: dict[str, Any]) -> dict[str, Any]:
        folds = splits(arrays["fold"])
        found = certify(MODELS[model](5), arrays["X"], arrays["y"], cv=folds, random_state=0)
        return {
            "angle": found.angle,
            **{
                f"{name} {end}": float(getattr(getattr(found, name), end))
                for name in ("arc_length", "tv", "auc")
                for end in ("value", "low")
            },
        }

    return method


def ranking(model: str):
    """Tuned by held-out J in the folds that the others are tuned in; the stack tunes itself."""

    def method(arrays: Arrays, options: dict[str, Any]) -> dict[str, Any]:
        fitted = MODELS[model](splits(arrays["fold"])).fit(arrays["X"], arrays["y"])
        return ranks_of(fitted, arrays["X_test"])

    return method


def intervals(kind: str):
    def method(arrays: Arrays, options: dict[str, Any]) -> dict[str, Any]:
        y = np.repeat([1, 0], [arrays["pos"].shape[1], arrays["neg"].shape[1]])
        found = [
            auc_interval(y, row, method=kind, n_draws=options["draws"], random_state=k)
            for k, row in enumerate(np.hstack([arrays["pos"], arrays["neg"]]))
        ]
        return {
            "low": np.array([one.low for one in found]),
            "high": np.array([one.high for one in found]),
        }

    return method


def pvalue(arrays: Arrays, options: dict[str, Any]) -> dict[str, Any]:
    found = two_sample_test(arrays["X"], arrays["y"], random_state=options["seed"])
    return {"pvalue": found.pvalue}


def linear_fit(arrays: Arrays, options: dict[str, Any]) -> dict[str, Any]:
    model = ArctanRatio().fit(arrays["X"], arrays["y"])
    return {"objective": float(model.arc_length_), "outside": 0.0}


def gram_pass(arrays: Arrays, options: dict[str, Any]) -> dict[str, Any]:
    return {"objective": float((arrays["X"].T @ arrays["X"])[0, 0]), "outside": 0.0}


if __name__ == "__main__":
    serve(
        {
            "values": {f"rocstar {model}": certificate(model) for model in MODELS},
            "rank": {f"rocstar {model}": ranking(model) for model in MODELS},
            "intervals": {
                "rocstar": intervals("dirichlet"),
                "DeLong": intervals("delong"),
                "DeLong logit": intervals("delong-logit"),
            },
            "test": {"rocstar": pvalue},
            "solve": {
                "rocstar box": solved("rocstar"),
                "ArctanRatio": linear_fit,
                "Gram pass": gram_pass,
            },
        },
        ("rocstar", "scikit-learn", "numpy"),
    )
