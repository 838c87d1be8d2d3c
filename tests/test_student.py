"""Student's laws: closed forms, limits and tails."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from rocstar.laws import (
    GaussianPair,
    StudentTPair,
)


def test_cauchy_closed_forms():
    shift = StudentTPair(1.5, df_pos=1.0)
    assert shift.tv == pytest.approx(2 / np.pi * np.arctan(0.75), rel=1e-12)
    assert shift.kl == pytest.approx(np.log1p(1.5**2 / 4), rel=1e-11)
    scale = StudentTPair(scale_pos=3.0, scale_neg=1.0, df_pos=1.0)
    assert scale.kl == pytest.approx(np.log(16 / 12), rel=1e-11)
    assert scale.wasserstein == np.inf


def test_student_wasserstein_is_infinite_exactly_when_it_is():
    assert StudentTPair(2.0, df_pos=0.5).wasserstein == 2
    assert StudentTPair(2.0, df_pos=0.5, df_neg=3.0).wasserstein == np.inf
    assert StudentTPair(scale_pos=2.0, scale_neg=1.0, df_pos=1.0).wasserstein == np.inf
    nearly = StudentTPair(scale_pos=2.0, scale_neg=1.0, df_pos=1.01).wasserstein
    # Symmetric laws of two scales: W₁ is the difference of the mean absolute values.
    mean_abs = 2 * np.sqrt(1.01) / (0.01 * special.beta(1.01 / 2, 0.5))
    assert nearly == pytest.approx(mean_abs, rel=1e-9)


def test_student_approaches_the_gaussian():
    heavy, normal = StudentTPair(1.0, df_pos=1e7), GaussianPair(1.0)
    assert heavy.arc_length == pytest.approx(normal.arc_length, abs=1e-6)
    assert heavy.auc == pytest.approx(normal.auc, abs=1e-6)


def test_radial_student_against_the_f_law():
    law = StudentTPair(scale_pos=2.0, scale_neg=1.0, df_pos=4.0, dim=6)
    # The ratio grows with the radius, and R²/(6·scale²) has the F law with (6, 4) degrees.
    f = stats.f(6, 4)
    fpr = np.array([0.01, 0.2, 0.7, 0.99])
    np.testing.assert_allclose(law.roc(fpr), f.sf(f.isf(fpr) / 4), rtol=1e-9)
