"""Figures made of rows: scales, ranges and bars."""

from __future__ import annotations

import re

from data_summary import audit_summary

from rocstar.report import range_figures


def tips(figure) -> list[str]:
    return re.findall('data-tip="([^"]*)"', figure.views[0].wide)


def test_each_measure_is_a_row_with_its_certified_end() -> None:
    summary = audit_summary()
    figure = range_figures.scale(summary)
    assert len(tips(figure)) == 4
    assert figure.views[0].wide.count('class="certified"') == 4


def test_the_heaviest_model_comes_first() -> None:
    summary = audit_summary()
    summary["members"] = summary["members"][::-1]
    names = [tip.partition(":")[0] for tip in tips(range_figures.members(summary))]
    assert names == ["linear", "rbf", "trees"]


def test_each_score_has_its_sentence() -> None:
    first, *_ = tips(range_figures.headroom(audit_summary()))
    assert first.startswith("`model_score` has an AUC of 0.711")
