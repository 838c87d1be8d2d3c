"""False alarms of a year of daily looks in streams that never change.

    python benchmarks/watch/false_alarms.py [--minutes 20] [--auto-every 3] [--shard 1/2]
    python benchmarks/watch/false_alarms.py --merge

Rounds of one stream per world until the time is up; every so many rounds also with "auto", trees
included. A shard has seeds and a file of its own, and continues where an earlier run of it stopped;
the second command adds the files up. The statistics are those of `Monitor`, on encoded rows: there
is no encoder, and no estimates are computed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import monotonic, process_time

import numpy as np
from scipy.stats import binomtest
from worlds import WORLDS, stream_of

LOOKS = 365
OUT = Path(__file__).parents[1] / "results" / "watch_false_alarms.json"
MOST = {"linear": 2000, "auto": 100}


def one(world: str, model: str, seed: int) -> dict[str, float]:
    """Whether a year raised an alarm, by a column or by bets, and how many models judged."""
    settings = WORLDS[world]
    rng = np.random.default_rng([seed, list(WORLDS).index(world), 11])
    reference = settings.draw(rng, settings.reference(rng), -1)
    start = process_time()
    watched = stream_of(reference, model, seed, settings.codes, settings.period)
    for day in range(LOOKS):
        watched.take(settings.draw(rng, settings.batch(rng), day), estimate=False)
    return {
        "streams": 1,
        "alarms": int(watched.alarm),
        "by_column": int(watched.column_alarm),
        "by_bets": int(watched.bets_alarm),
        "models": watched.spending.promoted,
        "seconds": process_time() - start,
    }


def rounds(path: Path, shard: int, shards: int, minutes: float, auto_every: int) -> None:
    """One stream per world after the other, until the time is up."""
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    end = monotonic() + 60 * minutes
    for number in range(10**6):
        for world in WORLDS:
            for model in ("linear", "auto"):
                row = found.setdefault(f"{world}|{model}", {"streams": 0})
                seed = shard - 1 + shards * row["streams"]
                if seed >= MOST[model] or (model == "auto" and number % auto_every):
                    continue
                for key, value in one(world, model, seed).items():
                    row[key] = round(row.get(key, 0) + value, 2)
                path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
                if monotonic() > end:
                    return


def merge(paths: list[Path]) -> None:
    """Add the shards up."""
    total: dict[str, dict[str, float]] = {}
    for path in paths:
        for name, row in json.loads(path.read_text(encoding="utf-8")).items():
            known = total.setdefault(name, {})
            for key, value in row.items():
                known[key] = round(known.get(key, 0) + value, 2)
    for row in total.values():
        if row["streams"]:
            test = binomtest(row["alarms"], row["streams"], 0.05, alternative="greater")
            row["pvalue"] = round(float(test.pvalue), 4)
            two_sided = binomtest(row["alarms"], row["streams"])
            row["rate_at_most"] = round(float(two_sided.proportion_ci(0.9).high), 4)
    OUT.write_text(json.dumps(total, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--auto-every", type=int, default=3)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--parts", type=Path, default=OUT.parent)
    parser.add_argument("--merge", action="store_true")
    options = parser.parse_args()
    if options.merge:
        merge(sorted(options.parts.glob("watch_false_alarms_*.json")))
        return
    shard, shards = map(int, options.shard.split("/"))
    path = options.parts / f"watch_false_alarms_{shard}_of_{shards}.json"
    rounds(path, shard, shards, options.minutes, options.auto_every)


if __name__ == "__main__":
    main()
