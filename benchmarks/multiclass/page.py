"""Write README.md from the results: ``python benchmarks/multiclass/page.py``."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

HERE = Path(__file__).parent
HEAD = """# More than two classes

Seeded simulations on the families of `rocstar.laws.suite(n_classes=...)`. A cell or run that is
missing has not been made yet; nothing was left out for its result.

    python benchmarks/multiclass/coverage.py
    python benchmarks/multiclass/values.py
    python benchmarks/multiclass/page.py
"""


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def coverage() -> str:
    """Misses of every joint statement, and whether one rejects its level."""
    cells = json.loads((HERE / "results" / "coverage.json").read_text())
    tests = 3 * len(cells)
    worst = min(
        binomtest(missed, cell["runs"], 0.05, "greater").pvalue
        for cell in cells
        for missed in cell["misses"].values()
    )
    rows = [
        [cell[key] for key in ("how", "method", "law", "classes", "rows", "runs")]
        + list(cell["misses"].values())
        + cell["median_gap"]
        for cell in sorted(cells, key=lambda c: (c["how"], c["method"], c["classes"], c["rows"]))
    ]
    header = ["judged by", "method", "law", "K", "rows per class", "runs", "main", "pairs", "rest"]
    header += ["gap of L", "gap of accuracy", "gap of mean AUC"]
    verdict = "none rejects" if worst > 0.01 / tests else "at least one rejects"
    return (
        "## Do the bounds hold?\n\n"
        "Runs in which a joint statement at 95 % fails: on arc length, balanced accuracy and mean "
        "pairwise AUC (main), on all pairs, on every class against the rest; and the median "
        'distance of the first three bounds to the truth. "true" judges rows by the true '
        'direction, where no slack protects a bound; "folds" is a linear model in five folds; '
        '"rare" has one class of 30 rows and 200 of the others.\n\n'
        f"Of {tests} binomial tests of the level at 1 % divided by their number, {verdict}; the "
        f"smallest p-value is {worst:.3f}.\n\n" + table(header, rows)
    )


def values() -> str:
    """Root mean squared errors by number of classes, against the oracle and rivals."""
    runs = json.loads((HERE / "results" / "values.json").read_text())
    errors: dict[tuple[int, str], list[float]] = defaultdict(list)
    for run in runs:
        k, truth = run["classes"], run["truth"]
        for name in ("arc_length", "balanced_accuracy"):
            for who in ("rocstar", "oracle"):
                errors[k, f"{who} {name}"].append(run[who][name] - truth[name])
        for who, value in run["rivals"].items():
            errors[k, who].append(value - truth["balanced_accuracy"])
    rows = [
        [k, name, len(found), f"{np.sqrt(np.mean(np.square(found))):.4f}", f"{np.mean(found):+.4f}"]
        for (k, name), found in errors.items()
    ]
    return (
        "## Errors of the estimates\n\n"
        "Root mean squared error and mean error over laws and seeds. The oracle judges the same "
        "rows by the true direction; the others estimate the best accuracy at equal shares of the "
        "classes.\n\n" + table(["K", "estimate", "runs", "RMSE", "bias"], rows)
    )


def main() -> None:
    """Write the page."""
    parts = [HEAD]
    for name, part in (("coverage", coverage), ("values", values)):
        if (HERE / "results" / f"{name}.json").exists():
            parts.append(part())
    (HERE / "README.md").write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
