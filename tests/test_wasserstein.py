"""Wasserstein distances of bent laws."""

from __future__ import annotations

import numpy as np
import pytest
from data_line import integral, mixture

from rocstar.laws import (
    GaussianPair,
    StudentTPair,
    Warped,
)


def test_warped_wasserstein():
    logs = GaussianPair(1.0, 0.0, 0.25, 0.25)
    warped = Warped(logs, np.exp, np.log)
    assert warped.wasserstein == pytest.approx(np.exp(1.125) - np.exp(0.125), rel=1e-10)
    crossing = Warped(GaussianPair(0.5, 0.0, 0.25, 1.0), np.sinh, np.arcsinh)
    (_, P), (_, Q) = mixture([0.5], [0.25], [1.0]), mixture([0.0], [1.0], [1.0])
    plain = integral(lambda y: abs(P(np.arcsinh(y)) - Q(np.arcsinh(y))))
    assert crossing.wasserstein == pytest.approx(plain, rel=1e-6)
    with pytest.raises(NotImplementedError, match="ask the law before the map"):
        _ = Warped(StudentTPair(1.0, df_pos=2.0), np.exp, np.log).wasserstein
