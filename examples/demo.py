"""The main job in one run: what is true of a pair of laws, and what its arc length alone tells.

Run with ``make demo``.
"""

from __future__ import annotations

from rocstar import (
    auc_bounds,
    balanced_accuracy_bounds,
    bretagnolle_huber_tv_bounds,
    le_cam_tv_bounds,
    liu_tv_bounds,
    pinsker_tv_bounds,
    tv_bounds,
)
from rocstar.laws import GaussianPair


def main() -> None:
    law = GaussianPair.shifted(1.5, dim=3)
    length = law.arc_length
    print("Positives N(μ, I) and negatives N(0, I) in three dimensions, 1.5 deviations apart\n")
    print("  exact")
    for name, value in [
        ("arc length of ROC*", length),
        ("total variation", law.tv),
        ("maximal AUC", law.auc),
        ("best balanced accuracy", (1 + law.tv) / 2),
    ]:
        print(f"    {name:<38}{value:.4f}")
    print("\n  known from the arc length alone, sharp")
    for name, (low, high) in [
        ("total variation", tv_bounds(length)),
        ("maximal AUC", auc_bounds(length)),
        ("best balanced accuracy", balanced_accuracy_bounds(length)),
    ]:
        print(f"    {name:<38}{low:.4f} to {high:.4f}")
    print("\n  total variation, bounded in other ways")
    for name, (low, high) in [
        ("arc length, Liu (2022)", liu_tv_bounds(length)),
        ("KL divergence, Pinsker", pinsker_tv_bounds(law.kl)),
        ("KL divergence, Bretagnolle and Huber", bretagnolle_huber_tv_bounds(law.kl)),
        ("Hellinger distance, Le Cam", le_cam_tv_bounds(law.hellinger)),
    ]:
        print(f"    {name:<38}{low:.4f} to {high:.4f}")


if __name__ == "__main__":
    main()
