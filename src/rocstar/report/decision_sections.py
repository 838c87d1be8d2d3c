"""Sections at the reader's prevalence: operating points, precision by recall, net benefit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocstar.report import words
from rocstar.report.decision_words import CERTIFIED, FOUND, money, prevalence
from rocstar.report.parts import Data, Section, Summary, Table

KEYS = ("fpr", "recall", "precision", "lift", "net_benefit", "cost")


def operating_points(summary: Summary) -> Section | None:
    """What the best rule and each score reach at the prevalence, as sentences and a table."""
    decision = summary["decision"]
    if not decision:
        return None
    share = prevalence(decision["prevalence"])
    source = "" if decision["given"] else ", the share in this table"
    text = [
        f"All numbers here are for a prevalence of {share}{source}. Rates of false alarms and "
        "recall do not depend on the prevalence; precision, lift, net benefit and cost do. "
        f"“Certified” is what some rule reaches ({words.confidence(decision['level'])}, for all "
        "rows of the table together); the other rows are held-out estimates.",
    ]
    places = _places(decision)
    if any(p["at"] == "as given" for p in decision["points"]):
        text.append(
            f"“{places['as given']}” reads a score as a probability and acts from there on."
        )
    costs = decision["cost_fn"] is not None
    header = ["operating point", "rule", "false alarms", "recall", "precision", "lift"]
    header += ["cost per 1,000"] if costs else []
    rows = tuple(_row(p, places, costs) for p in decision["points"])
    return Section(
        "prevalence",
        "At your prevalence",
        tuple(text),
        Table(tuple(header), rows, names=(0, 1)),
        Data(
            ("operating_point", "of", *KEYS),
            tuple(
                (places.get(p["at"], p["at"]), p["name"], *(p[k] for k in KEYS))
                for p in decision["points"]
            ),
        ),
        items=tuple(decision["sentences"]),
    )


def _places(decision: Mapping[str, Any]) -> dict[str, str]:
    """What the operating points are called that depend on costs or a threshold."""
    best = "highest net benefit" if decision["cost_fn"] is None else "lowest cost"
    cut = decision["threshold"]
    return {"best": best, "as given": f"score ≥ {words.number(cut)}"}


def _row(point: Mapping[str, Any], places: Mapping[str, str], costs: bool) -> tuple[str, ...]:
    certified = point["name"] == CERTIFIED
    low, up = (words.rounded_down, certified) if certified else (words.number, False)
    cells = (
        words.visible(places.get(point["at"], point["at"])),
        label(point["name"]),
        words.percent(point["fpr"], 1),
        low(point["recall"]),
        low(point["precision"]),
        low(point["lift"], 1),
    )
    return (*cells, money(point["cost"], up=up)) if costs else cells


def label(name: str) -> str:
    """What a curve of a decision is called."""
    names = {CERTIFIED: "certified", FOUND: "best model found"}
    return names.get(name, words.visible(name))


def precision_recall(summary: Summary) -> Section | None:
    """Precision by recall at the prevalence."""
    decision = summary["decision"]
    if not decision:
        return None
    curve = decision["precision_recall"]
    return _curve_section(
        "precision-recall",
        "Precision and recall",
        (
            "Precision is the share of positives among the cases called positive; recall is the "
            "share of positives that are called. The shaded area is certified: some rule reaches "
            "at least this precision at each recall, all at once. A score that knows nothing has a "
            f"precision of {prevalence(decision['prevalence'])}.",
        ),
        ("recall", curve["recall"]),
        [("certified", curve["low"]), ("best model found", curve["found"])]
        + [(words.visible(s["name"]), s["precision"]) for s in curve["scores"]],
        every=5,
    )


def net_benefit(summary: Summary) -> Section | None:
    """Net benefit by threshold, with treating all and none beside it."""
    decision = summary["decision"]
    if not decision:
        return None
    curve = decision["curve"]
    as_given = [f"`{s['name']}`" for s in curve["scores"] if s["as_given"]]
    text = [
        "Net benefit counts true positives minus false positives, the latter weighted by the odds "
        "of the threshold: it is what acting on a score is worth at that threshold, in true "
        "positives per case. Acting on all cases and on none are shown beside it."
    ]
    if as_given:
        text.append(
            f"{words.listed(as_given)}: read as a probability and cut at each threshold as given, "
            "without regard to the prevalence. The other curves are at their best thresholds."
        )
    return _curve_section(
        "decision",
        "Net benefit (decision curve)",
        tuple(text),
        ("threshold", curve["threshold"]),
        [("certified", curve["low"]), ("best model found", curve["found"])]
        + [(words.visible(s["name"]), s["net_benefit"]) for s in curve["scores"]]
        + [("act on all", curve["all"])],
        every=8,
        digits=4,
    )


def _curve_section(
    id: str,
    title: str,
    text: tuple[str, ...],
    x: tuple[str, list[float]],
    series: list[tuple[str, list[float]]],
    *,
    every: int,
    digits: int = 3,
) -> Section:
    """A chart whose folded table reads the curves at some places, and whose CSV file at all."""
    name, places = x
    shown = range(every - 1, len(places), every)
    rows = tuple(
        (
            f"{places[i]:.3g}",
            *(
                (words.rounded_down if label == "certified" else words.number)(values[i], digits)
                for label, values in series
            ),
        )
        for i in shown
    )
    return Section(
        id,
        title,
        text,
        Table((name, *(label for label, _ in series)), rows),
        Data(
            (name, *(label for label, _ in series)),
            tuple(zip(places, *(values for _, values in series), strict=True)),
        ),
        folded=True,
    )
