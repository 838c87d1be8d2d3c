"""Track 4: the box problem against general solvers; the linear fit against logistic regression.

The objective of a box problem is the value reached; of `ArctanRatio` it is J in sample, and of
logistic regression the accuracy on 1,000 rows, which only shows that something was fitted.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from harness import HERE, RESULTS, Table, Team, measurements

sys.path.append(str(HERE / "box"))

BOX = {
    "rocstar box": "with_ours",
    "IPOPT": "with_ipopt",
    "IPOPT lifted": "with_ipopt",
    "SLSQP": "with_scipy",
}
LINEAR = {
    "Gram pass": "with_ours",
    "ArctanRatio": "with_ours",
    "LogisticRegression lbfgs": "with_sklearn",
    "LogisticRegression newton-cholesky": "with_sklearn",
}
# trust-constr runs until it is stopped after 40 s, so one problem is enough.
TRUST_CONSTR = ("linear-1100-20",)
SIZES = {"quick": (1, 100_000), "full": (3, 1_000_000)}


def run(team: Team, size: str, data: Path | None = None, results: Path = RESULTS) -> None:
    """Fill ``solvers.csv``; repetition 0 warms up and is not kept."""
    import solvers as box

    repetitions, n = SIZES[size]
    table = Table(results / "solvers.csv", ("problem", "repetition", "method"))
    names = list(box.PROBLEMS)[: 2 if size == "quick" else None]
    for repetition in range(repetitions + 1):
        for name in names:
            problem = box.PROBLEMS[name]()
            arrays = {
                "phi": problem.phi,
                "positive": np.asarray(problem.positive),
                "weights": problem.weights,
            }
            options = {"alpha": problem.alpha, "fit_intercept": problem.fit_intercept}
            methods = dict(BOX)
            if size == "full" and name in TRUST_CONSTR and repetition == 1:
                methods["trust-constr"] = "with_scipy"
            _solve(team, table, name, repetition, methods, arrays, options)
        rng = np.random.default_rng(0)
        y = np.arange(n) % 2
        X = rng.standard_normal((n, 50)) + 0.3 * y[:, None]
        _solve(team, table, f"linear {n:,} × 50", repetition, LINEAR, {"X": X, "y": y}, {})


def _solve(
    team: Team,
    table: Table,
    problem: str,
    repetition: int,
    methods: dict[str, str],
    arrays: dict[str, np.ndarray],
    options: dict[str, object],
) -> None:
    for method, adapter in methods.items():
        if table.has(problem, repetition, method):
            continue
        found = team.ask(adapter, "solve", method, arrays, options)
        if repetition == 0 and found["status"] == "done":
            continue
        numbers = found.get("numbers", {})
        reached = {"objective": f"{numbers['objective']:.10f}"} if numbers else {"objective": ""}
        row = {"problem": problem, "repetition": repetition, "method": method, **reached}
        table.add({**row, "outside": numbers.get("outside", ""), **measurements(found)})
