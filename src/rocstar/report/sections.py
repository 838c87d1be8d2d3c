"""What the report says, before anyone decides how it looks: facts, sentences and tables.

``document(summary)`` is the one place that turns a summary into prose. The Markdown and HTML
renderers lay the same `Document` out; a section whose data are missing does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rocstar.report import (
    column_sections,
    decision_sections,
    findings,
    method_words,
    provenance,
    score_sections,
    score_words,
    verdicts,
    words,
)
from rocstar.report.class_sections import class_document, class_facts
from rocstar.report.parts import Document, Fact, Section, Summary, sides
from rocstar.report.watch_sections import watch_document


def document(summary: Summary) -> Document:
    """Facts, sentences and tables of a summary, in reading order."""
    kind = summary["kind"]
    if kind == "multiclass":
        return class_document(summary)
    if kind == "watch":
        return watch_document(summary)
    builders = _COMPARISON if kind == "comparison" else _AUDIT
    sections = (build(summary) for build in builders)
    return Document(
        title=words.visible(summary["title"]),
        kind=kind,
        subtitle=_subtitle(summary),
        held_out=method_words.held_out_sentence(summary),
        verdict=summary["verdict"],
        facts=tuple(facts(summary)),
        warnings=tuple(words.remark(**seen) for seen in summary["data"]["warnings"]),
        sections=tuple(section for section in sections if section is not None),
    )


def facts(summary: Summary) -> list[Fact]:
    """The first screen: what a reader in a hurry takes away."""
    if summary["kind"] == "multiclass":
        return class_facts(summary)
    if summary["kind"] == "comparison":
        apart = _auc(summary, "AUC of telling them apart", "model found")
        return [_changed(summary), apart, _differing(summary), _chance(summary)]
    best = _auc(summary, "Best AUC", "best model found")
    more = Fact("Would more rows help?", *verdicts.more_rows(summary["more_rows"]))
    return [best, _gap(summary), _rare(summary), more]


def _auc(summary: Summary, label: str, found: str) -> Fact:
    area = summary["auc"]
    note = f"{words.confidence(area['level'])}; {found}: {words.number(area['value'])}"
    return Fact(label, f"≥ {words.rounded_down(area['low'])}", note)


def _gap(summary: Summary) -> Fact:
    scores = summary["scores"]
    if not scores:
        return Fact("Gap of your score", words.MISSING, "no score was given")
    return Fact("Gap of your score", *score_words.gap(scores))


def _rare(summary: Summary) -> Fact:
    data, (positive, _) = summary["data"], sides(summary)
    share = words.percent(data["positives"] / data["rows"], 1)
    return Fact(
        "Positives",
        words.count(data["positives"]),
        f"rows with {positive}: {share} of {words.count(data['rows'])}",
    )


def _changed(summary: Summary) -> Fact:
    tv = summary["tv"]
    sure, value = words.confidence(tv["level"]), words.percent(tv["value"], 1)
    note = f"of one sample would have to change ({sure}); estimate {value}"
    return Fact("Difference (TV)", f"≥ {words.percent_down(tv['low'])}", note)


def _differing(summary: Summary) -> Fact:
    note = "lie where one sample is at least twice as dense"
    return Fact("Rows that differ", words.percent(summary["share_different"]), note)


def _chance(summary: Summary) -> Fact:
    chance = summary["test"]["pvalue"]
    answer = words.chance(chance, summary["level"])
    return Fact("Could this be chance?", answer, words.pvalue(chance))


def _subtitle(summary: Summary) -> str:
    data, (positive, negative) = summary["data"], sides(summary)
    if summary["kind"] == "comparison":
        parts = [
            f"{negative}: {words.plural(data['negatives'], 'row')}",
            f"{positive}: {words.plural(data['positives'], 'row')}",
        ]
    else:
        parts = [words.plural(data["rows"], "row")]
    return " · ".join([*parts, *words.columns_used(data["columns"])])


_Builder = Callable[[Summary], Section | None]
_AUDIT: Sequence[_Builder] = (
    findings.roc,
    findings.headroom,
    score_sections.gains,
    score_sections.segments,
    decision_sections.operating_points,
    decision_sections.precision_recall,
    decision_sections.net_benefit,
    score_sections.calibration,
    column_sections.importance,
    findings.scale,
    findings.angles,
    findings.learning,
    provenance.members,
    provenance.columns,
    provenance.caveats,
    provenance.method,
)
_COMPARISON: Sequence[_Builder] = (
    column_sections.importance,
    column_sections.changes,
    findings.scale,
    findings.angles,
    findings.roc,
    provenance.members,
    provenance.columns,
    provenance.caveats,
    provenance.method,
)
