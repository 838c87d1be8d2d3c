"""Numbers and names as a reader sees them."""

from __future__ import annotations

import html
import math
import re

import pytest
from data_summary import audit_summary, comparison_summary, estimate, interval
from hypothesis import given
from hypothesis import strategies as st

from rocstar import report
from rocstar.report import words
from rocstar.report.sections import document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (words.number(0.76018), "0.760"),
        (words.number(-0.25), "−0.250"),
        (words.number(-1e-9), "0.000"),
        (words.rounded_down(0.74199), "0.741"),
        (words.rounded_up(0.72601), "0.727"),
        (words.count(48842), "48,842"),
        (words.percent(0.95), "95 %"),
        (words.percent(0.975), "97.5 %"),
        (words.percent(0.3141, 1), "31.4 %"),
        (words.pvalue(0.001), "p = 0.001"),
        (words.pvalue(1e-9), "p < 0.0001"),
        (words.pvalue(0.4271), "p = 0.427"),
        (words.seconds(0.04), "0.04 s"),
        (words.seconds(12.13), "12.1 s"),
        (words.seconds(135), "2 min 15 s"),
        (words.interval({"value": 0.711, "low": 0.6951, "high": 0.7263}), "0.711 (0.695 to 0.727)"),
    ],
)
def test_figures_as_text(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize(
    "printed", [words.number, words.rounded_down, words.rounded_up, words.percent, words.pvalue]
)
@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_a_dash_where_there_is_no_number(printed, value) -> None:
    assert words.MISSING in printed(value)


def test_certified_ends_are_rounded_down_and_missing_ones_not_mentioned() -> None:
    certified = words.at_least({"value": 0.7612, "low": 0.7429, "level": 0.95})
    assert all(part in certified for part in ("0.742", "0.761", "95 %"))
    assert "at least" not in words.at_least({"value": 0.7612, "low": None})


def test_a_p_value_in_words_turns_at_the_level() -> None:
    assert words.chance(0.05, 0.95) == words.chance(0.001, 0.95) == "No"
    assert words.chance(0.051, 0.95) == "Yes"


def test_control_characters_are_shown() -> None:
    assert words.visible("a\x1b[31mb") == "a␛[31mb"


def test_names_are_cut_out_of_a_sentence() -> None:
    assert words.code_spans("drop `id` first") == [
        (False, "drop "),
        (True, "id"),
        (False, " first"),
    ]


@given(value=st.floats(-2, 2), digits=st.integers(1, 5))
def test_a_bound_never_grows_by_printing(value: float, digits: int) -> None:
    printed = float(words.rounded_down(value, digits).replace("−", "-"))
    assert printed <= value + 1e-9
    assert value - printed < 10.0**-digits + 1e-9
    printed = float(words.rounded_up(value, digits).replace("−", "-"))
    assert printed >= value - 1e-9


# Verdicts, scores and tiles


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
    assert words.audit_verdict(summary) == summary["verdict"]
    summary["scores"] = summary["scores"][:1]
    assert words.audit_verdict(summary).endswith(
        "the best model found reaches 0.760. `model_score` is at least 0.021 AUC below the best "
        "achievable (95 % confidence)."
    )
    summary["scores"] = []
    assert words.audit_verdict(summary).endswith("the best model found reaches 0.760.")


def test_a_score_far_above_everything_found_does_not_make_the_headline() -> None:
    summary = found()
    own, other = summary["scores"]
    own |= {"auc": interval(0.976, 0.961, 0.983), "suspicious": True}
    own["sentence"] = words.score_sentence(own, 0.75)
    assert "far above the best model found (0.750)" in own["sentence"]
    assert "0.976" not in words.audit_verdict(summary)
    assert words.gap([own, other])[1].startswith("new_score")
    assert words.gap([own])[0] == "not judged"
    summary["scores"] = [own]
    assert words.audit_verdict(summary).endswith(own["sentence"])


def test_a_verdict_does_not_stand_above_a_remark_that_makes_it_invalid() -> None:
    summary = found()
    plain = words.audit_verdict(summary)
    summary["data"]["warnings"].append({"severity": "invalid", "text": "Copies."})
    assert words.audit_verdict(summary) == (
        f"This result may be invalid: see the warning below. {plain}"
    )


def test_no_model_is_said_to_be_worse_than_guessing() -> None:
    worse = found(**NOTHING, test={"pvalue": 0.6}, found={"value": 0.4, "low": 0.3, "high": 0.497})
    assert "an AUC of at most 0.500" in words.audit_verdict(worse)


def test_a_reversed_score_is_called_reversed() -> None:
    score = {"name": "s", "auc": interval(0.3, 0.25, 0.35), "suspicious": False}
    score["headroom"] = estimate(0.4, 0.3)
    assert words.score_sentence(score, 0.75).startswith("`s` has an AUC of 0.300 (0.250 to 0.350):")


@pytest.mark.parametrize(
    ("verdict", "none"),
    [
        (words.audit_verdict, "No model was shown to beat guessing at `churned` (p = 0.400)"),
        (words.comparison_verdict, "No difference between the two samples was found (p = 0.400)"),
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
    assert words.more_rows(helps)[0] == "+0.012 AUC"
    assert "0.006 to 0.018" in words.more_rows(helps)[1]
    assert words.more_rows(helps | {"verdict": "little"})[0] == "hardly"
    assert words.more_rows(None)[0] == words.more_rows(helps | {"verdict": "cannot tell"})[0]


def test_more_rows_in_a_sentence() -> None:
    found = {"gain": 0.0049, "low": -0.0032, "high": 0.0124, "level": 0.9, "verdict": "cannot tell"}
    assert "between −0.004 and 0.013 (90 % confidence)" in words.more_rows_sentence(found)
    assert "at most 0.013 (95 % confidence)" in words.more_rows_sentence(
        found | {"verdict": "little"}
    )
    helps = words.more_rows_sentence(found | {"low": 0.0016, "verdict": "helps"})
    assert "about 0.005 (0.001 to 0.013, 90 % confidence)" in helps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (words.plural(1, "row"), "1 row"),
        (words.plural(0, "row"), "0 rows"),
        (words.plural(1234, "row"), "1,234 rows"),
        (words.plural(2, "copy"), "2 copies"),
        (words.plural(2, "class"), "2 classes"),
        (words.listed([]), ""),
        (words.listed(["a"]), "a"),
        (words.listed(["a", "b", "c"]), "a, b and c"),
        (words.columns_used([]), []),
        (words.columns_used([{"used": True}]), ["1 column used"]),
        (words.columns_used([{"used": True}, {"used": False}]), ["1 column used, 1 set aside"]),
        (words.confidence(0.999), "99.9 % confidence"),
        (words.remark("note", "One."), "Note: One."),
    ],
)
def test_plurals_lists_and_levels(text, expected) -> None:
    assert text == expected


def test_groups_time_and_weights_are_stated_first() -> None:
    method = {"splits": "5 folds; stratified by class"}
    plain = {"groups": None, "ordered": False, "weighted": False}
    assert words.held_out_sentence({"method": method, "data": plain}) == (
        "Held out: 5 folds; stratified by class. No groups, time or weights given."
    )
    used = words.held_out_sentence(
        {"method": method, "data": {"groups": 40, "ordered": True, "weighted": True}}
    )
    assert "40 groups of rows, each kept on one side and counted as one observation." in used
    assert "strictly older rows" in used
    assert "weighted" in used
    assert "No " not in used
    assert words.held_out_sentence({}) == ""


def test_one_row_in_the_smaller_class() -> None:
    data = {"positives": 1, "negatives": 90, "columns": []}
    assert "The smaller class has 1 row, so the bounds are wide." in words.caveats(
        data, "conjecture"
    )


@pytest.mark.parametrize("make", [audit_summary, comparison_summary])
def test_every_renderer_gives_the_same_headline(make) -> None:
    summary = make()
    shown = document(summary)
    pages = [report.terminal(summary, width=100), report.markdown(summary), report.html(summary)]
    for page in pages:
        text = re.sub(r"</?code>|[`*\\]", "", html.unescape(page).replace("\u00a0", " "))
        text = " ".join(text.split())
        assert " ".join(shown.verdict.replace("`", "").split()) in text
        for fact in shown.facts:
            assert fact.value in text
    assert report.json(summary).count(shown.verdict.replace('"', '\\"')) == 1
