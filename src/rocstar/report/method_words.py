"""How the numbers of a report came about, and what a reader may rely on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report import words

_FEW_ROWS = 50


def splits_phrase(
    n_splits: int,
    *,
    time: bool,
    groups: bool,
    given: bool,
    repeats: int = 1,
    in_turn: bool = False,
    noun: str = "class",
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
    kept = kept or f"; stratified by {noun}"
    return f"{n_splits // repeats} folds{times}{kept}"


def held_out_sentence(summary: Mapping[str, Any]) -> str:
    """How rows were held out, and what groups, time and weights did."""
    data, said = summary["data"], [f"Held out: {summary['method']['splits']}."]
    used = {
        "groups": f"{words.count(data.get('groups'))} groups of rows, each kept on one side and "
        "counted as one observation.",
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
        said.append(f"No {words.listed(absent, 'or')} given.")
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


def guarantee_hint(guarantee: str, *, provable: bool) -> str:
    """What else there is for bounds of several folds, where betting takes the same rows."""
    asymptotic = guarantee == "asymptotic" and provable
    return "; method='betting' gives a theorem" if asymptotic else ""


def guarantee_sentence(guarantee: str, *, grouped: bool = False, provable: bool = True) -> str:
    """What the reader of lower bounds has, in one or two plain sentences."""
    curve = (
        " With groups, the certified ROC curve and what is read off it (precision, net benefit, "
        "cost) hold for large samples."
    )
    return {
        "theorem": "The lower bounds are proven for every law, every learner and every number of "
        f"rows.{curve if grouped else ''}",
        "conjecture": "The lower bounds come from one held-out part: their level was tested by "
        "simulation and is not proven"
        + ('; `method="betting"` gives proven ones.' if provable else "."),
        "asymptotic": "The lower bounds come from several folds: they hold for large samples"
        + (
            '; `method="betting"` gives bounds that are proven for every number of rows.'
            if provable
            else "."
        ),
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
    grouped = data.get("groups") is not None
    found.append(guarantee_sentence(guarantee, grouped=grouped, provable=not weighted))
    if guarantee == "theorem":
        found.append(
            "Column types, encodings and components of text were found in all rows without their "
            "labels; the proof takes them as given."
        )
    fewest = min(data["positives"], data["negatives"])
    if fewest < _FEW_ROWS:
        found.append(
            f"The smaller {group} has {words.plural(fewest, 'row')}, so the bounds are wide."
        )
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
