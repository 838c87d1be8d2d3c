"""Sections on given scores: where they lose, against each other, and as probabilities."""

from __future__ import annotations

from rocstar.report import words
from rocstar.report.parts import Data, Section, Summary, Table


def segments(summary: Summary) -> Section | None:
    """Parts of the table in which a score loses."""
    found = summary["segments"]
    if not found:
        return None
    level = words.percent(summary["level"])
    return Section(
        "segments",
        "Where your score loses",
        (
            "A shallow tree looked, on one half of the held-out rows, for segments in which the "
            "best model found does better than the score. The numbers are those of the other half. "
            "Shares of the loss are shares of the arc length that is lost: AUCs of segments do not "
            f"add up. The bounds of the headroom hold for all segments together ({level}).",
        ),
        Table(
            ("segment", "score", "rows", "loss", "headroom, at least", "estimate"),
            tuple(
                (
                    words.visible(s["segment"]).replace("`", ""),
                    words.visible(s["score"]),
                    words.percent(s["rows"]),
                    words.percent(s["loss"]),
                    words.rounded_down(s["headroom"]["low"]),
                    words.number(s["headroom"]["value"]),
                )
                for s in found
            ),
            names=(0, 1),
        ),
        Data(
            ("segment", "score", "share_of_rows", "share_of_loss", "headroom_low", "headroom"),
            tuple(
                (
                    s["segment"].replace("`", ""),
                    s["score"],
                    s["rows"],
                    s["loss"],
                    s["headroom"]["low"],
                    s["headroom"]["value"],
                )
                for s in found
            ),
        ),
        items=tuple(s["sentence"] for s in found if s["headroom"]["low"] > 0),
    )


def gains(summary: Summary) -> Section | None:
    """Scores against each other, on the same rows."""
    found = summary["gains"]
    if not found:
        return None
    level = words.percent(summary["level"])
    return Section(
        "gains",
        "Score against score",
        (
            "Each difference of two AUCs is judged on the same held-out rows, so that what the "
            f"scores have in common cancels. Intervals are for each pair alone ({level}).",
        ),
        Table(
            ("better", "other", "difference of AUC", f"{level} interval"),
            tuple(
                (
                    words.visible(g["name"]),
                    words.visible(g["other"]),
                    words.number(g["gain"]["value"]),
                    words.between(g["gain"]["low"], g["gain"]["high"]),
                )
                for g in found
            ),
            names=(0, 1),
        ),
        Data(
            ("better", "other", "gain", "low", "high"),
            tuple(
                (g["name"], g["other"], *(g["gain"][k] for k in ("value", "low", "high")))
                for g in found
            ),
        ),
    )


def calibration(summary: Summary) -> Section | None:
    """What was said and what happened, of each score that is a probability."""
    found = summary["calibration"]
    if not found:
        return None
    level = words.percent(summary["level"])
    keys = ("rows", "predicted", "observed", "low", "high")
    return Section(
        "calibration",
        "Calibration of probabilities",
        (
            "Scores within 0 and 1 are read as probabilities. Each point is a tenth of the "
            "held-out rows: on the diagonal, positives are as frequent as was said. The best "
            "recalibration (isotonic regression, learnt on other rows) changes no ranks; its gain "
            "is in the Brier score, the mean squared error. All of this is at the prevalence of "
            "this table.",
        ),
        Table(
            ("score", "rows", "predicted", "observed", f"{level} interval"),
            tuple(
                (
                    words.visible(c["name"]),
                    words.count(b["rows"]),
                    words.number(b["predicted"]),
                    words.number(b["observed"]),
                    words.between(b["low"], b["high"]),
                )
                for c in found
                for b in c["bins"]
            ),
        ),
        Data(
            ("score", *keys),
            tuple((c["name"], *(b[k] for k in keys)) for c in found for b in c["bins"]),
        ),
        items=tuple(c["sentence"] for c in found),
        folded=True,
    )
