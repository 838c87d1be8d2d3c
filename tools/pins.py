"""Pins from a report of pip: pins.py REPORT prints one ``name==version`` per line."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def main(report: Path) -> None:
    found = json.loads(report.read_text(encoding="utf-8"))["install"]
    pins = {
        re.sub(r"[-_.]+", "-", part["metadata"]["name"]).lower(): part["metadata"]["version"]
        for part in found
    }
    pins.pop("rocstar")
    print("# Made by `make lock` from the dev and docs extras; checked by `make audit-lock`.")
    for name, version in sorted(pins.items()):
        print(f"{name}=={version}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
