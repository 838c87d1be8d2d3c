"""Sentences on more than two classes: bounds are rounded outwards, each case has its words."""

from __future__ import annotations

from rocstar.report.class_words import (
    class_caveats,
    class_gap,
    class_score_sentence,
    class_verdict,
    smallest_sample,
)


def score(low, name="mine", accuracy=0.74, rule="labels"):
    room = {"value": 0.1, "low": low, "level": 0.95}
    entry = {"name": name, "rule": rule, "balanced_accuracy": accuracy, "headroom": room}
    return {**entry, "sentence": class_score_sentence(entry)}


def summary(low, scores=()):
    return {
        "level": 0.95,
        "data": {"target": "kind", "warnings": [], "classes": [{}, {}, {}]},
        "balanced_accuracy": {"low": low, "value": 0.84},
        "test": {"pvalue": 0.3},
        "scores": list(scores),
    }


def test_verdicts():
    said = class_verdict(summary(0.8199, [score(0.0569)]))
    assert "at least 0.819 on the 3 classes of `kind` (95 % confidence)" in said
    assert "`mine` has a balanced accuracy of 0.740 and is at least 0.056 below" in said
    equal = score(0.0, rule="likeliest at equal shares")["sentence"]
    assert equal.startswith("`mine`, by its likeliest class at equal shares of the classes, has a")
    assert class_verdict(summary(1 / 3)).startswith("No model was shown to beat guessing")
    invalid = summary(0.8)
    invalid["data"]["warnings"] = [{"severity": "invalid", "text": "…"}]
    assert class_verdict(invalid).startswith("This result may be invalid")


def test_tiles_and_caveats():
    assert class_gap([score(0.0)])[0] == "none shown"
    assert class_gap([score(0.05), score(0.2, "worse", 0.5)])[0] == "≥ 0.050"
    assert smallest_sample([{"label": "a", "rows": 9}, {"label": "b", "rows": 1}]).endswith("1 row")
    assert len(class_caveats("betting")) == len(class_caveats("dirichlet")) + 1
