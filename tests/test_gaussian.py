"""Gaussian pairs of equal covariances against one number, their distance."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.laws import (
    GaussianPair,
)


@pytest.mark.parametrize("delta", [0.05, 0.5, 3.0, 8.0])
def test_equal_covariances_in_any_coordinates(delta):
    rng = np.random.default_rng(5)
    root = rng.standard_normal((7, 7))
    cov = root @ root.T + np.eye(7)
    step = rng.standard_normal(7)
    step *= delta / np.sqrt(step @ np.linalg.solve(cov, step))
    law = GaussianPair(step + 3, np.full(7, 3.0), cov)
    plain = GaussianPair(delta)
    for name in ("arc_length", "divergence", "tv", "auc", "kl", "js", "hellinger"):
        assert getattr(law, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    # Closed forms against the quadrature they replace.
    assert law.tv == pytest.approx(law.ratio_law.tv, rel=1e-10)
    assert law.auc == pytest.approx(law.ratio_law.auc, rel=1e-10)
    assert law.kl == pytest.approx(law.ratio_law.kl, rel=1e-9)
    assert law.hellinger == pytest.approx(law.ratio_law.hellinger, rel=1e-10)
