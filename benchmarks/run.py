"""The benchmark: ``python benchmarks/run.py quick`` or ``full``.

    python benchmarks/run.py full --rivals DIR --data DIR [--tracks values ranking ...]
        [--methods "rocstar stack" oracle ...]

DIR of --rivals holds the environments that ``benchmarks/rivals/setup.py DIR`` makes; --data holds
Parquet tables with a 0/1 column ``target``. Finished rows are kept and skipped, so a run can be
interrupted. A quick run writes to ``local/bench``, a full one to ``results/``; both end with the
page, beside the results or in ``benchmarks/README.md``.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from harness import HERE, RESULTS, Table, Team

TRACKS = ("values", "ranking", "automl", "intervals", "two_sample", "solvers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("size", choices=["quick", "full"])
    parser.add_argument("--tracks", nargs="*", default=list(TRACKS), choices=TRACKS)
    parser.add_argument("--methods", nargs="*", default=[], help="these only; by default all")
    parser.add_argument("--rivals", type=Path, help="folder of the rivals' environments")
    parser.add_argument("--data", type=Path, help="folder of Parquet tables, for the ranking track")
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    local = HERE.parent / "local" / "bench"
    results = arguments.results or (RESULTS if arguments.size == "full" else local)
    results.mkdir(parents=True, exist_ok=True)
    local.mkdir(parents=True, exist_ok=True)
    environments = arguments.rivals
    if environments is not None and not environments.is_dir():
        sys.exit(
            f"--rivals must be a folder made by benchmarks/rivals/setup.py; got {environments}."
        )
    Table.only = frozenset(arguments.methods)
    team = Team(environments, local / "rivals.log")
    try:
        for track in arguments.tracks:
            import_module(f"tracks.{track}").run(team, arguments.size, arguments.data, results)
    finally:
        team.close()
    page = HERE / "README.md" if results.resolve() == RESULTS.resolve() else results / "README.md"
    import_module("page").write(results, page, results / "plots")


if __name__ == "__main__":
    main()
