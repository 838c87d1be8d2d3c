"""The page: every picture, the claim it supports, and what was measured. Made from the results."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

INTRODUCTION = """\
# The paper, reproduced

S. Liu, *Estimating the Arc Length of the Optimal ROC Curve and Lower Bounding the Maximal AUC*,
NeurIPS 2022: every figure, proposition and claim, made again from the public interface of this
library with fixed seeds.

    make paper                   # everything, as committed: over an hour, most of it CIFAR-10
    make paper-quick             # all of it in small, compared with results/quick.json
    python paper/tv_bounds.py    # one item; add --quick, or --redraw to draw its CSV again

Each item is one file here and writes `results/NAME.csv`, the whole evidence, and from that alone
`NAME.png`, `NAME.svg` and `NAME.json` (numbers and verdicts). This page is made from those files:
do not edit it by hand. Times vary from machine to machine, and so does the last digit of what an
optimiser returns; everything else is the same to rounding. The tolerances of the quick form are in
`results/quick.json`.

*Reproduced* means that the same thing was found; *corrected*, that the sentence holds only in
another form, which is given; *not reproduced*, that it was not found here, with the reason.
"""


def page(folder: Path, names: Iterable[str], home: Path) -> str:
    """The text of the page, for the results in `folder`, to be saved in `home`."""
    records = {
        name: json.loads((folder / f"{name}.json").read_text())
        for name in names
        if (folder / f"{name}.json").exists()
    }
    counts = Counter(c["verdict"] for r in records.values() for c in r["claims"])
    tally = ", ".join(f"{counts[v]} {v}" for v in ("reproduced", "corrected", "not reproduced"))
    parts = [INTRODUCTION, f"## Claims: {tally}\n", _claims(records)]
    pictures = os.path.relpath(folder, home)
    parts += [_section(name, record, pictures) for name, record in records.items()]
    return "\n".join(parts)


def _claims(records: dict[str, Any]) -> str:
    rows = ["| | claim | verdict | found |", "|---|---|---|---|"]
    for name, record in records.items():
        for claim in record["claims"]:
            cells = (_escaped(claim[key]) for key in ("claim", "verdict", "found"))
            text, verdict, found = cells
            rows.append(
                f"| [{name}](#{_anchor(record['title'])}) | {text} | **{verdict}** | {found} |"
            )
    return "\n".join(rows) + "\n"


def _section(name: str, record: dict[str, Any], pictures: str) -> str:
    details = f"{record['details']}\n\n" if record["details"] else ""
    return (
        f"## {record['title']}\n\n"
        f"![{record['title']}]({pictures}/{name}.png)\n\n"
        f"**The paper.** {record['paper']}\n\n"
        f"**Here.** {record['summary']}\n\n"
        f"{details}"
        f"[code]({name}.py) · [data]({pictures}/{name}.csv) · [vector]({pictures}/{name}.svg)\n"
    )


def _anchor(title: str) -> str:
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
