"""What an audit or a comparison found, in the sentences that head every report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report.score_words import distance
from rocstar.report.words import (
    NEGLIGIBLE,
    confidence,
    interval,
    listed,
    number,
    percent_down,
    plural,
    pvalue,
    rejected,
    rounded_down,
    rounded_up,
)

# Loss of arc length without a column, from which on a verdict names the column.
_CARRIES = 0.003
# AUC of the model found up to which "no difference was found" is a finding; if it may be higher,
# the rows are too few to tell.
_HARDLY_ANY = 0.6
INVALID = "This result may be invalid: see the warning below."


def audit_verdict(summary: Mapping[str, Any]) -> str:
    """What an audit found, in one to three sentences."""
    invalid = any(seen["severity"] == "invalid" for seen in summary["data"]["warnings"])
    return f"{INVALID} {_finding(summary)}" if invalid else _finding(summary)


def _finding(summary: Mapping[str, Any]) -> str:
    """An audit's verdict if nothing is wrong with its table."""
    area, target = summary["auc"], summary["data"]["target"]
    if area["low"] <= 0.5 + NEGLIGIBLE:
        return _uncertified(
            summary,
            f"No model was shown to beat guessing at `{target}`",
            f"The classes of `{target}` differ",
            "the best model found has",
            "class",
        )
    reached = (
        f"Some classifier reaches an AUC of at least {rounded_down(area['low'])} on these columns "
        f"({confidence(summary['level'])}); the best model found reaches {number(area['value'])}."
    )
    scores = summary["scores"]
    judged = [score for score in scores if not score["suspicious"]]
    if judged:
        best = max(judged, key=lambda score: score["auc"]["value"])
        return f"{reached} `{best['name']}` {distance(best)}."
    return " ".join([reached, *(score["sentence"] for score in scores[:1])])


def comparison_verdict(summary: Mapping[str, Any]) -> str:
    """What a comparison found, in one or two sentences."""
    tv = summary["tv"]["low"]
    if tv <= NEGLIGIBLE:
        return _uncertified(
            summary,
            "No difference between the two samples was found",
            "The two samples differ",
            "the best model found tells them apart with",
            "sample",
        )
    carriers = [c for c in summary["columns_importance"] if c["importance"] > _CARRIES][:2]
    names = listed([f"`{name}`" for column in carriers for name in column["columns"][:2]])
    carried = f" Most of it shows in {names}." if names else ""
    return (
        f"The two samples differ: at least {percent_down(tv)} of one would have to change to look "
        f"like the other ({confidence(summary['level'])}).{carried}"
    )


def _uncertified(summary: Mapping[str, Any], none: str, some: str, model: str, group: str) -> str:
    """A verdict where nothing above guessing is certified: no difference, or too few rows."""
    found, level = summary["found"], summary["level"]
    area, test = found["auc"], summary["test"]
    chance = f" ({pvalue(test['pvalue'])})"
    if rejected(test["pvalue"], level):
        return (
            f"{some}{chance}. How much cannot be bounded away from zero with these rows: {model} "
            f"an AUC of {interval(area)}."
        )
    if area["high"] < _HARDLY_ANY:
        end = rounded_up(max(area["high"], 0.5))
        return f"{none}{chance}: {model} an AUC of at most {end} ({confidence(level)})."
    few = plural(found["fewest"], found["unit"])
    return (
        f"Too few {found['unit']}s to tell{chance}: {model} an AUC of {number(area['value'])}, but "
        f"with {few} in the smaller {group} it may be anything from "
        f"{rounded_down(area['low'])} to {rounded_up(area['high'])} ({confidence(level)})."
    )


def more_rows(outlook: Mapping[str, Any] | None, figure: str = "AUC") -> tuple[str, str]:
    """What twice the rows would bring, for a tile: value and note."""
    if not outlook:
        return "cannot tell", "too few rows for a learning curve"
    low, high = rounded_down(outlook["low"]), rounded_up(outlook["high"])
    sure = confidence(outlook["level"])
    note = f"change of the {figure} with twice the rows: {low} to {high} ({sure})"
    if outlook["verdict"] == "helps":
        unit = " AUC" if figure == "AUC" else ""
        return f"+{number(outlook['gain'])}{unit}", note
    return "hardly" if outlook["verdict"] == "little" else "cannot tell", note


def more_rows_sentence(outlook: Mapping[str, Any], figure: str = "AUC") -> str:
    """What twice the rows would bring, in one sentence."""
    low, high = rounded_down(outlook["low"]), rounded_up(outlook["high"])
    if outlook["verdict"] == "little":
        # Either end of the interval alone is a bound with half of its error.
        most, level = rounded_up(max(outlook["high"], 0.0)), (1 + outlook["level"]) / 2
        return (
            f"More rows would help little: doubling them raises the {figure} by at most {most} "
            f"({confidence(level)})."
        )
    ends = f"{low} to {high}, {confidence(outlook['level'])}"
    if outlook["verdict"] == "helps":
        expected = number(outlook["gain"])
        return f"Doubling the rows is expected to raise the {figure} by about {expected} ({ends})."
    return (
        f"These rows cannot tell whether more would help: the change of the {figure} with twice "
        f"the rows lies between {low} and {high} ({confidence(outlook['level'])})."
    )
