"""Box against tangent in held-out J on the law suite, at 1,000 + 1,000 samples.

    python benchmarks/box/laws.py [--seeds 2]

Linear and Gaussian-kernel class, both tuned by 3-fold cross-validated J over one grid; held-out J
on 20,000 + 20,000 fresh samples. Writes results/laws.csv.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from rocstar import ArctanRatioCV, laws

HERE = Path(__file__).parent
SMALL = {"cv": 3, "alphas": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1], "n_components": 60}


def held_out(kernel: str, loss: str, law: laws.Law, seed: int) -> float:
    model = ArctanRatioCV(kernel, loss=loss, random_state=seed, **SMALL)
    model.fit(*law.sample(1000, 1000, random_state=seed))
    return float(model.score(*law.sample(20_000, 20_000, random_state=1000 + seed)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    seeds = parser.parse_args().seeds
    wins = {"linear": [0, 0], "rbf": [0, 0]}
    with (HERE / "results" / "laws.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["law", "arc_length", "kernel", "tangent", "box", "box_less_tangent"])
        for name, law in laws.suite().items():
            for kernel in ("linear", "rbf"):
                tangent, box = (
                    np.mean([held_out(kernel, loss, law, seed) for seed in range(seeds)])
                    for loss in ("tangent", "box")
                )
                wins[kernel][int(box > tangent)] += 1
                row = [name, f"{law.arc_length:.4f}", kernel, f"{tangent:.4f}", f"{box:.4f}"]
                row.append(f"{box - tangent:+.4f}")
                table.writerow(row)
                file.flush()
                print(*row, flush=True)
    print("tangent better, box better:", wins)


if __name__ == "__main__":
    main()
