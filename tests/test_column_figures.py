"""Figures on columns: bars with intervals, and one panel per changed column."""

from __future__ import annotations

import re

from data_summary import audit_summary, comparison_summary

from rocstar.report import column_figures, range_figures


def tips(figure) -> list[str]:
    return re.findall('data-tip="([^"]*)"', figure.views[0].wide)


def test_a_chart_has_a_limited_number_of_bars() -> None:
    summary = comparison_summary()
    summary["columns_importance"] *= 10
    assert len(tips(column_figures.importance(summary))) == range_figures.MOST_BARS


def test_every_bar_of_importance_shows_its_interval() -> None:
    figure = column_figures.importance(audit_summary())
    assert figure.views[0].wide.count('class="error"') == 3
    assert tips(figure)[0] == "age: importance 0.0611 (0.0480 to 0.0742)"
    assert len(figure.legend) == 1
    assert len(column_figures.importance(comparison_summary()).legend) == 2


def test_changed_columns_are_drawn_as_outlines_or_bars() -> None:
    figure = column_figures.changes(comparison_summary())
    assert figure is not None
    assert [tip.partition(":")[0] for tip in tips(figure)] == ["age", "plan"]
    assert figure.views[0].wide.count('class="fill"') == 8
    assert [key.label for key in figure.legend] == ["old.parquet", "new.parquet"]
    assert column_figures.changes(comparison_summary() | {"changes": []}) is None
