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
    summary["auc"]["low"] = None
    assert range_figures.scale(summary).views[0].wide.count('class="certified"') == 3


def test_the_heaviest_model_comes_first() -> None:
    summary = audit_summary()
    summary["members"] = summary["members"][::-1]
    names = [tip.partition(":")[0] for tip in tips(range_figures.members(summary))]
    assert names == ["linear", "rbf", "trees"]


def test_scores_without_an_auc_have_no_headroom_to_draw() -> None:
    summary = audit_summary()
    assert tips(range_figures.headroom(summary))[0].startswith("`model_score` has an AUC of 0.711")
    assert range_figures.headroom(summary | {"scores": [{"name": "odd", "auc": None}]}) is None
