"""The sentences of a report on more than two classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report.verdicts import INVALID
from rocstar.report.words import (
    NEGLIGIBLE,
    confidence,
    number,
    plural,
    pvalue,
    rounded_down,
)


def class_verdict(summary: Mapping[str, Any]) -> str:
    """What an audit of more than two classes found, in one to three sentences."""
    invalid = any(seen["severity"] == "invalid" for seen in summary["data"]["warnings"])
    found = _finding(summary)
    return f"{INVALID} {found}" if invalid else found


def _finding(summary: Mapping[str, Any]) -> str:
    best, target = summary["balanced_accuracy"], summary["data"]["target"]
    k = len(summary["data"]["classes"])
    if best["low"] <= 1 / k + NEGLIGIBLE:
        chance = pvalue(summary["test"]["pvalue"])
        return (
            f"No model was shown to beat guessing at the {k} classes of `{target}` ({chance}): the "
            f"best model found has a balanced accuracy of {number(best['value'])}, guessing "
            f"{number(1 / k)}."
        )
    reached = (
        f"Some classifier reaches a balanced accuracy of at least {rounded_down(best['low'])} on "
        f"the {k} classes of `{target}` ({confidence(summary['level'])}); the best model found "
        f"reaches {number(best['value'])}, guessing {number(1 / k)}."
    )
    scores = summary["scores"]
    if not scores:
        return reached
    own = max(scores, key=lambda score: score["balanced_accuracy"])
    return f"{reached} {own['sentence']}"


def samples_verdict(summary: Mapping[str, Any]) -> str:
    """What a comparison of more than two samples found, in one or two sentences."""
    best, k = summary["balanced_accuracy"], len(summary["data"]["classes"])
    if best["low"] <= 1 / k + NEGLIGIBLE:
        chance = pvalue(summary["test"]["pvalue"])
        return (
            f"No difference between the {k} samples was shown ({chance}): the best model found "
            f"names the sample of a row with a balanced accuracy of {number(best['value'])}, "
            f"guessing {number(1 / k)}."
        )
    table = summary["pairwise_auc"]
    labels = table["labels"]
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    i, j = max(pairs, key=lambda pair: float(table["low"][pair[0]][pair[1]]))
    return (
        f"The {k} samples differ: some classifier names the sample of a row with a balanced "
        f"accuracy of at least {rounded_down(best['low'])} ({confidence(summary['level'])}), "
        f"guessing {number(1 / k)}. Of all pairs, `{labels[i]}` and `{labels[j]}` are told apart "
        f"best: AUC found {number(table['value'][i][j])}; at least "
        f"{rounded_down(table['low'][i][j])} ({confidence(summary['level'])})."
    )


def class_score_sentence(score: Mapping[str, Any]) -> str:
    """What a given classifier reaches, and how far below the best it is."""
    by = RULES.get(score["rule"], "")
    has = f"`{score['name']}`{by} has a balanced accuracy of {number(score['balanced_accuracy'])}"
    room = score["headroom"]
    if room["low"] < NEGLIGIBLE:
        return f"{has} and cannot be told apart from the best model found."
    return (
        f"{has} and is at least {rounded_down(room['low'])} below the best achievable "
        f"({confidence(room['level'])})."
    )


RULES = {
    "likeliest": ", by its likeliest class,",
    "likeliest at equal shares": ", by its likeliest class at equal shares of the classes,",
}


def class_gap(scores: list[Mapping[str, Any]]) -> tuple[str, str]:
    """The best given classifier's distance to the best achievable, for a tile: value and note."""
    best = max(scores, key=lambda score: score["balanced_accuracy"])
    has = f"{best['name']} has a balanced accuracy of {number(best['balanced_accuracy'])}"
    low = best["headroom"]["low"]
    if low < NEGLIGIBLE:
        return "none shown", f"{has}; it cannot be told apart from the best model found"
    return f"≥ {rounded_down(low)}", f"{confidence(best['headroom']['level'])}; {has}"


def class_caveats(method: str, noun: str = "class") -> list[str]:
    """What a reader must know of an audit of more than two classes, or samples."""
    told = [
        f"All figures count every {noun} alike, whatever its number of rows: they are those of "
        f"equal shares of the {NOUNS[noun]}.",
        "Each statement holds by itself at the stated confidence: that on arc length, balanced "
        "accuracy and mean pairwise AUC together, that on all pairs together, and that on every "
        f"{noun} against the others together.",
        "Lower bounds speak of the best possible classifier on these columns and of rows like "
        "these; nothing bounds it from above.",
    ]
    if method == "betting":
        told.append("Recalls and confusions are not proven by betting: they are Dirichlet limits.")
    return told


NOUNS = {"class": "classes", "sample": "samples"}


def class_noun(data: Mapping[str, Any]) -> str:
    """What the classes are called: samples, where the table was made of them."""
    return "sample" if data.get("names") else "class"


def smallest_sample(samples: list[Mapping[str, Any]]) -> str:
    """The sample of fewest rows, in words."""
    small = min(samples, key=lambda entry: entry["rows"])
    return f"the smallest is {small['label']} with {plural(small['rows'], 'row')}"
