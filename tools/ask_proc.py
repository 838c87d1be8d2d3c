"""Ask R's pROC again what the tests compare with, and rewrite ``tests/reference/proc.json``.

    python tools/ask_proc.py

Needs Rscript with the package pROC.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from data_proc import REFERENCE, samples

SCRIPT = Path(__file__).with_suffix(".R")


def main() -> None:
    process = subprocess.Popen(
        ["Rscript", "--vanilla", str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    rows = csv.writer(process.stdin)
    rows.writerow(["sample", "y", "score", "baseline"])
    for name, sample in samples().items():
        rows.writerows((name, *row) for row in zip(*sample, strict=True))
    out, _ = process.communicate()
    if process.returncode:
        sys.exit(process.returncode)
    REFERENCE.write_text(_lines(json.loads(out)))


def _lines(answer: dict) -> str:
    """JSON with one line per sample."""
    answers = answer.pop("samples")
    listed = ",\n".join(f"{json.dumps(name)}: {json.dumps(a)}" for name, a in answers.items())
    return json.dumps(answer)[:-1] + f', "samples": {{\n{listed}\n}}}}\n'


if __name__ == "__main__":
    main()
