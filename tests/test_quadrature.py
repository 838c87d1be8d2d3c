"""The tanh-sinh rule."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.laws.quadrature import tanh_sinh


def test_a_singular_end_costs_no_accuracy():
    x, weight = tanh_sinh(np.array([0.0, 0.0]), np.array([1.0, 4.0]))
    assert (weight / np.sqrt(x)).sum(axis=1) == pytest.approx([2.0, 4.0], abs=1e-7)
