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
    if summary.get("kind") == "multiclass":
        return class_document(summary)
    if summary.get("kind") == "watch":
        return watch_document(summary)
    data = summary.get("data") or {}
    comparison = summary.get("kind") == "comparison"
    builders = _COMPARISON if comparison else _AUDIT
    sections = (build(summary) for build in builders)
    return Document(
        title=words.visible(summary.get("title") or ("Comparison" if comparison else "Audit")),
        kind="comparison" if comparison else "audit",
        subtitle=_subtitle(summary),
        held_out=method_words.held_out_sentence(summary),
        verdict=str(summary.get("verdict") or ""),
        facts=tuple(facts(summary)),
        warnings=tuple(words.remark(**seen) for seen in data.get("warnings") or ()),
        sections=tuple(section for section in sections if section is not None),
    )


def facts(summary: Summary) -> list[Fact]:
    """The first screen: what a reader in a hurry takes away."""
    if summary.get("kind") == "multiclass":
        return class_facts(summary)
    comparison = summary.get("kind") == "comparison"
    tiles = (_changed, _apart, _differing, _chance) if comparison else (_best, _gap, _rare, _more)
    return [fact for tile in tiles if (fact := tile(summary)) is not None]


def _best(summary: Summary) -> Fact | None:
    return _auc(summary, "Best AUC", "best model found")


def _auc(summary: Summary, label: str, found: str) -> Fact | None:
    area = summary.get("auc")
    if not area:
        return None
    if area.get("low") is None:
        return Fact(label, words.number(area.get("value")), "estimate, not certified")
    note = f"{words.confidence(area.get('level'))}; {found}: {words.number(area.get('value'))}"
    return Fact(label, f"≥ {words.rounded_down(area['low'])}", note)


def _gap(summary: Summary) -> Fact | None:
    scores = summary.get("scores")
    if scores is None:
        return None
    if not scores:
        return Fact("Gap of your score", words.MISSING, "no score was given")
    return Fact("Gap of your score", *score_words.gap(scores))


def _rare(summary: Summary) -> Fact | None:
    data = summary.get("data") or {}
    if not data.get("rows"):
        return None
    positive, _ = sides(summary)
    share = words.percent(data["positives"] / data["rows"], 1)
    return Fact(
        "Positives",
        words.count(data["positives"]),
        f"rows with {positive}: {share} of {words.count(data['rows'])}",
    )


def _more(summary: Summary) -> Fact | None:
    if "more_rows" not in summary:
        return None
    return Fact("Would more rows help?", *verdicts.more_rows(summary["more_rows"]))


def _changed(summary: Summary) -> Fact | None:
    tv = summary.get("tv")
    if not tv or tv.get("low") is None:
        return None
    low = words.percent_down(tv["low"])
    value = words.percent(tv.get("value"), 1)
    note = f"of one sample would have to change ({words.confidence(tv.get('level'))}); estimate "
    return Fact("Difference (TV)", f"≥ {low}", note + value)


def _apart(summary: Summary) -> Fact | None:
    return _auc(summary, "AUC of telling them apart", "model found")


def _differing(summary: Summary) -> Fact | None:
    share = summary.get("share_different")
    if share is None:
        return None
    note = "lie where one sample is at least twice as dense"
    return Fact("Rows that differ", words.percent(share), note)


def _chance(summary: Summary) -> Fact | None:
    test = summary.get("test") or {}
    if test.get("pvalue") is None:
        return None
    return Fact(
        "Could this be chance?",
        words.chance(test["pvalue"], summary.get("level") or 0.95),
        words.pvalue(test["pvalue"]),
    )


def _subtitle(summary: Summary) -> str:
    data = summary.get("data") or {}
    if data.get("rows") is None:
        return ""
    positive, negative = sides(summary)
    if summary.get("kind") == "comparison":
        parts = [
            f"{negative}: {words.plural(data['negatives'], 'row')}",
            f"{positive}: {words.plural(data['positives'], 'row')}",
        ]
    else:
        parts = [words.plural(data["rows"], "row")]
    return " · ".join([*parts, *words.columns_used(data.get("columns") or ())])


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
