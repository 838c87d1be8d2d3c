"""What an audit or a comparison found, in one to three sentences."""

from __future__ import annotations

import pytest
from data_summary import audit_summary, interval

from rocstar.report import score_words, verdicts

NOTHING = {"auc": {"low": 0.5}, "tv": {"low": 0.0}}


def found(**changes):
    """A summary with the numbers that sentences are made of."""
    summary = audit_summary()
    summary["found"]["auc"] |= changes.pop("found", {})
    summary["auc"] |= changes.pop("auc", {})
    summary["tv"] |= changes.pop("tv", {})
    return summary | changes


def test_an_audit_says_what_is_certified_what_was_found_and_how_far_the_best_score_is_off() -> None:
    summary = found()
    assert verdicts.audit_verdict(summary) == summary["verdict"]
    summary["scores"] = summary["scores"][:1]
    assert verdicts.audit_verdict(summary).endswith(
        "the best model found reaches 0.760. `model_score` is at least 0.021 AUC below the best "
        "achievable (95 % confidence)."
    )
    summary["scores"] = []
    assert verdicts.audit_verdict(summary).endswith("the best model found reaches 0.760.")


def test_a_score_far_above_everything_found_does_not_make_the_headline() -> None:
    summary = found()
    own, other = summary["scores"]
    own |= {"auc": interval(0.976, 0.961, 0.983), "suspicious": True}
    own["sentence"] = score_words.score_sentence(own, 0.75)
    assert "far above the best model found (0.750)" in own["sentence"]
    assert "0.976" not in verdicts.audit_verdict(summary)
    assert score_words.gap([own, other])[1].startswith("new_score")
    assert score_words.gap([own])[0] == "not judged"
    summary["scores"] = [own]
    assert verdicts.audit_verdict(summary).endswith(own["sentence"])


def test_a_verdict_does_not_stand_above_a_remark_that_makes_it_invalid() -> None:
    summary = found()
    plain = verdicts.audit_verdict(summary)
    summary["data"]["warnings"].append({"severity": "invalid", "text": "Copies."})
    assert verdicts.audit_verdict(summary) == (
        f"This result may be invalid: see the warning below. {plain}"
    )


def test_no_model_is_said_to_be_worse_than_guessing() -> None:
    worse = found(**NOTHING, test={"pvalue": 0.6}, found={"value": 0.4, "low": 0.3, "high": 0.497})
    assert "an AUC of at most 0.500" in verdicts.audit_verdict(worse)


@pytest.mark.parametrize(
    ("verdict", "none"),
    [
        (verdicts.audit_verdict, "No model was shown to beat guessing at `churned` (p = 0.400)"),
        (
            verdicts.comparison_verdict,
            "No difference between the two samples was found (p = 0.400)",
        ),
    ],
)
def test_too_few_rows_to_tell_is_not_no_difference(verdict, none) -> None:
    chance = {"test": {"pvalue": 0.4}}
    narrow = found(**NOTHING, **chance, found={"value": 0.51, "low": 0.47, "high": 0.5491})
    assert verdict(narrow).startswith(none)
    assert "at most 0.550 (95 % confidence)" in verdict(narrow)
    few = found(**NOTHING, **chance, found={"value": 0.745, "low": 0.3819, "high": 0.951})
    few["found"] |= {"fewest": 5}
    assert verdict(few).startswith("Too few rows to tell (p = 0.400)")
    assert "with 5 rows in the smaller " in verdict(few)
    few["found"] |= {"unit": "group", "fewest": 3}
    assert verdict(few).startswith("Too few groups to tell (p = 0.400)")
    assert "with 3 groups in the smaller " in verdict(few)
    assert "from 0.381 to 0.951" in verdict(few)
    sure = found(**NOTHING, test={"pvalue": 0.001}, found={"value": 0.6, "low": 0.52, "high": 0.7})
    assert "differ (p = 0.001). How much cannot be bounded away from zero" in verdict(sure)
    assert "No difference" not in verdict(sure)
    assert "too few" not in verdict(sure)


def test_more_rows_on_a_tile() -> None:
    helps = {"gain": 0.012, "low": 0.006, "high": 0.018, "level": 0.9, "verdict": "helps"}
    assert verdicts.more_rows(helps)[0] == "+0.012 AUC"
    assert "0.006 to 0.018" in verdicts.more_rows(helps)[1]
    assert verdicts.more_rows(helps | {"verdict": "little"})[0] == "hardly"
    assert verdicts.more_rows(None)[0] == verdicts.more_rows(helps | {"verdict": "cannot tell"})[0]


def test_more_rows_in_a_sentence() -> None:
    found = {"gain": 0.0049, "low": -0.0032, "high": 0.0124, "level": 0.9, "verdict": "cannot tell"}
    assert "between −0.004 and 0.013 (90 % confidence)" in verdicts.more_rows_sentence(found)
    assert "at most 0.013 (95 % confidence)" in verdicts.more_rows_sentence(
        found | {"verdict": "little"}
    )
    helps = verdicts.more_rows_sentence(found | {"low": 0.0016, "verdict": "helps"})
    assert "about 0.005 (0.001 to 0.013, 90 % confidence)" in helps
