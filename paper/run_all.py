"""Make every figure and the page: ``python paper/run_all.py [--quick] [--accept] [NAME ...]``."""

from __future__ import annotations

import argparse

from items import ITEMS
from page import page
from record import HERE, QUICK_RESULTS, RESULTS, accept, committed_numbers, differences, stop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *ITEMS], help="all by default")
    parser.add_argument(
        "--quick", action="store_true", help="small; compare with results/quick.json"
    )
    parser.add_argument(
        "--accept", action="store_true", help="make the quick numbers the committed"
    )
    parser.add_argument("--redraw", action="store_true", help="from the CSVs, nothing computed")
    options = parser.parse_args()
    names = options.names or list(ITEMS)
    quick = options.quick or options.accept

    found = {n: ITEMS[n].run(quick=quick, redraw=options.redraw).numbers for n in names}
    folder = QUICK_RESULTS if quick else RESULTS
    home = QUICK_RESULTS if quick else HERE
    (home / "README.md").write_text(page(folder, ITEMS, home))
    if options.accept:
        accept(found)
    elif quick:
        committed = committed_numbers()
        stop([line for n in names for line in differences(n, found[n], committed.get(n, {}))])
        print("every number is within its committed tolerance")


if __name__ == "__main__":
    main()
