"""The propositions, checked on thousands of random pairs of discrete laws and on the suite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from record import Claim, Item, Judgement, Number
from style import GREEN, INK, MUTED, PINK, POSITIVE, SKY, panels

from rocstar import laws
from rocstar.bounds import auc_bounds, liu_tv_bounds, tv_bounds
from rocstar.curves import ecdf_weights, hull_arc_length, roc_auc, roc_points

SHORTEST = np.sqrt(2)
ROUNDING = 1e-9


def random_pair(rng: np.random.Generator) -> tuple[Any, Any]:
    """Two laws on 2 to 12 points: from nearly equal to nearly disjoint, and all between."""
    n = int(rng.integers(2, 13))
    p, q = rng.dirichlet(np.full(n, 10 ** rng.uniform(-1.3, 0.7)), size=2)
    mix = rng.uniform() ** 2 if rng.uniform() < 0.5 else 0.0
    return p, (1 - mix) * q + mix * p


def curve_length(y: Any, score: Any, weight: Any) -> float:
    points = roc_points(y, score, sample_weight=weight)
    return float(np.sum(np.hypot(np.diff(points.fpr), np.diff(points.tpr))))


def facts(p: Any, q: Any, rng: np.random.Generator) -> dict[str, Any]:
    """What the propositions speak of, for one pair of laws on a few points."""
    n = len(p)
    y, weight = np.repeat([1, 0], n), np.concatenate([p, q])
    angle = np.tile(np.arctan2(p, q), 2)
    points = roc_points(y, angle, sample_weight=weight)
    dx, dy = np.diff(points.fpr), np.diff(points.tpr)
    length, area = float(np.hypot(p, q).sum()), roc_auc(y, angle, sample_weight=weight)
    w = ecdf_weights(y, angle, angle=angle, sample_weight=weight)
    terms = np.where(y == 1, np.sin(angle), np.cos(angle))
    other = np.tile(rng.permutation(n).astype(float), 2)
    merged = np.tile(rng.integers(0, max(2, n // 2), n).astype(float), 2)
    feature = np.tile(rng.normal(size=n), 2)
    gradient = np.where(y == 1, -np.cos(angle), np.sin(angle)) * feature
    return {
        "source": f"{n} points",
        "arc_length": length,
        "curve_error": abs(curve_length(y, angle, weight) - length),
        "hull": hull_arc_length(y, angle, sample_weight=weight),
        "other_score": curve_length(y, other, weight),
        "other_hull": hull_arc_length(y, other, sample_weight=weight),
        "merged_score": curve_length(y, merged, weight),
        "tv": float(np.abs(p - q).sum() / 2),
        "auc": area,
        "identity_error": abs(0.5 + np.sqrt(0.5) * np.sum(weight * w * terms) - area),
        # Left turns, by the cross product of successive segments: a concave curve has none.
        "left_turn": float(np.max(dx[:-1] * dy[1:] - dx[1:] * dy[:-1], initial=0.0)),
        "gradient": float(abs(np.sum(weight * gradient))),
    }


def suite_facts(name: str, law: laws.Law) -> dict[str, Any]:
    rate = np.linspace(0, 1, 2001)
    return {
        "source": name,
        "arc_length": law.arc_length,
        "tv": law.tv,
        "auc": law.auc,
        "left_turn": max(0.0, float(np.max(np.diff(law.roc(rate), n=2)))) / 2000,
    }


def compute(quick: bool) -> pd.DataFrame:
    rng = np.random.default_rng(2022)
    rows = [facts(*random_pair(rng), rng) for _ in range(300 if quick else 3000)]
    # The truths of some laws in many dimensions take seconds each.
    suite = {name: law for name, law in laws.suite().items() if law.dim == 1 or not quick}
    rows += [suite_facts(name, law) for name, law in suite.items()]
    return pd.DataFrame(rows)


def judge(table: pd.DataFrame) -> Judgement:
    length = table.arc_length.clip(SHORTEST, 2)
    discrete = table[table.curve_error.notna()]
    sharp, paper, area = tv_bounds(length), liu_tv_bounds(length), auc_bounds(length)

    def outside(value: Any, low: Any, high: Any) -> int:
        return int(((value < low - ROUNDING) | (value > high + ROUNDING)).sum())

    longer = discrete[["other_score", "other_hull", "merged_score"]].max(axis=1)
    worst_other = float((longer - discrete.arc_length).max())
    bent = int((table.left_turn > ROUNDING).sum())
    identity = float(discrete.identity_error.max())
    own = float(discrete.curve_error.max())
    width = {"sharp": float(np.mean(sharp.high - sharp.low)),
             "paper": float(np.mean(paper.high - paper.low))}  # fmt: skip
    n, known = len(discrete), len(table) - len(discrete)
    counts = {
        "outside [√2, 2]": outside(table.arc_length, SHORTEST, 2.0),
        "not concave": bent,
        "outside the bounds of the paper": outside(table.tv, *paper),
        "outside the sharp TV bounds": outside(table.tv, *sharp),
        "outside the sharp AUC* bounds": outside(table.auc, *area),
    }

    def verdict(bad: int | float) -> Any:
        return "reproduced" if bad <= ROUNDING else "not reproduced"

    return Judgement(
        summary=(
            f"{n:,} random pairs of laws on 2 to 12 points and the {known} laws of the library's "
            "suite. The sharp bounds hold in every one too "
            f"(violations: TV {counts['outside the sharp TV bounds']}, "
            f"AUC* {counts['outside the sharp AUC* bounds']}) and their TV range is "
            f"{width['paper'] / width['sharp']:.1f} times narrower on average "
            f"({width['sharp']:.3f} against {width['paper']:.3f})."
        ),
        claims=[
            Claim(
                "Proposition 1: every ROC curve has a length in [√2, 2].",
                verdict(counts["outside [√2, 2]"]),
                f"{counts['outside [√2, 2]']} violations",
            ),
            Claim(
                "Section 3: the length of ROC* is ∫ √(p² + q²), whatever the increasing transform.",
                verdict(own),
                f"largest difference {own:.0e}",
            ),
            Claim(
                "Proposition 2: max over a of (2/π)[(L − 2√(1−a²))/a + acos a − asin a] ≤ TV "
                "≤ L − 1.",
                verdict(counts["outside the bounds of the paper"]),
                f"{counts['outside the bounds of the paper']} violations; "
                "looser than the sharp bounds everywhere",
            ),
            Claim(
                "Proposition 3: at the true angle the expected gradient is zero.",
                verdict(float(discrete.gradient.max())),
                f"at most {float(discrete.gradient.max()):.0e} over random features",
            ),
            Claim(
                "Proposition 5 (AUC*): AUC* = ½ + (√2/2) A, attained at v*.",
                verdict(identity),
                f"largest difference {identity:.0e}, with mid-distribution functions",
            ),
            Claim(
                "Proposition 6: ROC* is a convex curve, that is, a concave function.",
                verdict(bent),
                f"{bent} violations",
            ),
            Claim(
                "Proposition 6: ROC* is the longest of all concave ROC curves.",
                "corrected" if worst_other <= ROUNDING else "not reproduced",
                "it is the longest of all ROC curves, concave or not: length is an f-divergence of "
                "the scores, "
                "which no score can increase and every one-to-one score keeps; other and coarser "
                f"scores exceed L* by at most {max(worst_other, 0):.0e}",
            ),
            Claim(
                "The conjugate of g is −√(1−u²) − √2.",
                "corrected",
                "it is −√(1−u²) + √2 (a sign misprinted); nothing that follows is affected",
            ),
        ],
        numbers={
            **{f"pairs {k}": Number(v, 0) for k, v in counts.items()},
            "largest excess of another score": Number(max(worst_other, 0.0), 1e-9),
            "largest error of the identity": Number(identity, 1e-9),
            "mean arc length": Number(float(discrete.arc_length.mean()), 1e-9),
            "mean TV": Number(float(discrete.tv.mean()), 1e-9),
        },
    )


def draw(table: pd.DataFrame) -> Any:
    fig, axes = panels(1, 3, (13.2, 4.8))
    tv_panel, auc_panel, score_panel = axes[0]
    length = np.linspace(SHORTEST, 2, 400)
    known = table[table.curve_error.isna()]
    discrete = table[table.curve_error.notna()]
    dots = {"s": 5, "color": MUTED, "alpha": 0.5, "linewidths": 0, "rasterized": True}
    for panel, column, (low, high) in (
        (tv_panel, "tv", tv_bounds(length)),
        (auc_panel, "auc", auc_bounds(length)),
    ):
        panel.fill_between(length, low, high, color=GREEN, alpha=0.13, linewidth=0)
        panel.plot(length, low, color=GREEN, label="sharp bounds")
        panel.plot(length, high, color=GREEN)
        panel.scatter(discrete.arc_length, discrete[column], **dots, label="random pairs")
        panel.scatter(
            known.arc_length, known[column], s=34, marker="D", color=SKY, edgecolors=INK,
            linewidths=0.7, zorder=4, label="laws of the suite",
        )  # fmt: skip
        panel.set(xlabel="arc length of ROC*", xlim=(1.40, 2.01))
    paper = liu_tv_bounds(length)
    tv_panel.plot(length, paper.low, color=POSITIVE, linestyle="--", label="the paper's bounds")
    tv_panel.plot(length, paper.high, color=POSITIVE, linestyle="--")
    tv_panel.set(title="Total variation", ylim=(-0.02, 1.02))
    auc_panel.set(title="Maximal AUC", ylim=(0.49, 1.01))
    tv_panel.legend(loc="lower right")
    auc_panel.legend(loc="lower right")
    score_panel.scatter(
        discrete.arc_length, discrete.merged_score, **{**dots, "color": SKY}, label="coarser score"
    )
    score_panel.scatter(
        discrete.arc_length, discrete.other_hull, **{**dots, "color": PINK}, label="hull of another"
    )
    score_panel.plot([SHORTEST, 2], [SHORTEST, 2], color=INK, linewidth=1.2, label="length of ROC*")
    score_panel.set(title="No other score is longer", xlabel="arc length of ROC*")
    score_panel.set(ylabel="arc length under the other score")
    score_panel.set(xlim=(1.40, 2.01), ylim=(1.40, 2.01))
    score_panel.legend(loc="upper left", markerscale=2.5)
    return fig


ITEM = Item(
    name="propositions",
    title="The propositions",
    paper="Propositions 1, 2, 3, 5 and 6 (4 is met in the convergence item).",
    compute=compute,
    judge=judge,
    draw=draw,
)

if __name__ == "__main__":
    ITEM.main()
