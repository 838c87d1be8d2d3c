"""Figures with axes: what is drawn of curves, angles and the learning curve."""

from __future__ import annotations

import re

from data_summary import audit_summary

from rocstar.report import curve_figures


def test_a_close_up_ends_at_few_false_alarms() -> None:
    figure = curve_figures.roc(audit_summary())
    assert [view.id for view in figure.views] == ["all", "zoom"]
    assert [re.search('data-x="([^"]*)"', view.wide)[1][:5] for view in figure.views] == [
        "0 1 4",
        "0 0.1",
    ]
    assert [key.style for key in figure.legend] == ["optimal", "band", "hull", "s0", "s1"]


def test_the_band_is_read_off_rounded_down() -> None:
    summary = audit_summary()
    summary["figures"]["roc"] |= {"fpr": [0.0, 1.0], "tpr": [0.5, 1.0], "low": [0.1239, 0.4]}
    optimal, band, *_ = curve_figures.roc(summary).readout["series"]
    assert (optimal["step"], optimal["y"]) == (False, [0.5, 1.0])
    assert (band["step"], band["y"]) == (True, [0.123, 0.4])


def test_the_learning_curve_marks_every_point_once() -> None:
    figure = curve_figures.learning(audit_summary())
    assert figure is not None
    tips = re.findall('data-tip="([^"]*)"', figure.views[0].wide)
    assert {"4,000 rows: AUC 0.756", "8,000 rows: expected AUC 0.759"} < set(tips)
    assert len(tips) == 5
    one = audit_summary()
    one["learning_curve"] = one["learning_curve"][:1]
    assert curve_figures.learning(one) is None
