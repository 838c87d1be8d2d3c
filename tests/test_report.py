"""What all renderers share: nothing lost, nothing changed, extras named."""

from __future__ import annotations

import json
import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest
from data_summary import audit_summary

from rocstar import report
from rocstar.report import html_page

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
def test_what_was_not_found_or_asked_drops_out(summary: dict[str, Any], render: Any) -> None:
    lists = [key for key, value in summary.items() if isinstance(value, list)]
    for key in [*lists, *({"decision", "more_rows"} & summary.keys())]:
        less = {"calibration": [], key: []} if key in lists else {key: None}
        assert render(summary | less)


def test_rendering_changes_nothing(summary: dict[str, Any]) -> None:
    before = deepcopy(summary)
    for render in RENDERERS.values():
        assert render(summary) == render(summary)
    assert summary == before


def test_json_is_strict_and_complete(summary: dict[str, Any]) -> None:
    assert json.loads(report.json(summary)) == summary
    with pytest.raises(ValueError, match="JSON"):
        report.json({"value": float("nan")})


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
