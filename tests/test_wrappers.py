"""Bent spaces and idle columns leave every truth."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar.laws import (
    GaussianPair,
    Padded,
    StudentTPair,
    suite,
)

SUITE = suite()


@pytest.mark.parametrize("name", ["swirl-2d", "half-cube-10d", "quadric-10d", "asinh-student-1d"])
def test_warps_move_points_and_leave_truths(name):
    warped = SUITE[name]
    X, _ = warped.law.sample(50, 50, random_state=4)
    moved = warped.forward(X)
    np.testing.assert_allclose(warped.inverse(moved), X, atol=1e-9)
    np.testing.assert_allclose(warped.log_ratio(moved), warped.law.log_ratio(X), atol=1e-8)
    assert not np.allclose(moved, X)
    for truth in ("arc_length", "tv", "auc", "kl", "js", "hellinger"):
        assert getattr(warped, truth) == pytest.approx(getattr(warped.law, truth), rel=1e-9)


def test_padding_adds_noise_and_nothing_else():
    law = Padded(StudentTPair(1.0), 4)
    X, y = law.sample(3000, 1000, random_state=9)
    assert X.shape == (4000, 5)
    np.testing.assert_array_equal(law.log_ratio(X), law.law.log_ratio(X[:, :1]))
    assert np.abs(np.corrcoef(np.c_[X[:, 1:], y].T)[-1, :-1]).max() < 0.06
    assert law.auc == law.law.auc
    assert Padded(GaussianPair(1.0), 0).wasserstein == 1
