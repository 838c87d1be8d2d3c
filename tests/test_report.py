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
