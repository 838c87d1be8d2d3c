"""Write README.md from the results: ``python benchmarks/watch/page.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from daily import CHANGES, MOST

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"
GOALS = {"linear": 2000, "auto": 100}
LEVEL = 0.05

HEAD = """# Watching a stream

False alarms without a change, days until an alarm after one, and what a year costs. \
[The guide](../../docs/watching.md) describes the monitor; [theory](../../docs/theory.md) §14 has \
the proof. This page is written by `benchmarks/watch/page.py` from the files in `../results`.
"""


def commands(*calls: str) -> str:
    lines = "\n".join(f"$ python benchmarks/watch/{call}" for call in calls)
    return f"```console\n{lines}\n```"


def read(name: str) -> Any:
    return json.loads((RESULTS / f"watch_{name}.json").read_text(encoding="utf-8"))


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def false_alarms() -> str:
    """Alarms of years without a change, world by world."""
    found = read("false_alarms")
    rows, totals = [], {}
    for model in ("linear", "auto"):
        for name, row in found.items():
            world, kind = name.split("|")
            if kind == model:
                n = int(row["streams"])
                rates = f"{100 * row['rate_at_most']:.1f} %", f"{row['pvalue']:.2g}"
                costs = f"{row['models'] / n:.1f}", f"{row['seconds'] / n:.1f}"
                rows.append([world, model, f"{n:,}", int(row["alarms"]), *rates, *costs])
        own = [row for name, row in found.items() if name.endswith(model)]
        totals[model] = [int(sum(row[key] for row in own)) for key in ("streams", "alarms")]
    fewest = {
        model: int(min(row["streams"] for name, row in found.items() if name.endswith(model)))
        for model in GOALS
    }
    smallest = min(row["pvalue"] for row in found.values())
    worlds = f"a binomial test of a rate above 5 % has a p-value of at least {smallest:.2g} in all"
    reached = "; ".join(
        f"{fewest[model]:,} or more streams per world with the {name} model (goal {goal:,})"
        for (model, goal), name in zip(GOALS.items(), ("linear", "default"), strict=True)
    )
    header = ["world", "model", "streams", "with an alarm", "rate at most", "p-value of 5 %"]
    return "\n\n".join(
        [
            "## False alarms in a year of daily readings",
            "At most 5 % of streams without a change may raise an alarm in 365 readings. Of "
            f"{totals['linear'][0]:,} streams with the linear model {totals['linear'][1]} raised "
            f"one, of {totals['auto'][0]:,} with the default model {totals['auto'][1]}; {worlds} "
            f"worlds. There are {reached}.",
            table([*header, "models", "CPU s"], rows),
            '"Models" is the mean number of models per stream that were admitted as judges. "Rate '
            'at most" is the upper end of a 95 % one-sided Clopper–Pearson interval. Without '
            "`period=7` the days of the last world differ from the reference, and alarms about "
            'them are correct. Streams are of encoded rows, without an encoder; "auto" grows '
            "trees as the default does.",
            commands("false_alarms.py --minutes 120", "false_alarms.py --merge"),
        ]
    )


def shown(entry: dict[str, Any]) -> str:
    """Mean and standard error of a delay."""
    if entry["mean"] is None:
        return "–"
    if entry["missed"] == entry["streams"]:
        return f"> {entry.get('most', MOST)}"
    more = f", {entry['missed']} not found" if entry["missed"] else ""
    return f"{entry['mean']:.1f} ± {entry['se']:.1f}{more}"


def delays() -> str:
    """Days until an alarm, with the false alarms of a year beside them."""
    found = {**read("delays"), **read("online")}

    def average(entry: dict[str, Any]) -> float:
        means = [entry[change]["mean"] for change in CHANGES]
        return float(np.mean(means)) if None not in means else np.inf

    rows = []
    for name, entry in sorted(found.items(), key=lambda item: average(item[1])):
        mean = average(entry)
        alarms, years = entry["false alarms in a year"]
        rows.append(
            [name, *(shown(entry[change]) for change in CHANGES),
             f"{mean:.1f}" if np.isfinite(mean) else "–",
             f"{alarms} of {years}" if years else "–", entry["mean"]["streams"]]
        )  # fmt: skip
    header = ["method", *CHANGES, "average", "false alarms", "streams"]
    return "\n\n".join(["## Days until an alarm", *DELAYS[:1], table(header, rows), *DELAYS[1:]])


DELAYS = [
    "A reference of 2,000 rows, 200 rows per day, five numbers and a category. The four sudden "
    "changes have a total variation distance of 0.12 from the reference; the gradual one reaches "
    "0.24 after 60 days. Means and standard errors over the streams in the last column; a change "
    "not found in 40 days counts as 40. The last column but one is the number of years without a "
    "change in which an alarm was raised.",
    "The monitor with its default model is first on average, and for all changes but that of a "
    "category, which tests of each day find half a day earlier: it pays for all times to come, for "
    "its models and for each value of the category, and compares categories with the second half "
    "of the reference only, since the first half has taught the encoder which categories exist.",
    "Daily tests keep their error by Bonferroni's correction for columns and 365 days; evidently's "
    "chi-squared test takes the shares in the reference as exact, which raises its rate. Its "
    "default preset, and tests at 5 % per day, raise a false alarm within 20 days in every stream. "
    "`compare` was run with the linear model, for the first 20 days of the change. Its false "
    "alarms in a year were not counted, since 100 years would take about ten hours: each day has "
    "the level 1 − 5 %/365, so that they are at most 5 % by Bonferroni's inequality as far as its "
    "bounds keep their level, which for folds and the default method is not proven.",
    "Of the detectors of frouros, those apply that compare a batch with a reference and return a "
    "p-value that can be corrected for 365 days and six columns, that is 2.3e-5: the tests of "
    "Kolmogorov and Smirnov and of Cramér and von Mises, and the chi-squared test for categories. "
    "The second of them with the third is in the table; the first is in evidently's line. Welch's "
    "and Mann and Whitney's tests see differences of location only, as Hotelling's test does for "
    "all columns at once. P-values of Anderson and Darling's test end at 0.001, and those of "
    "permutation tests (BWS, and distances with a callback) would need 43,800 permutations or "
    "more per column and day. Distances alone (among them PSI, Jensen–Shannon, MMD, also the "
    "streaming one) have no threshold with a known rate of false alarms. The incremental KS test "
    "looks at one column after every row, without a correction for looking often. The detectors of "
    "concept drift (CUSUM, DDM, ADWIN and others) follow one number, such as the error of a model "
    "with labels, and not a table.",
    "alibi-detect sets the thresholds of its online detectors by bootstrap samples, ten times as "
    "many as rows between false alarms, which for 5 % per year is out of reach. Here they are the "
    "values that 5 % of simulated years without a change exceed, which no user could know. The "
    "statistics differ from the package's by less than 4e-7 (`online.py --check`), and the "
    "formulas of evidently 0.7.23 and frouros 0.9.0 by less than 4e-16 (`peers.py`).",
    commands("delays.py --streams 50 --years 100", "online.py --years 100 --streams 50"),
]


def year() -> str:
    """What a year of large batches costs."""
    found = read("year")
    days = found["days"]
    rows = [[day["day"], day["cpu_seconds"], day["peak_mb"], day["sample_mb"]] for day in days]
    return "\n\n".join(
        [
            "## A year of 10,000 rows per day on 50 columns",
            f"All {days[-1]['day']} days with the default model took {found['seconds']:.0f} s of "
            f"CPU time, {found['seconds'] / 60:.1f} minutes (goal 10), and "
            f"{found['begin_seconds']:.1f} s to start. The sample of the past holds at most 4,000 "
            "rows for each doubling of the number of batches, and as many for parts of batches.",
            table(["day", "CPU s so far", "peak memory, MB", "sample, MB"], rows),
            commands("year.py"),
        ]
    )


if __name__ == "__main__":
    parts = [HEAD, false_alarms(), delays(), year()]
    (HERE / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
