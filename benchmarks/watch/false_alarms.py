"""False alarms of a year of daily looks in streams that never change.

    python benchmarks/watch/false_alarms.py [--minutes 20] [--auto-every 10] [--out JSON]

Rounds of one stream per world until the time is up; every so many rounds also with "auto". Streams
continue those of an earlier run with the same file. The statistics are those of `Monitor`, on
encoded rows: no encoder, no estimates and no trees, which "auto" grows on stretches of 10,000 rows
or more.
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


def one(world: str, model: str, seed: int) -> tuple[bool, int]:
    """Whether a year raised an alarm, and how many models judged."""
    settings = WORLDS[world]
    rng = np.random.default_rng([seed, list(WORLDS).index(world), 11])
    reference = settings.draw(rng, settings.reference(rng), -1)
    watched = stream_of(reference, model, seed, settings.codes, settings.period)
    for day in range(LOOKS):
        watched.take(settings.draw(rng, settings.batch(rng), day), estimate=False)
    return watched.alarm, watched.promoted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--auto-every", type=int, default=10)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    found = json.loads(options.out.read_text()) if options.out.exists() else {}
    end = monotonic() + 60 * options.minutes
    for number in range(1, 10**6):
        for world in WORLDS:
            for model in ("linear", "auto"):
                if model == "auto" and number % options.auto_every:
                    continue
                row = found.setdefault(
                    f"{world}|{model}", {"streams": 0, "alarms": 0, "models": 0, "seconds": 0.0}
                )
                if row["streams"] >= (2000 if model == "linear" else 100):
                    continue
                start = process_time()
                alarm, models = one(world, model, row["streams"])
                row["streams"] += 1
                row["alarms"] += alarm
                row["models"] += models
                row["seconds"] = round(row["seconds"] + process_time() - start, 2)
                test = binomtest(row["alarms"], row["streams"], 0.05, alternative="greater")
                row["pvalue"] = round(test.pvalue, 4)
                options.out.write_text(json.dumps(found, indent=1) + "\n")
        if monotonic() > end:
            break


if __name__ == "__main__":
    main()
