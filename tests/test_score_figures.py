"""The reliability diagram."""

from __future__ import annotations

import re

from data_summary import audit_summary

from rocstar.report import score_figures


def test_each_point_tells_its_rows_and_a_score_keeps_its_colour() -> None:
    figure = score_figures.calibration(audit_summary())
    tips = re.findall('data-tip="([^"]*)"', figure.views[0].wide)
    assert tips[0] == "new_score: 0.050 predicted, 0.080 observed (0.050 to 0.110) in 500 rows"
    assert len(tips) == 5
    # `new_score` is the second of the given scores in every picture.
    assert [key.style for key in figure.legend] == ["s1", "diagonal"]
