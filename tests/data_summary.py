"""Example summaries, of the exact shape that `Audit.summary` and `Comparison.summary` return.

Renderers are tested on these, so that they need neither estimators nor data. The numbers are those
of a Gaussian pair one standard deviation apart (theory §10) with made-up but plausible bounds.
`tests/test_summary.py` checks that real summaries have the same keys at every level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

HOSTILE = "<script>alert(1)</script>"
LEAKS = "separates the classes almost alone (AUC 0.997): check whether it leaks the target"
"""A column name that a renderer must show as text."""

ATTACKS = (
    HOSTILE,
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script>",
    "' autofocus onfocus='alert(1)",
    "{{ 7 * 7 }}",
    "=HYPERLINK(1)",
    "a|b`c`*d*_e_[f](javascript:alert(1))",
    "\x1b[2J\x1b[31m\u202eevil\r\n# heading",
    "\ud800",
)


def estimate(value: float, low: float) -> dict[str, Any]:
    """A one-sided `Estimate` as it stands in a summary."""
    return {"value": value, "low": low, "level": 0.95, "side": "lower"}


def interval(value: float, low: float, high: float) -> dict[str, Any]:
    """A two-sided `Estimate` as it stands in a summary."""
    return {"value": value, "low": low, "high": high, "level": 0.95, "side": "two-sided"}


def warning(text: str, severity: str = "warning") -> dict[str, str]:
    """A remark on the data."""
    return {"severity": severity, "text": text}


def column(name: str, kind: str, treatment: str, **more: Any) -> dict[str, Any]:
    """One row of the table of columns."""
    entry: dict[str, Any] = {
        "name": name,
        "type": kind,
        "treatment": treatment,
        "missing": 0,
        "distinct": 120,
        "notes": [],
        "flags": [],
        "used": True,
    }
    return entry | more


def carrier(name: str, value: float, low: float, high: float, **more: Any) -> dict[str, Any]:
    """What the model found loses without a column."""
    entry = {"name": name, "columns": [name], "importance": value, "low": low, "high": high}
    return entry | more


def roc_figure(shift: float, names: tuple[str, ...], weaker: float = 0.7) -> dict[str, Any]:
    """Curves of a Gaussian pair: estimate, certified band, hull, and one curve per given score."""
    fpr = np.linspace(0, 1, 101)
    tpr = norm.cdf(norm.ppf(fpr) + shift)
    given = norm.cdf(norm.ppf(fpr) + weaker * shift)
    return {
        "fpr": fpr.tolist(),
        "tpr": tpr.tolist(),
        "low": np.clip(tpr - 0.04, 0, 1).tolist(),
        "hull": {"fpr": fpr[::10].tolist(), "tpr": tpr[::10].tolist()},
        "scores": [{"name": name, "fpr": fpr.tolist(), "tpr": given.tolist()} for name in names],
    }


def angles_figure(shift: float) -> dict[str, Any]:
    """Histograms of the angle (radians, 0 to π/2) in each class; each sums to one."""
    edges = np.linspace(0, np.pi / 2, 41)
    x = (np.log(np.tan(np.clip(edges, 1e-9, np.pi / 2 - 1e-9))) + shift**2 / 2) / shift
    return {
        "edges": edges.tolist(),
        "positive": np.diff(norm.cdf(x - shift)).tolist(),
        "negative": np.diff(norm.cdf(x)).tolist(),
    }


def measures() -> dict[str, Any]:
    """The numbers that an audit and a comparison share."""
    return {
        "schema": 1,
        "level": 0.95,
        "arc_length": estimate(1.5465, 1.5291),
        "divergence": estimate(0.1323, 0.1149),
        "tv": estimate(0.3829, 0.3405),
        "auc": estimate(0.7602, 0.7421),
        "balanced_accuracy": estimate(0.6915, 0.6703),
        "found": {"auc": interval(0.7598, 0.7412, 0.7782), "unit": "row", "fewest": 1200},
        "sharp": {"tv": [0.2258, 0.4429], "auc": [0.6788, 0.7609]},
        "test": {"statistic": 1.5391, "pvalue": 0.001, "n_permutations": 999},
        "members": [
            {"name": "linear", "weight": 0.55, "arc_length": 1.5441},
            {"name": "rbf", "weight": 0.30, "arc_length": 1.5432},
            {"name": "trees", "weight": 0.15, "arc_length": 1.5306},
        ],
        "method": {
            "model": "StackedRatio",
            "cv": "5",
            "splits": "5 folds, classes kept in proportion",
            "method": "dirichlet",
            "guarantee": "asymptotic",
            "guarantee_sentence": "Guarantee: asymptotic (several folds; for large samples).",
            "seed": 0,
            "versions": {"rocstar": "0.1.0", "scikit-learn": "1.9.1", "python": "3.11.2"},
            "seconds": {"read": 0.2, "columns": 0.4, "certify": 12.1, "learning curve": 3.9},
        },
    }


def decision() -> dict[str, Any]:
    """Curves and operating points at a prevalence of 5 %, a miss ten times as dear as an alarm."""
    recall, threshold = np.round(np.linspace(0.05, 1, 20), 2), np.linspace(0.0125, 0.25, 20)
    fpr = norm.cdf(norm.ppf(np.clip(recall, 0, 0.999)) - 1.0)
    precision = 0.05 * recall / (0.05 * recall + 0.95 * fpr)
    benefit = 0.04 * np.exp(-8 * threshold)
    points = [
        {
            "name": name,
            "at": at,
            "fpr": 0.1,
            "recall": recall,
            "precision": 0.05 * recall / (0.05 * recall + 0.095),
            "lift": recall / (0.05 * recall + 0.095),
            "cost": 1000 * (0.5 * (1 - recall) + 0.095),
            "net_benefit": 50 * recall - 9.5,
        }
        for at in ("10 % false alarms", "best", "as given")
        for name, recall in (("certified", 0.36), ("found", 0.39), ("model_score", 0.3))
        if at != "as given" or name == "model_score"
    ]
    return {
        "prevalence": 0.05,
        "given": True,
        "level": 0.95,
        "threshold": 0.0909,
        "cost_fn": 10.0,
        "cost_fp": 1.0,
        "precision_recall": {
            "recall": recall.tolist(),
            "low": (0.9 * precision).tolist(),
            "found": precision.tolist(),
            "scores": [{"name": "model_score", "precision": (0.8 * precision).tolist()}],
        },
        "curve": {
            "threshold": threshold.tolist(),
            "low": (0.9 * benefit).tolist(),
            "found": benefit.tolist(),
            "all": (0.05 - 0.95 * threshold / (1 - threshold)).tolist(),
            "scores": [
                {
                    "name": "model_score",
                    "net_benefit": (0.7 * benefit).tolist(),
                    "as_given": True,
                }
            ],
        },
        "points": points,
        "headroom": [{"name": "model_score", "value": 31.2, "low": 4.57, "level": 0.95}],
        "sentences": [
            "At a prevalence of 5 %, with costs of 10 per missed positive and 1 per false "
            "alarm, some rule costs at most 415 per 1,000 cases (95 % confidence); the best model "
            "found costs 400 per 1,000 cases.",
            "`model_score` costs 445 per 1,000 cases at its best threshold.",
        ],
    }


def learning_point(rows: int, arc_length: float, auc: float, error: float) -> dict[str, Any]:
    return {
        "rows": rows,
        "arc_length": arc_length,
        "auc": auc,
        "auc_low": auc - error,
        "auc_high": auc + error,
    }


def audit_summary() -> dict[str, Any]:
    """An audit with two given scores, warnings, and a hostile column name."""
    return measures() | {
        "kind": "audit",
        "title": "Audit of churn.csv",
        "verdict": (
            "Some classifier reaches an AUC of at least 0.742 on these columns (95 % confidence); "
            "the best model found reaches 0.760. `new_score` cannot be told apart from the best "
            "model found."
        ),
        "data": {
            "source": "churn.csv",
            "target": "churned",
            "positive": "yes",
            "rows": 5000,
            "positives": 1200,
            "negatives": 3800,
            "groups": 4100,
            "ordered": False,
            "weighted": False,
            "features": 31,
            "columns": [
                column("age", "number", "used as it is", distinct=73),
                column("plan", "category", "one column for each of its 4 values", distinct=4),
                column("city", "text", "30 components of its character n-grams", distinct=412),
                column("joined", "date", "year, month, day, total seconds", missing=17),
                column("active", "boolean", "0 or 1", distinct=2),
                column(
                    HOSTILE,
                    "number",
                    "used as it is",
                    notes=[LEAKS],
                    flags=["leak"],
                ),
                column(
                    "country", "constant", "dropped: it has one value only", distinct=1, used=False
                ),
                column(
                    "customer", "group", "kept together in the folds", distinct=4100, used=False
                ),
                column("model_score", "score", "judged, never used as a feature", used=False),
            ],
            "warnings": [
                warning(f"`{HOSTILE}` {LEAKS}."),
                warning("10 rows repeat another row exactly (0.2 %), too few to matter.", "note"),
            ],
        },
        "scores": [
            {
                "name": "model_score",
                "auc": interval(0.7110, 0.6951, 0.7263),
                "headroom": estimate(0.0492, 0.0211),
                "hull_arc_length": 1.5103,
                "suspicious": False,
                "sentence": (
                    "`model_score` has an AUC of 0.711 (0.695 to 0.727) and is at least 0.021 AUC "
                    "below the best achievable (95 % confidence)."
                ),
            },
            {
                "name": "new_score",
                "auc": interval(0.7590, 0.7441, 0.7733),
                "headroom": estimate(0.0012, 0.0),
                "hull_arc_length": 1.5440,
                "suspicious": False,
                "sentence": (
                    "`new_score` has an AUC of 0.759 (0.744 to 0.774) and cannot be told apart "
                    "from the best model found."
                ),
            },
        ],
        "gains": [
            {
                "name": "new_score",
                "other": "model_score",
                "gain": interval(0.048, 0.0291, 0.0669),
                "sentence": "`new_score` ranks better than `model_score` by 0.048 AUC (0.029 to "
                "0.067).",
            }
        ],
        "segments": [
            {
                "score": "model_score",
                "segment": "`plan` = basic and `age` ≤ 30",
                "rows": 0.18,
                "positives": 140,
                "loss": 0.6,
                "headroom": estimate(0.09, 0.031),
                "sentence": "`plan` = basic and `age` ≤ 30: 18 % of rows, 60 % of what "
                "`model_score` loses; here it is at least 0.031 AUC below the best achievable "
                "(95 % confidence, all segments together).",
            }
        ],
        "calibration": [
            {
                "name": "new_score",
                "bins": [
                    {"rows": 500, "predicted": p, "observed": q, "low": q - 0.03, "high": q + 0.03}
                    for p, q in ((0.05, 0.08), (0.15, 0.17), (0.3, 0.25), (0.5, 0.41), (0.8, 0.65))
                ],
                "brier": 0.1712,
                "recalibrated": 0.1650,
                "gain": interval(0.0062, 0.0031, 0.0093),
                "sentence": "`new_score` has a Brier score of 0.1712; recalibrated it has 0.1650, "
                "a gain of 0.0062 (0.0031 to 0.0093).",
            }
        ],
        "decision": decision(),
        "columns_importance": [
            carrier("age", 0.0611, 0.0480, 0.0742),
            carrier("plan and city", 0.0102, 0.0044, 0.0160, columns=["plan", "city"]),
            carrier(HOSTILE, -0.0003, -0.0011, 0.0005),
        ],
        "learning_curve": [
            learning_point(500, 1.5012, 0.7211, 0.0102),
            learning_point(1000, 1.5220, 0.7402, 0.0061),
            learning_point(2000, 1.5345, 0.7518, 0.0040),
            learning_point(4000, 1.5391, 0.7560, 0.0),
        ],
        "more_rows": {
            "factor": 2,
            "gain": 0.0031,
            "low": 0.0012,
            "high": 0.0058,
            "level": 0.9,
            "verdict": "helps",
            "sentence": (
                "Doubling the rows is expected to raise the AUC by about 0.003 (0.001 to 0.006, "
                "90 % confidence)."
            ),
        },
        "figures": {
            "roc": roc_figure(1.0, ("model_score", "new_score")),
            "angles": angles_figure(1.0),
        },
        "caveats": [
            "Lower ends are certified on rows that the model had not seen; upper ends and "
            "estimates are not certified.",
            "The rows must be independent draws from the law that the answer is meant for.",
        ],
    }


def comparison_summary() -> dict[str, Any]:
    """A comparison of two files, with one column that only one of them has."""
    return measures() | {
        "kind": "comparison",
        "title": "Comparison of old.parquet and new.parquet",
        "verdict": (
            "The two samples differ: at least 34 % of one would have to change to look like the "
            "other (95 % confidence). Most of it shows in `age`."
        ),
        "data": {
            "source": "old.parquet and new.parquet",
            "target": "sample",
            "positive": "new.parquet",
            "rows": 5000,
            "positives": 2000,
            "negatives": 3000,
            "groups": None,
            "ordered": False,
            "weighted": False,
            "features": 6,
            "names": ["old.parquet", "new.parquet"],
            "columns": [
                column("age", "number", "used as it is", distinct=73),
                column("plan", "category", "one column for each of its 4 values", distinct=4),
                column(HOSTILE, "boolean", "0 or 1", distinct=2),
            ],
            "warnings": [warning("`coupon` is only in new.parquet and was left out.")],
        },
        "scores": [],
        "share_different": 0.31,
        "columns_importance": [
            carrier("age", 0.0911, 0.0790, 0.1032, divergence=0.1102),
            carrier("plan", 0.0120, 0.0064, 0.0176, divergence=0.0204),
            carrier(HOSTILE, -0.0003, -0.0011, 0.0005, divergence=0.0),
        ],
        "changes": [
            {
                "name": "age",
                "type": "number",
                "labels": [f"{20 + 5 * k} to {25 + 5 * k}" for k in range(8)],
                "edges": [20.0 + 5 * k for k in range(9)],
                "first": [0.05, 0.1, 0.2, 0.25, 0.2, 0.1, 0.05, 0.03],
                "second": [0.02, 0.03, 0.08, 0.15, 0.25, 0.22, 0.15, 0.05],
                "missing": [0.02, 0.05],
                "new": [],
                "vanished": [],
                "n_new": 0,
                "n_vanished": 0,
                "distance": 0.34,
                "pvalue": 1e-12,
            },
            {
                "name": "plan",
                "type": "category",
                "labels": ["basic", "plus", HOSTILE, "trial"],
                "edges": None,
                "first": [0.5, 0.3, 0.2, 0.0],
                "second": [0.45, 0.35, 0.0, 0.2],
                "missing": [0.0, 0.0],
                "new": ["trial"],
                "vanished": [HOSTILE],
                "n_new": 1,
                "n_vanished": 3,
                "distance": 0.25,
                "pvalue": 1e-9,
            },
        ],
        "learning_curve": [],
        "more_rows": {
            "factor": 2,
            "gain": 0.0049,
            "low": -0.0032,
            "high": 0.0130,
            "level": 0.9,
            "verdict": "cannot tell",
            "sentence": (
                "These rows cannot tell whether more would help: the change of the AUC with twice "
                "the rows lies between −0.004 and 0.013 (90 % confidence)."
            ),
        },
        "figures": {"roc": roc_figure(1.0, ()), "angles": angles_figure(1.0)},
        "caveats": [
            "The share of rows where the samples differ counts rows at which one sample is at "
            "least twice as dense as the other.",
        ],
    }


def with_every_string(value: Any, text: str) -> Any:
    """Copy with every string except the kind replaced, keys of versions and timings included."""
    if isinstance(value, str):
        return text
    if isinstance(value, list):
        return [with_every_string(v, text) for v in value]
    if isinstance(value, dict):
        return {
            k if k not in {"rocstar", "read"} else text: v
            if k in {"kind", "side"}
            else with_every_string(v, text)
            for k, v in value.items()
        }
    return value
