"""A summary of a watched stream, shared by the tests of its page."""

from __future__ import annotations


def batch(k, alarm=False, **more):
    return {
        "time": f"2026-01-{k:02d}",
        "rows": 100,
        "tv": None if k == 1 else 0.02 * k,
        "tv_low": 0.1 if alarm else 0.0,
        "tv_low_since_start": 0.1,
        "tv_average_low": 0.01,
        "divergence": 0.0,
        "e_value": 5e7 if alarm else 1.0,
        "alarm": alarm,
        "since": None,
        "moved": ["<b>age</b>", "plan"] if alarm else [],
        "notes": ["The batch has no rows."] if k == 2 else [],
        "resets": 0,
        **more,
    }


SUMMARY = {
    "kind": "watch",
    "title": "Churn <1>",
    "verdict": "Alarm: something `x0`.",
    "level": 0.95,
    "tolerance_tv": 0.05,
    "batches": [
        batch(1),
        batch(2),
        batch(3, auc=0.8, auc_low=0.71234, auc_high=0.88761, auc_alarm=False),
        batch(4, alarm=True, auc=0.7, auc_low=0.6, auc_high=0.8, auc_alarm=True),
    ],
    "columns": [
        {"name": "plan", "shifts": [0.01, 0.02, 0.01, 0.02]},
        {"name": "<b>age</b>", "shifts": [0.02, 0.01, 0.02, 0.31]},
    ],
    "reference_auc": {"value": 0.81, "low": 0.7819},
    "method": {"model": "auto", "seed": "0"},
    "caveats": ["Rows must be independent."],
}
