"""What a report on more than two classes says: tiles, sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rocstar.report import (
    class_words,
    column_sections,
    findings,
    method_words,
    provenance,
    verdicts,
    words,
)
from rocstar.report.parts import Data, Document, Fact, Section, Summary, Table


def class_document(summary: Summary) -> Document:
    """Facts, sentences and tables of a summary, in reading order."""
    data = summary["data"]
    sections = (build(summary) for build in _SECTIONS)
    noun = class_words.class_noun(data)
    subtitle = [words.plural(data["rows"], "row"), words.plural(len(data["classes"]), noun)]
    return Document(
        title=words.visible(summary["title"]),
        kind="audit" if noun == "class" else "comparison",
        subtitle=" · ".join([*subtitle, *words.columns_used(data["columns"])]),
        held_out=method_words.held_out_sentence(summary),
        verdict=summary["verdict"],
        facts=tuple(class_facts(summary)),
        warnings=tuple(words.remark(**seen) for seen in data["warnings"]),
        sections=tuple(section for section in sections if section is not None),
    )


def class_facts(summary: Summary) -> list[Fact]:
    """The first screen."""
    best, classes = summary["balanced_accuracy"], summary["data"]["classes"]
    noun = class_words.class_noun(summary["data"])
    sure = words.confidence(best["level"])
    tiles = [
        Fact(
            "Best balanced accuracy",
            f"≥ {words.rounded_down(best['low'])}",
            f"{sure}; best model found: {words.number(best['value'])}; guessing: "
            f"{words.number(1 / len(classes))}",
        )
    ]
    tiles += _samples(summary) if noun == "sample" else _classifier(summary)
    hardest = min(_pairs(summary), key=lambda pair: pair[2])
    tiles.append(
        Fact(
            "Hardest pair",
            f"AUC {words.number(hardest[2])}",
            f"found for {hardest[0]} against {hardest[1]}; at least "
            f"{words.rounded_down(hardest[3])} ({sure})",
        )
    )
    return tiles


def _samples(summary: Summary) -> list[Fact]:
    """Whether samples differ, and how many there are."""
    chance, samples = summary["test"]["pvalue"], summary["data"]["classes"]
    answer = words.chance(chance, summary["level"])
    return [
        Fact("Could this be chance?", answer, words.pvalue(chance)),
        Fact("Samples", words.count(len(samples)), class_words.smallest_sample(samples)),
    ]


def _classifier(summary: Summary) -> list[Fact]:
    """What a given classifier misses, and what more rows would add."""
    scores = summary["scores"]
    gap = class_words.class_gap(scores) if scores else (words.MISSING, "no predictions were given")
    figure = words.FIGURE_NAMES["balanced_accuracy"]
    more = verdicts.more_rows(summary["more_rows"], figure)
    return [Fact("Gap of your classifier", *gap), Fact("Would more rows help?", *more)]


def pairs(summary: Summary) -> Section:
    """Best AUC of every pair of classes."""
    found = sorted(_pairs(summary), key=lambda pair: pair[2])
    mean = summary["mean_pairwise_auc"]
    hard = [pair for pair in found if pair[3] <= 0.5 + 1e-9]
    noun = class_words.class_noun(summary["data"])
    classes = class_words.NOUNS[noun]
    text = [
        f"The best AUC of every two {classes}: which of them these columns can tell apart. Above "
        "the diagonal what the best model found reaches; below it what is certified, all pairs "
        f"together ({words.confidence(summary['level'])}).",
        f"The mean over all pairs is {words.at_least(mean)}.",
    ]
    if hard:
        names = [f"`{a}` and `{b}`" for a, b, *_ in hard[:4]]
        more = f" and {len(hard) - 4} more pairs" if len(hard) > 4 else ""
        text.append(f"Nothing above guessing is certified for {words.listed(names)}{more}.")
    return Section(
        "pairs",
        f"Which {classes} can be told apart",
        tuple(text),
        Table(
            (noun, "against", "best AUC found", "at least"),
            tuple(
                (words.visible(a), words.visible(b), words.number(value), words.rounded_down(low))
                for a, b, value, low in found
            ),
            names=(0, 1),
            sortable=len(found) > 10,
        ),
        Data(("class", "against", "found", "at_least"), tuple(found)),
    )


def recalls(summary: Summary) -> Section:
    """Recall of every class by the rule that was found."""
    recall, rest = summary["recall"], summary["one_versus_rest_auc"]
    confusion = summary["confusion"]["value"]
    labels, noun = recall["labels"], class_words.class_noun(summary["data"])
    rows, numbers = [], []
    for k, label in enumerate(labels):
        others = [share if j != k else -1.0 for j, share in enumerate(confusion[k])]
        with_most = max(range(len(labels)), key=others.__getitem__)
        n = summary["data"]["classes"][k]["rows"]
        ends = {key: recall[key][k] for key in ("value", "low", "high")}
        mistaken = words.MISSING
        if others[with_most] > 0:
            mistaken = f"{labels[with_most]} ({words.percent(others[with_most])})"
        rows.append(
            (
                words.visible(label),
                words.count(n),
                words.interval(ends),
                words.visible(mistaken),
                words.number(rest["value"][k]),
                words.rounded_down(rest["low"][k]),
            )
        )
        numbers.append((label, n, *ends.values(), rest["value"][k], rest["low"][k]))
    return Section(
        "recalls",
        f"Recall of each {noun}",
        (
            f"Share of each {noun} that the best rule found recognises on rows it had not seen, "
            f"with its interval ({words.confidence(recall['level'])} each), and the {noun} for "
            f"which the rest is mistaken most often. The last two columns set the {noun} against "
            "the mixture of all others in equal shares.",
        ),
        Table(
            (noun, "rows", "recall", "mistaken most for", "AUC against rest", "at least"),
            tuple(rows),
            names=(0, 3),
            sortable=len(rows) > 10,
        ),
        Data(
            ("class", "rows", "recall", "low", "high", "auc_against_rest", "at_least"),
            tuple(numbers),
        ),
    )


MOST_CONFUSED = 12
"""Classes up to which the confusion matrix is shown; the JSON summary holds every one."""


def confusion(summary: Summary) -> Section | None:
    """Share of every class that the rule found gives to each."""
    shares, labels = summary["confusion"]["value"], summary["confusion"]["labels"]
    if len(labels) > MOST_CONFUSED:
        return None
    names, noun = (
        [words.visible(label) for label in labels],
        class_words.class_noun(summary["data"]),
    )
    return Section(
        "confusion",
        "Confusion matrix",
        (
            f"Share of each {noun} (line) that the best rule found gives to each {noun} (column), "
            "on rows it had not seen.",
        ),
        Table(
            (noun, *names),
            tuple(
                (name, *(words.number(share, 2) for share in line))
                for name, line in zip(names, shares, strict=True)
            ),
        ),
        Data(
            (noun, *map(str, labels)), tuple(zip(labels, *zip(*shares, strict=True), strict=True))
        ),
    )


def headroom(summary: Summary) -> Section | None:
    """Every given classifier against the best achievable."""
    scores = summary["scores"]
    if not scores:
        return None
    rows = tuple(
        (
            words.visible(score["name"]),
            words.number(score["balanced_accuracy"]),
            words.rounded_down(score["headroom"]["low"]),
            words.rounded_down(score["auc_headroom"]["low"])
            if score["auc_headroom"]
            else words.MISSING,
        )
        for score in scores
    )
    header = ("classifier", "balanced accuracy", "at least below the best", "in mean pairwise AUC")
    text: tuple[str, ...] = ("How far given predictions are below the best achievable.",)
    if any(score["auc_headroom"] for score in scores):
        text += (
            "Probabilities name the likeliest class. Unless their shares were stated, it is judged "
            "twice: as given and after division by the shares of the classes in this table; the "
            "rule with the higher balanced accuracy is shown, and the bound holds for both. They "
            "rank a pair of classes by their ratio.",
        )
    items = tuple(score["sentence"] for score in scores)
    return Section(
        "class-headroom", "Headroom of each classifier", text, Table(header, rows), items=items
    )


def scale(summary: Summary) -> Section:
    """The three measures of all classes together."""
    k = len(summary["data"]["classes"])
    classes = class_words.NOUNS[class_words.class_noun(summary["data"])]
    names = {
        "balanced_accuracy": ("balanced accuracy", 1 / k),
        "mean_pairwise_auc": ("mean pairwise AUC", 0.5),
        "arc_length": ("arc length", k**0.5),
    }
    rows = tuple(
        (
            label,
            words.number(least),
            words.rounded_down(summary[key]["low"]),
            words.number(summary[key]["value"]),
            words.number(float(k) if key == "arc_length" else 1.0),
        )
        for key, (label, least) in names.items()
    )
    return Section(
        "measures",
        "Measures of the difference",
        (
            f"Each measure between the value of {classes} that cannot be told apart and that of "
            f"{classes} that never overlap. The bounds hold together "
            f"({words.confidence(summary['level'])}).",
        ),
        Table(("measure", "no difference", "at least", "estimate", "separable"), rows),
    )


def _pairs(summary: Summary) -> list[tuple[str, str, float, float]]:
    """Both labels, value and lower bound of every pair."""
    table = summary["pairwise_auc"]
    labels = table["labels"]
    return [
        (labels[i], labels[j], table["value"][i][j], table["low"][i][j])
        for i in range(len(labels))
        for j in range(i + 1, len(labels))
    ]


_SECTIONS: Sequence[Callable[[Summary], Section | None]] = (
    pairs,
    recalls,
    confusion,
    headroom,
    column_sections.importance,
    findings.learning,
    scale,
    provenance.members,
    provenance.columns,
    provenance.caveats,
    provenance.method,
)
