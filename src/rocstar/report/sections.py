"""What the report says, before anyone decides how it looks: facts, sentences and tables.

``document(summary)`` is the one place that turns a summary into prose. The Markdown and HTML
renderers lay the same `Document` out; a section whose data are missing does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rocstar.report import words

Summary = Mapping[str, Any]

READ_OFF = np.round(np.linspace(0, 1, 21), 2)
"""False-positive rates at which the printed table reads the curves; the CSV holds every point."""


@dataclass(frozen=True)
class Table:
    """Text cells under a header; ``names`` are the columns that hold words rather than numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Data:
    """The unrounded numbers behind a figure, as they go into its CSV file."""

    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Fact:
    """One headline number: what it is, the number, and what it rests on."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Section:
    """One heading of the report; ``id`` also names the figure that goes with it, if any."""

    id: str
    title: str
    text: tuple[str, ...]
    table: Table | None = None
    data: Data | None = None
    items: tuple[str, ...] = ()
    folded: bool = False


@dataclass(frozen=True)
class Document:
    """Everything the report says, in reading order."""

    title: str
    kind: str
    subtitle: str
    verdict: str
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...] = field(repr=False)


def document(summary: Summary) -> Document:
    """Facts, sentences and tables of a summary, in reading order.

    Examples
    --------
    >>> document({"kind": "audit", "verdict": "Fine.", "caveats": ["One."]}).sections[0].title
    'Caveats'
    """
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
        note = "sit where one sample is much denser"
        found.insert(1, Fact("Rows that differ", words.percent(share), note))
    test = summary.get("test")
    if test and test.get("pvalue") is not None:
        reading = words.chance(test["pvalue"], summary.get("level") or 0.95)
        found.append(Fact("No difference?", words.pvalue(test["pvalue"]), reading))
    return found


def sides(summary: Summary) -> tuple[str, str]:
    """What the positive and the negative rows are called, for legends and sentences."""
    data = summary.get("data") or {}
    if summary.get("kind") == "comparison":
        first, second = data.get("names") or ("first sample", "second sample")
        return words.visible(second), words.visible(first)
    target, positive = data.get("target"), data.get("positive")
    if target is None or positive is None:
        return "positive", "negative"
    return words.visible(f"{target} = {positive}"), words.visible(f"{target} ≠ {positive}")


def curves(summary: Summary) -> list[tuple[str, str, np.ndarray, np.ndarray]]:
    """ROC curves to draw and to tabulate: (role, label, fpr, tpr), estimate first."""
    roc = (summary.get("figures") or {}).get("roc") or {}
    level = words.percent(summary.get("level"))
    named = [
        ("optimal", "best curve found", roc),
        ("band", f"at least this ({level} confidence)", roc | {"tpr": roc.get("low")}),
        ("hull", "its convex hull", roc.get("hull")),
    ]
    named += [("score", words.visible(s.get("name")), s) for s in roc.get("scores") or ()]
    return [
        (role, label, np.asarray(c["fpr"], float), np.asarray(c["tpr"], float))
        for role, label, c in named
        if c and c.get("fpr") and c.get("tpr")
    ]


def _certified(label: str, estimate: Mapping[str, Any], summary: Summary) -> Fact:
    low = estimate.get("low")
    level = estimate.get("level") or summary.get("level")
    guess = f"estimate {words.number(estimate.get('value'))}"
    if low is None:
        return Fact(label, words.number(estimate.get("value")), "estimate, not certified")
    return Fact(
        label, f"≥ {words.rounded_down(low)}", f"{words.percent(level)} confidence, {guess}"
    )


def _permutations(test: Mapping[str, Any]) -> str:
    n = test.get("n_permutations")
    return f"{words.count(n)} permutations" if n else "permutation test"


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


def _roc(summary: Summary) -> Section | None:
    found = curves(summary)
    if not found:
        return None
    positive, negative = sides(summary)
    text = [
        f"Every cut-off on a score catches some of the rows with `{positive}` (upwards) and raises "
        f"false alarms on some of the others (to the right); the nearer to the upper left "
        "corner, the better."
        if summary.get("kind") != "comparison"
        else f"How well a row can be told to come from `{positive}` rather than `{negative}`. On "
        "the diagonal it cannot be told at all.",
        "The solid line is what the fitted model reaches on rows it had not seen. The line below "
        "it is what those rows certify; the best possible curve, ROC*, can only be higher. The "
        "hull is the curve with its dents bridged, as it looks in this sample.",
    ]
    header = ("false-positive rate", *(label for _, label, _, _ in found))
    rows = tuple(
        (f"{x:.2f}", *(words.number(float(np.interp(x, fpr, tpr))) for _, _, fpr, tpr in found))
        for x in READ_OFF
    )
    points = tuple(
        (label, float(x), float(y))
        for _, label, fpr, tpr in found
        for x, y in zip(fpr, tpr, strict=True)
    )
    title = "The best ROC curve" if summary.get("kind") != "comparison" else "Telling them apart"
    return Section(
        "roc",
        title,
        tuple(text),
        Table(header, rows, names=(0,)),
        Data(("curve", "false_positive_rate", "true_positive_rate"), points),
        folded=True,
    )


def _angles(summary: Summary) -> Section | None:
    angles = (summary.get("figures") or {}).get("angles")
    if not angles or not angles.get("edges"):
        return None
    positive, negative = sides(summary)
    degrees = np.degrees(np.asarray(angles["edges"], float))
    shares = list(zip(angles["positive"], angles["negative"], strict=True))
    bins = list(zip(degrees[:-1], degrees[1:], shares, strict=True))
    return Section(
        "angles",
        "Where the rows fall",
        (
            "Each row gets an angle from what the model learnt on other rows: at 0° it could only "
            f"be `{negative}`, at 45° it is equally at home in both groups, at 90° it could only "
            f"be `{positive}`. The less the two shapes overlap, the better any classifier "
            "can do; a pile near 45° means that these columns do not tell.",
        ),
        Table(
            ("angle", positive, negative),
            tuple(
                (f"{a:.1f}° to {b:.1f}°", words.percent(p, 1), words.percent(q, 1))
                for a, b, (p, q) in bins
            ),
        ),
        Data(
            ("angle_from_degrees", "angle_to_degrees", f"share_{positive}", f"share_{negative}"),
            tuple((float(a), float(b), p, q) for a, b, (p, q) in bins),
        ),
        folded=True,
    )


def _scale(summary: Summary) -> Section | None:
    length = summary.get("arc_length")
    if not length:
        return None
    sharp = summary.get("sharp") or {}
    text = [
        "The arc length of the best ROC curve runs from √2 ≈ 1.414, where the two groups cannot be "
        f"told apart, to 2, where they separate without error. Here it is {words.at_least(length)}."
    ]
    if sharp.get("tv") and sharp.get("auc"):
        (tv_low, tv_high), (auc_low, auc_high) = sharp["tv"], sharp["auc"]
        text.append(
            f"A curve of the estimated length has a total variation between "
            f"{words.rounded_down(tv_low)} and {words.rounded_up(tv_high)} and an AUC between "
            f"{words.rounded_down(auc_low)} and {words.rounded_up(auc_high)}: no narrower range "
            "follows from a length. Both were also measured directly, which says more."
        )
    rows, points = [], []
    for key, label in _MEASURES.items():
        estimate = summary.get(key)
        if not estimate:
            continue
        implied = sharp.get(key) or (None, None)
        low, value = estimate.get("low"), estimate.get("value")
        between = (
            f"{words.rounded_down(implied[0])} to {words.rounded_up(implied[1])}"
            if implied[0] is not None
            else words.MISSING
        )
        rows.append((label, words.rounded_down(low), words.number(value), between))
        points.append((label, low, value, *implied))
    level = words.percent(length.get("level") or summary.get("level"))
    return Section(
        "scale",
        "How different the two groups are",
        tuple(text),
        Table(
            ("measure", f"at least ({level})", "estimate", "range the length implies"), tuple(rows)
        ),
        Data(("measure", "lower_bound", "estimate", "implied_low", "implied_high"), tuple(points)),
    )


def _headroom(summary: Summary) -> Section | None:
    scores = summary.get("scores") or ()
    if not scores:
        return None
    rows = tuple(
        (
            words.visible(s.get("name")),
            words.interval(s.get("auc")),
            words.rounded_down((s.get("headroom") or {}).get("low")),
            words.number((s.get("headroom") or {}).get("value")),
            words.number(s.get("hull_arc_length")),
        )
        for s in scores
    )
    points = tuple(
        (
            s.get("name"),
            *((s.get("auc") or {}).get(k) for k in ("value", "low", "high")),
            *((s.get("headroom") or {}).get(k) for k in ("low", "value")),
            s.get("hull_arc_length"),
        )
        for s in scores
    )
    return Section(
        "headroom",
        "What each score leaves on the table",
        (
            "Room for improvement is the AUC that some classifier reaches on these columns beyond "
            "the given score. Below zero means that the score may already be the best there is.",
        ),
        Table(("score", "AUC", "room, at least", "room, estimate", "arc length of its hull"), rows),
        Data(
            ("score", "auc", "auc_low", "auc_high", "room_low", "room", "hull_arc_length"), points
        ),
        items=tuple(s["sentence"] for s in scores if s.get("sentence")),
    )


def _importance(summary: Summary) -> Section | None:
    columns = summary.get("columns_importance") or ()
    if not columns:
        return None
    return Section(
        "importance",
        "Which columns carry the difference",
        (
            "Importance is how much of the arc length is lost when the column is shuffled, so that "
            "the model has to do without it. The second number compares the samples on that column "
            "alone. A column can be high in one and low in the other: twins share importance, and "
            "some differences show only in combination.",
        ),
        Table(
            ("column", "importance", "divergence alone"),
            tuple(
                (
                    words.visible(c.get("name")),
                    words.number(c.get("importance"), 4),
                    words.number(c.get("divergence"), 4),
                )
                for c in columns
            ),
        ),
        Data(
            ("column", "importance", "divergence"),
            tuple((c.get("name"), c.get("importance"), c.get("divergence")) for c in columns),
        ),
    )


def _learning(summary: Summary) -> Section | None:
    curve = summary.get("learning_curve") or ()
    if not curve:
        return None
    sentence = summary.get("learning_sentence")
    text = [sentence] if sentence else []
    text.append(
        "Each point is a model trained on that many rows and scored on rows it had not seen. Where "
        "the lines are still rising, collecting more rows would pay."
    )
    return Section(
        "learning",
        "Would more rows help?",
        tuple(text),
        Table(
            ("training rows", "arc length", "AUC"),
            tuple(
                (words.count(p["rows"]), words.number(p["arc_length"]), words.number(p.get("auc")))
                for p in curve
            ),
            names=(0,),
        ),
        Data(
            ("training_rows", "arc_length", "auc"),
            tuple((p["rows"], p["arc_length"], p.get("auc")) for p in curve),
        ),
    )


def _members(summary: Summary) -> Section | None:
    members = summary.get("members") or ()
    if not members:
        return None
    return Section(
        "members",
        "The models behind the answer",
        (
            "The answer mixes these models. Weight is the share each one has in the mixture; J is "
            "the arc length it reaches by itself on rows it had not seen (higher is better).",
        ),
        Table(
            ("model", "weight", "J alone"),
            tuple(
                (
                    words.visible(m.get("name")),
                    words.percent(m.get("weight")),
                    words.number(m.get("arc_length")),
                )
                for m in members
            ),
        ),
        Data(
            ("model", "weight", "arc_length"),
            tuple((m.get("name"), m.get("weight"), m.get("arc_length")) for m in members),
        ),
    )


def _columns(summary: Summary) -> Section | None:
    data = summary.get("data") or {}
    columns = data.get("columns") or ()
    if not columns:
        return None
    features = data.get("features")
    text = (
        [f"The {len(columns)} columns became {words.count(features)} numbers a row."]
        if features
        else []
    )
    return Section(
        "columns",
        "Columns and what was done to them",
        tuple(text),
        Table(
            ("column", "type", "treatment", "missing", "distinct", "notes"),
            tuple(_column(c) for c in columns),
            names=(0, 1, 2, 5),
        ),
        Data(
            ("column", "type", "treatment", "missing", "distinct", "notes"),
            tuple(
                (
                    *(c.get(k) for k in ("name", "type", "treatment", "missing", "distinct")),
                    "; ".join(_notes(c)),
                )
                for c in columns
            ),
        ),
    )


def _column(column: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        *(words.visible(column.get(key) or "") for key in ("name", "type", "treatment")),
        words.count(column.get("missing")),
        words.count(column.get("distinct")),
        words.visible("; ".join(_notes(column))),
    )


def _notes(column: Mapping[str, Any]) -> list[str]:
    notes = column.get("notes") or []
    return [notes] if isinstance(notes, str) else list(notes)


def _caveats(summary: Summary) -> Section | None:
    caveats = summary.get("caveats") or ()
    return Section("caveats", "Caveats", (), items=tuple(caveats)) if caveats else None


def _method(summary: Summary) -> Section | None:
    method = summary.get("method") or {}
    if not method:
        return None
    test = summary.get("test") or {}
    told = {
        "model": method.get("model"),
        "held out by": method.get("splits") or method.get("cv"),
        "confidence level": words.percent(summary.get("level")) if summary.get("level") else None,
        "test": f"{_permutations(test)}, statistic {words.number(test.get('statistic'))}, "
        f"{words.pvalue(test.get('pvalue'))}"
        if test.get("pvalue") is not None
        else None,
        "seed": method.get("seed"),
        "versions": ", ".join(f"{k} {v}" for k, v in (method.get("versions") or {}).items()),
        "time": _timing(method.get("seconds") or {}),
    }
    rows = tuple((k, words.visible(v)) for k, v in told.items() if v not in (None, ""))
    return Section("method", "Method", (), Table(("what", "how"), rows, names=(0, 1)))


def _timing(stages: Mapping[str, float]) -> str:
    if not stages:
        return ""
    parts = ", ".join(f"{stage} {words.seconds(s)}" for stage, s in stages.items())
    return f"{words.seconds(sum(stages.values()))} in all: {parts}"


_MEASURES = {
    "arc_length": "arc length",
    "divergence": "ROC divergence",
    "tv": "total variation",
    "auc": "AUC",
    "balanced_accuracy": "balanced accuracy",
}

_Builder = Callable[[Summary], Section | None]
_AUDIT: Sequence[_Builder] = (
    _roc,
    _headroom,
    _scale,
    _angles,
    _learning,
    _members,
    _columns,
    _caveats,
    _method,
)
_COMPARISON: Sequence[_Builder] = (
    _importance,
    _scale,
    _angles,
    _roc,
    _members,
    _columns,
    _caveats,
    _method,
)
