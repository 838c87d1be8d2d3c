"""Which section has a figure."""

from __future__ import annotations

from typing import Any

from rocstar.report.html_page import figure
from rocstar.report.sections import document


def test_a_section_without_a_figure_has_none() -> None:
    assert figure("method", {}) is None


def test_every_figure_belongs_to_a_section(summary: dict[str, Any]) -> None:
    drawn = [s.id for s in document(summary).sections if figure(s.id, summary) is not None]
    shared = {"roc", "scale", "angles", "members"}
    more = {
        "audit": {"headroom", "learning", "calibration", "precision-recall", "decision"},
        "comparison": {"changes"},
    }
    assert set(drawn) == shared | {"importance"} | more[summary["kind"]]
