"""Which section has a figure, and how curves and scores look in it."""

from __future__ import annotations

import numpy as np

from rocstar.report.drawing import score_style
from rocstar.report.figures import figure
from rocstar.report.parts import Curve


def test_a_section_without_a_figure_has_none() -> None:
    assert figure("method", {}) is None


def test_a_band_is_a_staircase_and_a_curve_a_line() -> None:
    ends = np.array([0.0, 1.0]), np.array([0.5, 1.0])
    assert Curve("optimal", "", *ends).at(0.5) == 0.75
    assert Curve("band", "", *ends).at(0.5) == 0.5


def test_styles_of_scores_repeat() -> None:
    assert (score_style(0), score_style(1), score_style(6)) == ("s0", "s1", "s0")
