"""The report in a real browser: drawn, answering, readable without a script, and silent."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from data_summary import HOSTILE, audit_summary, comparison_summary

from rocstar import report

pytestmark = pytest.mark.browser

sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
CHROMIUM = os.environ.get("ROCSTAR_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 320, "height": 640}
WIDTHS = (390, 1200, 1920)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no browser at {CHROMIUM}")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    for name, summary in (("audit", audit_summary()), ("comparison", comparison_summary())):
        (folder / f"{name}.html").write_text(report.html(summary), encoding="utf-8")
    return folder


@pytest.fixture
def visit(browser: Any, folder: Path) -> Iterator[Any]:
    """Open a report and watch it: complaints, dialogs and requests end the test as failures."""
    contexts, trouble = [], []

    def open_page(name: str = "audit", **options: Any) -> Any:
        context = browser.new_context(**({"viewport": DESK} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: trouble.append(m.text) if m.type != "log" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: (trouble.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda r: trouble.append(r.url) if not r.url.startswith(("file:", "data:")) else None,
        )
        page.goto((folder / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def shown(page: Any, selector: str) -> Any:
    return page.locator(f"{selector} >> visible=true")


def box_in_view(page: Any, locator: Any) -> dict[str, float]:
    """Box of an element, scrolled into view."""
    locator.scroll_into_view_if_needed()
    # The scroll is announced in the next frame, and takes any read-out away.
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return locator.bounding_box()


def middle(page: Any, locator: Any) -> tuple[float, float]:
    """Centre of an element's box, scrolled into view."""
    box = box_in_view(page, locator)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
@pytest.mark.parametrize("name", ["audit", "comparison"])
def test_every_figure_is_drawn(visit: Any, name: str, script: bool) -> None:
    page = visit(name, java_script_enabled=script)
    figures = page.locator("figure")
    assert figures.count() >= 5
    for figure in figures.all():
        drawings = figure.locator("svg.plot >> visible=true")
        assert drawings.count() == 1
        box = drawings.bounding_box()
        assert box["width"] > 300
        assert box["height"] > 80
        assert drawings.locator("path, rect, circle").count() >= 3


@pytest.mark.parametrize("name", ["audit", "comparison"])
def test_tables_are_there_without_a_script(visit: Any, name: str) -> None:
    page = visit(name, java_script_enabled=False)
    assert not page.locator("#theme").is_visible()
    scale = page.locator("#scale details")
    scale.locator("summary").click()
    assert page.get_by_role("row", name="total variation 0.340 0.383").is_visible()
    assert page.get_by_role("row", name="age number used as it is 0 73").is_visible()
    assert page.locator(".search").count() == 0
    folded = page.locator("#roc details")
    assert not folded.locator("table").is_visible()
    folded.locator("summary").click()
    assert folded.locator("tbody tr").count() == 21
    assert folded.locator("tbody tr").nth(10).is_visible()


def test_hover_reads_every_curve_off(visit: Any) -> None:
    page = visit()
    plot = shown(page, "#roc svg.curves")
    box = box_in_view(page, plot)
    low, high, start, end = map(float, plot.get_attribute("data-x").split())
    scale = box["width"] / float(plot.get_attribute("width"))
    at = start + (0.3 - low) / (high - low) * (end - start)
    page.mouse.move(box["x"] + at * scale, box["y"] + box["height"] / 2)
    tip = shown(page, ".tip")
    assert tip.locator("p").inner_text() == "false-positive rate 0.300"
    roc = audit_summary()["figures"]["roc"]
    read = dict(
        zip(tip.locator("dt").all_inner_texts(), tip.locator("dd").all_inner_texts(), strict=True)
    )
    assert float(read["best curve found"]) == pytest.approx(
        np.interp(0.3, roc["fpr"], roc["tpr"]), abs=2e-3
    )
    assert {"model_score", "new_score", "its convex hull"} <= read.keys()
    # Between two points the band is what the point to the left certifies.
    certified = float(read["at least this (95 % confidence)"])
    assert any(np.isclose(certified, np.floor(1e3 * np.array(roc["low"])) / 1e3))
    page.mouse.move(5, 5)
    assert page.locator(".tip").is_hidden()


def test_hover_on_histogram_and_marks(visit: Any) -> None:
    page = visit()
    page.mouse.move(*middle(page, shown(page, "#angles svg.curves")))
    tip = shown(page, ".tip")
    assert tip.locator("p").inner_text().startswith("angle 4")
    assert all(text.endswith("%") for text in tip.locator("dd").all_inner_texts())
    page.mouse.move(*middle(page, shown(page, "#headroom [data-tip]").first))
    assert "model_score` has an AUC of 0.711 (0.695 to 0.727)" in shown(page, ".tip").inner_text()


def test_keyboard_reads_the_curve(visit: Any) -> None:
    page = visit()
    plot = shown(page, "#roc svg.curves")
    plot.focus()
    page.keyboard.press("ArrowRight")
    assert plot.get_attribute("aria-valuetext").startswith("false-positive rate 0.510, best curve")
    page.keyboard.press("End")
    assert plot.get_attribute("aria-valuenow") == "1.000"
    assert shown(page, ".tip").locator("p").inner_text() == "false-positive rate 1.000"
    page.keyboard.press("Escape")
    assert page.locator(".tip").is_hidden()


def test_every_control_can_be_reached_by_tab(visit: Any) -> None:
    page = visit()
    mark = (
        "() => { const e = document.activeElement; if (e.dataset.seen) return false;"
        " e.dataset.seen = 1; return true; }"
    )
    page.keyboard.press("Tab")
    while page.evaluate(mark):
        page.keyboard.press("Tab")
    for control in ("nav a", "button", "summary", "svg[tabindex]", "input:checked", ".download a"):
        found = page.locator(f"{control} >> visible=true").all()
        assert found
        assert all(one.get_attribute("data-seen") for one in found), control


def test_legend_switches_a_curve_off_and_on(visit: Any) -> None:
    page = visit()
    key = page.locator("#roc .legend").get_by_role("button", name="model_score", exact=True)
    series = key.locator("..").get_attribute("data-series")
    curve = shown(page, "#roc svg.curves").locator(f"[data-series={series}]")
    assert curve.is_visible()
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert curve.is_hidden()
    page.mouse.move(*middle(page, shown(page, "#roc svg.curves")))
    names = shown(page, ".tip").locator("dt").all_inner_texts()
    assert "new_score" in names
    assert "model_score" not in names
    key.focus()
    page.keyboard.press("Enter")
    assert key.get_attribute("aria-pressed") == "true"
    assert curve.is_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_close_up_replaces_the_whole_curve(visit: Any, script: bool) -> None:
    page = visit(java_script_enabled=script)
    page.get_by_text("Up to 10 % false alarms").click()
    assert shown(page, "#roc svg.curves").get_attribute("data-x").startswith("0 0.1 ")
    page.get_by_text("Whole curve").click()
    assert shown(page, "#roc svg.curves").get_attribute("data-x").startswith("0 1 ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme_follows_the_system_until_told_otherwise(visit: Any, scheme: str) -> None:
    page = visit(color_scheme=scheme)

    def brightness() -> float:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return float(np.mean([int(c) for c in colour[4:-1].split(",")]))

    assert (brightness() > 128) == (scheme == "light")
    page.locator("#theme").click()
    assert (brightness() > 128) == (scheme == "dark")
    # Chromium writes its storage in the background: a page loaded at once may miss it.
    for _ in range(10):
        page.wait_for_timeout(200)
        page.reload()
        if (brightness() > 128) == (scheme == "dark"):
            break
    assert (brightness() > 128) == (scheme == "dark")
    page.locator("#theme").click()
    assert (brightness() > 128) == (scheme == "light")


@pytest.mark.parametrize("name", ["audit", "comparison"])
def test_a_phone_needs_no_sideways_scrolling(visit: Any, name: str) -> None:
    page = visit(name, viewport=PHONE, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert shown(page, "figure .narrow").count() == page.locator("figure").count()
    plot = shown(page, "#angles svg.curves")
    plot.tap()
    assert shown(page, ".tip").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["audit", "comparison"])
def test_content_is_at_most_900_pixels_wide_and_nothing_overflows(
    visit: Any, name: str, width: int, scheme: str
) -> None:
    page = visit(name, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for folded in page.locator("details").all():
        folded.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    content = page.locator("main").bounding_box()["width"]
    assert content == (900 if width > 1000 else width - 32)
    overflowing = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => e.getAttribute('aria-label'))"
    )
    assert overflowing == []
    small = page.evaluate(
        "Math.min(...[...document.querySelectorAll('figure svg.plot')]"
        ".filter(e => e.getBoundingClientRect().width > 0)"
        ".map(e => e.getBoundingClientRect().width / e.viewBox.baseVal.width))"
    )
    assert small >= 0.9, "the text of a figure must stay readable"


def test_every_chart_has_its_numbers_folded_under_it(visit: Any) -> None:
    for name in ("audit", "comparison"):
        page = visit(name)
        for section in page.locator("main > section:has(figure)").all():
            assert section.locator("details.numbers table").count() == 1
            assert section.locator("table >> visible=true").count() == 0


def test_a_folded_table_names_its_columns_on_a_phone(visit: Any) -> None:
    page = visit(viewport={"width": 390, "height": 800})
    cell = page.locator("#columns td[data-label=treatment]").first
    assert page.evaluate("e => getComputedStyle(e, '::before').content", cell.element_handle()) == (
        '"treatment"'
    )
    assert cell.bounding_box()["width"] < 390


def test_columns_can_be_sorted_and_searched(visit: Any) -> None:
    page = visit()
    table = page.locator("#columns table")

    def names() -> list[str]:
        return page.locator("#columns tbody th >> visible=true").all_inner_texts()

    before = names()
    table.get_by_role("button", name="distinct").click()
    assert names()[0] == "country"
    table.get_by_role("button", name="distinct").click()
    assert names()[0] == "customer"
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("distinct")
    table.get_by_role("button", name="column").click()
    assert names()[1:3] == ["active", "age"]
    page.locator("#columns input[type=search]").fill("categ")
    assert names() == ["plan"]
    assert page.locator("#columns .search [role=status]").inner_text() == "1 of 9"
    page.locator("#columns input[type=search]").fill("")
    assert sorted(names()) == sorted(before)


def test_each_score_has_its_own_colour_in_the_legend(visit: Any) -> None:
    page = visit()
    colour = "e => getComputedStyle(e.querySelector('.point')).fill"
    for name, style in (("model_score", "s0"), ("new_score", "s1")):
        key = page.locator("#headroom .legend li", has_text=name)
        mark = shown(page, f"#headroom svg.plot .range.{style}")
        assert page.evaluate(colour, key.element_handle()) == page.evaluate(
            colour, mark.element_handle()
        )


def test_the_first_screen_says_how_rows_were_held_out(visit: Any) -> None:
    page = visit(viewport={"width": 390, "height": 800})
    line = page.locator(".held-out")
    assert "4,100 groups of rows, each kept on one side" in line.inner_text()
    assert line.bounding_box()["y"] < 800


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_print_is_black_on_white(visit: Any, scheme: str) -> None:
    page = visit(color_scheme=scheme)
    page.emulate_media(media="print")
    style = "getComputedStyle(document.body)"
    assert page.evaluate(f"{style}.backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(f"{style}.color") == "rgb(29, 28, 26)"
    assert page.locator("nav").is_hidden()
    assert page.locator("#theme").is_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("name", ["audit", "comparison"])
def test_a_hostile_column_name_stays_text(visit: Any, name: str) -> None:
    page = visit(name)
    assert page.get_by_role("rowheader", name=HOSTILE).first.is_visible()
    assert page.locator("script").count() == 1


def test_policy_stops_a_script_that_got_in(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "audit.html").as_uri())
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.hurt = 1';"
        " document.body.append(s); document.body.insertAdjacentHTML('beforeend',"
        " '<img src=x onerror=\"window.hurt = 1\">'); }"
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.hurt") is None
    page.close()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_figures_download_as_csv(visit: Any, script: bool, tmp_path: Path) -> None:
    page = visit(java_script_enabled=script)
    with page.expect_download() as waiting:
        page.locator("#learning .download a").click()
    assert waiting.value.suggested_filename == "learning.csv"
    path = tmp_path / "learning.csv"
    waiting.value.save_as(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [r["source"] for r in rows] == 4 * ["measured"] + ["expected"]
    assert [float(r["arc_length"]) for r in rows[:-1]] == [
        p["arc_length"] for p in audit_summary()["learning_curve"]
    ]
