"""An estimate reads well and promises no more than was certified."""

from __future__ import annotations

import numpy as np

from rocstar import Estimate


def test_estimate_reads_well():
    assert "at most 0.700 (90 % confidence)" in str(Estimate(0.6, 0.0, 0.7, 0.9, "upper"))
    assert "between 0.500 and 0.700" in str(Estimate(0.6, 0.5, 0.7, 0.95, "two-sided"))
    assert repr(Estimate(0.6, 0.5, 0.7, 0.95, "lower")).startswith("Estimate(0.6000, low=0.5000")


def test_printing_promises_no_more_than_was_certified():
    sure = "(95 % confidence)"
    assert str(Estimate(0.92, 0.9179, 1.0, 0.95, "lower")) == f"0.920; at least 0.917 {sure}"
    assert str(Estimate(0.92, 0.0, 0.9211, 0.95, "upper")) == f"0.920; at most 0.922 {sure}"
    both = Estimate(0.29, 0.2899999, 0.2900001, 0.95, "two-sided")
    assert str(both) == f"0.290; between 0.289 and 0.291 {sure}"
    exact = Estimate(0.29, 0.29, 0.29, 0.95, "two-sided")
    assert str(exact) == f"0.290; between 0.290 and 0.290 {sure}"


def test_an_estimate_behaves_like_its_value_and_unpacks():
    estimate = Estimate(0.92, 0.9, 1.0, 0.95, "lower")
    assert float(estimate) == 0.92
    assert f"{estimate:.1f} {estimate:>8.3f}" == "0.9    0.920"
    assert f"{estimate}" == str(estimate)
    assert tuple(estimate) == (0.92, 0.9, 1.0)
    value, low, high = estimate
    assert low < value < high
    assert Estimate(**estimate.to_dict()) == estimate
    assert len({estimate, Estimate(0.92, 0.9, 1.0, 0.95, "lower")}) == 1
    assert np.array([estimate, estimate], dtype=float).tolist() == [0.92, 0.92]
