"""What the report says, before anyone decides how it looks: facts, sentences and tables.

``document(summary)`` is the one place that turns a summary into prose. The Markdown and HTML
renderers lay the same `Document` out; a section whose data are missing does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rocstar.report import findings, provenance, words
from rocstar.report.parts import Document, Fact, Section, Summary, sides


def document(summary: Summary) -> Document:
    """Facts, sentences and tables of a summary, in reading order."""
    data = summary.get("data") or {}
    comparison = summary.get("kind") == "comparison"
    builders = _COMPARISON if comparison else _AUDIT
    sections = (build(summary) for build in builders)
    return Document(
        title=words.visible(summary.get("title") or ("Comparison" if comparison else "Audit")),
        kind="comparison" if comparison else "audit",
        subtitle=_subtitle(summary),
        verdict=str(summary.get("verdict") or ""),
        facts=tuple(facts(summary)),
        warnings=tuple(data.get("warnings") or ()),
        sections=tuple(section for section in sections if section is not None),
    )


def facts(summary: Summary) -> list[Fact]:
    """Headline numbers: certified end large, estimate beside it."""
    measures = {
        "auc": "Maximal AUC",
        "tv": "Total variation",
        "divergence": "ROC divergence",
        "arc_length": "Arc length of ROC*",
    }
    comparison = summary.get("kind") == "comparison"
    chosen = ("tv", "divergence") if comparison else ("auc", "tv", "arc_length")
    found = [_certified(measures[key], summary[key], summary) for key in chosen if summary.get(key)]
    share = summary.get("share_different")
    if share is not None:
        note = "sit where one sample is twice as dense or more"
        found.insert(1, Fact("Rows that differ", words.percent(share), note))
    test = summary.get("test")
    if test and test.get("pvalue") is not None:
        reading = words.chance(test["pvalue"], summary.get("level") or 0.95)
        found.append(Fact("No difference?", words.pvalue(test["pvalue"]), reading))
    return found


def _certified(label: str, estimate: Mapping[str, Any], summary: Summary) -> Fact:
    low = estimate.get("low")
    level = estimate.get("level") or summary.get("level")
    guess = f"estimate {words.number(estimate.get('value'))}"
    if low is None:
        return Fact(label, words.number(estimate.get("value")), "estimate, not certified")
    return Fact(
        label, f"≥ {words.rounded_down(low)}", f"{words.percent(level)} confidence, {guess}"
    )


def _subtitle(summary: Summary) -> str:
    data = summary.get("data") or {}
    if data.get("rows") is None:
        return ""
    positive, negative = sides(summary)
    n_pos, n_neg = words.count(data.get("positives")), words.count(data.get("negatives"))
    if summary.get("kind") == "comparison":
        parts = [f"{negative}: {n_neg} rows", f"{positive}: {n_pos} rows"]
    else:
        parts = [
            f"{words.count(data['rows'])} rows",
            f"{n_pos} with {positive}",
            f"{n_neg} without",
        ]
    n_columns = len(data.get("columns") or ())
    return " · ".join([*parts, f"{n_columns} columns"] if n_columns else parts)


_Builder = Callable[[Summary], Section | None]
_AUDIT: Sequence[_Builder] = (
    findings.roc,
    findings.headroom,
    findings.scale,
    findings.angles,
    findings.learning,
    provenance.members,
    provenance.columns,
    provenance.caveats,
    provenance.method,
)
_COMPARISON: Sequence[_Builder] = (
    findings.importance,
    findings.scale,
    findings.angles,
    findings.roc,
    provenance.members,
    provenance.columns,
    provenance.caveats,
    provenance.method,
)
