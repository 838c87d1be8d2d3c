"""Plain sentences about the numbers of a summary: verdicts, scores, learning curves, caveats.

Lower bounds are rounded down, so that a sentence never promises more than was certified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

from rocstar.rounding import rounded_down, rounded_up

FEW_ROWS = 50
# Headroom and gains below this are not worth a sentence that says "certainly better".
NEGLIGIBLE = 5e-4
# Gain of arc length by the last doubling of the rows.
HELPS, HELPS_A_LITTLE = 0.01, 0.003


def confidence(level: float) -> str:
    """The level in per cent.

    Examples
    --------
    >>> confidence(0.95), confidence(0.999)
    ('95 % confidence', '99.9 % confidence')
    """
    return f"{100 * level:.6g} % confidence"


def audit_verdict(summary: Mapping[str, Any]) -> str:
    """What an audit found, in one or two sentences.

    Examples
    --------
    >>> auc = {"value": 0.7612, "low": 0.7421}
    >>> summary = {"level": 0.95, "auc": auc, "test": {"pvalue": 0.001}, "scores": []}
    >>> audit_verdict({**summary, "data": {"target": "churned"}})
    'Some classifier reaches an AUC of at least 0.742 on these columns (95 % confidence; estimate
    0.761).'
    """
    area, target = summary["auc"], summary["data"]["target"]
    if not different(summary) and area["low"] <= 0.5 + NEGLIGIBLE:
        return (
            f"No difference between the classes of `{target}` was found: nothing here is certain "
            "to do better than guessing."
        )
    reached = (
        f"Some classifier reaches an AUC of at least {rounded_down(area['low'])} on these columns "
        f"({confidence(summary['level'])}; estimate {area['value']:.3f})"
    )
    if not summary["scores"]:
        return f"{reached}."
    best = max(summary["scores"], key=lambda score: score["auc"]["value"])
    room = best["headroom"]
    if room["low"] < NEGLIGIBLE:
        return (
            f"{reached}; `{best['name']}`, with {best['auc']['value']:.3f}, is not certainly worse "
            "than the best that was found."
        )
    left = rounded_down(room["low"])
    return f"{reached}, and `{best['name']}` leaves at least {left} of it on the table."


def comparison_verdict(summary: Mapping[str, Any]) -> str:
    """What a comparison found, in one sentence.

    Examples
    --------
    >>> summary = {"level": 0.95, "test": {"pvalue": 0.4}, "tv": {"value": 0.02, "low": 0.0}}
    >>> comparison_verdict({**summary, "columns_importance": []})
    'No difference between the two samples was found (p = 0.400).'
    """
    chance = f"p = {summary['test']['pvalue']:.3f}"
    if not different(summary) and summary["tv"]["low"] <= NEGLIGIBLE:
        return f"No difference between the two samples was found ({chance})."
    moved = floor(1000 * summary["tv"]["low"]) / 10
    carriers = [c for c in summary["columns_importance"] if c["importance"] > HELPS_A_LITTLE][:2]
    names = " and ".join(f"`{column['name']}`" for column in carriers)
    carried = f"; {names} carr{'ies' if len(carriers) == 1 else 'y'} most of it" if names else ""
    return (
        f"The two samples differ ({chance}): at least {moved:g} % of one would have to change to "
        f"look like the other ({confidence(summary['level'])}){carried}."
    )


def different(summary: Mapping[str, Any]) -> bool:
    """Whether the test of no difference rejects at the summary's level."""
    return bool(summary["test"]["pvalue"] <= 1 - summary["level"] + 1e-12)


def score_sentence(name: str, area: Mapping[str, Any], room: Mapping[str, Any]) -> str:
    """What one given score reaches and leaves.

    Examples
    --------
    >>> area, room = {"value": 0.7, "low": 0.69, "high": 0.71}, {"value": 0.05, "low": 0.02}
    >>> score_sentence("old", area, room)
    '`old` has AUC 0.700 (0.690 to 0.710) and leaves at least 0.020 AUC on the table (estimate
    0.050).'
    """
    has = (
        f"`{name}` has AUC {area['value']:.3f} "
        f"({rounded_down(area['low'])} to {rounded_up(area['high'])})"
    )
    if area["high"] < 0.5:
        return f"{has}: it ranks the wrong way round, so its sign may be reversed."
    if room["low"] < NEGLIGIBLE:
        return f"{has}; no classifier that was found is certainly better."
    return (
        f"{has} and leaves at least {rounded_down(room['low'])} AUC on the table "
        f"(estimate {room['value']:.3f})."
    )


def learning_sentence(curve: Sequence[Mapping[str, float]]) -> str:
    """Would more rows help?

    Examples
    --------
    >>> learning_sentence([{"rows": 50, "arc_length": 1.5}, {"rows": 100, "arc_length": 1.52}])
    'The last doubling of the rows added 0.020 to the held-out arc length: more rows would help.'
    """
    if len(curve) < 2:
        return ""
    gain = curve[-1]["arc_length"] - curve[-2]["arc_length"]
    if gain <= 0:
        return (
            "The last doubling of the rows added nothing to the held-out arc length: "
            "more rows would hardly help."
        )
    outlook = "hardly help"
    if gain >= HELPS_A_LITTLE:
        outlook = "help" if gain >= HELPS else "help a little"
    return (
        f"The last doubling of the rows added {gain:.3f} to the held-out arc length: "
        f"more rows would {outlook}."
    )


def splits_phrase(n_splits: int, *, time: bool, groups: bool, given: bool, repeats: int = 1) -> str:
    """How rows were held out; ``given`` if the caller's own splitter decided.

    Examples
    --------
    >>> splits_phrase(5, time=False, groups=False, given=False)
    '5 folds, classes kept in proportion'
    """
    if time:
        if n_splits == 1:
            return "the later half, judged by a model of the earlier one"
        return f"{n_splits} stretches of time, each judged by a model of all that is older"
    kept = "; groups kept together" if groups else ""
    if given:
        if n_splits == 1:
            return f"one part given by `cv`, judged by a model of the other{kept}"
        return f"{n_splits} splits given by `cv`{kept}"
    if n_splits == 1:
        return f"one half, judged by a model of the other{kept}"
    folds = f"{n_splits // repeats} folds" + (f", repeated {repeats} times" if repeats > 1 else "")
    return f"{folds}, {'groups kept together' if groups else 'classes kept in proportion'}"


def caveats(
    data: Mapping[str, Any],
    n_splits: int,
    *,
    scores: bool = False,
    weighted: bool = False,
    comparison: bool = False,
) -> list[str]:
    """What a reader must know before relying on the numbers.

    Examples
    --------
    >>> caveats({"positives": 12, "negatives": 90, "columns": []}, 1)[2]
    'The smaller class has 12 rows, so the bounds are wide.'
    """
    told = [
        "Lower ends are certified on rows that the model had not seen. Estimates and upper ends "
        "are not certified: no sample can rule out a better classifier than the one found.",
        "All of this is about rows like these: independent draws from the same source, with "
        "columns that will be known in time.",
    ]
    if n_splits > 1:
        told.append(
            "Bounds from several folds hold for large samples; a single held-out half "
            '(`cv="holdout"`) makes them strict and wider.'
        )
    fewest = min(data["positives"], data["negatives"])
    if fewest < FEW_ROWS:
        rows = "1 row" if fewest == 1 else f"{fewest} rows"
        told.append(f"The smaller class has {rows}, so the bounds are wide.")
    if scores:
        told.append(
            "A score that was fitted on these rows looks better than it is, and the room above it "
            "smaller: give scores of rows the model has not seen."
        )
    if any("leak" in column["flags"] for column in data["columns"]) and not comparison:
        told.append("A column that leaks the answer makes every number here too good.")
    if weighted:
        told.append(
            "Rows are weighted: each stands for its share of the population, and for one "
            "observation in the bounds."
        )
    if comparison:
        told.append(
            "The share of rows where the samples differ counts rows at which one sample is "
            "estimated to be at least twice as dense as the other."
        )
    return told
