"""The renderers: nothing lost, nothing executed, nothing rounded into a stronger claim."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import subprocess
import sys
from copy import deepcopy
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from data_summary import HOSTILE, audit_summary, comparison_summary
from hypothesis import given
from hypothesis import strategies as st

from rocstar import report
from rocstar.report import html_page, words
from rocstar.report.sections import document

SUMMARIES = {"audit": audit_summary, "comparison": comparison_summary}
ATTACKS = (
    HOSTILE,
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script>",
    "' autofocus onfocus='alert(1)",
    "{{ 7 * 7 }}",
    "=HYPERLINK(1)",
    "a|b`c`*d*_e_[f](javascript:alert(1))",
    "\x1b[2J\x1b[31m\u202eevil\r\n# heading",
    "\ud800",
)


class Page(HTMLParser):
    """What a browser would find: elements, their attributes, and text by element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "wbr":  # a place to break a name, not a part of it
            return
        self.elements.append((tag, {k: v or "" for k, v in attrs}))
        self.text.setdefault(tag, []).append("")
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open:
            self.text[self._open[-1]][-1] += data

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] for _, attrs in self.elements if name in attrs]

    def cells(self) -> list[str]:
        return self.text.get("th", []) + self.text.get("td", [])


@pytest.fixture(params=SUMMARIES)
def summary(request: pytest.FixtureRequest) -> dict[str, Any]:
    return SUMMARIES[request.param]()


def with_every_string(value: Any, text: str) -> Any:
    """Copy with every string except the kind replaced, keys of versions and timings included."""
    if isinstance(value, str):
        return text
    if isinstance(value, list):
        return [with_every_string(v, text) for v in value]
    if isinstance(value, dict):
        return {
            k if k not in {"rocstar", "read"} else text: v
            if k in {"kind", "side"}
            else with_every_string(v, text)
            for k, v in value.items()
        }
    return value


# --- HTML --------------------------------------------------------------------------------------


def test_page_asks_for_nothing(summary: dict[str, Any]) -> None:
    page = Page(report.html(summary))
    for address in page.attributes("href") + page.attributes("src"):
        assert address.startswith(("#", "data:"))
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest", report.html(summary))


def test_policy_admits_the_page_s_own_style_and_script_only(summary: dict[str, Any]) -> None:
    page = Page(report.html(summary))
    (policy,) = [a["content"] for _, a in page.elements if "http-equiv" in a]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (content,) = page.text[tag]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert not page.attributes("style")
    assert not [name for _, a in page.elements for name in a if name.startswith("on")]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_string_of_the_summary_becomes_markup(summary: dict[str, Any], attack: str) -> None:
    text = report.html(with_every_string(summary, attack))
    text.encode()
    page, plain = Page(text), Page(report.html(summary))
    tags = {tag for tag, _ in page.elements}
    assert tags <= {tag for tag, _ in plain.elements} | {"code"}
    assert len(page.text["script"]) == 1
    names = {name for _, attributes in page.elements for name in attributes}
    assert names <= {name for _, attributes in plain.elements for name in attributes}
    assert words.visible(attack) in page.cells()


@given(name=st.text(min_size=1, max_size=30))
def test_any_column_name_is_shown_as_it_is(name: str) -> None:
    columns = [{"name": name, "type": "number", "treatment": "", "missing": 0, "distinct": 1}]
    page = Page(report.html({"kind": "audit", "data": {"columns": columns}}))
    assert words.visible(name) in page.cells()


def test_tables_carry_the_numbers_of_the_figures(summary: dict[str, Any]) -> None:
    cells = Page(report.html(summary)).cells()
    for key in ("arc_length", "tv", "auc"):
        assert words.number(summary[key]["value"]) in cells
        assert words.rounded_down(summary[key]["low"]) in cells
    for member in summary["members"]:
        assert words.number(member["arc_length"]) in cells
    for point in summary["learning_curve"]:
        assert words.count(point["rows"]) in cells
    middle = np.interp(0.5, summary["figures"]["roc"]["fpr"], summary["figures"]["roc"]["tpr"])
    assert words.number(middle) in cells


def test_the_band_is_a_staircase_rounded_down() -> None:
    summary = audit_summary()
    summary["figures"]["roc"] |= {"fpr": [0.0, 0.5, 1.0], "tpr": [0.0, 1.0, 1.0]}
    summary["figures"]["roc"]["low"] = [0.0, 0.7999, 0.9]
    (section,) = [s for s in document(summary).sections if s.id == "roc"]
    assert section.table is not None
    column = [h.startswith("at least") for h in section.table.header].index(True)
    read = {row[0]: row[column] for row in section.table.rows}
    assert (read["0.45"], read["0.50"], read["0.95"], read["1.00"]) == (
        "0.000",
        "0.799",
        "0.799",
        "0.900",
    )


def test_names_may_break_where_a_reader_would() -> None:
    page = report.html(audit_summary())
    assert "<th scope=row>model_<wbr>score</th>" in page


def test_without_a_band_nothing_is_said_to_be_certified_by_it() -> None:
    summary = audit_summary()
    assert "stepped line" in report.html(summary)
    summary["figures"]["roc"]["low"] = None
    assert "stepped line" not in report.html(summary)
    assert "at least this (95 % confidence)" not in report.markdown(summary)


def downloads(page: Page) -> dict[str, list[list[str]]]:
    found = {}
    for _, attributes in page.elements:
        if "download" in attributes:
            payload = attributes["href"].partition("base64,")[2]
            text = base64.b64decode(payload).decode("utf-8-sig")
            found[attributes["download"]] = list(csv.reader(io.StringIO(text, newline="")))
    return found


def test_every_figure_yields_its_data_unrounded(summary: dict[str, Any]) -> None:
    page = Page(report.html(summary))
    files = downloads(page)
    drawn = page.attributes("data-figure")
    assert drawn
    assert {f"{name}.csv" for name in drawn} <= files.keys()
    roc = summary["figures"]["roc"]
    best = [row for row in files["roc.csv"] if row[0] == "best curve found"]
    np.testing.assert_array_equal(
        np.array(best)[:, 1:].astype(float), np.c_[roc["fpr"], roc["tpr"]]
    )
    angles = np.array(files["angles.csv"][1:], float)
    np.testing.assert_array_equal(angles[:, 2], summary["figures"]["angles"]["positive"])


def test_spreadsheets_are_given_no_formula(summary: dict[str, Any]) -> None:
    tables = downloads(Page(report.html(with_every_string(summary, "=1+1"))))
    cells = [cell for rows in tables.values() for row in rows for cell in row]
    assert "'=1+1" in cells
    assert not [cell for cell in cells if cell.startswith("=")]


def test_a_large_report_stays_small() -> None:
    summary = audit_summary()
    summary["data"]["columns"] *= 60
    grid = np.linspace(0, 1, 5_000).tolist()
    scores = [{"name": f"score {i}", "fpr": grid, "tpr": grid} for i in range(8)]
    summary["figures"]["roc"]["scores"] = scores
    assert len(report.html(summary).encode()) < 6e6


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(first: str, second: str) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_read(theme: int) -> None:
    style = (files("rocstar.report") / "templates" / "report.css").read_text()
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", style)
    colour = {name: values[theme] for name, *values in pairs}
    # WCAG 2.2: 4.5 for text (1.4.3), 3 for graphics (1.4.11).
    for text in ("ink", "soft", "accent"):
        for ground in ("paper", "card"):
            assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)
    assert contrast(colour["ink"], colour["warn"]) >= 4.5
    assert contrast(colour["ink"], colour["wash"]) >= 4.5
    for line in ("positive", "negative", "s0", "s1", "s2", "s3", "s4", "s5"):
        assert contrast(colour[line], colour["paper"]) >= 3, line


# --- Every renderer ----------------------------------------------------------------------------

RENDERERS = {
    "html": report.html,
    "markdown": report.markdown,
    "json": report.json,
    "terminal": report.terminal,
}


@pytest.mark.parametrize("render", RENDERERS.values(), ids=RENDERERS)
def test_verdict_and_certified_numbers_are_shown(render: Any) -> None:
    summary = audit_summary()
    text = " ".join(render(summary).replace("\u00a0", " ").split())
    assert "at least 0.742" in text
    assert "0.021" in text
    assert "0.760" in text


@pytest.mark.parametrize("render", RENDERERS.values(), ids=RENDERERS)
def test_a_missing_part_drops_out(summary: dict[str, Any], render: Any) -> None:
    assert render({"kind": summary["kind"]})
    for key in summary.keys() - {"kind"}:
        for partial in (
            {k: v for k, v in summary.items() if k != key},
            summary | {key: None},
            {"kind": summary["kind"], key: summary[key]},
        ):
            assert render(partial)


def test_an_uncertified_number_is_called_an_estimate() -> None:
    summary = audit_summary()
    summary["auc"]["low"] = None
    for text in (report.terminal(summary), report.markdown(summary)):
        (line,) = [line for line in text.splitlines() if line.lstrip("| ").startswith("Best AUC")]
        assert "estimate" in line
        assert "at least" not in line
        assert "≥" not in line


def test_sections_of_both_kinds() -> None:
    audit = {section.id for section in document(audit_summary()).sections}
    shared = {"roc", "scale", "angles", "members", "columns", "caveats", "method"}
    assert audit == shared | {"headroom", "learning"}
    comparison = {section.id for section in document(comparison_summary()).sections}
    assert comparison == shared | {"importance"}


def test_rendering_changes_nothing(summary: dict[str, Any]) -> None:
    before = deepcopy(summary)
    for render in RENDERERS.values():
        assert render(summary) == render(summary)
    assert summary == before


# --- JSON, Markdown, terminal ------------------------------------------------------------------


def test_json_is_strict_and_complete(summary: dict[str, Any]) -> None:
    assert json.loads(report.json(summary)) == summary
    with pytest.raises(ValueError, match="JSON"):
        report.json({"value": float("nan")})


@pytest.mark.parametrize("attack", ATTACKS)
def test_markdown_escapes_data(summary: dict[str, Any], attack: str) -> None:
    text = report.markdown(with_every_string(summary, attack))
    text.encode()
    outside = re.sub(r"`[^`\n]+`", "", text.replace("\\`", ""))
    assert "<" not in outside
    assert not re.search(r"(?<!\\)\]\(", outside)
    assert "\n# heading" not in text
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert len(re.findall(r"^## ", text, flags=re.M)) == len(document(summary).sections) + bool(
        summary["data"]["warnings"]
    )


@pytest.mark.parametrize("width", [40, 80, 200])
def test_terminal_fits_and_is_plain(summary: dict[str, Any], width: int) -> None:
    text = report.terminal(summary, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert "indistinguishable" in text
    assert "separable" in text


def test_terminal_scale_marks_both_ends() -> None:
    summary = audit_summary()
    for value, low, expected in ((2.0, 2.0, "━●┤ 2"), (words.INDISTINGUISHABLE, 1.2, "√2 ├●─")):
        summary["arc_length"] |= {"value": value, "low": low}
        assert expected in report.terminal(summary)


def test_colour_adds_codes_and_nothing_else(summary: dict[str, Any]) -> None:
    coloured = report.terminal(summary, color=True)
    stripped = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert coloured != stripped
    lines = [line.rstrip() for line in stripped.splitlines()]
    assert lines == report.terminal(summary).splitlines()


@pytest.mark.parametrize("attack", ATTACKS)
def test_terminal_obeys_no_name(summary: dict[str, Any], attack: str) -> None:
    text = report.terminal(with_every_string(summary, attack))
    text.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_long_names_are_folded_not_cut() -> None:
    summary = audit_summary()
    name = "score_" * 30
    summary["scores"][0]["sentence"] = f"`{name}` has an AUC of 0.7."
    assert name in re.sub(r"\s+", "", report.terminal(summary))


def test_square_brackets_are_not_markup() -> None:
    summary = audit_summary()
    summary["scores"][0]["sentence"] = "`[bold]score[/bold]` has an AUC of 0.7."
    assert "[bold]score[/bold]" in report.terminal(summary)


# --- Extras ------------------------------------------------------------------------------------


def test_missing_extras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    html_page._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'rocstar\[cli\]'"):
        report.html(audit_summary())
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with pytest.raises(ImportError, match=r"pip install 'rocstar\[cli\]'"):
        report.terminal(audit_summary())
    assert report.markdown(audit_summary())


def test_importing_the_report_loads_no_extra() -> None:
    code = "import sys, rocstar.report; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"jinja2", "rich", "pandas", "sklearn"} & set(loaded.stdout.split())
