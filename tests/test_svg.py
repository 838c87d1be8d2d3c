"""Scales, ticks, labels and thinned curves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocstar.report import svg


def test_values_have_pixels() -> None:
    assert svg.Scale(0, 1, 10, 110)(0.25) == 35.0


def test_labels_are_escaped_and_elements_closed() -> None:
    drawn = svg.markup(svg.canvas(1, 1, "a < b"))
    assert 'aria-label="a &lt; b"' in drawn
    assert drawn.endswith("></svg>")


def test_long_labels_are_cut() -> None:
    assert svg.shortened("a_very_long_column_name", 100) == "a_very_long…"


def test_ticks_have_as_many_decimals_as_they_need() -> None:
    labels = [label for _, label in svg.ticks(0.58, 0.83, 5)]
    assert labels == ["0.60", "0.65", "0.70", "0.75", "0.80"]


@given(low=st.floats(-100, 100), span=st.floats(1e-3, 100), about=st.integers(3, 8))
def test_ticks_are_round_even_and_inside(low: float, span: float, about: int) -> None:
    ticks = svg.ticks(low, low + span, about)
    values = np.array([value for value, _ in ticks])
    assert 2 <= len(values) <= 2 * about + 1
    assert values[0] >= low - 1e-6 * span
    assert values[-1] <= low + span + 1e-6 * span
    np.testing.assert_allclose(np.diff(values), values[1] - values[0], rtol=1e-6)
    np.testing.assert_allclose([float(label) for _, label in ticks], values, atol=1e-9)


@given(n=st.integers(2, 500), seed=st.integers(0, 99))
def test_thinning_keeps_ends_order_and_vertices(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.random(n)), np.sort(rng.random(n))
    kept_x, kept_y = svg.thinned(x, y, most=50)
    assert len(kept_x) <= 50
    assert (kept_x[0], kept_y[0]) == (x[0], y[0])
    assert (kept_x[-1], kept_y[-1]) == (x[-1], y[-1])
    assert np.all(np.diff(kept_x) >= 0)
    assert set(zip(kept_x, kept_y, strict=True)) <= set(zip(x, y, strict=True))
