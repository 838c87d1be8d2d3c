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
    python benchmarks/multiclass/headroom.py
    python benchmarks/multiclass/values.py
    python benchmarks/multiclass/audits.py --data DIR --keel DIR --covertype FILE
    python benchmarks/multiclass/page.py
"""


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def coverage() -> str:
    """Misses of every joint statement, and whether one rejects its level."""
    cells = json.loads((HERE / "results" / "coverage.json").read_text(encoding="utf-8"))
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


def headroom() -> str:
    """Misses of the headroom of given probabilities."""
    cells = json.loads((HERE / "results" / "headroom.json").read_text(encoding="utf-8"))
    head = ["law", "K", "rows per class", "runs", "true gap in accuracy", "misses", "median slack"]
    head += ["true gap in mean AUC", "misses", "median slack"]
    rows = []
    for cell in cells:
        row = [cell[key] for key in ("law", "classes", "rows", "runs")]
        for f in (0, 1):
            row += [cell["truth"][f], cell["misses"][f], cell["median_gap"][f]]
        rows.append(row)
    worst = min(min(cell["pvalues"]) for cell in cells)
    return (
        "## Does the headroom of given probabilities hold?\n\n"
        "Rows are judged by the true direction, and the given probabilities are those of a model "
        "that does not see the first column. A miss is a lower bound at 95 % above the true gap; "
        "the slack is the distance between the two. The smallest p-value of a binomial test of "
        f"the level is {worst:.2f}.\n\n" + table(head, rows)
    )


MEASURES = ("arc_length", "balanced_accuracy")
MOST_RATIO = 1.3


def values() -> str:
    """Errors against the oracle's law by law, and against rivals on average."""
    runs = json.loads((HERE / "results" / "values.json").read_text(encoding="utf-8"))
    errors: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    for run in runs:
        where, truth = (run["classes"], run["law"]), run["truth"]
        for name in MEASURES:
            for who in ("rocstar", "oracle"):
                errors[*where, f"{who} {name}"].append(run[who][name] - truth[name])
        for who, value in run["rivals"].items():
            errors[*where, who].append(value - truth["balanced_accuracy"])
    rms = {key: float(np.sqrt(np.mean(np.square(found)))) for key, found in errors.items()}
    bias = {key: float(np.mean(found)) for key, found in errors.items()}
    counts = sorted({k for k, _, _ in rms})
    return "\n\n".join(
        [
            "## Errors of the estimates",
            "Root mean squared errors over seeds, of the default `StackedRatio` in five folds. The "
            "oracle judges the same rows by the true direction; where it is exact, as for "
            "identical laws, there is no ratio. Rivals estimate the best accuracy at equal shares "
            "of the classes.",
            _against_the_oracle(rms, counts),
            _against_rivals(rms, bias, counts),
            _by_law(rms, bias, {key: len(found) for key, found in errors.items()}),
        ]
    )


def _ratios(
    rms: dict[tuple[int, str, str], float], name: str, k: int | None, without: str = ""
) -> list[float]:
    """Error over the oracle's, law by law, where the oracle errs."""
    laws = [key[:2] for key in rms if key[2] == f"oracle {name}" and k in (None, key[0])]
    laws = [law for law in laws if law[1] != without]
    pairs = [(rms[*law, f"rocstar {name}"], rms[*law, f"oracle {name}"]) for law in laws]
    return [ours / theirs for ours, theirs in pairs if theirs > 1e-9]


def _against_the_oracle(rms: dict[tuple[int, str, str], float], counts: list[int]) -> str:
    rows = []
    for name in MEASURES:
        for without in ("", "combs-3d"):
            found = [_ratios(rms, name, k, without) for k in (*counts, None)]
            means = [float(np.exp(np.mean(np.log(ratios)))) for ratios in found]
            verdict = "holds" if means[-1] <= MOST_RATIO else "missed"
            label = f"{name}, all laws but {without}" if without else name
            rows.append([label, *(f"{mean:.2f}" for mean in means), "" if without else verdict])
    head = ["measure", *(f"K = {k}" for k in counts), "overall", f"at most {MOST_RATIO}"]
    told = "Error over the oracle's, geometric mean over the laws where the oracle errs:"
    return f"{told}\n\n{table(head, rows)}"


def _against_rivals(
    rms: dict[tuple[int, str, str], float], bias: dict[tuple[int, str, str], float],
    counts: list[int],
) -> str:  # fmt: skip
    names = dict.fromkeys(who for _, _, who in rms if not who.startswith(("rocstar", "oracle")))
    means = {
        who: [
            float(np.mean([e for key, e in rms.items() if key[2] == who and k in (None, key[0])]))
            for k in (*counts, None)
        ]
        for who in ("rocstar balanced_accuracy", *names)
    }
    ours = means["rocstar balanced_accuracy"][-1]
    rows = [
        [who, *(f"{mean:.4f}" for mean in found), "" if found[-1] == ours else
         ("behind" if found[-1] > ours else "ahead")]
        for who, found in means.items()
    ]  # fmt: skip
    head = ["estimate", *(f"K = {k}" for k in counts), "overall", "against rocstar"]
    told = "Mean over the laws of the errors of the best balanced accuracy:"
    return f"{told}\n\n{table(head, rows)}"


def _by_law(
    rms: dict[tuple[int, str, str], float],
    bias: dict[tuple[int, str, str], float],
    runs: dict[tuple[int, str, str], int],
) -> str:
    head = ["K", "law", "runs"]
    for name in MEASURES:
        head += [f"{name}: error", "bias", "oracle's error"]
    rows = []
    for k, law in dict.fromkeys(key[:2] for key in rms):
        row: list[Any] = [k, law, runs[k, law, "rocstar arc_length"]]
        for name in MEASURES:
            ours, oracle = (k, law, f"rocstar {name}"), (k, law, f"oracle {name}")
            row += [f"{rms[ours]:.4f}", f"{bias[ours]:+.4f}", f"{rms[oracle]:.4f}"]
        rows.append(row)
    return f"Law by law:\n\n{table(head, rows)}"


def audits() -> str:
    """Real tables, as a user audits them."""
    found = json.loads((HERE / "results" / "audits.json").read_text(encoding="utf-8"))
    head = ["table", "target", "rows", "columns", "classes", "balanced accuracy found", "at least"]
    head += ["pairs told apart", "processor s", "wall s"]
    rows = [
        [one["table"], one["target"], f"{one['rows']:,}", one["columns"], one["classes"],
         f"{one['balanced_accuracy']:.3f}", f"{np.floor(one['low'] * 1000) / 1000:.3f}",
         f"{one['pairs_apart']} of {one['pairs']}", one["cpu_seconds"], one["wall_seconds"]]
        for one in found
    ]  # fmt: skip
    slowest = max(found, key=lambda one: one["cpu_seconds"])
    return (
        "## Audits of real tables\n\n"
        "`rocstar audit TABLE --target COLUMN -o page.html`, one process each, on two processors "
        "with up to ten other programs at work: the seconds on the clock are those of that load, "
        "and the seconds of the processors, the work of all threads, are about what a free "
        f"processor takes. The most were {slowest['cpu_seconds']:.0f} ({slowest['table']}, "
        f"{slowest['classes']} classes).\n\n" + table(head, rows)
    )


def main() -> None:
    """Write the page."""
    parts = [HEAD]
    every = {"coverage": coverage, "headroom": headroom, "values": values, "audits": audits}
    for name, part in every.items():
        if (HERE / "results" / f"{name}.json").exists():
            parts.append(part())
    (HERE / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
