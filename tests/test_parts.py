"""Curves, sides and points of a summary, as every section and figure reads them."""

from __future__ import annotations

import numpy as np
import pytest
from data_summary import audit_summary, comparison_summary

from rocstar.report.parts import Curve, curves, expected_points, sides


def test_a_band_is_a_staircase_and_a_curve_a_line() -> None:
    ends = np.array([0.0, 1.0]), np.array([0.5, 1.0])
    assert Curve("optimal", "", *ends).at(0.5) == 0.75
    assert Curve("band", "", *ends).at(0.5) == 0.5


def test_sides_have_the_names_that_the_reader_knows() -> None:
    assert sides(audit_summary()) == ("churned = yes", "churned ≠ yes")
    assert sides(comparison_summary()) == ("new.parquet", "old.parquet")


def test_curves_come_in_the_order_of_the_legend() -> None:
    roles = ["optimal", "band", "hull", "score", "score"]
    assert [curve.role for curve in curves(audit_summary())] == roles


def test_what_more_rows_are_expected_to_reach_is_at_most_one() -> None:
    summary = audit_summary()
    (point,) = expected_points(summary)
    assert point["rows"] == 8000
    assert point["auc"] == pytest.approx(0.7591)
    summary["more_rows"] |= {"high": 0.9}
    assert expected_points(summary)[0]["auc_high"] == 1.0
    assert expected_points(summary | {"more_rows": None}) == []
