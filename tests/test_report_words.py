"""Numbers and names as a reader sees them."""

from __future__ import annotations

import html
import math
import re

import pytest
from data_summary import audit_summary, comparison_summary
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
