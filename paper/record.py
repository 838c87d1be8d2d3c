"""What a figure's script writes, and how its numbers are compared with the committed ones.

Each script makes one `Item`: `compute` makes a table, and everything else (the picture, the
numbers, the verdicts) is made from that table alone, so that the committed CSV is the whole
evidence and a picture can be redrawn without computing anything again.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import matplotlib.pyplot as plt
import pandas as pd
import style  # noqa: F401  (sets the look of every figure)

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
# The quick form's own pictures are not kept: they must not replace those of the full run.
QUICK_RESULTS = HERE.parent / "local" / "paper-quick"
COMMITTED = RESULTS / "quick.json"


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper, and what became of it."""

    claim: str
    verdict: Literal["reproduced", "corrected", "not reproduced"]
    found: str


@dataclass(frozen=True)
class Number:
    """A number that the quick form must meet again; no tolerance: reported, not compared."""

    value: float
    tolerance: float | None = None


@dataclass(frozen=True)
class Judgement:
    """What a table says."""

    summary: str
    claims: list[Claim]
    numbers: dict[str, Number] = field(default_factory=dict)
    details: str = ""  # a Markdown table for the page


@dataclass(frozen=True)
class Item:
    """One figure of the paper."""

    name: str
    title: str
    paper: str  # what the paper shows, in a sentence
    compute: Callable[[bool], pd.DataFrame]
    judge: Callable[[pd.DataFrame], Judgement]
    draw: Callable[[pd.DataFrame], Any]

    def run(self, *, quick: bool = False, redraw: bool = False) -> Judgement:
        """Compute (or read back) the table, and write csv, png, svg and json."""
        folder = QUICK_RESULTS if quick else RESULTS
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.csv"
        start = time.perf_counter()
        if not redraw:
            self.compute(quick).to_csv(path, index=False, float_format="%.10g")
        seconds = None if redraw else round(time.perf_counter() - start, 1)
        # Read back what was written: the numbers are those of the file, not of the memory.
        table = pd.read_csv(path)
        judgement = self.judge(table)
        record = {"title": self.title, "paper": self.paper, **asdict(judgement)}
        (folder / f"{self.name}.json").write_text(
            json.dumps(record, indent=2, ensure_ascii=False) + "\n"
        )
        figure = self.draw(table)
        figure.savefig(folder / f"{self.name}.png", metadata={"Software": None})
        figure.savefig(folder / f"{self.name}.svg", metadata={"Date": None})
        plt.close(figure)
        print(f"{self.name}: {'redrawn' if redraw else f'{seconds} s'}", flush=True)
        return judgement

    def main(self) -> None:
        """The command line of one figure."""
        parser = argparse.ArgumentParser(description=self.title)
        parser.add_argument("--quick", action="store_true", help="a small form, kept apart")
        parser.add_argument("--redraw", action="store_true", help="from the CSV, nothing computed")
        options = parser.parse_args()
        judgement = self.run(quick=options.quick, redraw=options.redraw)
        print(judgement.summary)
        for claim in judgement.claims:
            print(f"  [{claim.verdict}] {claim.claim} → {claim.found}")


def differences(name: str, found: dict[str, Number], committed: dict[str, Any]) -> list[str]:
    """One sentence for each number outside its committed tolerance, missing or new."""
    problems = []
    for key in sorted(found.keys() | committed.keys()):
        if key not in found or key not in committed:
            where = "computed" if key in found else "committed"
            problems.append(f"{name}: `{key}` is only {where}.")
            continue
        value, expected = found[key].value, committed[key]["value"]
        tolerance = committed[key]["tolerance"]
        if tolerance is not None and not math.isclose(
            value, expected, rel_tol=0, abs_tol=tolerance
        ):
            problems.append(f"{name}: `{key}` is {value:.6g}, not {expected:.6g} ± {tolerance:g}.")
    return problems


def committed_numbers() -> dict[str, dict[str, Any]]:
    """The quick form's numbers as they were when last accepted."""
    numbers: dict[str, dict[str, Any]] = json.loads(COMMITTED.read_text())
    return numbers


def accept(numbers: dict[str, dict[str, Number]]) -> None:
    """Make these the committed numbers."""
    content = {
        name: {key: asdict(number) for key, number in sorted(found.items())}
        for name, found in numbers.items()
    }
    COMMITTED.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def stop(problems: list[str]) -> None:
    """End with what is wrong, if anything is."""
    if problems:
        sys.exit("\n".join(problems))
