"""How many rows a certificate needs: ``python docs/how_many_rows.py``.

Draws ``images/rows.svg`` and prints the table of ``how-to-choose.md``: the median over seeds of the
certified lower bound of AUC*, for pairs of Gaussians in five dimensions and the linear class.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

from rocstar import ArctanRatio, certify
from rocstar.laws import GaussianPair

SEEDS = 15
EQUAL = ((20, 20), (50, 50), (100, 100), (300, 300), (1000, 1000), (5000, 5000))
RARE = ((10, 1000), (25, 1000), (50, 1000), (100, 1000), (300, 1000))
COLOURS = ("#9aa5b1", "#0f766e", "#c2410c")


def median_bound(law: GaussianPair, positives: int, negatives: int) -> float:
    samples = (law.sample(positives, negatives, random_state=seed) for seed in range(SEEDS))
    # A median over samples needs no repeated folds.
    found = [certify(ArctanRatio(), *s, cv=5, random_state=0) for s in samples]
    return float(np.median([certificate.auc.low for certificate in found]))


def main() -> None:
    style = {"svg.hashsalt": "rocstar", "axes.spines.top": False, "axes.spines.right": False}
    with plt.rc_context(style):
        figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), sharey=True, layout="constrained")
        for delta, colour in zip((0.5, 1.0, 2.0), COLOURS, strict=True):
            law = GaussianPair.shifted(delta, dim=5)
            for ax, sizes in zip(axes, (EQUAL, RARE), strict=True):
                bounds = [median_bound(law, *size) for size in sizes]
                positives = [size[0] for size in sizes]
                ax.semilogx(positives, bounds, "^-", color=colour)
                ax.axhline(law.auc, color=colour, lw=1, ls=":")
                ax.text(positives[-1], law.auc + 0.01, f"{law.auc:.2f}", color=colour, ha="right")
                cells = (f"{p} + {q}: {b:.2f}" for (p, q), b in zip(sizes, bounds, strict=True))
                print(f"AUC* {law.auc:.3f} |", ", ".join(cells), flush=True)
        axes[0].set(
            xlabel="rows of each class", ylabel="AUC* is certainly at least", ylim=(0.48, 1)
        )
        axes[1].set(xlabel="positives, beside 1,000 negatives")
        figure.savefig(Path(__file__).parent / "images" / "rows.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
