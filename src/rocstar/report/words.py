"""The sentences of a report, and numbers and names as a reader sees them.

This is the one place that words a fact, so that terminal, page, Markdown and JSON say the same.
Lower bounds are rounded down and upper ones up: no sentence promises more than was certified.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rocstar import rounding

MISSING = "–"

MEASURES = {
    "arc_length": "arc length",
    "divergence": "ROC divergence",
    "tv": "total variation",
    "auc": "best AUC",
    "balanced_accuracy": "balanced accuracy",
}

FIGURE_NAMES = {"auc": "AUC", "arc_length": "arc length", "balanced_accuracy": "balanced accuracy"}
"""What is followed over numbers of rows, or lost without a column, in running text."""

_DIGITS = 3
# A bound of the headroom or of a difference below this is not worth a sentence.
_NEGLIGIBLE = 5e-4
# Loss of arc length without a column, from which on a verdict names the column.
_CARRIES = 0.003
# AUC of the model found up to which "no difference was found" is a finding; if it may be higher,
# the rows are too few to tell.
_HARDLY_ANY = 0.6
_FEW_ROWS = 50
_INVALID = "This result may be invalid: see the warning below."
_SEVERITY = {"note": "Note", "warning": "Warning", "invalid": "Invalid result"}
# C0 and C1 controls, and the bidirectional overrides, can rewrite a terminal line or reverse a
# sentence, and a lone surrogate cannot be written as UTF-8; a column name may hold any of them.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_CODE = re.compile(r"`([^`]+)`")


def number(value: float | None, digits: int = _DIGITS) -> str:
    """Fixed-point text, or a dash where there is no number."""
    if value is None or not math.isfinite(value):
        return MISSING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def rounded_down(value: float | None, digits: int = _DIGITS) -> str:
    """Fixed-point text that never exceeds the value: a lower bound must not grow by printing."""
    if value is None or not math.isfinite(value):
        return MISSING
    return number(float(rounding.rounded_down(value, digits)), digits)


def rounded_up(value: float | None, digits: int = _DIGITS) -> str:
    """Fixed-point text that is never below the value."""
    if value is None or not math.isfinite(value):
        return MISSING
    return number(float(rounding.rounded_up(value, digits)), digits)


def count(value: float | None) -> str:
    """Whole number with thousands separated."""
    return MISSING if value is None else f"{int(value):,}"


def percent(value: float | None, digits: int = 0) -> str:
    """Share as a percentage."""
    if value is None or not math.isfinite(value):
        return MISSING
    exact = 100 * value
    if digits == 0 and value >= 0.9 and abs(exact - round(exact)) > 1e-9:
        digits = 1 if abs(10 * exact - round(10 * exact)) < 1e-9 else 2
    return f"{exact:.{digits}f} %"


def percent_down(value: float) -> str:
    """Share as a percentage of at most one decimal that never exceeds it."""
    return f"{float(rounding.rounded_down(100 * value, 1)):g} %"


def pvalue(value: float | None) -> str:
    """p-value with its relation sign."""
    if value is None or not math.isfinite(value):
        return f"p {MISSING}"
    if value < 1e-4:
        return "p < 0.0001"
    digits = 4 if value < 1e-3 else 3
    return f"p = {value:.{digits}f}"


def chance(value: float, level: float) -> str:
    """Answer to "Could this be chance?"."""
    return "No" if _rejected(value, level) else "Yes"


def _rejected(value: float, level: float) -> bool:
    return value <= 1 - level + 1e-12


def seconds(value: float | None) -> str:
    """Duration that a person can compare."""
    if value is None:
        return MISSING
    if value >= 60:
        return f"{int(value // 60)} min {round(value % 60)} s"
    return f"{value:.1f} s" if value >= 1 else f"{value:.2f} s"


def confidence(level: float | None) -> str:
    """The level as every sentence gives it."""
    return f"{100 * level:.6g} % confidence" if level is not None else ""


def plural(n: int, noun: str) -> str:
    """So many of a thing."""
    if n == 1:
        return f"1 {noun}"
    ending = re.sub(r"y$", "ie", noun) + ("es" if noun.endswith("s") else "s")
    return f"{count(n)} {ending}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a sentence lists them."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def at_least(estimate: Mapping[str, Any] | None) -> str:
    """Certified end first, then the estimate, which nobody certifies."""
    if not estimate:
        return MISSING
    guess = f"estimate {number(estimate.get('value'))}"
    low = estimate.get("low")
    if low is None:
        return guess
    sure = confidence(estimate.get("level"))
    return f"at least {rounded_down(low)}{f' ({sure})' if sure else ''}, {guess}"


def interval(estimate: Mapping[str, Any] | None) -> str:
    """Value and both ends, rounded outwards."""
    if not estimate:
        return MISSING
    value, low, high = (estimate.get(key) for key in ("value", "low", "high"))
    if low is None:
        return number(value)
    if high is None:
        return f"{number(value)} (at least {rounded_down(low)})"
    return f"{number(value)} ({rounded_down(low)} to {rounded_up(high)})"


def between(low: float | None, high: float | None, digits: int = _DIGITS) -> str:
    """Both ends of an interval, rounded outwards."""
    if low is None or high is None:
        return MISSING
    return f"{rounded_down(low, digits)} to {rounded_up(high, digits)}"


def visible(text: object) -> str:
    """Text of any origin on one line, with every control character made visible."""

    def picture(match: re.Match[str]) -> str:
        code = ord(match.group())
        return chr(0x2400 + code) if code < 0x20 else "\ufffd"

    return _CONTROL.sub(picture, str(text))


def code_spans(sentence: object) -> list[tuple[bool, str]]:
    """Sentence cut at its backquoted names: pairs of (is a name, text)."""
    pieces = _CODE.split(visible(sentence))
    return [(i % 2 == 1, piece) for i, piece in enumerate(pieces) if piece]


# Verdicts


def audit_verdict(summary: Mapping[str, Any]) -> str:
    """What an audit found, in one to three sentences."""
    invalid = any(seen["severity"] == "invalid" for seen in summary["data"]["warnings"])
    return f"{_INVALID} {_finding(summary)}" if invalid else _finding(summary)


def _finding(summary: Mapping[str, Any]) -> str:
    """An audit's verdict if nothing is wrong with its table."""
    area, target = summary["auc"], summary["data"]["target"]
    if area["low"] <= 0.5 + _NEGLIGIBLE:
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
        return f"{reached} `{best['name']}` {_gap(best)}."
    return " ".join([reached, *(score["sentence"] for score in scores[:1])])


def comparison_verdict(summary: Mapping[str, Any]) -> str:
    """What a comparison found, in one or two sentences."""
    tv = summary["tv"]["low"]
    if tv <= _NEGLIGIBLE:
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
    if _rejected(test["pvalue"], level):
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


# Given scores


def score_sentence(score: Mapping[str, Any], found: float) -> str:
    """What one given score reaches, and how far below the best it is."""
    area = score["auc"]
    has = f"`{score['name']}` has an AUC of {interval(area)}"
    if score["suspicious"]:
        return (
            f"{has}, far above the best model found ({number(found)}): it was probably fitted on "
            "these rows, or it uses information that these columns do not hold. Give scores of "
            "rows that the model has not seen."
        )
    if area["high"] < 0.5:
        return f"{has}: it ranks in reverse, so its sign may have to be changed."
    return f"{has} and {_gap(score)}."


def _gap(score: Mapping[str, Any]) -> str:
    """How far a score is below the best, after its name."""
    room = score["headroom"]
    if room["low"] < _NEGLIGIBLE:
        return "cannot be told apart from the best model found"
    return (
        f"is at least {rounded_down(room['low'])} AUC below the best achievable "
        f"({confidence(room['level'])})"
    )


def gap(scores: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The best given score's distance to the best achievable, for a tile: value and note."""
    judged = [score for score in scores if not score.get("suspicious")]
    best = max(judged or scores, key=lambda score: score["auc"]["value"])
    has = f"{visible(best['name'])} has an AUC of {number(best['auc']['value'])}"
    if not judged:
        return "not judged", f"{has}, far above the best model found"
    room = best["headroom"]
    if room["low"] < _NEGLIGIBLE:
        return "none shown", f"{has}; it cannot be told apart from the best model found"
    value = f"≥ {rounded_down(room['low'])} AUC"
    return value, f"{confidence(room['level'])}; {has}"


def more_rows(outlook: Mapping[str, Any] | None, figure: str = "AUC") -> tuple[str, str]:
    """What twice the rows would bring, for a tile: value and note."""
    if not outlook:
        return "cannot tell", "too few rows for a learning curve"
    low, high = rounded_down(outlook["low"]), rounded_up(outlook["high"])
    sure = confidence(outlook["level"])
    note = f"change of the {figure} with twice the rows: {low} to {high} ({sure})"
    if outlook["verdict"] == "helps":
        return f"+{number(outlook['gain'])}{' AUC' if figure == 'AUC' else ''}", note
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
    interval = f"{low} to {high}, {confidence(outlook['level'])}"
    if outlook["verdict"] == "helps":
        expected = number(outlook["gain"])
        return (
            f"Doubling the rows is expected to raise the {figure} by about {expected} ({interval})."
        )
    return (
        f"These rows cannot tell whether more would help: the change of the {figure} with twice "
        f"the rows lies between {low} and {high} ({confidence(outlook['level'])})."
    )


def columns_used(columns: Sequence[Mapping[str, Any]]) -> list[str]:
    """How many columns went into the model, and how many did not; nothing if there are none."""
    if not columns:
        return []
    aside = sum(not column.get("used", True) for column in columns)
    used = plural(len(columns) - aside, "column")
    return [f"{used} used, {count(aside)} set aside" if aside else f"{used} used"]


# How, and with what reservations


def remark(severity: str, text: str) -> str:
    """A remark on the data, with its severity."""
    return f"{_SEVERITY.get(severity, severity)}: {text}"


def splits_phrase(
    n_splits: int,
    *,
    time: bool,
    groups: bool,
    given: bool,
    repeats: int = 1,
    in_turn: bool = False,
) -> str:
    """How rows were held out; ``given`` if the caller's own splitter decided."""
    if time:
        if n_splits == 1:
            return "later half held out; model fitted to the earlier half"
        return f"{n_splits} periods, each held out from a model of all earlier rows"
    kept = "; groups kept together" if groups else ""
    if given:
        if n_splits == 1:
            return f"one part held out by `cv`{kept}"
        return f"{n_splits} splits given by `cv`{kept}"
    if n_splits == 1:
        return f"one half held out{kept}"
    if in_turn:
        return f"{n_splits} parts, each judged by a model of all earlier rows{kept}"
    times = f" repeated {repeats} times" if repeats > 1 else ""
    kept = kept or "; stratified by class"
    return f"{n_splits // repeats} folds{times}{kept}"


def held_out_sentence(summary: Mapping[str, Any]) -> str:
    """How rows were held out, and what groups, time and weights did; nothing if it is unknown."""
    data, splits = summary.get("data") or {}, (summary.get("method") or {}).get("splits")
    said = [f"Held out: {splits}."] if splits else []
    if "weighted" not in data:
        return " ".join(said)
    used = {
        "groups": f"{count(data.get('groups'))} groups of rows, each kept on one side and counted "
        "as one observation.",
        "time": "Every row was judged by a model of strictly older rows.",
        "weights": "Each row is weighted by the share of the population it stands for.",
    }
    given = {
        "groups": data.get("groups") is not None,
        "time": data.get("ordered"),
        "weights": data["weighted"],
    }
    said += [sentence for what, sentence in used.items() if given[what]]
    absent = [what for what in used if not given[what]]
    if absent:
        said.append(f"No {listed(absent, 'or')} given.")
    return " ".join(said)


GUARANTEES = {
    "theorem": "proven for every law, every learner and every number of rows",
    "conjecture": "one held-out part; tested by simulation, not proven",
    "asymptotic": "several folds; for large samples",
}
"""What lower bounds may rest on."""


def guarantee_phrase(guarantee: str | None) -> str | None:
    """What lower bounds rest on, and what that means."""
    return f"{guarantee} ({GUARANTEES[guarantee]})" if guarantee in GUARANTEES else guarantee


def guarantee_sentence(guarantee: str, *, grouped: bool = False) -> str:
    """What the reader of lower bounds has, in one or two plain sentences."""
    curve = (
        " With groups, the certified ROC curve and what is read off it (precision, net benefit, "
        "cost) hold for large samples."
    )
    return {
        "theorem": "The lower bounds are proven for every law, every learner and every number of "
        f"rows.{curve if grouped else ''}",
        "conjecture": "The lower bounds come from one held-out part: their level was tested by "
        'simulation and is not proven; `method="betting"` gives proven ones.',
        "asymptotic": "The lower bounds come from several folds: they hold for large samples; "
        '`method="betting"` gives bounds that are proven for every number of rows.',
    }[guarantee]


def caveats(
    data: Mapping[str, Any],
    guarantee: str,
    *,
    scores: bool = False,
    weighted: bool = False,
    comparison: bool = False,
) -> list[str]:
    """What a reader must know before relying on the numbers."""
    group = "sample" if comparison else "class"
    found = [
        "Lower bounds are certified on rows that the model had not seen. The other numbers are "
        "not: the best model found is not a ceiling, and no sample can rule out a better one.",
        "All of this holds for rows like these: independent draws from the same source, with "
        "columns available at prediction time.",
    ]
    found.append(guarantee_sentence(guarantee, grouped=data.get("groups") is not None))
    if guarantee == "theorem":
        found.append(
            "Column types, encodings and components of text were found in all rows without their "
            "labels; the proof takes them as given."
        )
    fewest = min(data["positives"], data["negatives"])
    if fewest < _FEW_ROWS:
        found.append(f"The smaller {group} has {plural(fewest, 'row')}, so the bounds are wide.")
    if scores:
        found.append(
            "A score that was fitted on these rows looks better than it is, and its headroom "
            "smaller: give scores of rows that the model has not seen."
        )
    if any("leak" in column["flags"] for column in data["columns"]) and not comparison:
        found.append("A column that leaks the target makes every number here too good.")
    if weighted:
        found.append(
            "Rows are weighted: each stands for its share of the population, and for one "
            "observation in the bounds."
        )
    if comparison:
        found.append(
            "The share of rows where the samples differ counts rows at which one sample is "
            "estimated to be at least twice as dense as the other."
        )
    return found
