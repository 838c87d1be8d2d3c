"""The HTML page: it asks for nothing, executes nothing, and carries all numbers."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from data_summary import ATTACKS, audit_summary, column, with_every_string
from hypothesis import given
from hypothesis import strategies as st

from rocstar import report
from rocstar.report import words


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
    summary = audit_summary()
    summary["data"]["columns"] = [column(name, "number", "used as it is")]
    page = Page(report.html(summary))
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


def test_names_may_break_where_a_reader_would() -> None:
    page = report.html(audit_summary())
    assert "<th scope=row>model_<wbr>score</th>" in page


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
    for line in ("positive", "negative", *(f"s{i}" for i in range(10))):
        assert contrast(colour[line], colour["paper"]) >= 3, line
